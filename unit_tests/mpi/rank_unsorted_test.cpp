// Ranks of data in any order over ranks against those of one device, bit by bit, and against their definitions.

#include <riffle/mpi.hpp>
#include <riffle/order.hpp>
#include <riffle/rank/rank_unsorted.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <typeinfo>
#include <vector>

#include "mpi/rankings.hpp"
#include "mpi/ranks.hpp"
#include "support/unsorted_data.hpp"

namespace riffle::test::mpi_rank_unsorted_test {
namespace {

TEST(MpiRankUnsorted, OfAnyNumberOfElements) {
  mpi::Communicator const comm(MPI_COMM_WORLD);
  for (std::size_t const n : {0, 1, 2, 3, 7, 20, 3000}) {
    expect_some_unsorted_ranks<int>(comm, std::vector<int>(n, 5));
    expect_unsorted_ranks<double>(comm, random_values<double>(n));
    expect_some_unsorted_ranks<double>(comm, few_values<std::int64_t>(n, 7));
  }
}

TEST(MpiRankUnsorted, SpecialNumbers) {
  mpi::Communicator const comm(MPI_COMM_WORLD);
  for (std::size_t const n : {1, 30, 1000}) {
    for (auto const& options : all_options()) {
      expect_unsorted_ranks<double>(comm, special_values<double>(n), options);
      expect_some_unsorted_ranks<float>(comm, std::vector<double>(n, not_a_number), options);
    }
    for (auto const& options : all_options<Descending>()) {
      expect_some_unsorted_ranks<double>(comm, special_values<float>(n), options);
    }
    expect_some_unsorted_ranks<int>(comm, special_values<double>(n),
                                    RankOptions<>{{}, Missing::excluded, 0, false});
  }
}

TEST(MpiRankUnsorted, ByAComparison) {
  mpi::Communicator const comm(MPI_COMM_WORLD);
  std::vector<Tagged> values;
  for (int const key : few_values<int>(2500, 60)) {
    values.push_back({key, static_cast<std::uint32_t>(values.size())});
  }
  expect_some_unsorted_ranks<double>(comm, values, RankOptions<ByKey<>>{});
  expect_some_unsorted_ranks<double>(comm, values, RankOptions<ByKey<Descending>>{});
}

TEST(MpiRankUnsorted, ByEveryTransfer) {
  for (auto const& options : all_transfers()) {
    mpi::Communicator const comm(MPI_COMM_WORLD, options);
    expect_unsorted_ranks<double>(comm, few_values<double>(4001, 900));
  }
}

struct PlainLess {
  KOKKOS_FUNCTION bool operator()(double a, double b) const { return a < b; }
};
struct Always {
  KOKKOS_FUNCTION bool operator()(double, double) const { return true; }
};

TEST(MpiRankUnsorted, ComparisonsThatAreNoOrderGiveSomeRanks) {
  mpi::Communicator const comm(MPI_COMM_WORLD);
  auto const values = special_values<double>(3000);
  for (auto const& counts : partitions_of(values.size(), comm.size())) {
    auto const own = part_of(values, counts, comm.rank());
    Array<int> const ranks("ranks", own.extent(0));
    auto const expect_some = [&](auto const& order) {
      mpi::rank_unsorted(Exec(), comm, own, ranks, ties::Random{},
                         RankOptions<std::decay_t<decltype(order)>>{});
      for (std::uint64_t i = 0; i < ranks.extent(0); ++i) {
        EXPECT_TRUE(1 <= ranks(i) && ranks(i) <= 3000);
      }
    };
    expect_some(PlainLess{});
    expect_some(Always{});
  }
}

}  // namespace
}  // namespace riffle::test::mpi_rank_unsorted_test
