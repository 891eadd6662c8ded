#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace riffle::detail {

/// A partition of 0, ..., count - 1 into disjoint sets (union-find). unite() merges two sets.
class DisjointSets {
 public:
  explicit DisjointSets(std::size_t count) : parent_(count) {
    std::iota(parent_.begin(), parent_.end(), 0u);
  }

  void unite(std::uint32_t a, std::uint32_t b) {
    a = root_of(a);
    b = root_of(b);
    if (b < a) std::swap(a, b);
    parent_[b] = a;
  }

  /// For each element, returns the index of the set that contains it. Sets are numbered from 0 in the order of their
  /// first elements.
  std::vector<int> numbers() {
    std::vector<int> numbers(parent_.size());
    int count = 0;
    for (std::uint32_t i = 0; i < parent_.size(); ++i) {
      // The root of a set is its least element, so its set is numbered before the other elements need the number.
      std::uint32_t const root = root_of(i);
      numbers[i] = root == i ? count++ : numbers[root];
    }
    return numbers;
  }

 private:
  std::uint32_t root_of(std::uint32_t i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }

  std::vector<std::uint32_t> parent_;
};

}  // namespace riffle::detail
