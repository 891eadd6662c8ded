#pragma once

// Transposes a matrix that is no square in its own memory: on a CPU by panels, on a GPU a small one through a buffer, and
// others by units.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

#include <riffle/backend/backend.hpp>
#include <riffle/context.hpp>
#include <riffle/permute/detail/tiles/rectangle_by_panels.hpp>
#include <riffle/permute/detail/tiles/rectangle_by_units.hpp>
#include <riffle/permute/detail/tiles/run_transpose.hpp>
#include <riffle/primitives/scope.hpp>

namespace riffle::detail::tiles {

/// A matrix of at most so many bytes is transposed to a buffer and copied back: both stay in a GPU's second-level cache.
inline constexpr std::size_t most_buffered_bytes = std::size_t{10} << 20;

template <class T, class Exec>
void transpose_by_buffer(Context<Exec> const& context, T* data, std::uint64_t rows,
                         std::uint64_t columns) {
  using Bytes = Kokkos::View<std::byte*, typename Exec::memory_space, Kokkos::MemoryUnmanaged>;
  Scope scope(context);
  T* const buffer = scope.template take<T>(rows * columns);
  T const* const in = data;
  run_transpose<true>(context, {rows, columns, columns, 1, rows, 1}, in, buffer);
  std::size_t const bytes = rows * columns * sizeof(T);
  Kokkos::deep_copy(context.exec(), Bytes(reinterpret_cast<std::byte*>(data), bytes),
                    Bytes(reinterpret_cast<std::byte*>(buffer), bytes));
}

/// Transposes a matrix of rows x columns elements, both above 1, held row by row.
template <class T, class Exec>
void transpose_rectangle(Context<Exec> const& context, T* data, std::uint64_t rows,
                         std::uint64_t columns) {
  if constexpr (backend::is_cpu<Exec>) {
    transpose_by_panels(context, data, rows, columns);
  } else if (rows * columns * sizeof(T) <= most_buffered_bytes) {
    transpose_by_buffer(context, data, rows, columns);
  } else {
    transpose_by_units(context, data, rows, columns);
  }
}

}  // namespace riffle::detail::tiles
