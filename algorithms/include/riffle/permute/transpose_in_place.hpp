#pragma once

// Transposes a matrix in place:
//
//     square matrices      swaps pairs of tiles on both sides of the diagonal
//     other matrices       on a CPU by panels (detail/tiles/rectangle_by_panels.hpp); on a GPU through a buffer if they
//                          are small, otherwise by units of a few hundred bytes (detail/tiles/rectangle_by_units.hpp)
//
// The methods by panels and by units follow
//   F. Gustavson, L. Karlsson, B. Kagstrom, "Parallel and cache-efficient in-place matrix storage format conversion",
//   ACM Trans. Math. Softw. 38 (2012), doi 10.1145/2168773.2168775.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

#include <riffle/backend/backend.hpp>
#include <riffle/context.hpp>
#include <riffle/errors.hpp>
#include <riffle/permute/detail/tiles/check_tiles.hpp>
#include <riffle/permute/detail/tiles/rectangle_by_panels.hpp>
#include <riffle/permute/detail/tiles/rectangle_by_units.hpp>
#include <riffle/permute/detail/tiles/run_transpose.hpp>
#include <riffle/permute/tuning.hpp>
#include <riffle/primitives/call.hpp>
#include <riffle/primitives/call_diagnostics.hpp>
#include <riffle/primitives/scope.hpp>
#include <riffle/primitives/views.hpp>

namespace riffle::detail::tiles {

/// Transposes a matrix into a buffer in the workspace, and copies it back.
template <class T, class Exec>
void transpose_by_buffer(Context<Exec> const& context, T* data, std::uint64_t rows,
                         std::uint64_t columns) {
  using Bytes = Kokkos::View<std::byte*, typename Exec::memory_space, Kokkos::MemoryUnmanaged>;
  Scope scope(context);
  T* const buffer = scope.template take<T>(rows * columns);
  T const* const in = data;
  run_transpose<moves_by_teams<Exec>>(context, {rows, columns, columns, 1, rows, 1}, in, buffer);
  std::size_t const bytes = rows * columns * sizeof(T);
  Kokkos::deep_copy(context.exec(), Bytes(reinterpret_cast<std::byte*>(data), bytes),
                    Bytes(reinterpret_cast<std::byte*>(buffer), bytes));
}

/// Transposes a matrix that is stored by rows. Requires rows > 1, columns > 1 and rows != columns.
template <class T, class Exec>
void transpose_rectangle(Context<Exec> const& context, T* data, std::uint64_t rows,
                         std::uint64_t columns) {
  if constexpr (backend::is_cpu<Exec>) {
    transpose_by_panels(context, data, rows, columns);
  } else if (rows * columns * sizeof(T) <= max_buffered_bytes) {
    transpose_by_buffer(context, data, rows, columns);
  } else {
    transpose_by_units(context, data, rows, columns);
  }
}

}  // namespace riffle::detail::tiles

namespace riffle {

/// Transposes a matrix of rows x columns elements that is stored by rows: data(i * columns + j) moves to
/// data(j * rows + i) for 0 <= i < rows and 0 <= j < columns.
///
/// - exec: an execution space instance, or a Context of one. Temporary memory is taken from the workspace of the
///   Context.
/// - data: a rank-1 View of rows * columns elements of a trivially copyable type. It must be contiguous unless the
///   matrix is a square.
///
/// Throws std::invalid_argument if the extent is not rows * columns, or if the View is not contiguous and the matrix is
/// not a square; nothing is written then. Blocking: does not fence; enqueued on `exec`. Reproducible. Complexity and
/// memory, where S is the size of the matrix in bytes:
///
/// - A square matrix: reads and writes each element once. No memory.
/// - Non-square matrices on a CPU: reads and writes each element two or three times, and takes at most four times as
///   long as transpose(). Memory: S bytes if S is at most 2 MiB; otherwise at most the larger of 2 MiB and S / 10 (for
///   elements of up to 16 bytes; for most extents S / 30).
/// - Non-square matrices on a GPU: reads and writes each element two or three times, and once more for each extent that
///   no block size divides. Memory: S bytes if S is at most 10 MiB; otherwise at most 0.27 S, and only S / 27 if blocks
///   of 24 to 64 rows and columns (for doubles) fill the matrix.
template <detail::InstanceOrContext Exec, detail::WritableArrayFrom<Exec> Data>
void transpose_in_place(Exec const& exec, Data const& data, std::uint64_t rows,
                        std::uint64_t columns) {
  detail::Call const context(exec, "riffle::transpose_in_place");
  char const* const function = "transpose_in_place";
  static_assert(detail::tiles::can_move<Data, Data>, "riffle: data hold a trivially copyable type");
  std::uint64_t const n = detail::tiles::check_size(function, rows, columns);
  detail::check(data.extent(0) == n, function, "data.extent(0) = ", data.extent(0), ": must be ", n,
                ", rows * columns");
  std::uint64_t const stride = data.stride(0);
  detail::check(rows == columns || n < 2 || stride == 1, function, "data.stride(0) = ", stride,
                ": must be 1, but of a square");
  if (rows < 2 || columns < 2) return;
  if (rows == columns) {
    std::uint64_t const pitch = columns * stride;
    detail::tiles::run_transpose_square<detail::tiles::moves_by_teams<Exec>>(
        context, {rows, columns, pitch, stride, pitch, stride}, data.data());
  } else {
    detail::tiles::transpose_rectangle(context, data.data(), rows, columns);
  }
}

/// Overload for a square of any layout with strides: data(i, j) moves to data(j, i).
///
/// Throws std::invalid_argument if the extents differ. The contract is otherwise as for a square above.
template <detail::InstanceOrContext Exec, detail::WritableMatrixFrom<Exec> Data>
void transpose_in_place(Exec const& exec, Data const& data) {
  detail::Call const context(exec, "riffle::transpose_in_place");
  static_assert(detail::tiles::can_move<Data, Data>, "riffle: data hold a trivially copyable type");
  std::uint64_t const rows = data.extent(0);
  detail::check(rows == data.extent(1), "transpose_in_place", "data.extent(0) = ", rows,
                " and data.extent(1) = ", data.extent(1), ": must be equal");
  if (rows < 2) return;
  std::uint64_t const pitch = data.stride(0);
  std::uint64_t const stride = data.stride(1);
  detail::tiles::run_transpose_square<detail::tiles::moves_by_teams<Exec>>(
      context, {rows, rows, pitch, stride, pitch, stride}, data.data());
}

RIFFLE_CALL_DIAGNOSTICS(transpose_in_place, data<WrittenView>, rows<Optional<WholeNumber>>,
                        columns<Optional<WholeNumber>>)

}  // namespace riffle
