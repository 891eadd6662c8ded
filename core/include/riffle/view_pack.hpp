#pragma once

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/primitives/is_instance_of.hpp>

namespace riffle {

/// Several Views that one permutation moves together, such as keys and their payloads: pack(a, b,
/// c). The first extents of the Views are equal; value types, layouts and ranks may differ. Usable
/// in kernels.
template <class... Views>
struct ViewPack;

/// A pack without Views.
template <>
struct ViewPack<> {};

/// The first View, and a pack of the others.
template <class First, class... Rest>
struct ViewPack<First, Rest...> {
  First first;
  ViewPack<Rest...> rest;
};

/// An empty pack.
inline ViewPack<> pack() { return {}; }

/// Returns a pack of Views. The pack shares the elements of the Views.
template <class First, class... Rest>
ViewPack<First, Rest...> pack(First const& first, Rest const&... rest) {
  return {first, pack(rest...)};
}

namespace detail {

template <class T>
inline constexpr bool is_view_pack = is_instance_of<T, ViewPack>;

/// Sets out(i) = in(j), where element i is a value or a row. If `in` and `out` are functions, calls out(i, in(j)).
template <class In, class Out>
KOKKOS_INLINE_FUNCTION void copy_row(In const& in, std::uint64_t j, Out const& out,
                                     std::uint64_t i) {
  if constexpr (!requires { In::rank(); }) {
    out(i, in(j));
  } else if constexpr (In::rank() == 1) {
    out(i) = in(j);
  } else {
    for (std::uint64_t k = 0; k < in.extent(1); ++k) out(i, k) = in(j, k);
  }
}

KOKKOS_INLINE_FUNCTION void copy_row(ViewPack<> const&, std::uint64_t, ViewPack<> const&,
                                     std::uint64_t) {}

template <class In, class... Ins, class Out, class... Outs>
KOKKOS_INLINE_FUNCTION void copy_row(ViewPack<In, Ins...> const& in, std::uint64_t j,
                                     ViewPack<Out, Outs...> const& out, std::uint64_t i) {
  copy_row(in.first, j, out.first, i);
  copy_row(in.rest, j, out.rest, i);
}

}  // namespace detail
}  // namespace riffle
