// Types of equal rows of a matrix.

#include <riffle/monte_carlo/detail/row_types.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

namespace riffle::test::row_types_test {
namespace {

using detail::RowMajor;
using detail::types_of_rows;

/// Compares each row with all types before it.
std::vector<int> types_one_by_one(RowMajor const& matrix, double tolerance) {
  auto const maxima = detail::column_maxima(matrix);
  std::vector<std::size_t> first_rows;
  std::vector<int> types;
  for (std::size_t row = 0; row < matrix.rows; ++row) {
    std::size_t type = 0;
    for (; type < first_rows.size(); ++type) {
      bool is_equal = true;
      for (std::size_t c = 0; c < matrix.columns; ++c) {
        double const difference = std::abs(matrix(row, c) - matrix(first_rows[type], c));
        is_equal = is_equal && difference <= tolerance * maxima[c];
      }
      if (is_equal) break;
    }
    if (type == first_rows.size()) first_rows.push_back(row);
    types.push_back(static_cast<int>(type));
  }
  return types;
}

TEST(RowTypes, MatchComparisonOfAllPairs) {
  std::mt19937_64 generator(1);
  for (double const tolerance : {0.0, 1e-14, 0.02, 0.3}) {
    for (std::size_t const columns : {1u, 2u, 3u}) {
      RowMajor matrix{{}, 400, columns};
      for (std::size_t i = 0; i < 400 * columns; ++i) {
        auto const value = static_cast<double>(generator() % 12) - 6;
        double const noise = i % 3 == 0 ? 1e-15 * static_cast<double>(generator() % 7) : 0;
        matrix.values.push_back(i % columns == 0 ? value * (1 + noise) : value / 7);
      }
      EXPECT_EQ(types_of_rows(matrix, tolerance), types_one_by_one(matrix, tolerance)) << tolerance;
    }
  }
}

TEST(RowTypes, ZerosAndRowsWithoutColumnsAreEqual) {
  EXPECT_EQ(types_of_rows({{0.0, -0.0, 1.0, 0.0}, 4, 1}, 0), (std::vector<int>{0, 0, 1, 0}));
  EXPECT_EQ(types_of_rows({{}, 3, 0}, 0), (std::vector<int>{0, 0, 0}));
  EXPECT_TRUE(types_of_rows({{}, 0, 2}, 0).empty());
}

// Comparing all pairs would take 2e10 comparisons.
TEST(RowTypes, OfManyDifferentRows) {
  std::size_t const rows = 200'000;
  RowMajor matrix{{}, rows, 2};
  for (std::size_t row = 0; row < rows; ++row) {
    matrix.values.push_back(1);
    matrix.values.push_back(static_cast<double>(row * 7919 % rows));
  }
  auto const types = types_of_rows(matrix, 1e-14);
  for (std::size_t row = 0; row < rows; ++row) ASSERT_EQ(types[row], static_cast<int>(row));
}

}  // namespace
}  // namespace riffle::test::row_types_test
