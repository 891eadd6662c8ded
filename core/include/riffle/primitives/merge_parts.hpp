#pragma once

// Merges of two runs, in parts that threads find independently (S. Odeh, O. Green, Z. Mwassi, O. Shmueli, Y. Birk,
// "Merge path - parallel merging made simple", 2012).
//
// A comparison of the user's may be no order at all, as a < b is none for keys with NaNs. If the beginning and the end
// of a part were searched for separately, such a comparison could make parts overlap, or end before they begin, which
// whoever searches so has to look for. Else parts are found by halves: a merge is cut in two, a half of it again, and so
// on. Every cut is within what the cuts before it left, whatever the comparison says, and all threads that cut the same
// half cut it at the same place if it gives the same answers each time. So nothing outside the runs is read, each
// element goes to one place, and each place is written once. If its answers change, some elements go to several places and
// others to none.

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <type_traits>

namespace riffle::detail {

/// Two runs of an array that are merged, or a part of either: elements left, ..., left_end - 1 and right, ...,
/// right_end - 1. In an array of few elements places have 32 bits.
template <class Place>
struct TwoRunsOf {
  Place left;
  Place left_end;
  Place right;
  Place right_end;

  KOKKOS_FUNCTION Place size() const { return left_end - left + (right_end - right); }
};

using TwoRuns = TwoRunsOf<std::uint64_t>;

/// The neighbouring runs from `begin` on, each of `run_size` elements if there are as many of n.
template <class Place>
KOKKOS_INLINE_FUNCTION TwoRunsOf<Place> runs_from(Place begin, Place run_size, Place n) {
  Place const middle = Kokkos::min<Place>(n, begin + run_size);
  return {begin, middle, middle, Kokkos::min<Place>(n, middle + run_size)};
}

/// What is left of a search for a cut of a merge: `low` or more elements of the left run come before the cut, and `high`
/// or fewer.
template <class Place>
struct CutRange {
  Place low;
  Place high;

  /// Also where a comparison contradicts itself, so that `low` is beyond `high`.
  KOKKOS_FUNCTION bool is_found() const { return low >= high; }
};

/// The search for the cut after the first `count` <= size() elements of a merge.
template <class Place>
KOKKOS_FUNCTION CutRange<Place> cut_range_after(TwoRunsOf<Place> const& runs,
                                                std::type_identity_t<Place> count) {
  Place const others = runs.right_end - runs.right;
  return {count > others ? count - others : 0,
          Kokkos::min<Place>(count, runs.left_end - runs.left)};
}

/// Whether element k of the left run, with k in cut_range_after(runs, count), is after the cut. Of ties the left one comes
/// first.
template <class Items, class Place, class Before>
KOKKOS_FUNCTION bool is_after_cut(Items const& items, TwoRunsOf<Place> const& runs,
                                  std::type_identity_t<Place> count, std::type_identity_t<Place> k,
                                  Before const& before) {
  return before(items[runs.right + (count - k - 1)], items[runs.left + k]);
}

/// The number of elements of the left run among the first `count` <= size() of a merge of items[...].
template <class Items, class Place, class Before>
KOKKOS_FUNCTION Place count_from_left(Items const& items, TwoRunsOf<Place> const& runs,
                                      std::type_identity_t<Place> count, Before const& before) {
  CutRange<Place> range = cut_range_after(runs, count);
  while (!range.is_found()) {
    Place const middle = range.low + (range.high - range.low) / 2;
    if (is_after_cut(items, runs, count, middle, before)) {
      range.high = middle;
    } else {
      range.low = middle + 1;
    }
  }
  return range.low;
}

/// The parts of two runs that make part `number` of their merge, of at most `parts` parts of `part_size` elements;
/// `parts` is a power of two.
template <class Item, class Before>
KOKKOS_FUNCTION TwoRuns part_of_merge(Item const* items, TwoRuns runs, std::uint64_t number,
                                      std::uint64_t parts, std::uint64_t part_size,
                                      Before const& before) {
  for (std::uint64_t half = parts / 2; half > 0; half /= 2) {
    bool const is_upper_half = (number & half) != 0;
    std::uint64_t const count = Kokkos::min(half * part_size, runs.size());
    std::uint64_t const from_left = count_from_left(items, runs, count, before);
    if (is_upper_half) {
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
template <class Items, class Before>
KOKKOS_FUNCTION void insertion_sort(Items const& items, std::uint64_t count, Before const& before) {
  for (std::uint64_t k = 1; k < count; ++k) {
    auto const item = items[k];
    std::uint64_t place = k;
    // No sentinel: a comparison that is not an order would pass it.
    for (; place > 0 && before(item, items[place - 1]); --place) items[place] = items[place - 1];
    items[place] = item;
  }
}

}  // namespace riffle::detail
