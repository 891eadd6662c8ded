#pragma once

// Types of observations. Two observations with equal rows in a matrix have the same type, because swapping them changes
// no sum.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <vector>

#include <riffle/monte_carlo/linear_model.hpp>

namespace riffle::detail {

/// Returns the largest magnitude in each column.
inline std::vector<double> column_maxima(RowMajor const& matrix) {
  std::vector<double> maxima(matrix.columns, 0);
  for (std::size_t i = 0; i < matrix.values.size(); ++i) {
    double& maximum = maxima[i % matrix.columns];
    maximum = std::max(maximum, std::abs(matrix.values[i]));
  }
  return maxima;
}

/// Numbers the rows of a matrix so that equal rows have equal numbers (types). To save comparisons, a row is compared
/// only with those first rows of types that have a close value in one column, the column with the most distinct values.
class RowTypes {
 public:
  /// Requires: at least one column.
  RowTypes(RowMajor const& matrix, double tolerance)
      : matrix_(matrix), differences_(column_maxima(matrix)) {
    for (double& difference : differences_) difference *= tolerance;
    std::size_t most = 0;
    for (std::size_t column = 0; column < matrix.columns; ++column) {
      std::vector<double> values = values_of(column);
      std::sort(values.begin(), values.end());
      auto const count =
          static_cast<std::size_t>(std::unique(values.begin(), values.end()) - values.begin());
      if (count > most) most_distinct_column_ = column;
      most = std::max(most, count);
    }
  }

  /// Returns the type of each row; types are numbered in the order of their first rows.
  std::vector<int> find() {
    std::vector<int> types(matrix_.rows);
    for (std::size_t row = 0; row < matrix_.rows; ++row) types[row] = type_of(row);
    return types;
  }

 private:
  struct Type {
    int number;
    std::size_t first_row;
  };

  std::vector<double> values_of(std::size_t column) const {
    std::vector<double> values(matrix_.rows);
    for (std::size_t row = 0; row < matrix_.rows; ++row) values[row] = matrix_(row, column);
    return values;
  }

  bool are_equal(std::size_t row, std::size_t other) const {
    for (std::size_t column = 0; column < matrix_.columns; ++column) {
      double const difference = std::abs(matrix_(row, column) - matrix_(other, column));
      if (difference > differences_[column]) return false;
    }
    return true;
  }

  /// Returns the lowest type whose first row equals row `row`, or a new type.
  int type_of(std::size_t row) {
    double const value = matrix_(row, most_distinct_column_);
    // Twice the difference that are_equal() allows, because value +- difference is rounded.
    double const difference = 2 * differences_[most_distinct_column_];
    int found = count_;
    auto const end = by_value_.upper_bound(value + difference);
    for (auto near = by_value_.lower_bound(value - difference); near != end; ++near) {
      auto const [number, first_row] = near->second;
      if (number < found && are_equal(row, first_row)) found = number;
    }
    if (found == count_) by_value_.emplace(value, Type{count_++, row});
    return found;
  }

  RowMajor const& matrix_;
  std::vector<double> differences_;
  std::size_t most_distinct_column_ = 0;
  int count_ = 0;
  std::multimap<double, Type> by_value_;
};

/// Returns the type of each row. Types are numbered from 0 in the order of their first rows. Two rows count as equal if
/// they differ in each column by at most `tolerance` times the largest magnitude in the column. The tolerance is 0 for
/// input data, and positive for computed values.
inline std::vector<int> types_of_rows(RowMajor const& matrix, double tolerance) {
  if (matrix.columns == 0) return std::vector<int>(matrix.rows, 0);
  return RowTypes(matrix, tolerance).find();
}

/// Replaces each row by the first row of its type, so that sums are equal bit by bit if rows of one type change places.
inline void equalise_rows(RowMajor& matrix, std::vector<int> const& types) {
  std::vector<std::size_t> first_rows;
  for (std::size_t row = 0; row < matrix.rows; ++row) {
    auto const type = static_cast<std::size_t>(types[row]);
    if (type == first_rows.size()) first_rows.push_back(row);
    for (std::size_t column = 0; column < matrix.columns; ++column) {
      matrix(row, column) = matrix(first_rows[type], column);
    }
  }
}

}  // namespace riffle::detail
