#pragma once

// Inputs of the partition problem, and whether an answer to it is right.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

namespace riffle::test {

enum class LabelOrder {
  random,
  solved,
  reversed,
  /// Row r holds every label alike.
  transposed,
  /// Neighbouring labels change places.
  swapped,
  /// Sorted, and moved on by half a row.
  rotated
};
inline constexpr LabelOrder all_label_orders[] = {LabelOrder::random,   LabelOrder::solved,
                                                  LabelOrder::reversed, LabelOrder::transposed,
                                                  LabelOrder::swapped,  LabelOrder::rotated};

/// m labels of each kind less than w, in row-major order.
inline std::vector<std::uint32_t> balanced_labels(LabelOrder order, std::uint32_t w,
                                                  std::uint32_t m) {
  std::uint32_t const n = w * m;
  std::vector<std::uint32_t> labels(n);
  for (std::uint32_t i = 0; i < n; ++i) {
    switch (order) {
      case LabelOrder::random:
      case LabelOrder::solved: labels[i] = i / m; break;
      case LabelOrder::reversed: labels[i] = (n - 1 - i) / m; break;
      case LabelOrder::transposed: labels[i] = i % w; break;
      case LabelOrder::swapped: labels[i] = i / m ^ 1; break;
      case LabelOrder::rotated: labels[i] = (i + m / 2) % n / m; break;
    }
  }
  // The last label has no neighbour to change places with where w is odd.
  if (order == LabelOrder::swapped && w % 2 == 1) std::fill(labels.end() - m, labels.end(), w - 1);
  if (order == LabelOrder::random) {
    std::mt19937 random(w * 65537u + m);
    std::shuffle(labels.begin(), labels.end(), random);
  }
  return labels;
}

/// `values`, in row-major order, are the numbers of the labels: whether each is in the row of its label, and none is missing.
inline bool is_partition(std::vector<std::uint32_t> const& labels,
                         std::vector<std::uint32_t> const& values, std::uint32_t m) {
  std::vector<bool> seen(labels.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] >= labels.size() || seen[values[i]] || labels[values[i]] != i / m) return false;
    seen[values[i]] = true;
  }
  return values.size() == labels.size();
}

}  // namespace riffle::test
