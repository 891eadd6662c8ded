// Whichever allocation of whichever rank fails, all ranks throw, and no rank has written. Rankings: rank_errors_test.cpp.

#include <riffle/monte_carlo/permutation_test.hpp>
#include <riffle/monte_carlo/permutation_tests.hpp>
#include <riffle/mpi.hpp>
#include <riffle/shuffle.hpp>

#include <cstdint>

#include "mpi/failing_allocations.hpp"
#include "mpi/guilty_ranks.hpp"
#include "mpi/ranks.hpp"

namespace riffle::test::mpi_failed_allocations_test {
namespace {

TEST(MpiFailedAllocations, SortsWriteNothing) {
  constexpr std::uint64_t count = 20000;  // so many that samples are not all there is
  expect_all_or_nothing(count, [](auto const& comm, auto const& keys, auto const&) {
    mpi::sort(Exec(), comm, keys);
  });
  expect_all_or_nothing(count, [](auto const& comm, auto const& keys, auto const& values) {
    mpi::sort_by_key(Exec(), comm, keys, values);
  });
}

TEST(MpiFailedAllocations, ShufflesWriteNothing) {
  constexpr std::uint64_t count = 5000;
  expect_all_or_nothing(count, [](auto const& comm, auto const& keys, auto const& values) {
    mpi::shuffle(Exec(), comm, pack(keys, values), same_seed);
  });
  expect_all_or_nothing(count, [](auto const& comm, auto const& keys, auto const& values) {
    mpi::shuffle(Exec(), comm, pack(values, keys), same_seed, BucketShuffle{});
  });
  Array<std::int64_t> const in("in", count);
  expect_all_or_nothing(count, [&](auto const& comm, auto const& keys, auto const&) {
    mpi::shuffle_copy(Exec(), comm, in, keys, same_seed, BucketShuffle{});
  });
  expect_all_or_nothing(count, [](auto const& comm, auto const& keys, auto const&) {
    mpi::random_permutation(Exec(), comm, keys, same_seed);
  });
  expect_all_or_nothing(count, [](auto const& comm, auto const& keys, auto const&) {
    mpi::random_permutation(Exec(), comm, keys, same_seed, BucketShuffle{});
  });
}

TEST(MpiFailedAllocations, ScansWriteNothing) {
  // Some ranks have a bundle and parts of two others.
  constexpr std::uint64_t count = 200001;
  expect_all_or_nothing(count, [](auto const& comm, auto const& keys, auto const&) {
    mpi::inclusive_scan(Exec(), comm, keys, keys);
  });
  expect_all_or_nothing(count, [](auto const& comm, auto const& keys, auto const& values) {
    mpi::exclusive_scan(Exec(), comm, values, keys, Max<std::int64_t>{}, -1);
  });
}

TEST(MpiFailedAllocations, PermutationsWriteNothing) {
  constexpr std::uint64_t count = 3000;
  Array<std::int64_t> const in("in", count);
  // All ranks' rows in reverse.
  auto const reversal = [](mpi::Communicator const& comm) {
    Array<std::uint64_t> const p("p", count);
    auto const behind = static_cast<std::uint64_t>(comm.size() - comm.rank());
    for (std::uint64_t i = 0; i < count; ++i) p(i) = behind * count - 1 - i;
    return p;
  };
  expect_all_or_nothing(count, [&](auto const& comm, auto const& keys, auto const&) {
    mpi::permute(Exec(), comm, in, reversal(comm), keys);
  });
  mpi::Communicator const staged(MPI_COMM_WORLD, transfers(mpi::Transport::staged, 10000));
  expect_all_or_nothing(count, [&](auto const& comm, auto const& keys, auto const& values) {
    Array<double> const out("out", count);
    mpi::PlannedPermutation const plan(Exec(), staged, reversal(comm));
    plan.inverse()(Exec(), staged, pack(values, in), pack(out, keys));
  });
}

TEST(MpiFailedAllocations, TestsThrowOnAll) {
  constexpr std::uint64_t count = 30;
  bool const changes_keys = false;
  Array<double> const x("x", count);
  Array<int> const by("by", count);
  Kokkos::View<double**, Exec> const data("data", 3, count);
  for (std::uint64_t i = 0; i < count; ++i) {
    x(i) = static_cast<double>(i * i);
    by(i) = i < count / 2 ? 0 : 1;
    for (std::uint64_t g = 0; g < 3; ++g) data(g, i) = static_cast<double>((g + 7) * i % 31);
  }
  expect_all_or_nothing(
      count,
      [&](auto const& comm, auto const& keys, auto const&) {
        PermutationTestOptions options;
        options.replicates = 2000;
        mpi::permutation_test(Exec(), comm, DifferenceOfMeans{}, keys, x, options);
      },
      changes_keys);
  expect_all_or_nothing(
      count,
      [&](auto const& comm, auto const&, auto const&) {
        PermutationTestsOptions options;
        options.replicates = 500;
        options.min_p = true;
        mpi::permutation_tests(Exec(), comm, WelchT{}, data, by, options);
      },
      changes_keys);
  expect_all_or_nothing(
      count,
      [&](auto const& comm, auto const&, auto const&) {
        PermutationTestsOptions options;
        options.replicates = 500;
        options.keep_maxima = false;
        mpi::permutation_tests(Exec(), comm, WelchT{}, data, by, options);
      },
      changes_keys);
}

}  // namespace
}  // namespace riffle::test::mpi_failed_allocations_test
