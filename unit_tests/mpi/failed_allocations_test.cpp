// If any allocation of any rank fails, all ranks throw, and no rank has written. Sorts, rankings, permutations and tests are in
// *_errors_test.cpp.

#include <riffle/mpi.hpp>
#include <riffle/shuffle.hpp>

#include <cstdint>

#include "mpi/failing_allocations.hpp"
#include "mpi/faulty_ranks.hpp"
#include "mpi/partitioned_data.hpp"
#include "mpi/scans.hpp"

namespace riffle::test::mpi_failed_allocations_test {
namespace {

TEST(MpiFailedAllocations, ShufflesWriteNothing) {
  constexpr std::uint64_t count = 5000;
  expect_all_or_nothing(count, [](auto const& comm, auto const& keys, auto const& values) {
    mpi::shuffle(Exec(), comm, pack(keys, values), same_seed);
  });
  expect_all_or_nothing(count, [](auto const& comm, auto const& keys, auto const& values) {
    mpi::shuffle(Exec(), comm, pack(keys, values), same_seed, BucketShuffle{});
  });
  Array<int> const in("in", count);
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
  // Some ranks have a whole bundle and parts of two others.
  constexpr std::uint64_t count = 200001;
  expect_all_or_nothing(count, [](auto const& comm, auto const& keys, auto const&) {
    mpi::exclusive_scan(Exec(), comm, keys, keys, Last{}, 5);
  });
}

}  // namespace
}  // namespace riffle::test::mpi_failed_allocations_test
