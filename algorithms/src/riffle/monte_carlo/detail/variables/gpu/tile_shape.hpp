#pragma once

// Tiles of replicates and variables, as units that multiply small matrices have them (riffle/backend/matrix_units.hpp).

#include <Kokkos_Core.hpp>

#include <cmath>
#include <cstdint>

#include <riffle/monte_carlo/detail/variables/comparand.hpp>

namespace riffle::detail::variables {

/// What a warp has at a time: 16 replicates for each of `RowTiles` and 8 variables for each of `ColumnTiles`. A lane has
/// two replicates and two variables of each.
template <int RowTiles_, int ColumnTiles_>
struct TileShape {
  static constexpr int row_tiles = RowTiles_;
  static constexpr int column_tiles = ColumnTiles_;
  static constexpr int replicates = 16 * row_tiles;
  static constexpr int variables = 8 * column_tiles;
  /// Of a lane.
  static constexpr int rows = 2 * row_tiles;
  static constexpr int columns = 2 * column_tiles;

  /// The replicate of a lane's row, and the variable of its column: columns 2 j of all lanes come before columns 2 j + 1.
  KOKKOS_FUNCTION static int replicate(int lane, int row) { return 8 * row + lane / 4; }
  KOKKOS_FUNCTION static int variable(int lane, int column) { return 4 * column + lane % 4; }

  /// The variable of a column of B, where lane l has columns 2 (l % 4) and 2 (l % 4) + 1 of C.
  KOKKOS_FUNCTION static int variable_of_b(int column) {
    return column / 8 * 8 + column % 2 * 4 + column % 8 / 2;
  }
};

/// What is compared with a variable's statistics.
struct alignas(16) TileTerms {
  /// By which the sum is multiplied to be the comparand, where that is all.
  double factor;
  double threshold;
  double step_down_threshold;
  /// In the order of the data.
  std::uint64_t variable;

  /// Nothing reaches the thresholds of what is no variable.
  KOKKOS_FUNCTION static TileTerms of(VariableTerms const& own, std::uint64_t variable,
                                      bool is_variable) {
    return {own.factor, is_variable ? own.threshold : HUGE_VAL,
            is_variable ? own.step_down_threshold : HUGE_VAL, variable};
  }
};

}  // namespace riffle::detail::variables
