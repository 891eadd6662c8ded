#pragma once

// Indices of any integer type: index types, arrays of indices, and checks of indices that a caller has stored in a
// View.

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <type_traits>

#include <riffle/context.hpp>
#include <riffle/errors.hpp>
#include <riffle/primitives/loops.hpp>
#include <riffle/primitives/views.hpp>

namespace riffle::detail {

/// Returns use(Index{}). Index is std::uint32_t if this type can represent all indices less than n, otherwise
/// std::uint64_t.
template <class Use>
auto with_index_type(std::uint64_t n, Use const& use) {
  if (n <= std::uint64_t{1} << 32) return use(std::uint32_t{});
  return use(std::uint64_t{});
}

/// Sets indices[i] = i.
template <class Index>
struct MakeIndices {
  Index* indices;

  KOKKOS_FUNCTION void operator()(std::uint64_t i) const { indices[i] = static_cast<Index>(i); }
};

/// A permutation whose values are stored in a View.
template <class View>
struct StoredPermutation {
  View stored;

  KOKKOS_FUNCTION typename View::value_type operator()(std::uint64_t i) const { return stored(i); }
};

template <class T>
inline constexpr bool is_index_type = std::is_integral_v<T> && !std::is_same_v<T, bool>;

/// A rank-1 View of indices that kernels of `Exec` can read.
template <class View, class Exec>
concept StoredIndicesFrom =
    ArrayFrom<View, Exec> && is_index_type<typename View::non_const_value_type>;

/// Whether 0 <= index < n, for an index of any integer type.
template <class Index>
KOKKOS_FUNCTION bool is_index_below(Index index, std::uint64_t n) {
  if constexpr (std::is_signed_v<Index>) {
    if (index < 0) return false;
  }
  return static_cast<std::uint64_t>(index) < n;
}

/// The function i -> indices(i), with values of type std::uint64_t.
template <class View>
struct StoredIndices {
  View indices;

  KOKKOS_FUNCTION std::uint64_t operator()(std::uint64_t i) const {
    return static_cast<std::uint64_t>(indices(i));
  }
};

/// A function of i that returns an index of any integer type.
template <class F>
concept IndexFunctionOf =
    !Kokkos::is_view_v<F> &&
    is_index_type<std::remove_cvref_t<std::invoke_result_t<F const&, std::uint64_t>>>;

/// A function of i < n, used like a View of indices.
template <class F>
struct IndexFunction {
  using non_const_value_type = std::remove_cvref_t<std::invoke_result_t<F const&, std::uint64_t>>;

  F f;
  std::uint64_t n;

  KOKKOS_FUNCTION std::uint64_t extent(int) const { return n; }
  KOKKOS_FUNCTION non_const_value_type operator()(std::uint64_t i) const { return f(i); }
};

/// A function has no elements in memory.
template <class F, class View>
void check_disjoint(char const*, char const*, IndexFunction<F> const&, char const*, View const&) {}

template <class Indices, class Exec>
concept StoredOrComputedIndices = StoredIndicesFrom<Indices, Exec> || IndexFunctionOf<Indices>;

/// Returns `indices` if it is a View, or an IndexFunction of i < n.
template <class Indices>
auto indices_below(std::uint64_t n, Indices const& indices) {
  if constexpr (Kokkos::is_view_v<Indices>) {
    return indices;
  } else {
    return IndexFunction<Indices>{indices, n};
  }
}

/// Throws unless `offsets` can divide the n elements of `out`, which has the name `name`, into segments.
template <class Offsets, class Out>
void check_offsets(char const* function, Offsets const& offsets, std::uint64_t n, char const* name,
                   Out const& out) {
  check(offsets.extent(0) > 0 || n == 0, function, "offsets.extent(0) = 0 and ", name,
        ".extent(0) = ", n, ": there must be one offset more than there are segments");
  check_disjoint(function, "offsets", offsets, name, out);
}

/// A stored index and its position in the View.
template <class Index>
struct PlacedIndex {
  std::uint64_t place;
  Index index;
};

/// A reduction that finds the smallest i < n for which is_wanted(i, indices(i)) is true.
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

/// Returns the first index for which is_wanted(place, index) is true, and its position `place` in the View. If there is
/// no such index, `place` is n. Fences.
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
