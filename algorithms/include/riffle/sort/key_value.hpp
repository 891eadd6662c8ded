#pragma once

// A key with what belongs to it, as one element of a sort in scratch memory.

#include <Kokkos_Core.hpp>

#include <riffle/order.hpp>

namespace riffle {

/// Where T = KeyValue<Key, Index> holds an element's place before the sort, ByKeyThenValue sorts stably, and tells
/// where each element was.
template <class Key, class Value>
struct KeyValue {
  Key key;
  Value value;

  bool operator==(KeyValue const&) const = default;
};

/// The order of keys.
template <class Compare = Ascending>
struct ByKey {
  Compare compare;

  template <class Key, class Value>
  KOKKOS_FUNCTION bool operator()(KeyValue<Key, Value> const& a,
                                  KeyValue<Key, Value> const& b) const {
    return compare(a.key, b.key);
  }
};

/// The order of keys; of keys that tie, the ascending order of values.
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
