// Ranks along sorted rows and down sorted columns with NaNs, against ranks of each alone by their definitions.

#include <Kokkos_Core.hpp>
#include <riffle/order.hpp>
#include <riffle/rank_rows.hpp>
#include <riffle/ties.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <limits>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/lines.hpp"
#include "support/matrices.hpp"
#include "support/rank_oracle.hpp"

namespace riffle::test {
namespace {

/// No NaN in the first, nothing else in the second, and some behind the others, or before them.
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

template <class Exec>
class RankRowsMissingTest : public ::testing::Test {
 protected:
  template <class Rank, class Rule, class Order = Ascending, class Before = std::less<float>>
  void expect_ranks(LinesOf<float> const& lines, Rule const& rule,
                    RankOptions<Order> const& options, Before const& is_before = {}) {
    RankOracleOptions const oracle{options.missing == Missing::excluded, options.first,
                                   options.relative};
    std::vector<std::vector<double>> expected;
    for (auto const& line : lines) {
      expected.push_back(rank_oracle(line, rule, oracle, is_before));
    }
    auto const sorted = matrix_of_lines<Exec, float, Kokkos::LayoutRight>(lines, true);
    auto const ranks = make_matrix<Exec, Rank, Kokkos::LayoutRight>(lines.size(), lines[0].size());
    Kokkos::deep_copy(ranks, Rank(77));
    riffle::rank_rows(exec, sorted, ranks, rule, options);
    exec.fence();
    EXPECT_TRUE(same_lines(to_rows(ranks), expected));
  }

  template <class Rule>
  void expect_ranks(Rule const& rule) {
    for (bool const relative : {false, true}) {
      RankOptions<> options;
      options.relative = relative;
      expect_ranks<double>(lines_with_nans(40, 333), rule, options);
      options.missing = Missing::excluded;
      expect_ranks<double>(lines_with_nans(40, 333), rule, options);
      expect_ranks<double>(lines_with_nans(3, 4097), rule, options);
      expect_ranks<double>(lines_with_nans(400, 1), rule, options);
      expect_ranks<double>(lines_with_nans(400, 2, true), rule, options);
      expect_ranks<double>(lines_with_nans(40, 333, true), rule, options);
    }
  }

  Exec exec;
};
TYPED_TEST_SUITE(RankRowsMissingTest, ExecutionSpaces, SpaceNames);

TYPED_TEST(RankRowsMissingTest, EveryRule) {
  this->expect_ranks(ties::Competition{});
  this->expect_ranks(ties::ModifiedCompetition{});
  this->expect_ranks(ties::Dense{});
  this->expect_ranks(ties::Ordinal{});
  this->expect_ranks(ties::Fractional{});
}

TYPED_TEST(RankRowsMissingTest, DescendingIntegersFromZero) {
  RankOptions<Descending> options;
  options.missing = Missing::excluded;
  options.first = 0;
  auto const lines = lines_with_nans(30, 100, false, std::greater<float>{});
  this->template expect_ranks<signed char>(lines, ties::Competition{}, options,
                                           std::greater<float>{});
  this->template expect_ranks<int>(lines, ties::Dense{}, options, std::greater<float>{});
}

TYPED_TEST(RankRowsMissingTest, ColumnsOfAllLayouts) {
  auto const lines = lines_with_nans(37, 300);
  RankOptions<> options;
  options.missing = Missing::excluded;
  std::vector<std::vector<double>> expected;
  for (auto const& line : lines) {
    expected.push_back(rank_oracle(line, ties::Competition{}, {.excludes_missing = true}));
  }
  auto const expect_columns = [&]<class Layout>(Layout) {
    auto const sorted = matrix_of_lines<TypeParam, float, Layout>(lines, false);
    auto const ranks = make_matrix<TypeParam, double, Layout>(300, 37);
    riffle::rank_columns(this->exec, sorted, ranks, ties::Competition{}, options);
    this->exec.fence();
    EXPECT_TRUE(same_lines(lines_of_matrix(ranks, false), expected));
  };
  expect_columns(Kokkos::LayoutLeft{});
  expect_columns(Kokkos::LayoutStride{});
}

}  // namespace
}  // namespace riffle::test
