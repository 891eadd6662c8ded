// Ranks within sorted rows and columns with NaNs, compared with ranks of each line by their definitions.

#include <Kokkos_Core.hpp>
#include <riffle/order.hpp>
#include <riffle/rank/rank_rows.hpp>
#include <riffle/rank/ties.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <limits>
#include <type_traits>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/lines.hpp"
#include "support/matrices.hpp"
#include "support/rank_oracle.hpp"

namespace riffle::test::rank_rows_missing_test {
namespace {

/// The first line has no NaNs, the second NaNs only, and the others have some NaNs after or before their numbers.
template <class Before = std::less<float>>
LinesOf<float> lines_with_nans(std::size_t count, std::size_t length, bool has_nans_first = false,
                               Before const& is_before = {}) {
  auto lines = sorted_lines<float>(count, length, 20, is_before);
  for (std::size_t s = 1; s < count; ++s) {
    std::size_t const missing = s == 1 ? length : length * s / (2 * count);
    auto const first = has_nans_first ? 0 : length - missing;
    if (has_nans_first) std::rotate(lines[s].begin(), lines[s].end() - missing, lines[s].end());
    std::fill_n(lines[s].begin() + first, missing, std::numeric_limits<float>::quiet_NaN());
    auto const numbers = lines[s].begin() + (has_nans_first ? missing : 0);
    std::sort(numbers, numbers + (length - missing), is_before);
  }
  return lines;
}

// Each rule ranks rows that are contiguous, or columns of any layout, since a rule does not depend on the layout. The other
// order is tested with one rule of each kind: with runs, with counts of runs, and without either.

enum class Along { rows, columns };

template <class Exec>
class RankRowsMissingTest : public ::testing::Test {
 protected:
  template <Along along, class Rank, class Rule, class Order = Ascending,
            class Before = std::less<float>>
  void expect_ranks(LinesOf<float> const& lines, Rule const& rule,
                    RankOptions<Order> const& options, Before const& is_before = {}) {
    constexpr bool by_rows = along == Along::rows;
    // For columns, the View type that all layouts share.
    using Layout = std::conditional_t<by_rows, Kokkos::LayoutRight, Kokkos::LayoutStride>;
    expect_ranks_of<along>(
        matrix_of_lines<Exec, float, Layout>(lines, by_rows),
        matrix_of_lines<Exec, Rank, Layout>(
            LinesOf<Rank>(lines.size(), std::vector<Rank>(lines[0].size(), 77)), by_rows),
        lines, rule, options, is_before);
  }

  template <Along along, class Sorted, class Ranks, class Rule, class Order = Ascending,
            class Before = std::less<float>>
  void expect_ranks_of(Sorted const& sorted, Ranks const& ranks, LinesOf<float> const& lines,
                       Rule const& rule, RankOptions<Order> const& options,
                       Before const& is_before = {}) {
    RankOracleOptions const oracle{options.missing == Missing::excluded, options.first,
                                   options.relative};
    std::vector<std::vector<double>> expected;
    for (auto const& line : lines) {
      expected.push_back(rank_oracle(line, rule, oracle, is_before));
    }
    if constexpr (along == Along::rows) {
      riffle::rank_rows(exec, sorted, ranks, rule, options);
    } else {
      riffle::rank_columns(exec, sorted, ranks, rule, options);
    }
    exec.fence();
    EXPECT_TRUE(same_lines(lines_of_matrix(ranks, along == Along::rows), expected));
  }

  template <Along along, class Rule, class Order = Ascending, class Before = std::less<float>>
  void expect_ranks(Rule const& rule, Order const& order = {}, Before const& is_before = {}) {
    auto const lines = [&](std::size_t count, std::size_t length, bool has_nans_first = false) {
      return lines_with_nans(count, length, has_nans_first, is_before);
    };
    for (bool const relative : {false, true}) {
      RankOptions<Order> options{.order = order, .relative = relative};
      expect_ranks<along, double>(lines(40, 333), rule, options, is_before);
      options.missing = Missing::excluded;
      expect_ranks<along, double>(lines(40, 333), rule, options, is_before);
      expect_ranks<along, double>(lines(3, 4097), rule, options, is_before);
      expect_ranks<along, double>(lines(400, 1), rule, options, is_before);
      expect_ranks<along, double>(lines(400, 2, true), rule, options, is_before);
      expect_ranks<along, double>(lines(40, 333, true), rule, options, is_before);
    }
  }

  Exec exec;
};
TYPED_TEST_SUITE(RankRowsMissingTest, ExecutionSpaces, SpaceNames);

TYPED_TEST(RankRowsMissingTest, EveryRule) {
  this->template expect_ranks<Along::columns>(ties::Competition{});
  this->template expect_ranks<Along::rows>(ties::ModifiedCompetition{}, Descending{},
                                           std::greater<float>{});
  this->template expect_ranks<Along::rows>(ties::Dense{});
  this->template expect_ranks<Along::columns>(ties::Ordinal{});
  this->template expect_ranks<Along::rows>(ties::Fractional{});
}

TYPED_TEST(RankRowsMissingTest, DescendingIntegersFromZero) {
  RankOptions<Descending> options;
  options.missing = Missing::excluded;
  options.first = 0;
  std::greater<float> const is_before;
  auto const lines = lines_with_nans(30, 100, false, is_before);
  this->template expect_ranks<Along::rows, signed char>(lines, ties::Ordinal{}, options, is_before);
  this->template expect_ranks<Along::rows, signed char>(lines, ties::Dense{}, options, is_before);
}

TYPED_TEST(RankRowsMissingTest, ColumnsOfAllLayouts) {
  using Matrix = Kokkos::View<double**, Kokkos::LayoutStride, typename TypeParam::memory_space>;
  using Sorted = Kokkos::View<float**, Kokkos::LayoutStride, typename TypeParam::memory_space>;
  auto const lines = lines_with_nans(37, 300);
  RankOptions<> options;
  options.missing = Missing::excluded;
  auto const expect_columns = [&]<class Layout>(Layout) {
    this->template expect_ranks_of<Along::columns>(
        Sorted(matrix_of_lines<TypeParam, float, Layout>(lines, false)),
        Matrix(make_matrix<TypeParam, double, Layout>(300, 37)), lines, ties::Competition{},
        options);
  };
  expect_columns(Kokkos::LayoutLeft{});
  expect_columns(Kokkos::LayoutStride{});
}

}  // namespace
}  // namespace riffle::test::rank_rows_missing_test
