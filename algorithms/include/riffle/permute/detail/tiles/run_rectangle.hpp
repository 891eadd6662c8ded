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

namespace riffle::detail::tiles {

/// Whether a GPU moves a matrix faster by lines: where scratch memory holds rows and sectors of columns, and the matrix
/// stays in the second-level cache, a launch for each pass is all it takes. An H200, us: 500 x 1021 doubles 20 by
/// lines and 126 by units, 1021 x 1031 26 and 117, 1500 x 1000 417 and 111, 10^5 x 3 645 and 43.
inline bool goes_by_lines(std::uint64_t rows, std::uint64_t columns, std::size_t element) {
  constexpr std::uint64_t most_bytes = std::uint64_t{10} << 20;
  constexpr std::size_t sector = 32;
  return rows * columns * element <= most_bytes && rows * sector <= max_scratch_bytes &&
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
