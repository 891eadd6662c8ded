#pragma once

// What is sorted by ranks: keys, and maybe a value with each. A row is moved as it is, so that no bit of it has to be
// had again from a code.

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <type_traits>
#include <utility>

#include <riffle/primitives/scope.hpp>

namespace riffle::detail::sort::by_ranks {

/// What an array has, which is called as a View is.
template <class Array>
using ElementOf = std::decay_t<decltype(std::declval<Array const&>()(std::uint64_t{0}))>;

/// An array in memory.
template <class T>
struct ArrayOf {
  KOKKOS_FUNCTION T& operator()(std::uint64_t i) const { return data[i]; }

  T* data;
};

/// The values of keys that have none.
struct NoValues {
  struct Nothing {};

  KOKKOS_FUNCTION Nothing operator()(std::uint64_t) const { return {}; }
};

/// The indices of rows as their values.
template <class Index>
struct OwnIndices {
  KOKKOS_FUNCTION Index operator()(std::uint64_t i) const { return static_cast<Index>(i); }
};

template <class Key, class Value>
struct Row {
  Key key;
  Value value;
};

template <class Keys, class Values = NoValues>
struct Rows {
  using Key = ElementOf<Keys>;
  using Value = ElementOf<Values>;

  KOKKOS_FUNCTION Key key(std::uint64_t i) const { return keys(i); }
  KOKKOS_FUNCTION Row<Key, Value> get(std::uint64_t i) const { return {keys(i), values(i)}; }
  KOKKOS_FUNCTION void set(std::uint64_t i, Row<Key, Value> const& row) const {
    keys(i) = row.key;
    values(i) = row.value;
  }

  Keys keys;
  Values values;
};

/// Of rows, the values alone.
template <class Values>
struct ValuesOfRows {
  template <class SomeRow>
  KOKKOS_FUNCTION void set(std::uint64_t i, SomeRow const& row) const {
    values(i) = static_cast<ElementOf<Values>>(row.value);
  }

  Values values;
};

/// Memory for n values such as these.
inline NoValues take_like(NoValues const&, ArrayMemory&, std::uint64_t) { return {}; }
template <class Array>
ArrayOf<ElementOf<Array>> take_like(Array const&, ArrayMemory& memory, std::uint64_t n) {
  return {memory.take<ElementOf<Array>>(n)};
}

template <class Keys, class Values>
auto take_rows_like(Rows<Keys, Values> const& rows, ArrayMemory& memory, std::uint64_t n) {
  auto const keys = take_like(rows.keys, memory, n);
  auto const values = take_like(rows.values, memory, n);
  return Rows<std::decay_t<decltype(keys)>, std::decay_t<decltype(values)>>{keys, values};
}

}  // namespace riffle::detail::sort::by_ranks
