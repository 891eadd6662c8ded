#pragma once

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <riffle/primitives/row_sets.hpp>

namespace riffle::detail::mpi {

/// An array in temporary memory.
template <class T, class Exec>
using ArrayInMemory =
    Kokkos::View<T*, typename Exec::memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

/// Rows of a View in temporary memory, one after the other.
template <class View>
struct RowBuffer {
  static constexpr bool is_array = View::rank() == 1;
  using Value = typename View::non_const_value_type;
  using Data = std::conditional_t<is_array, Value*, Value**>;
  using Rows = Kokkos::View<Data, Kokkos::LayoutRight, typename View::memory_space,
                            Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

  static std::size_t row_bytes(View const& view) {
    if constexpr (is_array) {
      return sizeof(Value);
    } else {
      return sizeof(Value) * view.extent(1);
    }
  }

  static Rows in(std::byte* memory, std::uint64_t rows, View const& view) {
    auto* const values = reinterpret_cast<Value*>(memory);
    if constexpr (is_array) {
      return Rows(values, rows);
    } else {
      return Rows(values, rows, view.extent(1));
    }
  }
};

/// The bytes of a row of each View, as one number: it differs where one of them does.
template <class Rows>
std::uint64_t row_bytes_of(Rows const& rows) {
  std::uint64_t number = 0;
  for_each_view(rows, [&]<class View>(View const& view) {
    number = number * 1000003 + RowBuffer<View>::row_bytes(view);
  });
  return number;
}

/// Those of the View that has most.
template <class Rows>
std::size_t most_row_bytes(Rows const& rows) {
  std::size_t most = 0;
  for_each_view(rows, [&]<class View>(View const& view) {
    most = std::max(most, RowBuffer<View>::row_bytes(view));
  });
  return most;
}

}  // namespace riffle::detail::mpi
