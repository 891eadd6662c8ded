#pragma once

// Merges of two runs, in parts that threads find independently (S. Odeh, O. Green, Z. Mwassi, O. Shmueli, Y. Birk,
// "Merge path - parallel merging made simple", 2012).
//
// A comparison of the user's may be no order at all, as a < b is none for keys with NaNs. If the beginning and the end
// of a part were searched for separately, such a comparison could make parts overlap, or end before they begin. So
// parts are found by halves: a merge is cut in two, a half of it again, and so on. Every cut is within what the cuts
// before it left, whatever the comparison says, and all threads that cut the same half cut it at the same place. So
// nothing outside the runs is read, each element goes to one place, and each place is written once.

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace riffle::detail {

/// Two runs of an array that are merged, or a part of either: elements left, ..., left_end - 1 and right, ...,
/// right_end - 1.
struct TwoRuns {
  std::uint64_t left;
  std::uint64_t left_end;
  std::uint64_t right;
  std::uint64_t right_end;

  KOKKOS_FUNCTION std::uint64_t size() const { return left_end - left + (right_end - right); }
};

/// The neighbouring runs from `begin` on, each of `run_size` elements if there are as many of n.
KOKKOS_INLINE_FUNCTION TwoRuns runs_from(std::uint64_t begin, std::uint64_t run_size,
                                         std::uint64_t n) {
  std::uint64_t const middle = Kokkos::min(n, begin + run_size);
  return {begin, middle, middle, Kokkos::min(n, middle + run_size)};
}

/// The number of elements of the left run among the first `count` <= size() of a merge. Of ties the left one comes
/// first.
template <class Item, class Before>
KOKKOS_FUNCTION std::uint64_t count_from_left(Item const* items, TwoRuns const& runs,
                                              std::uint64_t count, Before const& before) {
  std::uint64_t const others = runs.right_end - runs.right;
  std::uint64_t low = count > others ? count - others : 0;
  std::uint64_t high = Kokkos::min(count, runs.left_end - runs.left);
  while (low < high) {
    std::uint64_t const middle = low + (high - low) / 2;
    if (before(items[runs.right + (count - middle - 1)], items[runs.left + middle])) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

/// The parts of two runs that make part `number` of their merge, of at most `parts` parts of `part_size` elements;
/// `parts` is a power of two.
template <class Item, class Before>
KOKKOS_FUNCTION TwoRuns part_of_merge(Item const* items, TwoRuns runs, std::uint64_t number,
                                      std::uint64_t parts, std::uint64_t part_size,
                                      Before const& before) {
  for (std::uint64_t half = parts / 2; half > 0; half /= 2) {
    bool const is_behind = (number & half) != 0;
    std::uint64_t const count = Kokkos::min(half * part_size, runs.size());
    std::uint64_t const from_left = count_from_left(items, runs, count, before);
    if (is_behind) {
      runs.left += from_left;
      runs.right += count - from_left;
    } else {
      runs.left_end = runs.left + from_left;
      runs.right_end = runs.right + (count - from_left);
    }
  }
  return runs;
}

/// Writes all of two runs to `to`, stably.
template <class Item, class Before>
KOKKOS_FUNCTION void merge_runs(Item const* items, TwoRuns runs, Item* to, Before const& before) {
  while (runs.left < runs.left_end && runs.right < runs.right_end) {
    bool const is_right = before(items[runs.right], items[runs.left]);
    *to++ = items[is_right ? runs.right++ : runs.left++];
  }
  while (runs.left < runs.left_end) *to++ = items[runs.left++];
  while (runs.right < runs.right_end) *to++ = items[runs.right++];
}

/// Puts each of a few items where it belongs among those before it; stable.
template <class Item, class Before>
KOKKOS_FUNCTION void insert_each(Item* items, std::uint64_t count, Before const& before) {
  for (std::uint64_t k = 1; k < count; ++k) {
    Item const item = items[k];
    std::uint64_t place = k;
    // No sentinel: a comparison that is no order would pass it.
    for (; place > 0 && before(item, items[place - 1]); --place) items[place] = items[place - 1];
    items[place] = item;
  }
}

}  // namespace riffle::detail
