#pragma once

// The transposition of sec. 5 of [1], which ColouredPermutation uses. A team moves a tile through its scratch memory,
// where the tile is stored in the diagonal arrangement.
//   A. Kasagi, K. Nakano, Y. Ito, "Offline permutation on the CUDA-enabled GPU", IEICE Trans. Inf. & Syst.
//   E97-D (2014), doi 10.1587/transinf.2014PAP0010 [1].

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

#include <riffle/context.hpp>
#include <riffle/errors.hpp>
#include <riffle/permute/detail/permute_lines.hpp>
#include <riffle/permute/row_schedule.hpp>

namespace riffle::detail::row_permutation {

/// The addresses for the transposition in sec. 5 of [1]. Team `tile` moves a square of banks x banks elements through
/// its scratch memory. Thread k < tile_size reads the k-th element in row-major order, and then writes the k-th element
/// in column-major order. Cell (y, x) is stored at y banks + (x + y) mod banks (the diagonal arrangement), so that each
/// row and each column accesses all banks.
struct TileAddresses {
  static constexpr std::uint64_t tile_size = banks * banks;

  std::uint64_t rows;  // the number of rows of the matrix that is read
  std::uint64_t columns;

  struct Cell {
    std::uint64_t row;
    std::uint64_t column;
  };

  KOKKOS_FUNCTION std::uint64_t tiles_across() const { return (columns + banks - 1) / banks; }
  KOKKOS_FUNCTION std::uint64_t tiles() const {
    return tiles_across() * ((rows + banks - 1) / banks);
  }

  /// Returns the cell from which the value is read. It may be outside of the matrix.
  KOKKOS_FUNCTION Cell source(std::uint64_t tile, std::uint64_t k) const {
    return {tile / tiles_across() * banks + k / banks, tile % tiles_across() * banks + k % banks};
  }
  /// Returns the cell of the output matrix to which the value is written. The columns of the output matrix are the rows
  /// of the input matrix.
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

/// Sets target(j, i) = source(i, j). Each tile is moved by one team.
template <class Source, class Target>
struct TransposeTiles {
  using T = typename Source::Value;

  TileAddresses at;
  Source source;
  Target target;
  int level;

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    T* const cells = team_cells<T>(team, level, TileAddresses::tile_size);
    auto const tile = static_cast<std::uint64_t>(team.league_rank());
    auto const first = static_cast<std::uint64_t>(team.team_rank());
    auto const threads = static_cast<std::uint64_t>(team.team_size());
    for (std::uint64_t k = first; k < TileAddresses::tile_size; k += threads) {
      auto const cell = at.source(tile, k);
      if (at.has_source(cell)) cells[at.stored_at(k)] = source.get(cell.row, cell.column);
    }
    team.team_barrier();
    for (std::uint64_t k = first; k < TileAddresses::tile_size; k += threads) {
      auto const cell = at.target(tile, k);
      if (at.has_target(cell)) target.put(cell.row, cell.column, cells[at.loaded_from(k)]);
    }
  }
};

/// Throws if a tile does not fit in scratch memory.
template <class T, class Exec>
void check_tile_fits(char const* function, Exec const& exec) {
  std::size_t const bytes = scratch_bytes<T>(TileAddresses::tile_size);
  check(bytes <= max_row_scratch_bytes(exec), function, "a tile of ", TileAddresses::tile_size,
        " elements of ", sizeof(T), " bytes takes ", bytes,
        " bytes of scratch memory, and a team has ", max_row_scratch_bytes(exec));
}

/// Sets target(j, i) = source(i, j).
template <class Exec, class Source, class Target>
void transpose_matrix(Context<Exec> const& context, std::uint64_t rows, std::uint64_t columns,
                      Source const& source, Target const& target) {
  TileAddresses const at{rows, columns};
  launch<typename Source::Value>(context, at.tiles(), TileAddresses::tile_size / 4,
                                 TileAddresses::tile_size, [&](int level) {
                                   return TransposeTiles<Source, Target>{at, source, target, level};
                                 });
}

}  // namespace riffle::detail::row_permutation
