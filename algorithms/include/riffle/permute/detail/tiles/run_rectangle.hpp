#pragma once

// Transposes a matrix that is no square in its own memory, by the algorithm that is faster.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

#include <riffle/backend/backend.hpp>
#include <riffle/context.hpp>
#include <riffle/permute/detail/tiles/rectangle_by_lines.hpp>
#include <riffle/permute/detail/tiles/rectangle_by_panels.hpp>
#include <riffle/permute/detail/tiles/rectangle_by_units.hpp>
#include <riffle/primitives/launch.hpp>
#include <riffle/permute/tuning.hpp>

namespace riffle::detail::tiles {

/// Whether a GPU moves a matrix by lines: where it is small, and scratch memory holds rows and sectors of columns.
inline bool goes_by_lines(std::uint64_t rows, std::uint64_t columns, std::size_t element) {
  return rows * columns * element <= max_bytes_by_lines && rows * sector_bytes <= max_scratch_bytes &&
         columns * element <= max_scratch_bytes;
}

/// Transposes a matrix of rows x columns elements, both above 1, held row by row.
template <class T, class Exec>
void transpose_rectangle(Context<Exec> const& context, T* data, std::uint64_t rows,
                         std::uint64_t columns) {
  if constexpr (backend::is_cpu<Exec>) {
    transpose_by_panels(context, data, rows, columns);
  } else if (goes_by_lines(rows, columns, sizeof(T))) {
    transpose_by_lines(context, data, rows, columns);
  } else {
    transpose_by_units(context, data, rows, columns);
  }
}

}  // namespace riffle::detail::tiles
