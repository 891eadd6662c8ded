#pragma once

// Spreads labels randomly over rows, so that no row has many labels with the same destination row.
// This is the preprocessing phase of
//   P. Afshani, N. Sitchinava, "Sorting and Permuting without Bank Conflicts on GPUs", ESA 2015, arXiv 1507.01391 [1],
//   section 3.

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/published/bank_conflict_free_sorting/detail/decomposed_transpose.hpp>
#include <riffle/published/bank_conflict_free_sorting/detail/permute/random.hpp>
#include <riffle/published/bank_conflict_free_sorting/detail/sort/conversion.hpp>
#include <riffle/published/bank_conflict_free_sorting/detail/sort/row_segment.hpp>
#include <riffle/published/bank_conflict_free_sorting/detail/sort/transposition.hpp>
#include <riffle/published/bank_conflict_free_sorting/row_groups.hpp>

namespace riffle::detail::matrix_permute {

/// Moves element i of a row to position i + shift, modulo the size of the row, cycle by cycle.
template <class Segment>
KOKKOS_FUNCTION void shift_row(Segment const& segment, std::uint32_t shift) {
  std::uint32_t const size = segment.size();
  if (shift == 0) return;
  std::uint32_t const cycles = greatest_common_divisor(size, shift);
  for (std::uint32_t start = 0; start < cycles; ++start) {
    auto const last = segment.read(start);
    std::uint32_t to = start;
    for (;;) {
      std::uint32_t const from = to >= shift ? to - shift : to + size - shift;
      if (from == start) break;
      segment.write(to, segment.read(from));
      to = from;
    }
    segment.write(to, last);
  }
}

/// Divides rows begin, begin + 1, ... into groups of `side` rows. Shifts each row of a group by a random distance, and
/// then transposes adjacent squares in each group. Rows after the last whole group do not change. Calls with different
/// `pass` use different random shifts.
template <class Processors, class Matrix>
KOKKOS_FUNCTION void shift_and_transpose(Processors& processors, Matrix const& matrix,
                                         std::uint32_t begin, std::uint32_t side,
                                         std::uint64_t seed, std::uint32_t pass) {
  std::uint32_t const end = matrix.rows() - (matrix.rows() - begin) % side;
  std::uint32_t const columns = matrix.columns();
  processors.step([&](std::uint32_t p) {
    if (p < begin || p >= end) return;
    shift_row(matrix_sort::RowSegment<Matrix>(matrix, p, 0, columns),
              draw_below(columns, seed, Draw::shift, pass, p));
  });
  processors.step([&](std::uint32_t p) {
    if (p < begin || p >= end) return;
    std::uint32_t const index = (p - begin) % side;
    GroupPlace const place{p - index, 1, side, index, (p - begin) / side, false};
    matrix_sort::Squares const squares{0, columns / side};
    matrix_sort::swap_across_diagonals(matrix, place, squares);
    matrix_sort::swap_across_half(matrix, place, squares);
  });
}

/// In the paper there are w >= m rows, and m divides w. If m does not divide w, the last m rows are shifted and
/// transposed once more, although this has already been done for some of them. Afterwards each of these rows has one
/// random label from each row of its group, as required.
///
/// If there are fewer rows than columns, the squares are w x w, and up to w - 1 columns of labels are shifted but not
/// transposed. This is sufficient, because the expected numbers in Lemma 3 hold for any labels, and this phase only
/// makes numbers above the expectation less likely.
template <class Processors, class Matrix>
KOKKOS_FUNCTION void spread(Processors& processors, Matrix const& matrix, std::uint64_t seed) {
  std::uint32_t const rows = matrix.rows();
  std::uint32_t const side = rows < matrix.columns() ? rows : matrix.columns();
  shift_and_transpose(processors, matrix, 0, side, seed, 0);
  if (rows % side != 0) shift_and_transpose(processors, matrix, rows - side, side, seed, 1);
}

}  // namespace riffle::detail::matrix_permute
