#pragma once

// Rows or columns of a matrix.

#include <Kokkos_Core.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <vector>

#include "support/matrices.hpp"
#include "support/rank_oracle.hpp"
#include "support/unsorted_data.hpp"

namespace riffle::test {

/// Lines of equal length; at least one.
template <class T>
using LinesOf = std::vector<std::vector<T>>;

/// Sorted lines of at most `values` different values; each line has a seed of its own.
template <class T, class Before = std::less<T>>
LinesOf<T> sorted_lines(std::size_t count, std::size_t length, unsigned values,
                        Before const& is_before = {}) {
  LinesOf<T> lines(count);
  for (std::size_t s = 0; s < count; ++s) {
    lines[s] = few_values<T>(length, values, static_cast<unsigned>(s));
    std::sort(lines[s].begin(), lines[s].end(), is_before);
  }
  return lines;
}

template <class T>
LinesOf<T> transposed(LinesOf<T> const& lines) {
  LinesOf<T> result(lines.at(0).size());
  for (auto const& line : lines) {
    for (std::size_t i = 0; i < line.size(); ++i) result[i].push_back(line[i]);
  }
  return result;
}

/// A matrix whose rows or columns are these lines.
template <class Exec, class T, class Layout>
auto matrix_of_lines(LinesOf<T> const& lines, bool by_rows) {
  auto const rows = by_rows ? lines : transposed(lines);
  std::vector<T> values;
  for (auto const& row : rows) values.insert(values.end(), row.begin(), row.end());
  auto const matrix = make_matrix<Exec, T, Layout>(rows.size(), rows.at(0).size());
  fill(matrix, values);
  return matrix;
}

/// A matrix of equal elements, filled without Kokkos::deep_copy, which would compile kernels for each kind of View.
template <class Exec, class T, class Layout>
auto matrix_of(std::size_t rows, std::size_t columns, T value) {
  auto const matrix = make_matrix<Exec, T, Layout>(rows, columns);
  fill(matrix, std::vector<T>(rows * columns, value));
  return matrix;
}

template <class View>
auto lines_of_matrix(View const& matrix, bool by_rows) {
  auto const rows = to_rows(matrix);
  return by_rows ? rows : transposed(rows);
}

/// Compares each line by same_ranks.
template <class Rank>
::testing::AssertionResult same_lines(LinesOf<Rank> const& actual,
                                      std::vector<std::vector<double>> const& expected) {
  if (actual.size() != expected.size()) {
    return ::testing::AssertionFailure()
           << actual.size() << " lines in place of " << expected.size();
  }
  for (std::size_t s = 0; s < actual.size(); ++s) {
    auto const same = same_ranks(actual[s], expected[s]);
    if (!same) return ::testing::AssertionFailure() << "line " << s << ": " << same.message();
  }
  return ::testing::AssertionSuccess();
}

}  // namespace riffle::test
