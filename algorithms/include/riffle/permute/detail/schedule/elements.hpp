#pragma once

// The sources from which passes read: a View, or the places themselves.

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/primitives/quads.hpp>
#include <riffle/primitives/source_sink.hpp>
#include <riffle/primitives/tile_tree.hpp>

namespace riffle::detail::schedule {

/// The elements of a View, to read and to write.
template <class View>
struct ElementsOf : ViewSource<View> {
  using T = typename View::non_const_value_type;
  using Base = ViewSource<View>;
  using Base::Base;

  KOKKOS_FUNCTION decltype(auto) at(std::uint64_t i) const { return this->view(i); }

  KOKKOS_FUNCTION void write(std::uint64_t i, T const& value) const { this->view(i) = value; }

  KOKKOS_FUNCTION auto* address(std::uint64_t i) const { return this->view.data() + i; }

  KOKKOS_FUNCTION void write_quad(std::uint64_t i, T const (&x)[quad_size]) const {
    store_quad(x, this->view.data() + i);
  }
};

/// A source whose element i is i.
template <class Index>
struct Places {
  using Item = Index;

  KOKKOS_FUNCTION bool has_quads() const { return true; }

  KOKKOS_FUNCTION Index operator()(std::uint64_t i) const { return static_cast<Index>(i); }
  KOKKOS_FUNCTION Index at(std::uint64_t i) const { return static_cast<Index>(i); }

  KOKKOS_FUNCTION void read_quad(std::uint64_t i, Index (&x)[quad_size]) const {
    read_each(*this, i, x);
  }
};

}  // namespace riffle::detail::schedule
