#pragma once

// The same sort, by one thread of a CPU.

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include <riffle/primitives/merge_parts.hpp>
#include <riffle/sort/block/entries.hpp>

namespace riffle::detail::team_sort {

// A sort by one thread in place, which compares as the user says. Every loop is bounded by places alone, so that
// nothing but the entries is read or written, and they remain the same entries, even where the comparison is no order;
// std::sort relies on the comparison for where to stop.
//   C. A. R. Hoare, "Quicksort", The Computer Journal 5 (1962); where it makes no headway,
//   J. W. J. Williams, "Algorithm 232: Heapsort", Communications of the ACM 7 (1964).

/// Puts `entry` into the heap of n entries whose `root` is free and which is a heap below it. The last entry is on top.
template <class Entry, class Before>
void sift(Entry* entries, std::size_t root, std::size_t n, Entry const& entry,
          Before const& before) {
  for (std::size_t child = 2 * root + 1; child < n; child = 2 * root + 1) {
    if (child + 1 < n && before(entries[child], entries[child + 1])) ++child;
    if (!before(entry, entries[child])) break;
    entries[root] = entries[child];
    root = child;
  }
  entries[root] = entry;
}

template <class Entry, class Before>
void sort_heap(Entry* entries, std::size_t n, Before const& before) {
  for (std::size_t root = n / 2; root-- > 0;) {
    Entry const entry = entries[root];
    sift(entries, root, n, entry, before);
  }
  for (std::size_t last = n; last-- > 1;) {
    Entry const entry = entries[last];
    entries[last] = entries[0];
    sift(entries, 0, last, entry, before);
  }
}

/// Puts one entry in its place, the entries that are before it in front of it and the others behind it. Returns the
/// place; n >= 3.
template <class Entry, class Before>
std::size_t split(Entry* entries, std::size_t n, Before const& before) {
  // The median of three comes first.
  Entry& middle = entries[n / 2];
  Entry& last = entries[n - 1];
  if (before(entries[0], middle)) std::swap(entries[0], middle);
  if (before(last, entries[0])) std::swap(entries[0], last);
  if (before(entries[0], middle)) std::swap(entries[0], middle);
  Entry const pivot = entries[0];
  std::size_t i = 1;
  std::size_t j = n - 1;
  while (true) {
    while (i <= j && before(entries[i], pivot)) ++i;
    while (i <= j && before(pivot, entries[j])) --j;
    if (i >= j) break;
    std::swap(entries[i++], entries[j--]);
  }
  std::swap(entries[0], entries[j]);
  return j;
}

/// Sorts n entries. At most `max_splits` splits are nested.
template <class Entry, class Before>
void guarded_sort(Entry* entries, std::size_t n, int max_splits, Before const& before) {
  constexpr std::size_t max_insertion_sorted = 16;
  while (n > max_insertion_sorted) {
    if (max_splits-- == 0) return sort_heap(entries, n, before);
    std::size_t const place = split(entries, n, before);
    guarded_sort(entries, place, max_splits, before);
    entries += place + 1;
    n -= place + 1;
  }
  insertion_sort(entries, n, before);
}

/// Sorts n entries by a comparison, in O(n log n). Not stable.
template <class Entry, class Before>
void guarded_sort(Entry* entries, std::size_t n, Before const& before) {
  int splits = 0;
  for (std::size_t rest = n; rest > 0; rest /= 2) splits += 2;
  guarded_sort(entries, n, splits, before);
}

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
