#pragma once

// Segments of elements, and the items that sorts of segments move: the elements, or keys with their indices.

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <type_traits>

#include <riffle/backend/backend.hpp>
#include <riffle/order.hpp>
#include <riffle/random/integers.hpp>
#include <riffle/sort/detail/cpu/radix_sort.hpp>
#include <riffle/sort/key_value.hpp>
#include <riffle/sort/number_code.hpp>

namespace riffle::detail::sort {

// --- segments ---

/// Elements begin, ..., end - 1.
struct Segment {
  std::uint64_t begin;
  std::uint64_t end;

  KOKKOS_FUNCTION std::uint64_t size() const { return end > begin ? end - begin : 0; }
};

/// Segments of n elements, given by offsets. Whatever the offsets are, no segment exceeds the elements.
template <class Offsets>
struct SegmentsByOffset {
  Offsets offsets;
  std::uint64_t n;

  KOKKOS_FUNCTION std::uint64_t count() const { return offsets.extent(0) - 1; }
  KOKKOS_FUNCTION std::uint64_t begin(std::uint64_t segment) const {
    return Kokkos::min(n, static_cast<std::uint64_t>(offsets(segment)));
  }

  /// Returns the segment that contains element i.
  KOKKOS_FUNCTION Segment containing(std::uint64_t i) const {
    std::uint64_t low = 0;
    std::uint64_t high = count();
    while (high - low > 1) {
      std::uint64_t const middle = low + (high - low) / 2;
      (begin(middle) <= i ? low : high) = middle;
    }
    return {Kokkos::min(begin(low), i), Kokkos::max(begin(high), i + 1)};
  }
};

/// Segments of equal length.
struct SegmentsOfLength {
  Divider<std::uint64_t> length;
  std::uint64_t n;

  KOKKOS_FUNCTION std::uint64_t count() const { return length.quotient(n); }
  KOKKOS_FUNCTION std::uint64_t begin(std::uint64_t segment) const {
    return segment * length.divisor();
  }
  KOKKOS_FUNCTION Segment containing(std::uint64_t i) const {
    std::uint64_t const begin = length.multiple(i);
    return {begin, begin + length.divisor()};
  }
};

// --- items ---

/// Whether item a is before item b.
template <class Order>
struct IsItemBefore {
  Order order;

  template <class Item>
  KOKKOS_FUNCTION bool operator()(Item const& a, Item const& b) const {
    return is_before(order, key(a), key(b));
  }

 private:
  template <class T>
  KOKKOS_FUNCTION static T const& key(T const& item) {
    return item;
  }
  template <class Key, class Value>
  KOKKOS_FUNCTION static Key const& key(KeyValue<Key, Value> const& item) {
    return item.key;
  }
};

/// How elements of type T become items that are sorted on `Exec`. Numbers are sorted by their codes, other elements by
/// `order`. `Index` is the type of the index that an item has in addition to its key, or void.
template <class Exec, class T, class Order, class Index, bool has_code = has_number_code<T, Order>>
struct ItemCode {
  static constexpr bool is_sorted_by_bits = backend::is_cpu<Exec>;
  using Code = NumberCode<T, Order>;
  using Key = std::conditional_t<is_sorted_by_bits, NumberAlone<StoredCode<sizeof(T)>>,
                                 typename Code::Word>;
  using Before = IsItemBefore<Ascending>;

  KOKKOS_FUNCTION static Key encode(T const& value) { return Key(Code::encode(value)); }
  KOKKOS_FUNCTION static T decode(Key const& key) {
    if constexpr (is_sorted_by_bits) {
      return Code::decode(key.key());
    } else {
      return Code::decode(key);
    }
  }
};
