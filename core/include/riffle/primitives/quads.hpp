#pragma once

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <riffle/primitives/tile_tree.hpp>

namespace riffle::detail {

/// Four consecutive elements as a GPU moves them: by the widest accesses that their size allows.
template <class T>
struct Quad {
  static constexpr std::size_t size = sizeof(T) * quad_size;
  static constexpr std::size_t lowest_bit = size & (~size + 1);
  static constexpr std::size_t alignment =
      std::max(alignof(T), std::min(lowest_bit, std::size_t{16}));

  struct alignas(alignment) Elements {
    T x[quad_size];
  };
};

/// Whether `view` can be read and written by quads.
template <class View>
bool is_quads(View const& view) {
  using Elements = typename Quad<typename View::non_const_value_type>::Elements;
  return view.stride(0) == 1 &&
         reinterpret_cast<std::uintptr_t>(view.data()) % alignof(Elements) == 0;
}

/// Reads the quad whose first element is at `from`.
template <class T>
KOKKOS_INLINE_FUNCTION void load_quad(T const* from, T (&x)[quad_size]) {
  using Elements = typename Quad<T>::Elements;
  Elements const quad = *reinterpret_cast<Elements const*>(from);
  for (int e = 0; e < quad_size; ++e) x[e] = quad.x[e];
}

template <class T, class Value>
KOKKOS_INLINE_FUNCTION void store_quad(Value const (&x)[quad_size], T* to) {
  using Elements = typename Quad<T>::Elements;
  Elements quad;
  for (int e = 0; e < quad_size; ++e) quad.x[e] = static_cast<T>(x[e]);
  *reinterpret_cast<Elements*>(to) = quad;
}

}  // namespace riffle::detail
