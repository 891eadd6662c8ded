#pragma once

// Which rows of a matrix are equal: observations that may change places without a change of any sum.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace riffle::detail {

/// A host matrix, row by row.
struct RowMajor {
  std::vector<double> values;
  std::size_t rows = 0;
  std::size_t columns = 0;

  double operator()(std::size_t row, std::size_t column) const {
    return values[row * columns + column];
  }
  double& operator()(std::size_t row, std::size_t column) { return values[row * columns + column]; }
};

/// The largest magnitude in each column.
inline std::vector<double> column_maxima(RowMajor const& matrix) {
  std::vector<double> maxima(matrix.columns, 0);
  for (std::size_t i = 0; i < matrix.values.size(); ++i) {
    double& maximum = maxima[i % matrix.columns];
    maximum = std::max(maximum, std::abs(matrix.values[i]));
  }
  return maxima;
}

/// The type of each row, numbered from 0 in the order of their first rows. Rows are equal where no column differs by more
/// than `tolerance` times its largest magnitude: 0 for data as they came, more for what was computed.
inline std::vector<int> types_of_rows(RowMajor const& matrix, double tolerance) {
  auto const maxima = column_maxima(matrix);
  std::vector<std::size_t> first_rows;
  std::vector<int> types;
  for (std::size_t row = 0; row < matrix.rows; ++row) {
    auto const is_equal = [&](std::size_t other) {
      for (std::size_t column = 0; column < matrix.columns; ++column) {
        double const difference = std::abs(matrix(row, column) - matrix(other, column));
        if (difference > tolerance * maxima[column]) return false;
      }
      return true;
    };
    auto const found = std::find_if(first_rows.begin(), first_rows.end(), is_equal);
    types.push_back(static_cast<int>(found - first_rows.begin()));
    if (found == first_rows.end()) first_rows.push_back(row);
  }
  return types;
}

/// Gives rows of one type the bits of the first of them, so that sums of exchanged rows are equal bit by bit.
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
