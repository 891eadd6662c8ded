#pragma once

// Counts replicates of any columns by the units of a GPU that multiply doubles: the form of count.hpp with sums of the
// same bits, since all are whole numbers. Its limit is the units' rate: n multiplications, rounded up to a multiple of
// 4, a column and a statistic.

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/lanes/lanes.hpp>
#include <riffle/lanes/matrix_units.hpp>
#include <riffle/monte_carlo/detail/variables/comparand.hpp>
#include <riffle/monte_carlo/detail/variables/gpu/tile_counter.hpp>
#include <riffle/monte_carlo/detail/variables/gpu/value_tiles.hpp>
#include <riffle/monte_carlo/detail/variables/gpu/walk_tiles.hpp>

namespace riffle::detail::variables {

/// The formulas, each a kernel of its own: one for all would hold the registers of the largest.
enum class ColumnFormula { simple, adjusted, share, welch };

inline ColumnFormula formula_of(Comparison const& comparison) {
  if (comparison.form == Form::welch) return ColumnFormula::welch;
  if (comparison.form == Form::share) return ColumnFormula::share;
  return comparison.is_simple() ? ColumnFormula::simple : ColumnFormula::adjusted;
}

template <class Memory, ColumnFormula formula>
struct CountColumns {
  using Shape = TileShape<2, 2>;
  using Walk = TileWalk<Shape>;
  static constexpr int threads = Walk::threads;
  static constexpr int teams_per_processor = 2;
  static constexpr std::size_t scratch_bytes = Walk::scratch_bytes;

  ValueTiles<Memory, Shape> tiles;
  ColumnTiles<Memory, Shape> columns;
  Comparison comparison;
  TileCounts counts;

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    Walk::run(team, counts, tiles.count(), [&](std::uint64_t chunk, int lane) {
      return [this, lane, chunk](std::uint64_t tile, TileCounter<Shape>& counter) {
        count_tile(tile, chunk, lane, counter);
      };
    });
  }

 private:
  using Sums = double[Shape::row_tiles][Shape::column_tiles][4];

  /// Element of C: rows g and g + 8 of a tile of rows, two columns of each.
  KOKKOS_FORCEINLINE_FUNCTION static double& at(Sums& sums, int row, int column) {
    return sums[row / 2][column / 2][2 * (row % 2) + column % 2];
  }

  template <class Function>
  KOKKOS_FORCEINLINE_FUNCTION static void for_all(Function const& function) {
    RIFFLE_UNROLL
    for (int row = 0; row < Shape::rows; ++row) {
      RIFFLE_UNROLL
      for (int column = 0; column < Shape::columns; ++column) function(row, column);
    }
  }

  template <bool SquaresValues>
  KOKKOS_FORCEINLINE_FUNCTION void multiply(std::uint64_t tile, std::uint64_t chunk, int column,
                                            int lane, Sums& sums) const {
    for_all([&](int row, int c) { at(sums, row, c) = 0; });
    PairOfDoubles const* values = tiles.tile(tile) + lane;
    PairOfDoubles const* entries = columns.chunk(chunk, column) + lane;
    auto const steps = static_cast<int>(tiles.steps);
    for (int step = 0; step < steps; ++step) {
      PairOfDoubles y = values[step * lanes::width];
      if constexpr (SquaresValues) {
        for (double& value : y.of) value *= value;
      }
      RIFFLE_UNROLL
      for (int i = 0; i < Shape::row_tiles; ++i) {
        auto const x = entries[(step * Shape::row_tiles + i) * lanes::width];
        RIFFLE_UNROLL
        for (int j = 0; j < Shape::column_tiles; ++j) {
          lanes::multiply_add(lane, sums[i][j], x.of, y.of[j]);
        }
      }
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION void count_tile(std::uint64_t tile, std::uint64_t chunk, int lane,
                                              TileCounter<Shape>& counter) const {
    std::uint64_t const first = tile * Shape::variables;
    counter.begin_tile(&tiles.tile_terms(first));
    VariableTerms const* const terms = &tiles.terms(first);
    Sums sums;
    multiply<false>(tile, chunk, 0, lane, sums);
    if constexpr (formula == ColumnFormula::simple) {
      for_all([&](int row, int c) {
        at(sums, row, c) = comparison.simple(at(sums, row, c), terms[Shape::variable(lane, c)]);
      });
    } else if constexpr (formula == ColumnFormula::welch) {
      Sums squares;
      multiply<true>(tile, chunk, 0, lane, squares);
      for_all([&](int row, int c) {
        VariableTerms const& own = terms[Shape::variable(lane, c)];
        at(sums, row, c) =
            comparison.welch(at(sums, row, c), at(squares, row, c), own.base, own.squares, own);
      });
    } else {
      combine_columns(tile, chunk, lane, terms, sums);
    }
    // Formulas may leave lanes at different instructions (count.hpp).
    lanes::synchronize();
    double thresholds[Shape::columns];
    RIFFLE_UNROLL
    for (int c = 0; c < Shape::columns; ++c) {
      thresholds[c] =
          tiles.tile_terms(first + static_cast<std::uint64_t>(Shape::variable(lane, c))).threshold;
    }
    RIFFLE_UNROLL
    for (int row = 0; row < Shape::rows; ++row) {
      double values[Shape::columns];
      RIFFLE_UNROLL
      for (int c = 0; c < Shape::columns; ++c) values[c] = at(sums, row, c);
      counter.count_row(row, values, thresholds);
    }
  }

  /// `sums` are those of the first column, and become comparands.
  KOKKOS_FORCEINLINE_FUNCTION void combine_columns(std::uint64_t tile, std::uint64_t chunk,
                                                   int lane, VariableTerms const* terms,
                                                   Sums& sums) const {
    constexpr bool is_share = formula == ColumnFormula::share;
    Sums effects;  // or, of a correlation, the first sum, scaled
    Sums adjusted;
    for_all([&](int row, int c) { at(adjusted, row, c) = at(effects, row, c) = 0; });
    int const all = comparison.effects + comparison.adjustments;
    for (int k = 0;;) {
      double const scale = comparison.scales[k];
      for_all([&](int row, int c) {
        double const scaled = at(sums, row, c) * scale;
        if (k >= comparison.effects) {
          at(adjusted, row, c) += separate_product(scaled, scaled);
        } else if constexpr (is_share) {
          at(effects, row, c) += separate_product(scaled, scaled);
        } else {
          at(effects, row, c) = scaled;
        }
      });
      if (++k == all) break;
      multiply<false>(tile, chunk, k, lane, sums);
    }
    for_all([&](int row, int c) {
      Explained found;
      found.adjusted = at(adjusted, row, c);
      if constexpr (is_share) {
        found.effects = at(effects, row, c);
      } else {
        found.first = at(effects, row, c);
      }
      at(sums, row, c) = comparison(found, terms[Shape::variable(lane, c)]);
    });
  }
};

}  // namespace riffle::detail::variables
