#pragma once

// Sources and sinks for elements at stored places.

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/primitives/source_sink.hpp>
#include <riffle/primitives/tile_tree.hpp>

namespace riffle::detail::rank {

/// A source whose element k is the element at the k-th place of another source.
template <class Source, class Index>
struct PlacedSource {
  using Item = typename Source::Item;

  KOKKOS_FUNCTION bool has_quads() const { return true; }

  KOKKOS_FUNCTION Item operator()(std::uint64_t k) const { return source(place(k)); }

  KOKKOS_FUNCTION void read_quad(std::uint64_t k, Item (&x)[quad_size]) const {
    read_each(*this, k, x);
  }

  Source source;
  Index const* places;

 private:
  KOKKOS_FUNCTION std::uint64_t place(std::uint64_t k) const {
    return static_cast<std::uint64_t>(places[k]);
  }
};

template <class Sink, class Index>
struct PlacedSink {
  using Element = typename Sink::Element;

  KOKKOS_FUNCTION bool has_quads() const { return true; }

  template <class Value>
  KOKKOS_FUNCTION void operator()(std::uint64_t k, Value const& value) const {
    sink(static_cast<std::uint64_t>(places[k]), value);
  }

  template <class Value>
  KOKKOS_FUNCTION void write_quad(std::uint64_t k, Value const (&values)[quad_size]) const {
    write_each(*this, k, values);
  }

  Sink sink;
  Index const* places;
};

/// The keys of a source's elements.
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

}  // namespace riffle::detail::rank
