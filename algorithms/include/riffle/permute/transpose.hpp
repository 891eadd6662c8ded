#pragma once

// The transposition of matrices of any extents, in one pass.
//   A. Kasagi, K. Nakano, Y. Ito, "Offline permutation on the CUDA-enabled GPU", IEICE Trans. Inf. & Syst. E97-D
//   (2014), doi 10.1587/transinf.2014PAP0010, section 5.
// riffle/permute/transpose_in_place.hpp transposes a matrix in place.

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/errors.hpp>
#include <riffle/permute/detail/tiles/check_tiles.hpp>
#include <riffle/permute/detail/tiles/run_transpose.hpp>
#include <riffle/primitives/call_diagnostics.hpp>
#include <riffle/primitives/views.hpp>

namespace riffle {

/// Transposes a matrix that is stored by rows: out(j * rows + i) = in(i * columns + j) for 0 <= i < rows and
/// 0 <= j < columns.
///
/// - in, out: rank-1 Views of rows * columns elements of one trivially copyable type, which share no element. Fastest
///   on a GPU if both are contiguous and aligned to 16 bytes, and if the rows of both matrices are a multiple of 16
///   bytes long.
///
/// Throws std::invalid_argument if an extent is not rows * columns or the Views overlap; nothing is written then.
/// Blocking: does not fence; enqueued on `exec`. Complexity: reads and writes each element once. Memory: none.
/// Reproducible.
template <detail::InstanceOrContext Exec, detail::ArrayFrom<Exec> In,
          detail::WritableArrayFrom<Exec> Out>
void transpose(Exec const& exec, In const& in, Out const& out, std::uint64_t rows,
               std::uint64_t columns) {
  detail::Call const context(exec, "riffle::transpose");
  std::uint64_t const n = detail::tiles::check_size("transpose", rows, columns);
  detail::tiles::check_move("transpose", in, out, n, ", rows * columns");
  if (n == 0) return;
  std::uint64_t const stride = in.stride(0);
  std::uint64_t const out_stride = out.stride(0);
  detail::tiles::run_transpose<detail::tiles::moves_by_teams<Exec>>(
      context, {rows, columns, columns * stride, stride, rows * out_stride, out_stride}, in.data(),
      out.data());
}

/// Overload for rank-2 Views of any layouts with strides: out(j, i) = in(i, j).
///
/// - in, out: Views of one trivially copyable type, with out.extent(0) = in.extent(1) and out.extent(1) = in.extent(0).
///   They share no element.
///
/// Throws std::invalid_argument if extents differ or the Views overlap. The contract is otherwise as above. If the
/// transpose has the same order in memory as `in` (for example from LayoutRight to LayoutLeft), the elements are copied
/// in that order.
template <detail::InstanceOrContext Exec, detail::MatrixFrom<Exec> In,
          detail::WritableMatrixFrom<Exec> Out>
void transpose(Exec const& exec, In const& in, Out const& out) {
  detail::Call const context(exec, "riffle::transpose");
  detail::tiles::check_transposed("transpose", in, out);
  if (in.size() == 0) return;
  detail::tiles::run_transpose<detail::tiles::moves_by_teams<Exec>>(
      context,
      {in.extent(0), in.extent(1), static_cast<std::uint64_t>(in.stride(0)),
       static_cast<std::uint64_t>(in.stride(1)), static_cast<std::uint64_t>(out.stride(0)),
       static_cast<std::uint64_t>(out.stride(1))},
      in.data(), out.data());
}

RIFFLE_CALL_DIAGNOSTICS(transpose, in<View>, out<WrittenView>, rows<Optional<WholeNumber>>,
                        columns<Optional<WholeNumber>>)

}  // namespace riffle
