#pragma once

// The same sort, by one thread of a CPU.

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <memory>

#include <riffle/sort/block/entries.hpp>
#include <riffle/sort/block/guarded_sort.hpp>

namespace riffle::detail::team_sort {

/// Makes the entries of `keys` at the beginning of `memory`, and sorts them; returns the first one. No two tie, so that
/// the order is the stable one.
template <class Entries, class Keys>
typename Entries::Entry* sort_by_one_thread(Entries const& entries, Keys const& keys,
                                            void* memory) {
  using Entry = typename Entries::Entry;
  auto const n = keys.extent(0);
  auto* const first = static_cast<Entry*>(memory);
  for (std::size_t i = 0; i < n; ++i) {
    std::construct_at(first + i, entries.entry(keys(i), static_cast<std::uint32_t>(i)));
  }
  auto const is_before = [&](Entry const& a, Entry const& b) { return entries.is_before(a, b); };
  if constexpr (compares_as_user_says<Entries>) {
    guarded_sort(first, n, is_before);
  } else {
    std::sort(first, first + n, is_before);
  }
  return first;
}

}  // namespace riffle::detail::team_sort
