#pragma once

// The addresses that threads of the permuting kernels access: plain functions, which both the kernels and the
// memory-machine model are given.
//   A. Kasagi, K. Nakano, Y. Ito, "Offline permutation on the CUDA-enabled GPU", IEICE Trans. Inf. & Syst.
//   E97-D (2014), doi 10.1587/transinf.2014PAP0010 [1].

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/backend/backend.hpp>

namespace riffle::detail::row_permutation {

/// The number of banks of a scratch memory, as many as a warp has lanes.
inline constexpr std::uint64_t banks = backend::width;

KOKKOS_INLINE_FUNCTION std::uint64_t in_full_warps(std::uint64_t count) {
  return (count + banks - 1) / banks * banks;
}

/// The row-wise permutation of sec. 6 of [1]: block `row` permutes one row, and its thread k takes step k. Alpha and
/// beta are the two halves of its scratch memory, each as long as a row in full warps, so that the number of a cell in
/// either half says its bank.
struct RowAddresses {
  std::uint64_t columns;
  std::uint64_t pitch;  // the distance from one row of the matrices to the next

  /// The steps of a row; those beyond the columns move nothing.
  KOKKOS_FUNCTION std::uint64_t steps() const { return in_full_warps(columns); }

  /// The index in a matrix of global memory, where it is read (step 1) and written (step 4); k < columns.
  KOKKOS_FUNCTION std::uint64_t element(std::uint64_t row, std::uint64_t k) const {
    return row * pitch + k;
  }
  /// The index in the schedules s and d of global memory (step 2).
  KOKKOS_FUNCTION std::uint64_t schedule(std::uint64_t row, std::uint64_t k) const {
    return row * steps() + k;
  }
  /// The index in scratch memory: alpha and beta in sequence (steps 1 and 4), and by the schedule (step 3).
  KOKKOS_FUNCTION std::uint64_t alpha(std::uint64_t column) const { return column; }
  KOKKOS_FUNCTION std::uint64_t beta(std::uint64_t column) const { return steps() + column; }
};

/// The transpose of sec. 5 of [1]: block `tile` moves a square of banks x banks elements through its scratch memory;
/// thread k < tile_size reads the k-th in the order of reading, then writes the k-th in that of writing. Cell (y, x) is
/// at y banks + (x + y) mod banks, the diagonal arrangement, so that rows and columns each touch all banks.
struct TileAddresses {
  static constexpr std::uint64_t tile_size = banks * banks;

  std::uint64_t rows;  // the rows of the matrix that is read
  std::uint64_t columns;

  struct Cell {
    std::uint64_t row;
    std::uint64_t column;
  };

  KOKKOS_FUNCTION std::uint64_t tiles_across() const { return (columns + banks - 1) / banks; }
  KOKKOS_FUNCTION std::uint64_t tiles() const {
    return tiles_across() * ((rows + banks - 1) / banks);
  }

  /// The cell of the matrix that is read; it may be outside.
  KOKKOS_FUNCTION Cell source(std::uint64_t tile, std::uint64_t k) const {
    return {tile / tiles_across() * banks + k / banks, tile % tiles_across() * banks + k % banks};
  }
  /// The cell of the matrix that is written, whose columns are the rows of the other.
  KOKKOS_FUNCTION Cell target(std::uint64_t tile, std::uint64_t k) const {
    return {tile % tiles_across() * banks + k / banks, tile / tiles_across() * banks + k % banks};
  }
  KOKKOS_FUNCTION bool has_source(Cell const& cell) const {
    return cell.row < rows && cell.column < columns;
  }
  KOKKOS_FUNCTION bool has_target(Cell const& cell) const {
    return cell.row < columns && cell.column < rows;
  }

  static KOKKOS_FUNCTION std::uint64_t stored_at(std::uint64_t k) {
    return diagonal(k / banks, k % banks);
  }
  static KOKKOS_FUNCTION std::uint64_t loaded_from(std::uint64_t k) {
    return diagonal(k % banks, k / banks);
  }

 private:
  static KOKKOS_FUNCTION std::uint64_t diagonal(std::uint64_t y, std::uint64_t x) {
    return y * banks + (x + y) % banks;
  }
};

}  // namespace riffle::detail::row_permutation
