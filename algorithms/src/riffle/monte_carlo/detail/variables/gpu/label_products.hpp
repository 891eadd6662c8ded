#pragma once

// Computes the coarse sums of a tile: for each replicate and variable, the sum of coarse digits over the observations
// with label 1.

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/backend/backend.hpp>
#include <riffle/backend/matrix_units.hpp>
#include <riffle/monte_carlo/detail/variables/gpu/label_tiles.hpp>
#include <riffle/monte_carlo/detail/variables/gpu/tile_walk.hpp>
#include <riffle/monte_carlo/tuning.hpp>

namespace riffle::detail::variables {

/// The tile of a warp that counts labels: 64 replicates and 16 variables.
using LabelShape = TileShape<4, 2>;

/// Converts coarse sums to floats. A sum has one integer accumulator for each pair of digits.
///
/// If |sums| < 2^22, the accumulator starts with the bits of the float 1.5 * 2^23. Its bits are then those of the float
/// 1.5 * 2^23 + sum, so no conversion is needed.
template <int Pairs, bool AreSmall>
struct CoarseSums {
  static_assert(Pairs == 1 || !AreSmall);
  static constexpr float offset = AreSmall ? 0x1.8p23f : 0.0f;
  static constexpr std::int32_t begin = AreSmall ? 0x4B400000 : 0;

  /// Returns the sum, from which `less` is subtracted to remove `offset`: `less` is `offset`, or NaN for a row without
  /// a replicate.
  KOKKOS_FORCEINLINE_FUNCTION static float value(std::int32_t const (&sums)[Pairs], float less) {
    if constexpr (AreSmall) {
      return Kokkos::bit_cast<float>(sums[0]) - less;
    } else if constexpr (Pairs == 1) {
      return static_cast<float>(sums[0]) - less;
    } else {
      return Kokkos::fma(static_cast<float>(sums[1]), 0x1p14f, static_cast<float>(sums[0])) - less;
    }
  }
};

/// Returns the labels (bytes 0 and 1) multiplied by -128.
KOKKOS_FORCEINLINE_FUNCTION backend::ByteRows times_base(backend::ByteRows const& rows) {
  return {{rows.words[0] << 7, rows.words[1] << 7, rows.words[2] << 7, rows.words[3] << 7}};
}

/// The words of labels of a lane's rows in one step of 32 observations.
struct LabelsOfStep {
  std::uint32_t words[LabelShape::rows];

  KOKKOS_FORCEINLINE_FUNCTION void read(std::uint32_t const* from, int lane) {
    RIFFLE_UNROLL
    for (int row = 0; row < LabelShape::rows; ++row) {
      words[row] = from[LabelShape::replicate(lane, row)];
    }
  }

  /// Returns the labels of row tile i in the layout of the matrix units.
  KOKKOS_FORCEINLINE_FUNCTION backend::ByteRows rows(int lane, int i) const {
    constexpr std::uint32_t lowest = 0x01010101;
    std::uint32_t const upper = words[2 * i] >> lane % 4;
    std::uint32_t const lower = words[2 * i + 1] >> lane % 4;
    return {{upper & lowest, lower & lowest, upper >> 4 & lowest, lower >> 4 & lowest}};
  }
};

/// Multiplies the labels of a warp's replicates by tiles of digits. If Steps > 0, there are at most 32 * Steps
/// observations, and their labels stay in registers. If Steps = 0, labels are read again for every tile.
template <class Memory, int Pairs, int Steps>
class LabelProducts {
 public:
  using Shape = LabelShape;
  using Tiles = DigitTiles<Memory, Shape>;
  using Values = CoarseSums<Pairs, (Steps > 0)>;
  using Sums = std::int32_t[Pairs][Shape::row_tiles][Shape::column_tiles][4];

  /// `labels` points to the words of the warp's replicates.
  KOKKOS_FUNCTION LabelProducts(std::uint32_t const* labels, int lane)
      : labels_(labels), lane_(lane), kept_(labels, lane) {}

  KOKKOS_FUNCTION std::uint32_t const* labels() const { return labels_; }

  /// Computes the sums of a tile. Requires: all warps of a team call it for the same tile.
  template <class Member>
  KOKKOS_FORCEINLINE_FUNCTION void sum_tile(Member const& team, Tiles const& coarse,
                                            std::uint64_t tile, Sums& sums) const {
    if constexpr (Steps > 0) {
      constexpr std::uint64_t quads_per_tile = Steps * digits * Tiles::quads * backend::width;
      DigitQuad const* const from = coarse.digits.data() + tile * quads_per_tile + lane_;
      Quads quads[Steps];
      RIFFLE_UNROLL
      for (int step = 0; step < Steps; ++step) {
        read_quads(from + step * digits * Tiles::quads * backend::width, quads[step]);
      }
      RIFFLE_UNROLL
      for (int i = 0; i < Shape::row_tiles; ++i) {
        add_rows<true>(lane_, kept_.rows(0, i), quads[0], i, sums);
        RIFFLE_UNROLL
        for (int step = 1; step < Steps; ++step) {
          add_rows<false>(lane_, kept_.rows(step, i), quads[step], i, sums);
        }
      }
    } else {
      sum_many_steps(team, coarse.tile(tile) + lane_, static_cast<int>(coarse.steps), sums);
    }
  }

 private:
  static constexpr int digits = 2 * Pairs;
  using Quads = DigitQuad[digits][Tiles::quads];

  /// The labels of the warp's replicates in the layout of the matrix units, kept in registers.
  class KeptLabels {
   public:
    KOKKOS_FUNCTION KeptLabels(std::uint32_t const* words, int lane) {
      RIFFLE_UNROLL
      for (int step = 0; step < Steps; ++step) {
        LabelsOfStep own;
        own.read(words + step * Shape::replicates, lane);
        RIFFLE_UNROLL
        for (int i = 0; i < Shape::row_tiles; ++i) {
          kept_[step][i] = own.rows(lane, i);
          RIFFLE_UNROLL
          for (std::uint32_t& word : kept_[step][i].words) backend::keep(word);
        }
      }
    }
    KOKKOS_FORCEINLINE_FUNCTION backend::ByteRows const& rows(int step, int i) const {
      return kept_[step][i];
    }

   private:
    backend::ByteRows kept_[Steps > 0 ? Steps : 1][Shape::row_tiles];
  };

  /// The labels of the next step are loaded while the labels of the current step are multiplied. Digits are read from
  /// the first-level cache, because all warps of a team read the same digits.
  template <class Member>
  KOKKOS_FORCEINLINE_FUNCTION void sum_many_steps(Member const& team, DigitQuad const* from,
                                                  int steps, Sums& sums) const {
    constexpr int quads_of_step = digits * Tiles::quads * backend::width;
    std::uint32_t const* words = labels_;
    Quads quads;
    LabelsOfStep own;
    read_quads(from, quads);
    own.read(words, lane_);
    begin_sums(sums);
    for (int step = 0; step < steps - 1; ++step) {
      // Keeps the warps at nearly the same step, so that they read the same digits from the cache.
      if (step % steps_together == 0) team.team_barrier();
      LabelsOfStep next;
      words += Shape::replicates;
      next.read(words, lane_);
      add_step(lane_, own, quads, sums);
      from += quads_of_step;
      read_quads(from, quads);
      own = next;
    }
    add_step(lane_, own, quads, sums);
  }

  KOKKOS_FORCEINLINE_FUNCTION static void read_quads(DigitQuad const* from, Quads& quads) {
    RIFFLE_UNROLL
    for (int d = 0; d < digits; ++d) {
      RIFFLE_UNROLL
      for (int q = 0; q < Tiles::quads; ++q) {
        quads[d][q] = from[(d * Tiles::quads + q) * backend::width];
      }
    }
  }

  template <bool IsFirst>
  KOKKOS_FORCEINLINE_FUNCTION static void add_digit(int lane, int digit,
                                                    backend::ByteRows const& rows,
                                                    Quads const& quads, int i, Sums& sums) {
    RIFFLE_UNROLL
    for (int j = 0; j < Shape::column_tiles; ++j) {
      auto const& words = quads[digit][j / 2].words;
      backend::ByteColumns const columns{{words[j % 2 * 2], words[j % 2 * 2 + 1]}};
      auto& sum = sums[digit / 2][i][j];
      if (IsFirst && digit % 2 == 0) {
        backend::multiply(lane, sum, rows, columns, Values::begin);
      } else {
        backend::multiply_add(lane, sum, rows, columns);
      }
    }
  }

  template <bool IsFirst>
  KOKKOS_FORCEINLINE_FUNCTION static void add_rows(int lane, backend::ByteRows const& rows,
                                                   Quads const& quads, int i, Sums& sums) {
    auto const higher = times_base(rows);
    RIFFLE_UNROLL
    for (int d = 0; d < digits; ++d) {
      add_digit<IsFirst>(lane, d, d % 2 == 0 ? rows : higher, quads, i, sums);
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION static void add_step(int lane, LabelsOfStep const& own,
                                                   Quads const& quads, Sums& sums) {
    RIFFLE_UNROLL
    for (int i = 0; i < Shape::row_tiles; ++i) {
      add_rows<false>(lane, own.rows(lane, i), quads, i, sums);
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION static void begin_sums(Sums& sums) {
    RIFFLE_UNROLL
    for (auto& of_pair : sums) {
      RIFFLE_UNROLL
      for (auto& of_rows : of_pair) {
        RIFFLE_UNROLL
        for (auto& of_columns : of_rows) {
          RIFFLE_UNROLL
          for (std::int32_t& sum : of_columns) sum = Values::begin;
        }
      }
    }
  }

  std::uint32_t const* labels_;
  int lane_;
  KeptLabels kept_;
};

}  // namespace riffle::detail::variables
