#pragma once

// What kernels need to find the arrangement of a rank: the rank's digits choose an order of classes in each set.

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include <riffle/monte_carlo/detail/exchanges/layout.hpp>
#include <riffle/random/integers.hpp>

namespace riffle::detail {

// --- numbers of arrangements ---
//
// How many arrangements there are, exactly, as far as 64 bits go.

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

// --- ranks ---

/// The share left / units of a set's arrangements, a whole number: those that begin with one of the `left` units of a
/// class. The product of count and `left` would not fit.
KOKKOS_INLINE_FUNCTION constexpr std::uint64_t share_of(std::uint64_t arrangements,
                                                        std::uint32_t left, std::uint32_t units) {
  return arrangements / units * left + arrangements % units * left / units;
}

/// The classes of a set's units, as a rank knows them. Class c has the units by_class[c], ..., by_class[c + 1] - 1 of the
/// set's part of a table, from first_class on in a table of such beginnings.
struct RankedSet {
  std::uint64_t arrangements;
  std::uint64_t observed;  // the lexicographic rank of the order of classes that the data have
  std::uint32_t first_class;
  std::uint32_t classes;
};

struct RankTables {
  std::vector<RankedSet> sets;
  std::vector<std::uint32_t> class_begins;
  std::vector<std::uint32_t> units_by_class;
  std::uint32_t scratch = 0;  // entries that a lane needs
};

/// The lexicographic rank of the order of classes in which a set's units are.
inline std::uint64_t rank_of_observed(ExchangeLayout const& layout, ExchangeSet const& set,
                                      std::vector<std::uint32_t> left, std::uint64_t arrangements) {
  if (layout.unit_class.empty()) return 0;
  std::uint64_t rank = 0;
  for (std::uint32_t u = 0; u < set.count; ++u) {
    auto const own = layout.unit_class[set.first_unit + u];
    for (std::uint32_t c = 0; c < own; ++c) rank += share_of(arrangements, left[c], set.count - u);
    arrangements = share_of(arrangements, left[own], set.count - u);
    --left[own];
  }
  return rank;
}

inline void add_ranked_set(ExchangeLayout const& layout, ExchangeSet const& set,
                           RankTables& tables) {
  auto const sizes = class_sizes(layout, set);
  auto const arrangements = saturating_multinomial(sizes);
  auto const classes = static_cast<std::uint32_t>(sizes.size());
  tables.sets.push_back({arrangements, rank_of_observed(layout, set, sizes, arrangements),
                         static_cast<std::uint32_t>(tables.class_begins.size()), classes});
  std::vector<std::uint32_t> next;
  std::uint32_t begin = 0;
  for (auto const size : sizes) {
    next.push_back(begin);
    tables.class_begins.push_back(begin);
    begin += size;
  }
  tables.class_begins.push_back(begin);
  for (std::uint32_t u = 0; u < set.count; ++u) {
    auto const c = layout.unit_class.empty() ? u : layout.unit_class[set.first_unit + u];
    tables.units_by_class[set.first_unit + next[c]++] = u;
  }
  if (set.count + classes > tables.scratch) tables.scratch = set.count + classes;
}

/// Empty where arrangements have no ranks.
inline RankTables rank_tables(ExchangeLayout const& layout) {
  RankTables tables;
  if (layout.arrangements == saturated) return tables;
  tables.units_by_class.resize(layout.units);
  for (auto const& set : layout.sets) add_ranked_set(layout, set, tables);
  return tables;
}

}  // namespace riffle::detail
