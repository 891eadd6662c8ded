#pragma once

// Counts replicates of one column of labels, 0 and 1, by the units of a GPU that multiply bytes.
//
// A sum over the observations of label 1 is that of the variables' digits (digit_tiles.hpp) times the labels: exact
// integers, brought together in 64 bits and turned into the double that a CPU has of them. Its limit is the units' rate:
// 32 D bytes for each 32 observations begun, D being the digits.

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/kernel/launch.hpp>
#include <riffle/lanes/lanes.hpp>
#include <riffle/lanes/matrix_units.hpp>
#include <riffle/monte_carlo/detail/variables/count.hpp>
#include <riffle/monte_carlo/detail/variables/gpu/digit_tiles.hpp>
#include <riffle/monte_carlo/detail/variables/gpu/label_words.hpp>
#include <riffle/monte_carlo/detail/variables/gpu/tile_counter.hpp>
#include <riffle/monte_carlo/detail/variables/gpu/walk_tiles.hpp>

namespace riffle::detail::variables {

/// Sums of digits, two digits an accumulator, as whole numbers in doubles.
template <int Pairs>
struct DigitSums {
  /// The lowest accumulator begins with it, so that it is no negative number of 32 bits.
  static constexpr std::int32_t first_begin = INT32_MIN;

  /// The integers are the last bits of a double of 1.5 * 2^52, from which that is then taken.
  KOKKOS_FORCEINLINE_FUNCTION static double value(std::int32_t const (&sums)[Pairs]) {
    constexpr std::int64_t one_and_a_half = std::int64_t{0x43380000} << 32;
    std::int64_t bits = one_and_a_half | static_cast<std::uint32_t>(sums[0]);
    if constexpr (Pairs > 1) bits += static_cast<std::int64_t>(sums[1]) * (1 << 14);
    if constexpr (Pairs > 2) bits += static_cast<std::int64_t>(sums[2]) * (1 << 28);
    return Kokkos::bit_cast<double>(bits) - (0x1.8p52 + 0x1p31);
  }
};

/// A warp walks over all tiles of variables with its replicates. The labels of up to 32 `Steps` observations stay in
/// registers, those of more (Steps = 0) are read for every tile.
template <class Memory, int Pairs, int Steps, bool IsTwoSided>
struct CountLabels {
  using Shape = TileShape<2, 2>;
  using Tiles = DigitTiles<Memory, Shape>;
  using Walk = TileWalk<Shape>;
  static constexpr int threads = Walk::threads;
  static constexpr int teams_per_processor = Pairs == 3 || Steps > 2 ? 3 : 4;
  static constexpr int digits = 2 * Pairs;
  static constexpr bool reads_ahead = Pairs < 3 && (Steps == 1 || Steps == 2);
  static constexpr int steps_together = 8;

  static constexpr std::size_t scratch_bytes = Walk::scratch_bytes;

  Tiles tiles;
  LabelWords<Memory, Shape::replicates> labels;
  TileCounts counts;

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    Walk::run(team, counts, tiles.count(), [&](std::uint64_t chunk, int lane) {
      return [this, &team, lane, own = Labels(labels.chunk(chunk), lane),
              quads = KeptQuads(tiles, lane)](std::uint64_t tile,
                                              TileCounter<Shape>& counter) mutable {
        count_tile(team, tile, lane, own, quads, counter);
      };
    });
  }

 private:
  using Sums = std::int32_t[Pairs][Shape::row_tiles][Shape::column_tiles][4];

  /// The labels of the warp's replicates as the units read them.
  class Labels {
   public:
    KOKKOS_FUNCTION Labels(std::uint32_t const* words, int lane)
        : words_(words + lane / 4), shift_(lane % 4) {
      RIFFLE_UNROLL
      for (int step = 0; step < Steps; ++step) {
        RIFFLE_UNROLL
        for (int i = 0; i < Shape::row_tiles; ++i) kept_[step][i] = read(step, i);
      }
    }

    KOKKOS_FORCEINLINE_FUNCTION lanes::ByteRows rows(int step, int i) const {
      if constexpr (Steps > 0) {
        return kept_[step][i];
      } else {
        return read(step, i);
      }
    }

   private:
    KOKKOS_FORCEINLINE_FUNCTION lanes::ByteRows read(int step, int i) const {
      constexpr std::uint32_t lowest = 0x01010101;
      std::uint32_t const* const at = words_ + step * Shape::replicates + 16 * i;
      std::uint32_t const upper = at[0] >> shift_;
      std::uint32_t const lower = at[8] >> shift_;
      return {{upper & lowest, lower & lowest, upper >> 4 & lowest, lower >> 4 & lowest}};
    }

    std::uint32_t const* words_;
    int shift_;
    lanes::ByteRows kept_[Steps > 0 ? Steps : 1][Shape::row_tiles];
  };

  /// Labels times -128.
  KOKKOS_FORCEINLINE_FUNCTION static lanes::ByteRows times_base(lanes::ByteRows const& rows) {
    return {{rows.words[0] << 7, rows.words[1] << 7, rows.words[2] << 7, rows.words[3] << 7}};
  }

  template <bool IsFirst>
  KOKKOS_FORCEINLINE_FUNCTION static void add_digit(int lane, int digit, Sums& sums, int i,
                                                    lanes::ByteRows const& rows,
                                                    DigitQuad const (&quads)[Tiles::quads]) {
    RIFFLE_UNROLL
    for (int j = 0; j < Shape::column_tiles; ++j) {
      auto const& words = quads[j / 2].words;
      lanes::ByteColumns const columns{{words[j % 2 * 2], words[j % 2 * 2 + 1]}};
      auto& sum = sums[digit / 2][i][j];
      if constexpr (IsFirst) {
        if (digit % 2 == 0) {
          lanes::multiply(lane, sum, rows, columns, digit == 0 ? DigitSums<Pairs>::first_begin : 0);
          continue;
        }
      }
      lanes::multiply_add(lane, sum, rows, columns);
    }
  }

  using Quads = DigitQuad[digits][Tiles::quads];

  KOKKOS_FORCEINLINE_FUNCTION static void read_quads(DigitQuad const* from, Quads& quads) {
    RIFFLE_UNROLL
    for (int d = 0; d < digits; ++d) {
      RIFFLE_UNROLL
      for (int q = 0; q < Tiles::quads; ++q) {
        quads[d][q] = from[(d * Tiles::quads + q) * lanes::width];
      }
    }
  }

  /// The digits of a tile in registers, read while the tile before is counted.
  class KeptQuads {
   public:
    KOKKOS_FUNCTION KeptQuads(Tiles const& tiles, int lane) {
      if constexpr (reads_ahead) read(tiles, 0, lane);
    }
    KOKKOS_FORCEINLINE_FUNCTION void read(Tiles const& tiles, std::uint64_t tile, int lane) {
      DigitQuad const* const from = tiles.digits.data() + tile * tiles.quads_per_tile() + lane;
      RIFFLE_UNROLL
      for (int step = 0; step < Steps; ++step) {
        read_quads(from + step * digits * Tiles::quads * lanes::width, quads[step]);
      }
    }

    Quads quads[reads_ahead ? Steps : 1];
  };

  template <bool IsFirst>
  KOKKOS_FORCEINLINE_FUNCTION static void add_step(int lane, int step, Quads const& quads,
                                                   Labels const& own, Sums& sums) {
    RIFFLE_UNROLL
    for (int i = 0; i < Shape::row_tiles; ++i) {
      auto const rows = own.rows(step, i);
      RIFFLE_UNROLL
      for (int d = 0; d < digits; d += 2) add_digit<IsFirst>(lane, d, sums, i, rows, quads[d]);
      auto const higher = times_base(rows);
      RIFFLE_UNROLL
      for (int d = 1; d < digits; d += 2) add_digit<IsFirst>(lane, d, sums, i, higher, quads[d]);
    }
  }

  /// Reads the digits of a step and adds its products.
  template <bool IsFirst>
  KOKKOS_FORCEINLINE_FUNCTION static void read_and_add_step(int lane, int step,
                                                            DigitQuad const* from,
                                                            Labels const& own, Sums& sums) {
    Quads quads;
    read_quads(from + step * digits * Tiles::quads * lanes::width, quads);
    add_step<IsFirst>(lane, step, quads, own, sums);
  }

  template <class Member>
  KOKKOS_FORCEINLINE_FUNCTION void sum_tile(Member const& team, std::uint64_t tile, int lane,
                                            Labels const& own, KeptQuads& kept, Sums& sums) const {
    DigitQuad const* const from = tiles.digits.data() + tile * tiles.quads_per_tile() + lane;
    if constexpr (reads_ahead) {
      add_step<true>(lane, 0, kept.quads[0], own, sums);
      if constexpr (Steps > 1) add_step<false>(lane, 1, kept.quads[1], own, sums);
      kept.read(tiles, Kokkos::min(tile + 1, tiles.count() - 1), lane);
    } else if constexpr (Steps > 0) {
      read_and_add_step<true>(lane, 0, from, own, sums);
      RIFFLE_UNROLL
      for (int step = 1; step < Steps; ++step)
        read_and_add_step<false>(lane, step, from, own, sums);
    } else {
      sum_many_steps(team, from, lane, own, sums);
    }
  }

  /// The digits of the next step are on their way while those of a step are multiplied.
  template <class Member>
  KOKKOS_FORCEINLINE_FUNCTION void sum_many_steps(Member const& team, DigitQuad const* from,
                                                  int lane, Labels const& own, Sums& sums) const {
    constexpr int quads_of_step = digits * Tiles::quads * lanes::width;
    auto const last = static_cast<int>(tiles.steps) - 1;
    Quads quads;
    read_quads(from, quads);
    begin_sums(sums);
    for (int step = 0; step < last; ++step) {
      // The team's warps read the same digits, from the first-level cache while they are together.
      if (step % steps_together == 0) team.team_barrier();
      Quads next;
      from += quads_of_step;
      read_quads(from, next);
      add_step<false>(lane, step, quads, own, sums);
      copy_quads(next, quads);
    }
    add_step<false>(lane, last, quads, own, sums);
  }

  KOKKOS_FORCEINLINE_FUNCTION static void begin_sums(Sums& sums) {
    RIFFLE_UNROLL
    for (int p = 0; p < Pairs; ++p) {
      RIFFLE_UNROLL
      for (auto& of_rows : sums[p]) {
        RIFFLE_UNROLL
        for (auto& of_columns : of_rows) {
          RIFFLE_UNROLL
          for (std::int32_t& sum : of_columns) sum = p == 0 ? DigitSums<Pairs>::first_begin : 0;
        }
      }
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION static void copy_quads(Quads const& from, Quads& to) {
    RIFFLE_UNROLL
    for (int d = 0; d < digits; ++d) {
      RIFFLE_UNROLL
      for (int q = 0; q < Tiles::quads; ++q) to[d][q] = from[d][q];
    }
  }

  template <class Member>
  KOKKOS_FORCEINLINE_FUNCTION void count_tile(Member const& team, std::uint64_t tile, int lane,
                                              Labels const& own, KeptQuads& kept,
                                              TileCounter<Shape>& counter) const {
    TileTerms const* const terms = tiles.terms.data() + tile * Shape::variables;
    counter.begin_tile(terms);
    double factors[Shape::columns];
    double thresholds[Shape::columns];
    RIFFLE_UNROLL
    for (int c = 0; c < Shape::columns; ++c) {
      TileTerms const& of_column = terms[Shape::variable(lane, c)];
      factors[c] = of_column.factor;
      thresholds[c] = of_column.threshold;
    }
    Sums sums;
    sum_tile(team, tile, lane, own, kept, sums);
    RIFFLE_UNROLL
    for (int row = 0; row < Shape::rows; ++row) {
      double values[Shape::columns];
      RIFFLE_UNROLL
      for (int c = 0; c < Shape::columns; ++c) {
        values[c] = comparand(sums, row, c, factors[c]);
      }
      counter.count_row(row, values, thresholds);
    }
  }

  /// Element of C: rows g and g + 8 of a tile of rows, two columns of each.
  KOKKOS_FORCEINLINE_FUNCTION static double comparand(Sums const& sums, int row, int column,
                                                      double factor) {
    std::int32_t of_pairs[Pairs];
    RIFFLE_UNROLL
    for (int p = 0; p < Pairs; ++p) {
      of_pairs[p] = sums[p][row / 2][column / 2][2 * (row % 2) + column % 2];
    }
    double const sum = DigitSums<Pairs>::value(of_pairs);
    // The factor has the other sign where less is more extreme: 0 added makes 0 of -0.
    return IsTwoSided ? Kokkos::abs(sum) * factor : sum * factor + 0.0;
  }
};

}  // namespace riffle::detail::variables
