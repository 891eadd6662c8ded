#pragma once

// Groups of many sizes, for the cases of ranks within groups.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "calls/inputs.hpp"

namespace riffle::test::calls {

/// 0 = offsets[0] <= ... = n: groups of 0, 1, a few, and up to a fifth of all elements.
inline std::vector<std::uint64_t> group_offsets(std::uint64_t n) {
  std::vector<std::uint64_t> offsets{0};
  for (std::uint64_t g = 0; offsets.back() < n; ++g) {
    std::uint64_t const most = g % 16 == 0 ? n / 5 + 1 : 40;
    offsets.push_back(std::min(n, offsets.back() + word(g, 9) % (most + 1)));
  }
  return offsets;
}

/// The group number of each element; neighbouring groups have different numbers.
inline std::vector<std::int32_t> group_numbers(std::uint64_t n) {
  auto const offsets = group_offsets(n);
  std::vector<std::int32_t> numbers(n);
  for (std::size_t g = 0; g + 1 < offsets.size(); ++g) {
    std::fill(numbers.begin() + static_cast<std::ptrdiff_t>(offsets[g]),
              numbers.begin() + static_cast<std::ptrdiff_t>(offsets[g + 1]),
              static_cast<std::int32_t>(g));
  }
  return numbers;
}

template <class T, class Order>
std::vector<T> sorted_in_groups(std::vector<T> values, Order const& order) {
  auto const offsets = group_offsets(values.size());
  for (std::size_t g = 0; g + 1 < offsets.size(); ++g) {
    std::stable_sort(values.begin() + static_cast<std::ptrdiff_t>(offsets[g]),
                     values.begin() + static_cast<std::ptrdiff_t>(offsets[g + 1]), order);
  }
  return values;
}

}  // namespace riffle::test::calls
