#pragma once

// Where a scan reads from and writes to: a View or a function of the caller's, behind one face.

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <type_traits>
#include <utility>

#include <riffle/detail/views.hpp>
#include <riffle/kernel/tile_tree.hpp>
#include <riffle/monoid.hpp>

namespace riffle::detail::scan {

/// Four consecutive elements as a GPU moves them: by the widest loads that their size allows.
template <class T>
struct Quad {
  static constexpr std::size_t size = sizeof(T) * quad_size;
  static constexpr std::size_t lowest_bit = size & (~size + 1);
  static constexpr std::size_t alignment =
      lowest_bit < alignof(T) ? alignof(T) : (lowest_bit > 16 ? 16 : lowest_bit);

  struct alignas(alignment) Elements {
    T x[quad_size];
  };
};

/// Whether `view` can be read and written by quads.
template <class View>
bool is_quads(View const& view) {
  using Elements = Quad<typename View::non_const_value_type>;
  return view.stride(0) == 1 &&
         reinterpret_cast<std::uintptr_t>(view.data()) % Elements::alignment == 0;
}

template <class View>
struct ViewSource {
  using Item = typename View::non_const_value_type;
  static constexpr bool is_cheap = true;  // to read twice
  static constexpr bool has_addresses = true;

  explicit ViewSource(View const& from) : view(from), by_quads(is_quads(from)) {}

  KOKKOS_FUNCTION bool has_quads() const { return by_quads; }

  KOKKOS_FUNCTION Item operator()(std::uint64_t i) const { return view(i); }

  KOKKOS_FUNCTION bool is_contiguous() const { return view.stride(0) == 1; }

  /// Where is_contiguous(), as it is where has_quads().
  KOKKOS_FUNCTION Item const* address(std::uint64_t i) const { return view.data() + i; }

  KOKKOS_FUNCTION void read_quad(std::uint64_t i, Item (&x)[quad_size]) const {
    using Elements = typename Quad<Item>::Elements;
    Elements const quad = *reinterpret_cast<Elements const*>(view.data() + i);
    for (int j = 0; j < quad_size; ++j) x[j] = quad.x[j];
  }

  View view;
  bool by_quads;
};

template <class F>
struct FunctionSource {
  using Item = std::decay_t<decltype(std::declval<F const&>()(std::uint64_t{}))>;
  static constexpr bool is_cheap = false;
  static constexpr bool has_addresses = false;

  KOKKOS_FUNCTION bool has_quads() const { return true; }

  KOKKOS_FUNCTION Item operator()(std::uint64_t i) const { return f(i); }

  /// Elements first, ..., first + count - 1; a function may know a faster way. Host only.
  void fill(std::uint64_t first, std::size_t count, Item* items) const {
    if constexpr (requires { f.fill(first, count, items); }) {
      f.fill(first, count, items);
    } else {
      for (std::size_t k = 0; k < count; ++k) items[k] = f(first + k);
    }
  }

  KOKKOS_FUNCTION void read_quad(std::uint64_t i, Item (&x)[quad_size]) const {
    for (int j = 0; j < quad_size; ++j) x[j] = f(i + static_cast<std::uint64_t>(j));
  }

  F f;
};

template <class View>
struct ViewSink {
  using Element = typename View::value_type;
  static constexpr bool takes_items = false;
  static constexpr bool has_addresses = true;

  explicit ViewSink(View const& to) : view(to), by_quads(is_quads(to)) {}

  KOKKOS_FUNCTION bool has_quads() const { return by_quads; }

  template <class Value>
  KOKKOS_FUNCTION void operator()(std::uint64_t i, Value const& prefix) const {
    view(i) = static_cast<Element>(prefix);
  }

  KOKKOS_FUNCTION Element read(std::uint64_t i) const { return view(i); }

  KOKKOS_FUNCTION bool is_contiguous() const { return view.stride(0) == 1; }

  /// Where is_contiguous(), as it is where has_quads().
  KOKKOS_FUNCTION Element* address(std::uint64_t i) const { return view.data() + i; }

  template <class Value>
  KOKKOS_FUNCTION void write_quad(std::uint64_t i, Value const (&prefix)[quad_size]) const {
    using Elements = typename Quad<Element>::Elements;
    Elements quad;
    for (int j = 0; j < quad_size; ++j) quad.x[j] = static_cast<Element>(prefix[j]);
    *reinterpret_cast<Elements*>(view.data() + i) = quad;
  }

  View view;
  bool by_quads;
};

template <class F, class Value, class Item>
inline constexpr bool is_sink_of_items = std::is_invocable_v<F const&, std::uint64_t, Value, Item>;

template <class F, bool TakesItems>
struct FunctionSink {
  struct Element {};  // known to f alone
  static constexpr bool takes_items = TakesItems;
  static constexpr bool has_addresses = false;

  KOKKOS_FUNCTION bool has_quads() const { return true; }

  template <class Value>
  KOKKOS_FUNCTION void operator()(std::uint64_t i, Value const& prefix) const {
    f(i, prefix);
  }

  template <class Value, class Item>
  KOKKOS_FUNCTION void operator()(std::uint64_t i, Value const& prefix, Item const& item) const {
    f(i, prefix, item);
  }

  template <class Value>
  KOKKOS_FUNCTION void write_quad(std::uint64_t i, Value const (&prefix)[quad_size]) const {
    for (int j = 0; j < quad_size; ++j) f(i + static_cast<std::uint64_t>(j), prefix[j]);
  }

  F f;
};

/// An element as the operation takes it.
template <class Op, class Item>
KOKKOS_INLINE_FUNCTION typename Op::value_type to_value(Item const& item) {
  if constexpr (IsCount<Op>::value) {
    return typename Op::value_type(static_cast<bool>(item));
  } else {
    return static_cast<typename Op::value_type>(item);
  }
}

/// sink(i, prefix) or sink(i, prefix, item), as the sink would have it.
template <class Sink, class Value, class Item>
KOKKOS_INLINE_FUNCTION void put(Sink const& sink, std::uint64_t i, Value const& prefix,
                                [[maybe_unused]] Item const& item) {
  if constexpr (Sink::takes_items) {
    sink(i, prefix, item);
  } else {
    sink(i, prefix);
  }
}

}  // namespace riffle::detail::scan
