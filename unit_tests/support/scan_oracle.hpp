#pragma once

// Scans by sequential loops of the standard library, the sizes to test, and comparisons.

#include <riffle/primitives/tile_tree.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <numeric>
#include <vector>

namespace riffle::test {

/// Numbers of elements of a row, a tile and a bundle.
inline constexpr std::size_t row_elements = detail::row_size;
inline constexpr std::size_t tile_elements = detail::tile_size;
inline constexpr std::size_t bundle_elements = tile_elements * detail::bundle_tiles;

/// Sizes around the edges of quads, rows, tiles, a CPU's units of 8 tiles, and bundles.
inline std::vector<std::size_t> scan_edge_sizes() {
  std::vector<std::size_t> sizes{0, 1, 2, 3, 4, 5};
  for (std::size_t const edge :
       {row_elements, 2 * row_elements, tile_elements, 8 * tile_elements, bundle_elements}) {
    for (std::size_t const n : {edge - 1, edge, edge + 1}) sizes.push_back(n);
  }
  sizes.push_back(9 * tile_elements + 77);
  return sizes;
}

template <class T, class Plus>
std::vector<T> inclusive_oracle(std::vector<T> const& values, Plus const& plus) {
  std::vector<T> result(values.size());
  std::inclusive_scan(values.begin(), values.end(), result.begin(), plus);
  return result;
}

template <class T, class Plus>
std::vector<T> exclusive_oracle(std::vector<T> const& values, Plus const& plus, T const& init) {
  std::vector<T> result(values.size());
  std::exclusive_scan(values.begin(), values.end(), result.begin(), init, plus);
  return result;
}

/// Whether two results are equal; the message has the first difference only.
template <class T>
::testing::AssertionResult same(std::vector<T> const& actual, std::vector<T> const& expected) {
  if (actual.size() != expected.size()) {
    return ::testing::AssertionFailure()
           << actual.size() << " elements in place of " << expected.size();
  }
  T const* const a = actual.data();
  T const* const b = expected.data();
  for (std::size_t i = 0; i < actual.size(); ++i) {
    if (!(a[i] == b[i])) {
      return ::testing::AssertionFailure()
             << "of " << actual.size() << " elements, element " << i << " is "
             << ::testing::PrintToString(actual[i]) << " in place of "
             << ::testing::PrintToString(expected[i]);
    }
  }
  return ::testing::AssertionSuccess();
}

}  // namespace riffle::test
