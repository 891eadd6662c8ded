// Ranks within sorted rows and columns, compared with ranks of each line by their definitions.

#include <Kokkos_Core.hpp>
#include <riffle/order.hpp>
#include <riffle/rank/rank_rows.hpp>
#include <riffle/rank/ties.hpp>
#include <riffle/workspace.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/lines.hpp"
#include "support/matrices.hpp"
#include "support/rank_oracle.hpp"
#include "support/thrown_message.hpp"
#include "support/unsorted_data.hpp"
#include "support/views.hpp"

namespace riffle::test::rank_rows_test {
namespace {

// Every rule ranks contiguous rows; one rule that needs runs and one that does not rank strided columns, since a rule
// does not depend on the layout. Other layouts are tested in the other direction. All data are integers: floating-point
// numbers are ranked by twice the number of kernels (rank_rows_missing_test.cpp).

enum class Along { rows, columns };

template <class Exec>
class RankRowsTest : public ::testing::Test {
 protected:
  template <Along along, class Rank, class Layout, class T, class Rule, class Order = Ascending,
            class Before = std::less<T>>
  void expect_ranks(LinesOf<T> const& lines, Rule const& rule,
                    RankOptions<Order> const& options = {}, Before const& is_before = {}) {
    constexpr bool by_rows = along == Along::rows;
    RankOracleOptions const oracle{options.missing == Missing::excluded, options.first,
                                   options.relative};
    std::vector<std::vector<double>> expected;
    for (auto const& line : lines) {
      expected.push_back(rank_oracle(line, rule, oracle, is_before));
    }
    auto const sorted = matrix_of_lines<Exec, T, Layout>(lines, by_rows);
    auto const ranks = matrix_of<Exec, Rank, Layout>(sorted.extent(0), sorted.extent(1), 77);
    if constexpr (by_rows) {
      riffle::rank_rows(Context(exec, workspace), sorted, ranks, rule, options);
    } else {
      riffle::rank_columns(Context(exec, workspace), sorted, ranks, rule, options);
    }
    exec.fence();
    EXPECT_TRUE(same_lines(lines_of_matrix(ranks, by_rows), expected))
        << (by_rows ? "rows" : "columns");
  }

  void expect_all_rules(LinesOf<int> const& lines) {
    using Layout = Kokkos::LayoutRight;
    for (bool const relative : {false, true}) {
      RankOptions<> options;
      options.relative = relative;
      expect_ranks<Along::rows, double, Layout>(lines, ties::Competition{}, options);
      expect_ranks<Along::rows, double, Layout>(lines, ties::ModifiedCompetition{}, options);
      expect_ranks<Along::rows, double, Layout>(lines, ties::Dense{}, options);
      expect_ranks<Along::rows, double, Layout>(lines, ties::Ordinal{}, options);
      expect_ranks<Along::rows, double, Layout>(lines, ties::Fractional{}, options);
      expect_ranks<Along::columns, double, Layout>(lines, ties::Ordinal{}, options);
      expect_ranks<Along::columns, double, Layout>(lines, ties::Competition{}, options);
    }
  }

  Exec exec;
  riffle::Workspace<Exec> workspace{exec};
};
TYPED_TEST_SUITE(RankRowsTest, ExecutionSpaces, SpaceNames);

// Contiguous rows, and strided columns.
TYPED_TEST(RankRowsTest, LinesOfAllLengths) {
  for (std::size_t const length : {1, 2, 3, 31, 1023, 1024, 1025, 4095, 4096, 4097}) {
    SCOPED_TRACE(length);
    this->expect_all_rules(sorted_lines<int>(5, length, 9));
  }
  this->expect_all_rules(sorted_lines<int>(9000, 1, 2));
  this->expect_all_rules(sorted_lines<int>(1, 9000, 2));
}

// All lines have the same value.
TYPED_TEST(RankRowsTest, TiesEndWithTheLine) {
  for (std::size_t const length : {1, 7, 100, 4097}) {
    this->expect_all_rules(sorted_lines<int>(30, length, 1));
  }
}

TYPED_TEST(RankRowsTest, NoLinesAndNoElements) {
  for (auto const& [rows, columns] : {std::pair(0, 0), std::pair(0, 5), std::pair(5, 0)}) {
    auto const sorted = make_matrix<TypeParam, int, Kokkos::LayoutRight>(rows, columns);
    auto const ranks = make_matrix<TypeParam, double, Kokkos::LayoutRight>(rows, columns);
    riffle::rank_rows(this->exec, sorted, ranks);
    riffle::rank_columns(this->exec, sorted, ranks);
  }
}

// Contiguous columns, and a layout with strides in both directions.
TYPED_TEST(RankRowsTest, OtherLayouts) {
  using Left = Kokkos::LayoutLeft;
  using Stride = Kokkos::LayoutStride;
  auto const lines = sorted_lines<int>(37, 300, 20);
  this->template expect_ranks<Along::columns, double, Left>(lines, ties::Fractional{});
  this->template expect_ranks<Along::rows, double, Stride>(lines, ties::Fractional{});
  this->template expect_ranks<Along::columns, int, Stride>(lines, ties::Dense{});
}

TYPED_TEST(RankRowsTest, IntegersFromZero) {
  using Layout = Kokkos::LayoutRight;
  using Byte = signed char;
  RankOptions<> options;
  options.first = 0;
  auto const bytes = sorted_lines<Byte>(1000, 100, 20);
  this->template expect_ranks<Along::rows, Byte, Layout>(bytes, ties::Ordinal{}, options);
  this->template expect_ranks<Along::columns, Byte, Layout>(bytes, ties::Ordinal{}, options);
}

struct ByTens {
  KOKKOS_FUNCTION bool operator()(int const& a, int const& b) const { return a / 10 < b / 10; }
};

TYPED_TEST(RankRowsTest, UserComparison) {
  this->template expect_ranks<Along::columns, double, Kokkos::LayoutRight>(
      sorted_lines<int>(20, 400, 100, ByTens{}), ties::Fractional{}, RankOptions<ByTens>{},
      ByTens{});
}

TYPED_TEST(RankRowsTest, RandomAmongTies) {
  auto const lines = sorted_lines<int>(50, 200, 6);
  auto const sorted = matrix_of_lines<TypeParam, int, Kokkos::LayoutRight>(lines, true);
  auto const ranks = make_matrix<TypeParam, int, Kokkos::LayoutRight>(50, 200);
  riffle::rank_rows(this->exec, sorted, ranks, ties::Random{5});
  this->exec.fence();
  auto const random = to_rows(ranks);
  EXPECT_NE(random[0], iota<int>(200));
  for (std::size_t s = 0; s < lines.size(); ++s) {
    auto const lowest = rank_oracle(lines[s], ties::Competition{});
    auto const highest = rank_oracle(lines[s], ties::ModifiedCompetition{});
    auto all = random[s];
    for (std::size_t i = 0; i < all.size(); ++i) {
      EXPECT_LE(lowest[i], all[i]);
      EXPECT_GE(highest[i], all[i]);
    }
    std::sort(all.begin(), all.end());
    EXPECT_EQ(std::adjacent_find(all.begin(), all.end()), all.end());
  }
}

TYPED_TEST(RankRowsTest, RejectsInvalidArguments) {
  auto const make = [](std::size_t rows, std::size_t columns) {
    return make_matrix<TypeParam, signed char, Kokkos::LayoutRight>(rows, columns);
  };
  auto const sorted = make(3, 300);
  ties::Ordinal const rule;
  EXPECT_EQ(thrown_message([&] { rank_rows(this->exec, sorted, make(4, 300), rule); }),
            "riffle::rank_rows: sorted.extent(0) = 3 and ranks.extent(0) = 4: must be equal");
  EXPECT_EQ(thrown_message([&] { rank_columns(this->exec, sorted, make(3, 299), rule); }),
            "riffle::rank_columns: sorted.extent(1) = 300 and ranks.extent(1) = 299: must be "
            "equal");
  EXPECT_EQ(thrown_message([&] { rank_rows(this->exec, sorted, make(3, 300), rule); }),
            "riffle::rank_rows: n = 300: the value type of ranks holds no rank above 127");
  rank_columns(this->exec, sorted, make(3, 300), rule);
  this->exec.fence();
  EXPECT_NE(thrown_message([&] { rank_rows(this->exec, sorted, sorted, rule); }).find("overlap"),
            std::string::npos);
  RankOptions<> options;
  options.relative = true;
  EXPECT_NE(thrown_message([&] {
              rank_rows(this->exec, sorted, make(3, 300), rule, options);
            }).find("relative ranks are no integers"),
            std::string::npos);
}

}  // namespace
}  // namespace riffle::test::rank_rows_test
