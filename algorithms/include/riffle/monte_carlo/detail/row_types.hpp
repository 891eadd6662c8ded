#pragma once

// Which rows of a matrix are equal: observations that may change places without a change of any sum.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
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

/// Numbers the rows of a matrix by what they are equal to. A row is looked for among those that are near it in one column,
/// that of most values: where no column has many, there are few types, else few rows to look at.
class RowTypes {
 public:
  /// Requires a column.
  RowTypes(RowMajor const& matrix, double tolerance)
      : matrix_(matrix), differences_(column_maxima(matrix)) {
    for (double& difference : differences_) difference *= tolerance;
    std::size_t most = 0;
    for (std::size_t column = 0; column < matrix.columns; ++column) {
      std::vector<double> values = values_of(column);
      std::sort(values.begin(), values.end());
      auto const count =
          static_cast<std::size_t>(std::unique(values.begin(), values.end()) - values.begin());
      if (count > most) telling_ = column;
      most = std::max(most, count);
    }
  }

  /// Of each row, in the order of their first rows.
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

  /// The lowest type that the row is equal to, or one more than there are.
  int type_of(std::size_t row) {
    double const value = matrix_(row, telling_);
    // Twice what are_equal() allows, since sums are rounded.
    double const difference = 2 * differences_[telling_];
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
  std::size_t telling_ = 0;
  int count_ = 0;
  std::multimap<double, Type> by_value_;
};

/// The type of each row, numbered from 0 in the order of their first rows. Rows are equal where no column differs by more
/// than `tolerance` times its largest magnitude: 0 for data as they came, more for what was computed.
inline std::vector<int> types_of_rows(RowMajor const& matrix, double tolerance) {
  if (matrix.columns == 0) return std::vector<int>(matrix.rows, 0);
  return RowTypes(matrix, tolerance).find();
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
