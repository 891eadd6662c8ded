// Ranks of sorted data over ranks are compared with the results of one device, bit by bit, and with the oracle.

#include <riffle/mpi.hpp>
#include <riffle/order.hpp>
#include <riffle/published/competition_ranking/hybrid_ranking.hpp>
#include <riffle/published/competition_ranking/naive_prefix_ranking.hpp>
#include <riffle/published/competition_ranking/packed_scan_ranking.hpp>
#include <riffle/published/competition_ranking/segment_search_ranking.hpp>
#include <riffle/rank.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <typeinfo>
#include <vector>

#include "mpi/partitioned_data.hpp"
#include "mpi/rankings.hpp"
#include "support/rank_oracle.hpp"
#include "support/unsorted_data.hpp"

namespace riffle::test::mpi_rank_test {
namespace {

std::vector<double> doubles_of(std::vector<int> const& values) {
  return {values.begin(), values.end()};
}

/// Ranks integers, which cannot be missing, to integral ranks.
void expect_integers_ranked(mpi::Communicator const& comm, std::vector<int> const& values) {
  expect_ranks<int>(
      comm, values,
      SortedRanking<ties::ModifiedCompetition, Ascending, DefaultRanking>{{}, {}, {}});
}

TEST(MpiRank, OfAnyNumberOfElements) {
  mpi::Communicator const comm(MPI_COMM_WORLD);
  for (std::size_t const n : {0, 1, 2, 3, 7, 20, 1000}) {
    expect_integers_ranked(comm, std::vector<int>(n, 5));
    for (double const recurring : {0.0, 0.6, 0.95}) {
      expect_sorted_ranks<double>(comm, random_runs<double>(n, recurring));
    }
  }
}

TEST(MpiRank, RunsThatEndNearTheEndsOfParts) {
  mpi::Communicator const comm(MPI_COMM_WORLD);
  auto const ranks = static_cast<std::size_t>(comm.size());
  for (std::size_t const edge : {1, 2, 5, 1024}) {
    for (auto const& values : runs_near(edge, ranks)) {
      expect_sorted_ranks<double>(comm, doubles_of(values));
    }
  }
}

TEST(MpiRank, RunsOverManyRanks) {
  mpi::Communicator const comm(MPI_COMM_WORLD);
  auto const ranks = static_cast<std::size_t>(comm.size());
  for (auto const& values : long_runs(300, ranks)) {
    expect_sorted_ranks<double>(comm, doubles_of(values));
  }
  for (std::size_t const before : {0, 1, 333}) {
    // With several ranks, a run has elements of three or more.
    auto const values = runs_that_end_at(1000, {before, 990, 995});
    expect_sorted_ranks<double>(comm, doubles_of(values));
    expect_integers_ranked(comm, values);
  }
}

TEST(MpiRank, AtTheEdgesOfBlocksAndSegments) {
  mpi::Communicator const comm(MPI_COMM_WORLD);
  for (std::size_t const n : {1023, 1024, 1025, (1 << 14) + 1, 50001}) {
    expect_integers_ranked(comm, random_runs(n, 0.9));
    expect_ranks<double>(comm, random_runs<double>(n, 0.999),
                         SortedRanking<ties::Fractional, Ascending, DefaultRanking>{{}, {}, {}});
  }
}

TEST(MpiRank, ZerosOfBothSigns) {
  mpi::Communicator const comm(MPI_COMM_WORLD);
  std::vector<double> const zeros{-1, -0.0, 0.0, -0.0, 0.0, 0.0, -0.0, 0.0, 1};
  expect_sorted_ranks<double>(comm, zeros);
}

TEST(MpiRank, NaNsAtEitherEnd) {
  mpi::Communicator const comm(MPI_COMM_WORLD);
  for (std::size_t const numbers : {0, 1, 40}) {
    for (std::size_t const missing : {1, 50}) {
      auto at_end = random_runs<double>(numbers, 0.5);
      at_end.insert(at_end.end(), missing, not_a_number);
      std::vector<double> const at_begin(at_end.rbegin(), at_end.rend());
      for (auto const& options : all_options()) expect_sorted_ranks<double>(comm, at_end, options);
      for (auto const& options : all_options<Descending>()) {
        expect_ranks<double>(
            comm, at_begin,
            SortedRanking<ties::ModifiedCompetition, Descending, DefaultRanking>{{}, options, {}});
      }
      expect_ranks<int>(comm, at_end,
                        SortedRanking<ties::Dense, Ascending, DefaultRanking>{
                            {}, RankOptions<>{{}, Missing::excluded, 0, false}, {}});
    }
  }
}

TEST(MpiRank, ByAComparison) {
  mpi::Communicator const comm(MPI_COMM_WORLD);
  std::vector<Tagged> values;
  for (int const key : random_runs(700, 0.8)) {
    values.push_back({-key, static_cast<std::uint32_t>(values.size())});
  }
  expect_ranks<double>(comm, values,
                       SortedRanking<ties::Dense, TaggedOrder, DefaultRanking>{
                           {}, {TaggedOrder{Answers::descending}}, {}});
}

TEST(MpiRank, ByEveryMethod) {
  mpi::Communicator const comm(MPI_COMM_WORLD);
  auto const values = random_runs<double>(3001, 0.9);
  using ties::Competition;
  using ties::Fractional;
  expect_ranks<double>(comm, values,
                       SortedRanking<Fractional, Ascending, HybridRanking>{{}, {}, {}});
  expect_ranks<double>(comm, values,
                       SortedRanking<Fractional, Ascending, SegmentSearchRanking>{{}, {}, {}});
  expect_ranks<int>(comm, values,
                    SortedRanking<Competition, Ascending, NaivePrefixRanking>{{}, {}, {}});
  expect_ranks<int>(comm, values,
                    SortedRanking<Competition, Ascending, PackedScanRanking>{{}, {}, {}});
}

TEST(MpiRank, OfViewsWithStrides) {
  mpi::Communicator const comm(MPI_COMM_WORLD);
  std::uint64_t const n =
      120;  // rank_errors_test.cpp tests more elements than this type of rank can count
  auto const own = mpi::block_of(n, comm.rank(), comm.size());
  Strided<int> const sorted("sorted", Kokkos::LayoutStride(own.count, 3));
  Strided<std::int8_t> const ranks("ranks", Kokkos::LayoutStride(own.count, 2));
  Strided<std::int8_t> const of_unsorted("of_unsorted", Kokkos::LayoutStride(own.count, 2));
  for (std::uint64_t i = 0; i < own.count; ++i) sorted(i) = static_cast<int>((own.first + i) / 17);
  mpi::rank(Exec(), comm, Strided<int const>(sorted), ranks);
  mpi::rank_unsorted(Exec(), comm, Strided<int const>(sorted), of_unsorted);
  for (std::uint64_t i = 0; i < own.count; ++i) {
    EXPECT_EQ(ranks(i), static_cast<int>((own.first + i) / 17 * 17 + 1));
    EXPECT_EQ(of_unsorted(i), ranks(i));
  }
}

TEST(MpiRank, DataOutOfOrderGetSomeRanks) {
  mpi::Communicator const comm(MPI_COMM_WORLD);
  for (std::uint64_t const n : {5, 400}) {
    auto const values = few_values<double>(n, 3);
    for (auto const& counts : partitions_of(n, comm.size())) {
      auto const own = part_of(values, counts, comm.rank());
      Array<double> const ranks("ranks", own.extent(0));
      for_each_rule<double>([&](auto const& rule) {
        mpi::rank(Exec(), comm, own, ranks, rule);
        for (std::uint64_t i = 0; i < ranks.extent(0); ++i) {
          EXPECT_TRUE(1 <= ranks(i) && ranks(i) <= static_cast<double>(n));
        }
      });
    }
  }
}

}  // namespace
}  // namespace riffle::test::mpi_rank_test
