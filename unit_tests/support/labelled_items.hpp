#pragma once

// Inputs of the partition problem, and a check of answers.

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
  /// Each row has each label equally often.
  transposed,
  /// Sorted labels in which labels 2 k and 2 k + 1 are swapped.
  swapped,
  /// Sorted labels, rotated by half a row.
  rotated
};
inline constexpr LabelOrder all_label_orders[] = {LabelOrder::random,   LabelOrder::solved,
                                                  LabelOrder::reversed, LabelOrder::transposed,
                                                  LabelOrder::swapped,  LabelOrder::rotated};

/// m copies of each label below w, in row-major order.
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
  // For odd w the last label has no partner.
  if (order == LabelOrder::swapped && w % 2 == 1) std::fill(labels.end() - m, labels.end(), w - 1);
  if (order == LabelOrder::random) {
    std::mt19937 random(w * 65537u + m);
    std::shuffle(labels.begin(), labels.end(), random);
  }
  return labels;
}

/// Whether `values`, items in row-major order named by their input index, are a permutation of the items in which each is in
/// the row that its label names.
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
