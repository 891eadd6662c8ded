#pragma once

// What the permuting kernels read and write: matrices by row and column.

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/permute/row_addresses.hpp>

namespace riffle::detail::row_permutation {

/// A rank-2 View.
template <class View>
struct ViewMatrix {
  using Value = typename View::non_const_value_type;

  View view;

  KOKKOS_FUNCTION Value get(std::uint64_t row, std::uint64_t column) const {
    return view(row, column);
  }
  KOKKOS_FUNCTION void put(std::uint64_t row, std::uint64_t column, Value const& value) const {
    view(row, column) = value;
  }
};

/// A matrix in Riffle's own memory.
template <class T>
struct PitchedMatrix {
  using Value = T;

  T* data;
  RowAddresses at;

  KOKKOS_FUNCTION T get(std::uint64_t row, std::uint64_t column) const {
    return data[at.element(row, column)];
  }
  KOKKOS_FUNCTION void put(std::uint64_t row, std::uint64_t column, T const& value) const {
    data[at.element(row, column)] = value;
  }
};

/// A rank-1 View of n > 0 elements as a matrix, row after row: reads beyond its end give its last element, and writes
/// there do nothing.
template <class View>
struct FoldedView {
  using Value = typename View::non_const_value_type;

  View view;
  RowAddresses at;

  KOKKOS_FUNCTION Value get(std::uint64_t row, std::uint64_t column) const {
    return view(Kokkos::min(at.element(row, column), last()));
  }
  KOKKOS_FUNCTION void put(std::uint64_t row, std::uint64_t column, Value const& value) const {
    std::uint64_t const i = at.element(row, column);
    if (i <= last()) view(i) = value;
  }

 private:
  KOKKOS_FUNCTION std::uint64_t last() const {
    return static_cast<std::uint64_t>(view.extent(0)) - 1;
  }
};

}  // namespace riffle::detail::row_permutation
