#pragma once

// What BucketShuffle permutes: source(j), j < n.

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <type_traits>

#include <riffle/backend/backend.hpp>

namespace riffle::detail::bucket_shuffle {

/// The values of a View of rank 1, as the output stores them.
template <class View, class Value>
struct ReadView {
  static constexpr bool is_memory = true;

  View view;

  KOKKOS_FUNCTION Value operator()(std::uint64_t j) const { return static_cast<Value>(view(j)); }

  /// The same, for random reads where neighbours of j will be wanted soon.
  KOKKOS_FUNCTION Value at_random(std::uint64_t j) const {
    if constexpr (std::is_lvalue_reference_v<decltype(view(j))>) {
      return static_cast<Value>(backend::load_with_line(&view(j)));
    } else {
      return (*this)(j);
    }
  }
};

/// j itself: the output is the permutation.
template <class Value>
struct OwnIndex {
  static constexpr bool is_memory = false;

  KOKKOS_FUNCTION Value operator()(std::uint64_t j) const { return static_cast<Value>(j); }
  KOKKOS_FUNCTION Value at_random(std::uint64_t j) const { return (*this)(j); }
};

}  // namespace riffle::detail::bucket_shuffle
