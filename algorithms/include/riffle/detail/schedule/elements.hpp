#pragma once

// What passes read from: a View, or the places themselves.

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/detail/scan/access.hpp>
#include <riffle/kernel/tile_tree.hpp>

namespace riffle::detail::schedule {

/// The elements of a View, to read and to write.
template <class View>
struct ElementsOf : scan::ViewSource<View> {
  using T = typename View::non_const_value_type;
  using Base = scan::ViewSource<View>;
  using Base::Base;

  KOKKOS_FUNCTION decltype(auto) at(std::uint64_t i) const { return this->view(i); }

  KOKKOS_FUNCTION void write(std::uint64_t i, T const& value) const { this->view(i) = value; }

  KOKKOS_FUNCTION auto* address(std::uint64_t i) const { return this->view.data() + i; }

  KOKKOS_FUNCTION void write_quad(std::uint64_t i, T const (&x)[quad_size]) const {
    using Elements = typename scan::Quad<T>::Elements;
    Elements quad;
    for (int e = 0; e < quad_size; ++e) quad.x[e] = x[e];
    *reinterpret_cast<Elements*>(this->view.data() + i) = quad;
  }
};

/// Element i is i.
template <class Index>
struct Places {
  using Item = Index;
  static constexpr bool has_addresses = false;

  KOKKOS_FUNCTION bool has_quads() const { return true; }

  KOKKOS_FUNCTION Index operator()(std::uint64_t i) const { return static_cast<Index>(i); }
  KOKKOS_FUNCTION Index at(std::uint64_t i) const { return static_cast<Index>(i); }

  KOKKOS_FUNCTION void read_quad(std::uint64_t i, Index (&x)[quad_size]) const {
    for (int e = 0; e < quad_size; ++e)
      x[e] = static_cast<Index>(i + static_cast<std::uint64_t>(e));
  }
};

}  // namespace riffle::detail::schedule
