#pragma once

// Sources and sinks of rankings that wrap other sources and sinks: elements at stored indices, keys
// of elements, elements with their groups.

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/backend/floating_point.hpp>
#include <riffle/order.hpp>
#include <riffle/primitives/source_sink.hpp>
#include <riffle/primitives/tile_tree.hpp>

namespace riffle::detail::rank {

// --- elements at stored indices ---

/// Element k is source(places[k]).
template <class Source, class Index>
struct GatherSource {
  using Item = typename Source::Item;

  KOKKOS_FUNCTION bool has_quads() const { return true; }

  KOKKOS_FUNCTION Item operator()(std::uint64_t k) const { return source(place(k)); }

  KOKKOS_FUNCTION void read_quad(std::uint64_t k, Item (&x)[quad_size]) const {
    read_quad_by_elements(*this, k, x);
  }

  Source source;
  Index const* places;

 private:
  KOKKOS_FUNCTION std::uint64_t place(std::uint64_t k) const {
    return static_cast<std::uint64_t>(places[k]);
  }
};

/// Element k is written to element places[k] of a sink.
template <class Sink, class Index>
struct ScatterSink {
  using Element = typename Sink::Element;

  KOKKOS_FUNCTION bool has_quads() const { return true; }

  template <class Value>
  KOKKOS_FUNCTION void operator()(std::uint64_t k, Value const& value) const {
    sink(static_cast<std::uint64_t>(places[k]), value);
  }

  template <class Value>
  KOKKOS_FUNCTION void write_quad(std::uint64_t k, Value const (&values)[quad_size]) const {
    write_quad_by_elements(*this, k, values);
  }

  Sink sink;
  Index const* places;
};

/// A source that returns the key of each element of another source.
template <class Source, class Key>
struct KeySource {
  using Item = typename Key::Word;

  KOKKOS_FUNCTION bool has_quads() const { return source.has_quads(); }

  KOKKOS_FUNCTION Item operator()(std::uint64_t i) const { return key(source(i)); }

  KOKKOS_FUNCTION void read_quad(std::uint64_t i, Item (&keys)[quad_size]) const {
    typename Source::Item x[quad_size];
    source.read_quad(i, x);
    for (int e = 0; e < quad_size; ++e) keys[e] = key(x[e]);
  }

  Source source;
  Key key;
};

// --- elements with their groups ---

template <class Group, class T>
struct GroupAndValue {
  Group group;
  T value;
};

/// A source that pairs each element of `source` with its group.
template <class Groups, class Source>
struct GroupedSource {
  using Group = typename Groups::Item;
  using T = typename Source::Item;
  using Item = GroupAndValue<Group, T>;

  KOKKOS_FUNCTION bool has_quads() const { return groups.has_quads() && source.has_quads(); }

  KOKKOS_FUNCTION Item operator()(std::uint64_t i) const { return {groups(i), source(i)}; }

  KOKKOS_FUNCTION void read_quad(std::uint64_t i, Item (&items)[quad_size]) const {
    Group group[quad_size];
    T x[quad_size];
    groups.read_quad(i, group);
    source.read_quad(i, x);
    for (int e = 0; e < quad_size; ++e) items[e] = {group[e], x[e]};
  }

  Groups groups;
  Source source;
};

/// Whether consecutive pairs of group and value are not tied. Pairs are tied if their groups are equal and their values
/// tie.
template <class Order>
struct GroupOrValueDiffers {
  Order order;

  template <class Item>
  KOKKOS_FUNCTION bool operator()(Item const& a, Item const& b) const {
    return a.group != b.group || differ(order, a.value, b.value);
  }
};

/// Whether the keys of consecutive elements differ. Keys need not have an order.
struct Unequal {
  template <class Group>
  KOKKOS_FUNCTION bool operator()(Group const& a, Group const& b) const {
    return a != b;
  }
};

/// A source of flags: whether element i of another source is a missing value.
template <class Source>
struct MissingFlags {
  using Item = bool;

  KOKKOS_FUNCTION bool has_quads() const { return source.has_quads(); }

  KOKKOS_FUNCTION bool operator()(std::uint64_t i) const { return detail::is_nan(source(i)); }

  KOKKOS_FUNCTION void read_quad(std::uint64_t i, bool (&missing)[quad_size]) const {
    typename Source::Item x[quad_size];
    source.read_quad(i, x);
    for (int e = 0; e < quad_size; ++e) missing[e] = detail::is_nan(x[e]);
  }

  Source source;
};

/// Takes the place of MissingFlags in rankings that exclude no values.
struct NoneMissing {
  KOKKOS_FUNCTION constexpr bool operator()(std::uint64_t) const { return false; }
};

}  // namespace riffle::detail::rank
