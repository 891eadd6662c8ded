#pragma once

// Counts replicates of any columns with the matrix units of a GPU (NVIDIA's tensor cores) that multiply doubles. The
// sums are bitwise identical to the sums in count_batch.hpp, because all of them are whole numbers. The time is limited
// by the rate of the matrix units: each sum takes n multiplications, with n rounded up to a multiple of 4.

#include <Kokkos_Core.hpp>

#include <cmath>
#include <cstdint>

#include <riffle/backend/backend.hpp>
#include <riffle/backend/matrix_units.hpp>
#include <riffle/context.hpp>
#include <riffle/monte_carlo/detail/variables/gpu/tile_walk.hpp>
#include <riffle/monte_carlo/detail/variables/test_statistic.hpp>
#include <riffle/monte_carlo/detail/variables/whole_values.hpp>
#include <riffle/monte_carlo/tuning.hpp>

namespace riffle::detail::variables {

/// The tile of a warp that counts columns of doubles: 32 replicates and 16 variables.
using ColumnShape = TileShape<2, 2>;

// --- value tiles ---
//
// The values of variables and the columns of replicates, in the layout in which lanes load them for the matrix units.

struct alignas(16) PairOfDoubles {
  double of[2];
};

inline constexpr std::uint64_t observations_per_product = 4;

/// Tiles of values, as matrix B. In step s of a tile, lane l loads observation 4 s + l % 4 for two columns of B, l / 4
/// and 8 + l / 4. Each column of B is a variable.
template <class Memory, class Shape>
struct ValueTiles {
  static_assert(Shape::column_tiles == 2);
  Kokkos::View<PairOfDoubles*, Memory> values;
  Kokkos::View<VariableTerms*, Memory> terms;
  Kokkos::View<TileTerms*, Memory> tile_terms;
  std::uint64_t steps = 0;

  KOKKOS_FUNCTION std::uint64_t count() const { return terms.extent(0) / Shape::variables; }
  KOKKOS_FUNCTION PairOfDoubles const* tile(std::uint64_t t) const {
    return values.data() + t * steps * backend::width;
  }
};

template <class Memory, class Shape, class Order>
struct FillValueTiles {
  WholeData<Memory> whole;
  Kokkos::View<VariableTerms*, Memory> terms;
  TileOrder<Order> order;
  ValueTiles<Memory, Shape> tiles;

  KOKKOS_FUNCTION void operator()(std::uint64_t at) const {
    std::uint64_t const lane = at % backend::width;
    std::uint64_t const step = at / backend::width % tiles.steps;
    std::uint64_t const tile = at / backend::width / tiles.steps;
    std::uint64_t const i = step * observations_per_product + lane % 4;
    for (std::uint64_t j = 0; j < 2; ++j) {
      auto const own = Shape::variable_of_b(static_cast<int>(8 * j + lane / 4));
      std::uint64_t const g =
          order.variable(tile * Shape::variables + static_cast<std::uint64_t>(own));
      tiles.values(at).of[j] = i < whole.values.extent(1) ? whole.values(g, i) : 0;
    }
    if (step == 0 && lane < Shape::variables) fill_terms(tile * Shape::variables + lane);
  }

 private:
  KOKKOS_FUNCTION void fill_terms(std::uint64_t place) const {
    std::uint64_t const g = order.variable(place);
    tiles.terms(place) = terms(g);
    tiles.tile_terms(place) = TileTerms::of(terms(g), g, order.is_variable(place));
  }
};

template <class Shape, class Exec, class Order>
auto fill_value_tiles(Context<Exec> const& context,
                      WholeData<typename Exec::memory_space> const& whole,
                      Kokkos::View<VariableTerms*, typename Exec::memory_space> const& terms,
                      TileOrder<Order> const& order) {
  using Memory = typename Exec::memory_space;
  std::uint64_t const count = order.tiles(Shape::variables);
  auto const named = [&](char const* name) {
    return Kokkos::view_alloc(context.exec(), Kokkos::WithoutInitializing, context.label() + name);
  };
  ValueTiles<Memory, Shape> tiles;
  tiles.steps = (whole.values.extent(1) + observations_per_product - 1) / observations_per_product;
  tiles.values =
      Kokkos::View<PairOfDoubles*, Memory>(named("::tiles"), count * tiles.steps * backend::width);
  tiles.terms = Kokkos::View<VariableTerms*, Memory>(named("::terms"), count * Shape::variables);
  tiles.tile_terms =
      Kokkos::View<TileTerms*, Memory>(named("::tile_terms"), count * Shape::variables);
  context.named("tiles").for_each(tiles.values.extent(0),
                                  FillValueTiles<Memory, Shape, Order>{whole, terms, order, tiles});
  return tiles;
}

/// The columns of the replicates in a batch, in tiles of 16 replicates. In step s, lane l loads observation 4 s + l % 4
/// for replicates l / 4 and 8 + l / 4 of each tile.
template <class Memory, class Shape>
struct ColumnTiles {
  static constexpr int width = Shape::replicates;
  Kokkos::View<PairOfDoubles*, Memory> entries;
  std::uint64_t n = 0;
  std::uint64_t steps = 0;
  int columns = 0;

  KOKKOS_FUNCTION PairOfDoubles const* chunk(std::uint64_t c, int column) const {
    return entries.data() + begin(c, column);
  }
  KOKKOS_FUNCTION std::uint64_t chunk_size() const {
    return static_cast<std::uint64_t>(columns) * steps *
           static_cast<std::uint64_t>(Shape::row_tiles * backend::width);
  }

  // The functions of a ReplicateSink.
  KOKKOS_FUNCTION void begin(std::uint64_t r) const {
    for (int k = 0; k < columns; ++k) {
      for (std::uint64_t i = n; i < steps * observations_per_product; ++i) put(r, k, i, 0);
    }
  }
  KOKKOS_FUNCTION void put(std::uint64_t r, int column, std::uint64_t i, double x) const {
    std::uint64_t const in_chunk = r % width;
    std::uint64_t const tile = in_chunk / 16;
    std::uint64_t const lane = in_chunk % 8 * 4 + i % 4;
    std::uint64_t const at =
        begin(r / width, column) + (i / 4 * Shape::row_tiles + tile) * backend::width + lane;
    entries(at).of[in_chunk % 16 / 8] = x;
  }

 private:
  KOKKOS_FUNCTION std::uint64_t begin(std::uint64_t c, int column) const {
    return (c * static_cast<std::uint64_t>(columns) + static_cast<std::uint64_t>(column)) * steps *
           static_cast<std::uint64_t>(Shape::row_tiles * backend::width);
  }
};

// --- the kernel ---

/// The formulas of statistics. Each formula has a separate kernel, because one kernel for all would need the registers
/// of the most expensive formula.
enum class ColumnFormula { simple, adjusted, share, welch };

inline ColumnFormula formula_of(Comparison const& comparison) {
  if (comparison.form == Form::welch) return ColumnFormula::welch;
  if (comparison.form == Form::share) return ColumnFormula::share;
  return comparison.is_simple() ? ColumnFormula::simple : ColumnFormula::adjusted;
}

template <class Memory, ColumnFormula formula>
struct CountColumns {
  using Shape = ColumnShape;
  struct NoScratch {};
  using Walk = TileWalk<Shape, NoScratch>;
  static constexpr int threads = Walk::threads;
  static constexpr int teams_per_processor = column_teams_per_processor;
  static constexpr std::size_t scratch_bytes = Walk::scratch_bytes;

  ValueTiles<Memory, Shape> tiles;
  ColumnTiles<Memory, Shape> columns;
  Comparison comparison;
  BatchCounts counts;

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    Walk::run(*this, team, counts, tiles.tile_terms.data(), tiles.count());
  }

  template <class Part>
  KOKKOS_FUNCTION auto of_warp(Part const& part) const {
    return OfWarp<Part>{*this, part, Bounds()};
  }

 private:
  using Sums = double[Shape::row_tiles][Shape::column_tiles][4];

  /// The upper 32 bits of each row's running maximum. A test statistic whose upper 32 bits are smaller does not exceed
  /// the maximum.
  struct Bounds {
    std::int32_t of[Shape::rows];

    KOKKOS_FUNCTION Bounds() {
      for (std::int32_t& bound : of) bound = INT32_MIN;
    }
    KOKKOS_FUNCTION static std::int32_t upper_half(double x) {
      return static_cast<std::int32_t>(Kokkos::bit_cast<std::int64_t>(x) >> 32);
    }
    /// For negative maxima the bound is INT32_MIN, because the bits of negative doubles are in descending order.
    KOKKOS_FUNCTION void set(int row, double maximum) {
      of[row] = maximum < 0 ? INT32_MIN : upper_half(maximum);
    }
  };

  /// Returns the lane's element of matrix C in its row `row` and its column `column`. A lane stores two rows of each
  /// row tile, g and g + 8 with g = lane / 4, and two columns of each column tile.
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
      PairOfDoubles y = values[step * backend::width];
      if constexpr (SquaresValues) {
        for (double& value : y.of) value *= value;
      }
      RIFFLE_UNROLL
      for (int i = 0; i < Shape::row_tiles; ++i) {
        auto const x = entries[(step * Shape::row_tiles + i) * backend::width];
        RIFFLE_UNROLL
        for (int j = 0; j < Shape::column_tiles; ++j) {
          backend::multiply_add(lane, sums[i][j], x.of, y.of[j]);
        }
      }
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION void find_test_statistics(std::uint64_t tile, std::uint64_t chunk,
                                                        int lane, Sums& sums) const {
    VariableTerms const* const terms = &tiles.terms(tile * Shape::variables);
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
  }

  /// Replaces `sums`, which contains the sums with the first column, by the test statistics.
  KOKKOS_FORCEINLINE_FUNCTION void combine_columns(std::uint64_t tile, std::uint64_t chunk,
                                                   int lane, VariableTerms const* terms,
                                                   Sums& sums) const {
    constexpr bool is_share = formula == ColumnFormula::share;
    Sums effects;  // for a correlation: the scaled first sum
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

  template <class Part>
  struct OfWarp {
    CountColumns const& kernel;
    Part part;
    Bounds bounds;

    KOKKOS_FORCEINLINE_FUNCTION void count_tile(std::uint64_t tile, int in_window) {
      std::uint64_t const first = tile * Shape::variables;
      double thresholds[Shape::columns];
      RIFFLE_UNROLL
      for (int c = 0; c < Shape::columns; ++c) {
        auto const own = static_cast<std::uint64_t>(Shape::variable(part.lane, c));
        thresholds[c] = part.maxima.terms(first + own).threshold;
      }
      Sums sums;
      kernel.find_test_statistics(tile, part.chunk, part.lane, sums);
      ColumnCounts<Shape> raw;
      RIFFLE_UNROLL
      for (int row = 0; row < Shape::rows; ++row) {
        double values[Shape::columns];
        RIFFLE_UNROLL
        for (int c = 0; c < Shape::columns; ++c) values[c] = at(sums, row, c);
        count_row(row, first, values, thresholds, raw);
      }
      raw.add_to(part.raw_of_tile(in_window), part.lane);
    }

    KOKKOS_FUNCTION void end_window() const {}

   private:
    KOKKOS_FORCEINLINE_FUNCTION void count_row(int row, std::uint64_t first,
                                               double const (&values)[Shape::columns],
                                               double const (&thresholds)[Shape::columns],
                                               ColumnCounts<Shape>& raw) {
      bool const is_replicate = Shape::replicate(part.lane, row) < part.maxima.count();
      std::int32_t largest = INT32_MIN;
      RIFFLE_UNROLL
      for (int c = 0; c < Shape::columns; ++c) {
        if (values[c] >= thresholds[c] && is_replicate) raw.add(c, 1);
        largest = Kokkos::max(largest, Bounds::upper_half(values[c]));
      }
      std::uint32_t growing = backend::ballot(largest >= bounds.of[row] && is_replicate);
      while (growing != 0) {
        int const group = backend::lowest_one(growing) / 4;
        growing &= ~(0xFu << (4 * group));
        grow(8 * row + group, first, value_of_variable(values, group));
        if (part.lane / 4 == group) bounds.set(row, part.maxima.value(8 * row + group));
      }
    }

    /// Raises the running maximum of a replicate to the greatest of its test statistics in a tile. `value` on lane l is
    /// the test statistic of variable l.
    KOKKOS_FUNCTION void grow(int replicate, std::uint64_t first, double value) {
      bool const exceeds = part.lane < Shape::variables && value > part.maxima.value(replicate);
      backend::synchronize();  // every lane has read the maximum before one of them raises it
      part.maxima.add(exceeds, replicate,
                      static_cast<std::uint32_t>(first) + static_cast<std::uint32_t>(part.lane),
                      value);
    }

    /// Returns, on lane l, the test statistic of variable l in a row. The four lanes of group `group` pass the values
    /// of the row.
    KOKKOS_FUNCTION double value_of_variable(double const (&values)[Shape::columns],
                                             int group) const {
      double found = -HUGE_VAL;
      RIFFLE_UNROLL
      for (int c = 0; c < Shape::columns; ++c) {
        double const value = backend::from_lane(values[c], 4 * group + part.lane % 4);
        if (part.lane / 4 == c) found = value;
      }
      return found;
    }
  };
};

}  // namespace riffle::detail::variables
