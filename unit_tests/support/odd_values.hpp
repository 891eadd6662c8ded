#pragma once

// Numbers that sorts might confuse, and the order of a stable sort.

#include <Kokkos_Core.hpp>
#include <riffle/order.hpp>
#include <riffle/primitives/radix_key.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <type_traits>
#include <vector>

#include "support/number_order.hpp"
#include "support/sort_by_splitters.hpp"

namespace riffle::test {

/// The order of a stable sort.
template <class Order, class T>
std::vector<std::uint32_t> stable_order(std::vector<T> const& values) {
  std::vector<std::uint32_t> order(values.size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t i, std::uint32_t j) {
    return is_sorted_before<Order>(values[i], values[j]);
  });
  return order;
}

template <class T>
std::vector<T> gathered(std::vector<T> const& values, std::vector<std::uint32_t> const& order) {
  std::vector<T> result;
  for (auto const i : order) result.push_back(values[i]);
  return result;
}

/// Numbers of each sort, NaNs that differ, zeros of either sign, and infinities.
template <class T>
std::vector<T> odd_values(std::size_t n) {
  using Limits = std::numeric_limits<T>;
  auto values = uniform_values<T>(n);
  for (std::size_t i = 0; i < n; ++i) {
    auto& value = values[i];
    switch (value == 0 ? 0 : static_cast<std::uint64_t>(std::abs(value) * 1000) % 16) {
      case 0: value = T{0}; break;
      case 1: value = -T{0}; break;
      case 2: value = Limits::quiet_NaN(); break;
      case 3: value = -Limits::quiet_NaN(); break;
      case 4: value = Limits::infinity(); break;
      case 5: value = -Limits::infinity(); break;
      case 6: value = Limits::denorm_min(); break;
      case 7: value = -Limits::denorm_min(); break;
      case 8: value = Limits::max(); break;
      case 9: value = Limits::lowest(); break;
      default: break;
    }
    if (value == value) continue;
    // The payload tells NaNs apart.
    auto bits = std::bit_cast<detail::RadixWord<T>>(value);
    value = std::bit_cast<T>(static_cast<detail::RadixWord<T>>(bits | i));
  }
  return values;
}

}  // namespace riffle::test
