#pragma once

// What kernels need to find the arrangement of a rank: the rank's digits choose an order of classes in each set.

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <vector>

#include <riffle/monte_carlo/detail/exchanges/count_arrangements.hpp>
#include <riffle/monte_carlo/detail/exchanges/layout.hpp>

namespace riffle::detail {

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
