// If one rank, each in turn, passes a wrong argument, all ranks throw the same text, which names that rank; nothing is written,
// and the communicator can be used again. Sorts, rankings, permutations and tests are in *_errors_test.cpp.

#include <riffle/mpi.hpp>
#include <riffle/shuffle.hpp>

#include <gtest/gtest.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "mpi/faulty_ranks.hpp"
#include "mpi/partitioned_data.hpp"
#include "mpi/scans.hpp"

namespace riffle::test::mpi_errors_test {
namespace {

TEST(MpiErrors, AnotherSeed) {
  expect_thrown_by_all(
      "riffle::mpi::shuffle_copy: seed = 7 on rank @ and 1906 on rank 0: must be the same on all "
      "ranks",
      [](ErrorCase const& s) {
        mpi::shuffle_copy(s.exec, s.comm, s.in, s.out, s.is_faulty() ? 7 : same_seed);
      },
      1);
}

TEST(MpiErrors, SeedOfRank0Differs) {
  mpi::Communicator const comm(MPI_COMM_WORLD);
  if (comm.size() == 1) return;
  ErrorCase const s(comm, 0);
  auto const text = thrown_message(
      [&] { mpi::random_permutation(s.exec, comm, s.out, s.is_faulty() ? 7 : same_seed); });
  for (auto const& of_rank : of_all_ranks(text, MPI_COMM_WORLD)) {
    EXPECT_EQ(of_rank,
              "riffle::mpi::random_permutation: seed = 1906 on rank 1 and 7 on rank 0: must be the "
              "same on all ranks");
  }
}

TEST(MpiErrors, AnotherValueType) {
  expect_thrown_by_all(
      "riffle::mpi::shuffle: the bytes of a row = 8 on rank @ and 4 on rank 0",
      [](ErrorCase const& s) {
        if (s.is_faulty()) {
          mpi::shuffle(s.exec, s.comm, Array<std::uint64_t>("wide", per_rank), same_seed);
        } else {
          mpi::shuffle(s.exec, s.comm, s.out, same_seed);
        }
      },
      1);
}

TEST(MpiErrors, AnotherAlgorithm) {
  expect_thrown_by_all(
      "riffle::mpi::shuffle: the algorithm's levels at n = 2^23 = 0 on rank @ and 1 on rank 0",
      [](ErrorCase const& s) {
        if (s.is_faulty()) {
          mpi::shuffle(s.exec, s.comm, s.out, same_seed, PermutationGather{});
        } else {
          mpi::shuffle(s.exec, s.comm, s.out, same_seed);
        }
      },
      1);
}

TEST(MpiErrors, AnotherFunction) {
  expect_thrown_by_all(
      "riffle::mpi: rank @ calls another function than rank 0",
      [](ErrorCase const& s) {
        if (s.is_faulty()) {
          mpi::random_permutation(s.exec, s.comm, s.out, same_seed);
        } else {
          mpi::shuffle_copy(s.exec, s.comm, s.in, s.out, same_seed);
        }
      },
      1);
}

TEST(MpiErrors, ViewsThatOverlap) {
  expect_thrown_by_all(
      "riffle::mpi::shuffle_copy: in (\"out\") and out (\"out\") overlap: must share no element "
      "(found on rank @)",
      [](ErrorCase const& s) {
        mpi::shuffle_copy(s.exec, s.comm, s.is_faulty() ? s.out : s.in, s.out, same_seed);
      });
}

TEST(MpiErrors, APackOfUnequalViews) {
  expect_thrown_by_all(
      "riffle::mpi::shuffle: a View of the pack has extent(0) = 4, the first one 10: must be equal "
      "(found on rank @)",
      [](ErrorCase const& s) {
        Array<double> const other("other", s.is_faulty() ? 4 : per_rank);
        mpi::shuffle(s.exec, s.comm, pack(s.out, other), same_seed);
      });
}

TEST(MpiErrors, RowsOfAnotherWidth) {
  expect_thrown_by_all(
      "riffle::mpi::shuffle_copy: in.extent(1) = 2 and out.extent(1) = 3: must be equal (found on "
      "rank @)",
      [](ErrorCase const& s) {
        // The pack that shuffle_test.cpp shuffles, so that nothing more is compiled.
        Kokkos::View<float**, Kokkos::LayoutLeft, Exec> const in("in", 1, s.is_faulty() ? 2 : 3);
        Kokkos::View<float**, Kokkos::LayoutRight, Exec> const out("out", 1, 3);
        mpi::shuffle_copy(s.exec, s.comm, pack(Array<std::uint32_t>("in", 1), in),
                          pack(Array<double>("out", 1), out), same_seed, BucketShuffle{});
      });
}

TEST(MpiErrors, SumsThatDiffer) {
  expect_thrown_by_all("riffle::mpi::shuffle_copy: in has ", [](ErrorCase const& s) {
    Array<int> const more("more", s.is_faulty() ? per_rank + 1 : per_rank);
    mpi::shuffle_copy(s.exec, s.comm, s.in, more, same_seed);
  });
}

TEST(MpiErrors, TypeTooSmallForIndices) {
  expect_thrown_by_all("riffle::mpi::random_permutation: n = ", [](ErrorCase const& s) {
    // Large enough for any number of ranks.
    if (s.is_faulty()) {
      mpi::random_permutation(s.exec, s.comm, Array<std::int8_t>("bytes", 200), same_seed);
    } else {
      mpi::random_permutation(s.exec, s.comm, s.out, same_seed);
    }
  });
}

TEST(MpiErrors, ScansOfUnequalViews) {
  expect_thrown_by_all(
      "riffle::mpi::inclusive_scan: in.extent(0) = 3 and out.extent(0) = 10: must be equal (found "
      "on rank @)",
      [](ErrorCase const& s) {
        Array<int> const in("in", s.is_faulty() ? 3 : per_rank);
        mpi::inclusive_scan(s.exec, s.comm, in, s.out, Last{});
      });
}

TEST(MpiErrors, AnotherInit) {
  Array<float> const in("in", per_rank);
  Array<double> const out("out", per_rank);
  auto const bits = [](double x) { return std::to_string(std::bit_cast<std::uint64_t>(x)); };
  expect_thrown_by_all(
      "riffle::mpi::inclusive_scan: the bits of init = " + bits(7) + " on rank @ and " + bits(1) +
          " on rank 0",
      [&](ErrorCase const& s) {
        mpi::inclusive_scan(s.exec, s.comm, in, out, std::plus<>{}, s.is_faulty() ? 7.0 : 1.0);
      },
      1);
  for (std::uint64_t i = 0; i < per_rank; ++i) EXPECT_EQ(out(i), 0);
  Array<int> const integers("integers", per_rank);
  Array<int> const last("last", per_rank);
  expect_thrown_by_all(
      "riffle::mpi::exclusive_scan: the bits of init = 7 on rank @ and 1 on rank 0",
      [&](ErrorCase const& s) {
        mpi::exclusive_scan(s.exec, s.comm, integers, last, Last{}, s.is_faulty() ? 7 : 1);
      },
      1);
  for (std::uint64_t i = 0; i < per_rank; ++i) EXPECT_EQ(last(i), 0);
}

TEST(MpiErrors, InitialValuesAreCompared) {
  struct Pair {
    std::int32_t a;
    std::int32_t b;
  };
  using detail::mpi::number_of_value;
  EXPECT_NE(number_of_value(Pair{1, 2}), number_of_value(Pair{2, 1}));
  EXPECT_EQ(number_of_value(Pair{1, 2}), number_of_value(Pair{1, 2}));
  EXPECT_NE(number_of_value(detail::scan::Maybe<double>(1.5)),
            number_of_value(detail::scan::Maybe<double>(2.5)));
}

TEST(MpiErrors, TooLittleMemory) {
  expect_thrown_by_all<std::runtime_error>("no memory (found on rank @)", [](ErrorCase const& s) {
    detail::mpi::run_collectively(s.comm, "test", [&] {
      if (s.is_faulty()) throw std::runtime_error("no memory");
    });
  });
  expect_thrown_by_all<std::runtime_error>("std::bad_alloc (found on rank @)",
                                           [](ErrorCase const& s) {
                                             detail::mpi::run_collectively(s.comm, "test", [&] {
                                               if (s.is_faulty()) throw std::bad_alloc();
                                             });
                                           });
}

TEST(MpiErrors, ErrorOfTheLowestRankIsReported) {
  mpi::Communicator const comm(MPI_COMM_WORLD);
  auto const text = thrown_message([&] {
    detail::mpi::run_collectively(comm, "test", [&] {
      throw std::invalid_argument("this is of rank " + std::to_string(comm.rank()));
    });
  });
  EXPECT_EQ(text, "this is of rank 0 (found on rank 0)");
}

// One rank has a GPU whose memory MPI cannot access, and another has none.
TEST(MpiErrors, TransfersThroughOtherMemory) {
  using detail::mpi::DataPath;
  expect_thrown_by_all(
      "riffle::test: data go through host memory on rank @ and from where they are on rank 0: exec "
      "must be of one back end on all ranks",
      [](ErrorCase const& s) {
        detail::mpi::run_collectively(
            s.comm, "test", [] {}, {}, s.is_faulty() ? DataPath::staged : DataPath::direct);
      },
      1);
  EXPECT_EQ(detail::mpi::data_path_of<Exec>(mpi::Communicator(MPI_COMM_WORLD)), DataPath::direct);
  mpi::TransferOptions staged;
  staged.transport = mpi::Transport::staged;
  EXPECT_EQ(detail::mpi::data_path_of<Exec>(mpi::Communicator(MPI_COMM_WORLD, staged)),
            DataPath::staged);
}

TEST(MpiErrors, ACommunicatorOfNoRanks) {
  mpi::Communicator empty(MPI_COMM_WORLD);
  mpi::Communicator const full(std::move(empty));
  Array<int> const data("data", per_rank);
  // NOLINTNEXTLINE(bugprone-use-after-move)
  EXPECT_EQ(thrown_message([&] { mpi::shuffle(Exec(), empty, data, same_seed); }),
            "riffle::mpi::shuffle: comm has been moved from: it is of no ranks");
}

TEST(MpiErrors, OtherOptions) {
  expect_thrown_by_all(
      "riffle::mpi::Communicator: options.max_round_bytes = 5 on rank @ and 1073741824 on rank 0",
      [](ErrorCase const& s) {
        mpi::TransferOptions options;
        if (s.is_faulty()) options.max_round_bytes = 5;
        mpi::Communicator const other(MPI_COMM_WORLD, options);
      },
      1);
}

TEST(MpiErrors, InvalidOptions) {
  expect_thrown_by_all(
      "riffle::mpi::Communicator: options.max_round_bytes = 0: must be positive (found on rank @)",
      [](ErrorCase const& s) {
        mpi::TransferOptions options;
        if (s.is_faulty()) options.max_round_bytes = 0;
        mpi::Communicator const other(MPI_COMM_WORLD, options);
      });
}

}  // namespace
}  // namespace riffle::test::mpi_errors_test
