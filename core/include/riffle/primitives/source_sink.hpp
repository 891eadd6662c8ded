#pragma once

// Sources and sinks are the interface through which algorithms read and write elements. A source is a View, a function,
// or the result of another algorithm. A sink is a View, a function, or a set of destinations that has been computed
// before.

#include <Kokkos_Core.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <riffle/primitives/quads.hpp>
#include <riffle/primitives/tile_tree.hpp>

namespace riffle::detail {

/// source(i) is element i.
template <class S>
concept ElementSource = requires(S const& source, std::uint64_t i) {
  typename S::Item;
  { source(i) } -> std::convertible_to<typename S::Item>;
};

/// A source that a GPU can read by quads: if has_quads(), read_quad(i, x) reads the four elements i, ..., i + 3, where
/// i is a multiple of 4.
template <class S>
concept QuadSource = ElementSource<S> &&
    requires(S const& source, std::uint64_t i, typename S::Item (&x)[quad_size]) {
  { source.has_quads() } -> std::same_as<bool>;
  source.read_quad(i, x);
};

/// A source whose elements may be contiguous in memory. If is_contiguous(), element i is at address(i), and element i +
/// 1 follows it in memory. Such a source has quads only if it is contiguous.
template <class S>
concept AddressableSource = ElementSource<S> && requires(S const& source, std::uint64_t i) {
  { source.is_contiguous() } -> std::same_as<bool>;
  { source.address(i) } -> std::convertible_to<typename S::Item const*>;
};

/// A source whose elements are expensive to evaluate. Algorithms evaluate each of its elements once, except in a
/// partial tile of a scan on a GPU. They evaluate elements of other sources again if this saves memory. fill(first,
/// count, items) evaluates `count` elements on the host, which may be faster than evaluating them one by one.
template <class S>
concept ExpensiveSource = ElementSource<S> && requires(S const& source, typename S::Item* items) {
  requires S::is_expensive;
  source.fill(std::uint64_t{}, std::size_t{}, items);
};

/// Reads a quad element by element.
template <class Source, class Item>
KOKKOS_INLINE_FUNCTION void read_quad_by_elements(Source const& source, std::uint64_t i,
                                                  Item (&x)[quad_size]) {
  for (int e = 0; e < quad_size; ++e) {
    x[e] = static_cast<Item>(source(i + static_cast<std::uint64_t>(e)));
  }
}

template <class View>
struct ViewSource {
  using Item = typename View::non_const_value_type;

  explicit ViewSource(View const& from) : view(from), by_quads(can_move_by_quads(from)) {}

  KOKKOS_FUNCTION bool has_quads() const { return by_quads; }
  KOKKOS_FUNCTION bool is_contiguous() const { return view.stride(0) == 1; }

  KOKKOS_FUNCTION Item operator()(std::uint64_t i) const { return view(i); }
  KOKKOS_FUNCTION Item const* address(std::uint64_t i) const { return view.data() + i; }
  KOKKOS_FUNCTION void read_quad(std::uint64_t i, Item (&x)[quad_size]) const {
    load_quad<Item>(view.data() + i, x);
  }

  View view;
  bool by_quads;
};

template <class F>
struct FunctionSource {
  using Item = std::decay_t<decltype(std::declval<F const&>()(std::uint64_t{}))>;
  static constexpr bool is_expensive = true;

  KOKKOS_FUNCTION bool has_quads() const { return true; }

  KOKKOS_FUNCTION Item operator()(std::uint64_t i) const { return f(i); }
  KOKKOS_FUNCTION void read_quad(std::uint64_t i, Item (&x)[quad_size]) const {
    read_quad_by_elements(*this, i, x);
  }

  void fill(std::uint64_t first, std::size_t count, Item* items) const {
    if constexpr (requires { f.fill(first, count, items); }) {
      f.fill(first, count, items);
    } else {
      for (std::size_t k = 0; k < count; ++k) items[k] = f(first + k);
    }
  }

  F f;
};

/// Whether a sink receives each value together with its item, the source element from which the value was computed.
template <class S>
inline constexpr bool takes_items = requires {
  requires S::takes_items;
};

/// sink(i, value) writes value i. If the sink takes items, the call is sink(i, value, item). S::Element is the type
/// that the sink stores.
template <class S, class Value, class Item = Value>
concept ElementSink = requires {
  typename S::Element;
}
&&(takes_items<S> ? std::invocable<S const&, std::uint64_t, Value const&, Item const&>
                  : std::invocable<S const&, std::uint64_t, Value const&>);

/// A sink that a GPU can write by quads: if has_quads(), write_quad(i, values) writes the four elements i, ..., i + 3,
/// where i is a multiple of 4.
template <class S, class Value, class Item = Value>
concept QuadSink = ElementSink<S, Value, Item> &&
    requires(S const& sink, std::uint64_t i, Value const (&values)[quad_size]) {
  { sink.has_quads() } -> std::same_as<bool>;
  sink.write_quad(i, values);
};

/// A sink whose elements may be contiguous in memory. The conditions of AddressableSource apply.
template <class S>
concept AddressableSink = requires(S const& sink, std::uint64_t i) {
  { sink.is_contiguous() } -> std::same_as<bool>;
  { sink.address(i) } -> std::convertible_to<typename S::Element*>;
};

/// Writes a quad element by element.
template <class Sink, class Value>
KOKKOS_INLINE_FUNCTION void write_quad_by_elements(Sink const& sink, std::uint64_t i,
                                                   Value const (&values)[quad_size]) {
  for (int e = 0; e < quad_size; ++e) sink(i + static_cast<std::uint64_t>(e), values[e]);
}

template <class View>
struct ViewSink {
  using Element = typename View::value_type;

  explicit ViewSink(View const& to) : view(to), by_quads(can_move_by_quads(to)) {}

  KOKKOS_FUNCTION bool has_quads() const { return by_quads; }
  KOKKOS_FUNCTION bool is_contiguous() const { return view.stride(0) == 1; }

  template <class Value>
  KOKKOS_FUNCTION void operator()(std::uint64_t i, Value const& value) const {
    view(i) = static_cast<Element>(value);
  }
  KOKKOS_FUNCTION Element* address(std::uint64_t i) const { return view.data() + i; }
  template <class Value>
  KOKKOS_FUNCTION void write_quad(std::uint64_t i, Value const (&values)[quad_size]) const {
    store_quad(values, view.data() + i);
  }

  KOKKOS_FUNCTION Element read(std::uint64_t i) const { return view(i); }

  View view;
  bool by_quads;
};

template <class F, class Value, class Item>
inline constexpr bool is_sink_of_items = std::is_invocable_v<F const&, std::uint64_t, Value, Item>;

template <class F, bool TakesItems>
struct FunctionSink {
  struct Element {};  // known only to f
  static constexpr bool takes_items = TakesItems;

  KOKKOS_FUNCTION bool has_quads() const { return true; }

  template <class Value>
  KOKKOS_FUNCTION void operator()(std::uint64_t i, Value const& value) const {
    f(i, value);
  }
  template <class Value, class Item>
  KOKKOS_FUNCTION void operator()(std::uint64_t i, Value const& value, Item const& item) const {
    f(i, value, item);
  }
  template <class Value>
  KOKKOS_FUNCTION void write_quad(std::uint64_t i, Value const (&values)[quad_size]) const {
    write_quad_by_elements(*this, i, values);
  }

  F f;
};

/// Calls sink(i, value, item) if the sink takes items, and sink(i, value) otherwise.
template <class Sink, class Value, class Item>
KOKKOS_INLINE_FUNCTION void write_value(Sink const& sink, std::uint64_t i, Value const& value,
                                        [[maybe_unused]] Item const& item) {
  if constexpr (takes_items<Sink>) {
    sink(i, value, item);
  } else {
    sink(i, value);
  }
}

}  // namespace riffle::detail
