#pragma once

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/context.hpp>
#include <riffle/primitives/range.hpp>
#include <riffle/primitives/stored_indices.hpp>

namespace riffle::detail {

/// A stored index and where it is stored.
template <class Index>
struct PlacedIndex {
  std::uint64_t place;
  Index index;
};

/// The least i < n for which is_wanted(i, indices(i)), by a reduction.
template <class View, class IsWanted>
struct FirstIndexWhere {
  using value_type = PlacedIndex<typename View::non_const_value_type>;

  View indices;
  IsWanted is_wanted;
  std::uint64_t n;

  KOKKOS_FUNCTION void operator()(std::uint64_t i, value_type& first) const {
    if (i >= first.place) return;
    auto const index = indices(i);
    if (is_wanted(i, index)) first = {i, index};
  }
  KOKKOS_FUNCTION void init(value_type& first) const { first = {n, 0}; }
  KOKKOS_FUNCTION void join(value_type& first, value_type const& other) const {
    if (other.place < first.place) first = other;
  }
};

/// The first such index and its place; the place is n where there is none. Fences.
template <class Exec, class View, class IsWanted>
auto first_index_where(Context<Exec> const& context, View const& indices,
                       IsWanted const& is_wanted) {
  std::uint64_t const n = indices.extent(0);
  PlacedIndex<typename View::non_const_value_type> first{n, 0};
  if (n > 0) {
    Kokkos::parallel_reduce(context.label(), range(context.exec(), 0, n),
                            FirstIndexWhere<View, IsWanted>{indices, is_wanted, n}, first);
  }
  return first;
}

struct IsOutOfRange {
  std::uint64_t size;

  template <class Index>
  KOKKOS_FUNCTION bool operator()(std::uint64_t, Index index) const {
    return !is_index_below(index, size);
  }
};

}  // namespace riffle::detail
