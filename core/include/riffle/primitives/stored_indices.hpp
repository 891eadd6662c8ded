#pragma once

// Indices that a caller has stored in a View, of any integer type.

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <type_traits>

#include <riffle/primitives/views.hpp>

namespace riffle::detail {

template <class T>
inline constexpr bool is_index_type = std::is_integral_v<T> && !std::is_same_v<T, bool>;

/// A rank-1 View of indices that kernels of `Exec` can read.
template <class View, class Exec>
concept StoredIndicesFrom =
    ArrayFrom<View, Exec> && is_index_type<typename View::non_const_value_type>;

/// Whether an index, which may be of a signed type, is one of 0, ..., n - 1.
template <class Index>
KOKKOS_FUNCTION bool is_index_below(Index index, std::uint64_t n) {
  if constexpr (std::is_signed_v<Index>) {
    if (index < 0) return false;
  }
  return static_cast<std::uint64_t>(index) < n;
}

/// The stored indices as a function.
template <class View>
struct StoredIndices {
  View indices;

  KOKKOS_FUNCTION std::uint64_t operator()(std::uint64_t i) const {
    return static_cast<std::uint64_t>(indices(i));
  }
};

}  // namespace riffle::detail
