#pragma once

// Compares results of riffle::permutation_tests with a table from a complete enumeration.

#include <Kokkos_Core.hpp>
#include <riffle/monte_carlo/permutation_tests.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "algorithms/monte_carlo/oracles/adjusted_table.hpp"
#include "support/matrices.hpp"

namespace riffle::test {

/// A matrix of type T with the values `rows` / `unit`.
template <class Exec, class T, class Layout, class Rows>
auto matrix_of_rows(Rows const& rows, double unit = 1) {
  auto const matrix = make_matrix<Exec, T, Layout>(rows.size(), rows[0].size());
  std::vector<T> values;
  for (auto const& row : rows) {
    for (auto const value : row)
      values.push_back(static_cast<T>(static_cast<double>(value) / unit));
  }
  fill(matrix, values);
  return matrix;
}

inline Alternative alternative_of(std::string_view side) {
  if (side == "abs") return Alternative::two_sided;
  return side == "upper" ? Alternative::greater : Alternative::less;
}

/// Expects that the p-values are exactly these counts / `arrangements`.
inline void expect_counts(PermutationTestsResult::Values<double> const& p,
                          std::array<int, 12> const& counts, int arrangements, char const* name) {
  ASSERT_EQ(p.extent(0), counts.size());
  for (std::size_t g = 0; g < counts.size(); ++g) {
    EXPECT_EQ(p(g), static_cast<double>(counts[g]) / arrangements)
        << name << " of variable " << g << ": " << p(g) * arrangements << " for " << counts[g];
  }
}

/// Compares the statistics with the table, except Mann-Whitney's U.
inline void expect_statistics(PermutationTestsResult const& found,
                              oracles::AdjustedTable const& table) {
  for (std::size_t g = 0; g < table.statistics.size(); ++g) {
    EXPECT_NEAR(found.statistic(g), table.statistics[g],
                4e-15 * std::max(1.0, std::abs(table.statistics[g])))
        << "variable " << g;
  }
}

/// Compares the unadjusted p-values.
inline void expect_raw(PermutationTestsResult const& found, oracles::AdjustedTable const& table) {
  EXPECT_TRUE(found.exact);
  EXPECT_FALSE(found.stopped);
  EXPECT_EQ(found.replicates, static_cast<std::uint64_t>(table.arrangements));
  expect_counts(found.p, table.raw, table.arrangements, "p");
  for (std::size_t g = 0; g < table.raw.size(); ++g) {
    EXPECT_EQ(found.extreme(g), static_cast<std::uint64_t>(table.raw[g]));
    EXPECT_NEAR(found.p_false_discovery(g), table.benjamini_hochberg[g], 3e-16);
  }
}

inline void expect_adjusted(PermutationTestsResult const& found,
                            oracles::AdjustedTable const& table) {
  expect_counts(found.p_single_step, table.single_step_max_t, table.arrangements, "single step");
  expect_counts(found.p_step_down, table.step_down_max_t, table.arrangements, "step-down");
}

inline void expect_min_p(PermutationTestsResult const& found, oracles::AdjustedTable const& table) {
  expect_counts(found.p_single_step_min_p, table.single_step_min_p, table.arrangements,
                "single step of min-P");
  expect_counts(found.p_step_down_min_p, table.step_down_min_p, table.arrangements,
                "step-down of min-P");
}

}  // namespace riffle::test
