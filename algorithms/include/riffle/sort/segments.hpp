#pragma once

// Segments of consecutive elements that are sorted each on its own.

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/order.hpp>
#include <riffle/random/integers.hpp>
#include <riffle/sort/key_value.hpp>

namespace riffle::detail::sort {

/// Elements begin, ..., end - 1.
struct Segment {
  std::uint64_t begin;
  std::uint64_t end;

  KOKKOS_FUNCTION std::uint64_t size() const { return end > begin ? end - begin : 0; }
};

/// Segments of n elements between offsets. Invalid offsets do not cause accesses outside of the n elements.
template <class Offsets>
struct SegmentsByOffset {
  Offsets offsets;
  std::uint64_t n;

  KOKKOS_FUNCTION std::uint64_t count() const { return offsets.extent(0) - 1; }
  KOKKOS_FUNCTION std::uint64_t begin(std::uint64_t segment) const {
    return segment > count() ? n : Kokkos::min(n, static_cast<std::uint64_t>(offsets(segment)));
  }
  /// The number of the segment that contains element i.
  KOKKOS_FUNCTION std::uint64_t number(std::uint64_t i) const {
    std::uint64_t low = 0;
    std::uint64_t high = count();
    while (low + 1 < high) {
      std::uint64_t const middle = low + (high - low) / 2;
      (begin(middle) <= i ? low : high) = middle;
    }
    return low;
  }
  /// The index by which element i is known to the caller.
  KOKKOS_FUNCTION std::uint64_t index(std::uint64_t i) const { return i; }
};

/// Lines of a matrix: segments of equal length.
struct SegmentsOfLength {
  Divider<std::uint64_t> length;
  std::uint64_t n;

  KOKKOS_FUNCTION std::uint64_t count() const { return length.quotient(n); }
  KOKKOS_FUNCTION std::uint64_t begin(std::uint64_t segment) const {
    return segment * length.divisor();
  }
  KOKKOS_FUNCTION std::uint64_t number(std::uint64_t i) const { return length.quotient(i); }
  KOKKOS_FUNCTION std::uint64_t index(std::uint64_t i) const { return i - length.multiple(i); }
};

/// Segment `number`, which contains element i if the offsets are valid; otherwise a segment that contains it.
template <class Segments>
KOKKOS_FUNCTION Segment segment_around(Segments const& segments, std::uint64_t number,
                                       std::uint64_t i) {
  return {Kokkos::min(segments.begin(number), i), Kokkos::max(segments.begin(number + 1), i + 1)};
}

/// Whether an item, a key alone or with a value, is before another.
template <class Order>
struct IsItemBefore {
  Order order;

  template <class Item>
  KOKKOS_FUNCTION bool operator()(Item const& a, Item const& b) const {
    return is_before(order, key(a), key(b));
  }

 private:
  template <class Key>
  KOKKOS_FUNCTION static Key const& key(Key const& item) {
    return item;
  }
  template <class Key, class Index>
  KOKKOS_FUNCTION static Key const& key(KeyValue<Key, Index> const& item) {
    return item.key;
  }
};

}  // namespace riffle::detail::sort
