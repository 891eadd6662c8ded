// The grid of an exchange in two hops: for every number of ranks each pair has its relay, and each rank few messages.

#include <riffle/mpi/detail/grid.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <set>
#include <vector>

namespace riffle::test::mpi_model_grid_test {
namespace {

using detail::mpi::Grid;

constexpr int most_ranks = 300;

TEST(MpiGrid, RowsHaveAllRanksOnce) {
  for (int ranks = 1; ranks <= most_ranks; ++ranks) {
    Grid const grid(ranks);
    int next = 0;
    for (int row = 0; row < grid.rows(); ++row) {
      EXPECT_EQ(grid.first_of(row), next);
      for (int column = 0; column < grid.size_of(row); ++column, ++next) {
        EXPECT_EQ(grid.row_of(next), row);
        EXPECT_EQ(grid.column_of(next), column);
      }
      EXPECT_LE(grid.size_of(row), row == 0 ? grid.columns() : grid.size_of(row - 1));
      EXPECT_GE(grid.size_of(row), grid.columns() - 1);
    }
    EXPECT_EQ(next, ranks);
    EXPECT_EQ(grid.size_of(0), grid.columns());
    EXPECT_GE(grid.columns() * grid.columns(), ranks);
    EXPECT_LT((grid.columns() - 1) * (grid.columns() - 1), ranks);
    EXPECT_LE(grid.rows(), grid.columns());
  }
}

TEST(MpiGrid, APairHasOneRelayInTheRowOfTheSender) {
  for (int ranks = 1; ranks <= most_ranks; ++ranks) {
    Grid const grid(ranks);
    int wrong = 0;
    for (int from = 0; from < ranks; ++from) {
      for (int to = 0; to < ranks; ++to) {
        int const relay = grid.relay(from, to);
        wrong += relay < 0 || relay >= ranks || grid.row_of(relay) != grid.row_of(from);
        // Nothing goes away and comes back.
        wrong += grid.row_of(from) == grid.row_of(to) && relay != to;
      }
    }
    EXPECT_EQ(wrong, 0) << ranks;
  }
}

TEST(MpiGrid, DestinationsAreThoseWhoseRelayARankIs) {
  for (int const ranks : {1, 2, 3, 5, 6, 7, 12, 13, 240, 241, 256, 257}) {
    Grid const grid(ranks);
    for (int rank = 0; rank < ranks; ++rank) {
      std::vector<int> expected;
      for (int to = 0; to < ranks; ++to) {
        if (grid.relay(rank, to) == rank) expected.push_back(to);
      }
      auto const of_row = grid.destinations_of(grid.row_of(rank));
      EXPECT_EQ(of_row[static_cast<std::size_t>(grid.column_of(rank))], expected) << ranks;
    }
  }
}

TEST(MpiGrid, ARankHasFewPartners) {
  for (int ranks = 1; ranks <= most_ranks; ++ranks) {
    Grid const grid(ranks);
    auto const size = static_cast<std::size_t>(ranks);
    std::vector<std::set<int>> sent(size);
    std::vector<std::set<int>> received(size);
    for (int row = 0; row < grid.rows(); ++row) {
      int relay = grid.first_of(row);
      for (auto const& destinations : grid.destinations_of(row)) {
        for (int const to : destinations) {
          if (to == relay) continue;
          sent[static_cast<std::size_t>(relay)].insert(to);
          received[static_cast<std::size_t>(to)].insert(relay);
        }
        ++relay;
      }
    }
    for (int rank = 0; rank < ranks; ++rank) {
      auto const r = static_cast<std::size_t>(rank);
      bool const is_short = grid.size_of(grid.row_of(rank)) < grid.columns();
      EXPECT_LE(sent[r].size(), static_cast<std::size_t>(grid.rows() - (is_short ? 0 : 1)));
      EXPECT_LE(received[r].size(), static_cast<std::size_t>(grid.rows() - 1));
    }
  }
}

// Two of the ragged grids, by hand.
TEST(MpiGrid, ShortRowsStandInForTheLastColumn) {
  // 0 1 2 / 3 4 / 5 6
  Grid const seven(7);
  EXPECT_EQ(seven.relay(3, 2), 3);
  EXPECT_EQ(seven.relay(4, 2), 3);
  EXPECT_EQ(seven.relay(4, 1), 4);
  EXPECT_EQ(seven.relay(0, 6), 1);
  // 0 1 2 3 / 4 5 6 7 / 8 9 10
  Grid const eleven(11);
  EXPECT_EQ(eleven.relay(10, 3), 8);
  EXPECT_EQ(eleven.relay(10, 7), 9);
  EXPECT_EQ(eleven.relay(10, 6), 10);
  EXPECT_EQ(eleven.relay(3, 10), 2);
}

}  // namespace
}  // namespace riffle::test::mpi_model_grid_test
