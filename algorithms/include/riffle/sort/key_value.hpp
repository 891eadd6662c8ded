#pragma once

// A key and a value as one element of a team sort, and the orders of such elements.

#include <Kokkos_Core.hpp>

#include <riffle/order.hpp>

namespace riffle {

/// A key and a value. To sort stably with team_sort, let `value` be the element's index before the
/// sort, and compare with ByKeyThenValue; afterwards `value` says where each element was.
template <class Key, class Value>
struct KeyValue {
  Key key;
  Value value;

  bool operator==(KeyValue const&) const = default;
};

/// Compares keys with `compare`; the order of values does not matter.
template <class Compare = Ascending>
struct ByKey {
  Compare compare;

  template <class Key, class Value>
  KOKKOS_FUNCTION bool operator()(KeyValue<Key, Value> const& a,
                                  KeyValue<Key, Value> const& b) const {
    return compare(a.key, b.key);
  }
};

/// Compares keys with `compare`, and values in ascending order if the keys tie.
template <class Compare = Ascending>
struct ByKeyThenValue {
  Compare compare;

  template <class Key, class Value>
  KOKKOS_FUNCTION bool operator()(KeyValue<Key, Value> const& a,
                                  KeyValue<Key, Value> const& b) const {
    if (compare(a.key, b.key)) return true;
    return !compare(b.key, a.key) && a.value < b.value;
  }
};

}  // namespace riffle
