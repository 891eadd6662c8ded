#pragma once

// Sorts the entries of a team with one thread of a CPU.

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include <riffle/primitives/merge_path.hpp>
#include <riffle/sort/team/entries.hpp>

namespace riffle::detail::team_sort {

// An in-place sort for a comparison of the user: quicksort [1], or heapsort [2] after too many
// nested splits. All loops are bounded by indices. Therefore, even if the comparison is not a
// strict weak ordering, no memory outside of the entries is accessed, and the result is a
// permutation of the entries. std::sort has no such bounds: some of its loops end only when the
// comparison returns false.
//
// [1] C. A. R. Hoare, "Quicksort", The Computer Journal 5 (1962).
// [2] J. W. J. Williams, "Algorithm 232: Heapsort", Communications of the ACM 7 (1964).

/// Inserts `entry` into a heap of n entries, in the subtree at index `root`. In a heap, no entry
/// precedes its children in the order, so the top is the maximum. Requires: entries[root] is free,
/// and the subtrees of its children are heaps.
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

/// Partitions n >= 3 entries around a pivot. Returns the index p of the pivot: no entry before p
/// follows the pivot in the order, and no entry after p precedes it.
template <class Entry, class Before>
std::size_t partition_around_median(Entry* entries, std::size_t n, Before const& before) {
  // The median of three entries becomes entries[0], the pivot.
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

/// Sorts n entries. Parts that are still large after `max_splits` nested splits are sorted by
/// heapsort.
template <class Entry, class Before>
void quicksort(Entry* entries, std::size_t n, int max_splits, Before const& before) {
  constexpr std::size_t max_insertion_sorted = 16;
  while (n > max_insertion_sorted) {
    if (max_splits-- == 0) return sort_heap(entries, n, before);
    std::size_t const place = partition_around_median(entries, n, before);
    quicksort(entries, place, max_splits, before);
    entries += place + 1;
    n -= place + 1;
  }
  insertion_sort(entries, n, before);
}

/// Sorts n entries with O(n log n) comparisons. Not stable.
template <class Entry, class Before>
void quicksort(Entry* entries, std::size_t n, Before const& before) {
  int splits = 0;
  for (std::size_t rest = n; rest > 0; rest /= 2) splits += 2;
  quicksort(entries, n, splits, before);
}

/// Constructs entries for all keys in the memory at `memory`, and sorts the entries. Returns a
/// pointer to the first entry. The sort is stable, because entries contain indices, or else tie
/// only if they are bitwise identical.
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
  if constexpr (have_user_comparison<Entries>) {
    quicksort(first, n, is_before);
  } else {
    std::sort(first, first + n, is_before);
  }
  return first;
}

}  // namespace riffle::detail::team_sort
