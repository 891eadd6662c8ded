#pragma once

// How many arrangements there are, exactly, as far as 64 bits go.

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include <riffle/monte_carlo/detail/exchanges/layout.hpp>
#include <riffle/random/integers.hpp>

namespace riffle::detail {

/// What stands for this number and all larger ones.
inline constexpr std::uint64_t saturated = std::numeric_limits<std::uint64_t>::max();

inline std::uint64_t saturating_product(std::uint64_t a, std::uint64_t b) {
  uint128 const product = static_cast<uint128>(a) * b;
  return product < saturated ? static_cast<std::uint64_t>(product) : saturated;
}

/// n! / (n_1! n_2! ...) for the sizes n_1, n_2, ... of classes, n their sum.
inline std::uint64_t saturating_multinomial(std::vector<std::uint32_t> const& sizes) {
  uint128 count = 1;
  std::uint32_t n = 0;
  for (auto const size : sizes) {
    // Smaller factors first, so that no partial product exceeds the result.
    std::uint32_t const smaller = std::min(size, n);
    std::uint32_t const larger = size + n - smaller;
    for (std::uint32_t k = 1; k <= smaller; ++k) {
      count = count * (larger + k) / k;
      if (count >= saturated) return saturated;
    }
    n += size;
  }
  return static_cast<std::uint64_t>(count);
}

/// How many units of a set are in each class; each is one by itself where no observations are alike.
inline std::vector<std::uint32_t> class_sizes(ExchangeLayout const& layout,
                                              ExchangeSet const& set) {
  if (layout.unit_class.empty()) return std::vector<std::uint32_t>(set.count, 1);
  std::vector<std::uint32_t> sizes;
  for (std::uint32_t u = 0; u < set.count; ++u) {
    auto const c = layout.unit_class[set.first_unit + u];
    if (c >= sizes.size()) sizes.resize(c + 1);
    ++sizes[c];
  }
  return sizes;
}

/// Members' own arrangements multiply; those of wholes are the orders of classes, since what two units of different
/// classes can hold is never the same.
inline std::uint64_t count_arrangements(ExchangeLayout const& layout) {
  std::uint64_t count = layout.sign_units < 64 ? std::uint64_t{1} << layout.sign_units : saturated;
  for (auto const& set : layout.sets) {
    if (count == saturated) break;
    count = saturating_product(count, saturating_multinomial(class_sizes(layout, set)));
  }
  return count;
}

}  // namespace riffle::detail
