#pragma once

// Merges of two sorted runs, divided into parts that threads find independently of each other (S. Odeh, O. Green, Z.
// Mwassi, O. Shmueli, Y. Birk, "Merge path - parallel merging made simple", 2012).
//
// A user's comparison may not be a strict weak ordering, for example a < b on keys with NaNs. If a thread searched for
// the start and the end of its part separately, parts could then overlap, or end before they start; code that searches
// in this way has to check for both. part_of_merge instead cuts the merge in two, then one of the halves in two, and so
// on. Every cut is inside the half that the previous cut has left, whatever the comparison returns. Threads that cut
// the same half find the same cut, provided that the comparison returns the same results each time. So no element
// outside of the runs is read, each element is written once, and each output position is written once. If the
// comparison returns different results at different times, some elements are written several times and others never.

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <type_traits>

namespace riffle::detail {

/// Two sorted runs of an array, or a part of each run: the elements left, ..., left_end - 1 of the left run, and the
/// elements right, ..., right_end - 1 of the right run. Place is the type of these indices, a 32-bit type if the array
/// has few elements.
template <class Place>
struct TwoRunsOf {
  Place left;
  Place left_end;
  Place right;
  Place right_end;

  KOKKOS_FUNCTION Place size() const { return left_end - left + (right_end - right); }
};

using TwoRuns = TwoRunsOf<std::uint64_t>;

/// Returns two neighbouring runs of an array of n elements; the first run starts at `begin`. A run has `run_size`
/// elements, or fewer at the end of the array.
template <class Place>
KOKKOS_INLINE_FUNCTION TwoRunsOf<Place> runs_from(Place begin, Place run_size, Place n) {
  Place const middle = Kokkos::min<Place>(n, begin + run_size);
  return {begin, middle, middle, Kokkos::min<Place>(n, middle + run_size)};
}

/// The state of a search for a cut. The number of elements of the left run that precede the cut is at least `low` and
/// at most `high`.
template <class Place>
struct CutRange {
  Place low;
  Place high;

  /// The search also ends if an inconsistent comparison has moved `low` beyond `high`.
  KOKKOS_FUNCTION bool is_found() const { return low >= high; }
};

/// Returns the initial search range for the cut after the first `count` merged elements. Requires count <= runs.size().
template <class Place>
KOKKOS_FUNCTION CutRange<Place> cut_range_after(TwoRunsOf<Place> const& runs,
                                                std::type_identity_t<Place> count) {
  Place const others = runs.right_end - runs.right;
  return {count > others ? count - others : 0,
          Kokkos::min<Place>(count, runs.left_end - runs.left)};
}

/// Returns whether element k of the left run is after the cut. Requires that k is within cut_range_after(runs, count).
/// If elements tie, the element of the left run comes first.
template <class Items, class Place, class Before>
KOKKOS_FUNCTION bool is_after_cut(Items const& items, TwoRunsOf<Place> const& runs,
                                  std::type_identity_t<Place> count, std::type_identity_t<Place> k,
                                  Before const& before) {
  return before(items[runs.right + (count - k - 1)], items[runs.left + k]);
}

/// Returns how many of the first `count` merged elements are from the left run. items[i] is the element at index i.
/// Requires count <= runs.size().
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

/// Divides the merge of `runs` into at most `parts` parts of `part_size` elements each, and returns the sections of the
/// two runs whose merge is part `number`. `parts` is a power of two.
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

/// Writes the stable merge of two runs to `to`.
template <class Item, class Before>
KOKKOS_FUNCTION void merge_runs(Item const* items, TwoRuns runs, Item* to, Before const& before) {
  while (runs.left < runs.left_end && runs.right < runs.right_end) {
    bool const is_right = before(items[runs.right], items[runs.left]);
    *to++ = items[is_right ? runs.right++ : runs.left++];
  }
  while (runs.left < runs.left_end) *to++ = items[runs.left++];
  while (runs.right < runs.right_end) *to++ = items[runs.right++];
}

/// Sorts `count` items by insertion sort. Meant for few items. Stable.
template <class Items, class Before>
KOKKOS_FUNCTION void insertion_sort(Items const& items, std::uint64_t count, Before const& before) {
  for (std::uint64_t k = 1; k < count; ++k) {
    auto const item = items[k];
    std::uint64_t place = k;
    // The loop needs this bound instead of a sentinel, which an inconsistent comparison would pass.
    for (; place > 0 && before(item, items[place - 1]); --place) items[place] = items[place - 1];
    items[place] = item;
  }
}

}  // namespace riffle::detail
