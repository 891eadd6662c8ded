#pragma once

// Matrices on the memory model with banks, and data to sort in them.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <riffle/published/offline_permutation/model_processors.hpp>

namespace riffle::test {

/// A w x m matrix on a model of its own.
template <class T>
struct ModelledMatrix {
  ModelledMatrix(std::uint32_t w, std::uint32_t m)
      : processors(w),
        matrix(processors.matrix<T>(m)),
        marks(processors.matrix<std::uint32_t>((m + 31) / 32)) {}

  std::size_t size() const { return std::size_t{matrix.rows()} * matrix.columns(); }
  T& at(std::size_t row, std::size_t column) { return matrix.data()[column * matrix.rows() + row]; }

  void set_row_major(std::vector<T> const& values) {
    for (std::size_t i = 0; i < size(); ++i)
      at(i / matrix.columns(), i % matrix.columns()) = values[i];
  }
  std::vector<T> row_major() {
    std::vector<T> values(size());
    for (std::size_t i = 0; i < size(); ++i)
      values[i] = at(i / matrix.columns(), i % matrix.columns());
    return values;
  }
  std::vector<T> column_major() const { return {matrix.data(), matrix.data() + size()}; }

  ModelProcessors processors;
  ModelMatrix<T> matrix;
  ModelMatrix<std::uint32_t> marks;
};

/// Every algorithm of the paper is free of bank conflicts for all data.
inline void expect_no_conflicts(ModelProcessors const& processors, std::string const& where) {
  EXPECT_EQ(processors.conflicts(), 0u) << where;
  EXPECT_EQ(processors.races(), 0u) << where;
}

enum class Pattern {
  random,
  sorted,
  reversed,
  all_equal,
  two_values,
  organ_pipe,
  sorted_columns,
  last_first
};
inline constexpr Pattern all_patterns[] = {
    Pattern::random,     Pattern::sorted,     Pattern::reversed,       Pattern::all_equal,
    Pattern::two_values, Pattern::organ_pipe, Pattern::sorted_columns, Pattern::last_first};

/// The values of a w x m matrix in row-major order.
inline std::vector<std::uint32_t> pattern_values(Pattern pattern, std::uint32_t w, std::uint32_t m,
                                                 std::uint32_t seed = 1) {
  std::uint32_t const n = w * m;
  std::mt19937 random(seed * 0x9E3779B9u + w * 65537u + m);
  std::vector<std::uint32_t> values(n);
  for (std::uint32_t i = 0; i < n; ++i) {
    switch (pattern) {
      case Pattern::random: values[i] = static_cast<std::uint32_t>(random()); break;
      case Pattern::sorted: values[i] = i; break;
      case Pattern::reversed: values[i] = n - i; break;
      case Pattern::all_equal: values[i] = 7; break;
      case Pattern::two_values: values[i] = static_cast<std::uint32_t>(random()) % 2; break;
      case Pattern::organ_pipe: values[i] = std::min(i, n - i); break;
      case Pattern::sorted_columns: values[i] = (i % m) * w + i / m; break;
      case Pattern::last_first: values[i] = (i + n - 1) % n; break;
    }
  }
  return values;
}

template <class T>
std::vector<T> sorted(std::vector<T> values) {
  std::stable_sort(values.begin(), values.end());
  return values;
}

inline std::string shape(std::uint32_t w, std::uint32_t m) {
  return "w = " + std::to_string(w) + ", m = " + std::to_string(m);
}

}  // namespace riffle::test
