#pragma once

// Counts replicates of one column of labels, 0 and 1, by the units of a GPU that multiply bytes.
//
// A sum over the observations of label 1 is that of the variables' digits (digit_tiles.hpp) times the labels. Two digits
// of each value say of nearly all sums whether they reach a threshold, and that they exceed no maximum
// (coarse_terms.hpp). Those of which they do not wait until there is one for each lane, and are added up from whole
// values (open_sums.hpp). The limit is the units' rate: 64 bytes for each 32 observations begun.

#include <Kokkos_Core.hpp>

#include <cmath>
#include <cstdint>

#include <riffle/kernel/launch.hpp>
#include <riffle/lanes/lanes.hpp>
#include <riffle/lanes/matrix_units.hpp>
#include <riffle/monte_carlo/detail/variables/gpu/coarse_terms.hpp>
#include <riffle/monte_carlo/detail/variables/gpu/label_tiles.hpp>
#include <riffle/monte_carlo/detail/variables/gpu/label_words.hpp>
#include <riffle/monte_carlo/detail/variables/gpu/open_sums.hpp>
#include <riffle/monte_carlo/detail/variables/gpu/tile_shape.hpp>
#include <riffle/monte_carlo/detail/variables/gpu/walk_tiles.hpp>
#include <riffle/monte_carlo/detail/variables/gpu/window_counts.hpp>

namespace riffle::detail::variables {

/// Replicates and variables of a warp that counts labels.
using LabelShape = TileShape<4, 2>;

/// Coarse sums, one or two accumulators each, as floats.
///
/// Sums below 2^22 are added to a float's bits of 1.5 * 2^23; others are converted.
template <int Pairs, bool AreSmall>
struct CoarseSums {
  static_assert(Pairs == 1 || !AreSmall);
  static constexpr float offset = AreSmall ? 0x1.8p23f : 0.0f;
  static constexpr std::int32_t begin = AreSmall ? 0x4B400000 : 0;

  /// `less` is `offset`, or no number for a sum that is none.
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

/// Labels times -128.
KOKKOS_FORCEINLINE_FUNCTION lanes::ByteRows times_base(lanes::ByteRows const& rows) {
  return {{rows.words[0] << 7, rows.words[1] << 7, rows.words[2] << 7, rows.words[3] << 7}};
}

/// Words of labels of a lane's rows.
struct LabelsOfStep {
  std::uint32_t words[LabelShape::rows];

  KOKKOS_FORCEINLINE_FUNCTION void read(std::uint32_t const* from, int lane) {
    RIFFLE_UNROLL
    for (int row = 0; row < LabelShape::rows; ++row) {
      words[row] = from[LabelShape::replicate(lane, row)];
    }
  }

  /// Those of row tile i as the units read them.
  KOKKOS_FORCEINLINE_FUNCTION lanes::ByteRows rows(int lane, int i) const {
    constexpr std::uint32_t lowest = 0x01010101;
    std::uint32_t const upper = words[2 * i] >> lane % 4;
    std::uint32_t const lower = words[2 * i + 1] >> lane % 4;
    return {{upper & lowest, lower & lowest, upper >> 4 & lowest, lower >> 4 & lowest}};
  }
};

/// A warp walks over all tiles of variables with its replicates. The labels of up to 32 `Steps` observations stay in
/// registers, those of more (Steps = 0) are read for every tile.
template <class Memory, int Pairs, int Steps, bool IsTwoSided>
struct CountLabels {
  using Shape = LabelShape;
  using Walk = TileWalk<Shape, OpenSums<Shape>>;
  static constexpr int threads = Walk::threads;
  static constexpr int teams_per_processor = 3;
  static constexpr std::size_t scratch_bytes = Walk::scratch_bytes;

  LabelTiles<Memory, Shape> tiles;
  LabelWords<Memory, Shape::replicates> labels;
  TileCounts counts;

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    Walk::run(*this, team, counts, tiles.terms.data(), tiles.count());
  }

  template <class Part>
  KOKKOS_FUNCTION auto of_warp(Part const& part) const {
    return OfWarp<Part>(*this, part);
  }

 private:
  using Tiles = DigitTiles<Memory, Shape>;
  using Sum = CoarseSums<Pairs, (Steps > 0)>;
  using Sums = std::int32_t[Pairs][Shape::row_tiles][Shape::column_tiles][4];
  static constexpr int digits = 2 * Pairs;
  using Quads = DigitQuad[digits][Tiles::quads];
  using Columns = CoarseTerms[Shape::columns];
  static constexpr int steps_together = 8;

  /// The labels of the warp's replicates as the units read them, where they stay in registers.
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
          for (std::uint32_t& word : kept_[step][i].words) lanes::keep(word);
        }
      }
    }
    KOKKOS_FORCEINLINE_FUNCTION lanes::ByteRows const& rows(int step, int i) const {
      return kept_[step][i];
    }

   private:
    lanes::ByteRows kept_[Steps > 0 ? Steps : 1][Shape::row_tiles];
  };

  /// Of the lane's rows: a sum whose bound is below exceeds no maximum. The sums of what is no replicate are no numbers,
  /// which reach nothing.
  struct Bounds {
    float of[Shape::rows];
    float offset[Shape::rows];

    KOKKOS_FUNCTION Bounds(int lane, int replicates) {
      RIFFLE_UNROLL
      for (int row = 0; row < Shape::rows; ++row) {
        of[row] = -HUGE_VALF;
        offset[row] = Shape::replicate(lane, row) < replicates
                          ? Sum::offset
                          : Kokkos::Experimental::quiet_NaN_v<float>;
      }
    }
  };

  KOKKOS_FORCEINLINE_FUNCTION static void read_quads(DigitQuad const* from, Quads& quads) {
    RIFFLE_UNROLL
    for (int d = 0; d < digits; ++d) {
      RIFFLE_UNROLL
      for (int q = 0; q < Tiles::quads; ++q) {
        quads[d][q] = from[(d * Tiles::quads + q) * lanes::width];
      }
    }
  }

  template <bool IsFirst>
  KOKKOS_FORCEINLINE_FUNCTION static void add_digit(int lane, int digit,
                                                    lanes::ByteRows const& rows, Quads const& quads,
                                                    int i, Sums& sums) {
    RIFFLE_UNROLL
    for (int j = 0; j < Shape::column_tiles; ++j) {
      auto const& words = quads[digit][j / 2].words;
      lanes::ByteColumns const columns{{words[j % 2 * 2], words[j % 2 * 2 + 1]}};
      auto& sum = sums[digit / 2][i][j];
      if (IsFirst && digit % 2 == 0) {
        lanes::multiply(lane, sum, rows, columns, Sum::begin);
      } else {
        lanes::multiply_add(lane, sum, rows, columns);
      }
    }
  }

  template <bool IsFirst>
  KOKKOS_FORCEINLINE_FUNCTION static void add_rows(int lane, lanes::ByteRows const& rows,
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
          for (std::int32_t& sum : of_columns) sum = Sum::begin;
        }
      }
    }
  }

  /// What coarse sums leave open of a tile, a bit for each of the lane's sums: bit 8 i + 4 j + 2 e + half.
  struct Open {
    static constexpr int bits = 4 * Shape::column_tiles;
    static_assert(bits * Shape::row_tiles <= 32);
    /// Whether it reaches its threshold; whether it exceeds its replicate's maximum.
    std::uint32_t counts = 0;
    std::uint32_t maxima = 0;

    /// The row and the column of the lane that a bit stands for.
    KOKKOS_FUNCTION static int row(int bit) { return 2 * (bit / bits) + bit % 2; }
    KOKKOS_FUNCTION static int column(int bit) { return bit % bits / 2; }
  };

  /// How many of the lane's rows reach the thresholds of its columns, as floats that hold 2^23 beside.
  struct Reaching {
    float of[Shape::columns];
    KOKKOS_FUNCTION Reaching() {
      for (float& count : of) count = 0x1p23f;
    }
    KOKKOS_FUNCTION std::uint32_t count(int column) const {
      return Kokkos::bit_cast<std::uint32_t>(of[column]) & 0xFF;
    }
  };

  template <class Part>
  class OfWarp {
   public:
    KOKKOS_FUNCTION OfWarp(CountLabels const& kernel, Part const& part)
        : kernel_(kernel),
          part_(part),
          labels_(kernel.labels.chunk(part.chunk)),
          kept_(labels_, part.lane),
          bounds_(part.lane, part.maxima.count()) {}

    KOKKOS_FORCEINLINE_FUNCTION void count_tile(std::uint64_t tile, int in_window) {
      Columns columns;
      RIFFLE_UNROLL
      for (int c = 0; c < Shape::columns; ++c) {
        columns[c] = kernel_.tiles.coarse_terms.data()[tile * Shape::variables + variable(c)];
      }
      Sums sums;
      sum_tile(tile, sums);
      Open open;
      Reaching reaching;
      RIFFLE_UNROLL
      for (int i = 0; i < Shape::row_tiles; ++i) look(sums, i, columns, reaching, open);
      ColumnCounts<Shape> raw;
      RIFFLE_UNROLL
      for (int c = 0; c < Shape::columns; ++c) raw.add(c, reaching.count(c));
      raw.add_to(part_.raw_of_tile(in_window), part_.lane);
      if (lanes::all((open.counts | open.maxima) == 0)) return;
      first_ = tile - static_cast<std::uint64_t>(in_window);
      let_wait(open, in_window * Shape::variables);
      int done = 0;
      for (; waiting_ - done >= lanes::width; done += lanes::width) add_up(done, lanes::width);
      keep_from(done);
    }

    KOKKOS_FUNCTION void end_window() {
      add_up(0, waiting_);
      waiting_ = 0;
    }

   private:
    KOKKOS_FUNCTION std::uint64_t variable(int column) const {
      return static_cast<std::uint64_t>(Shape::variable(part_.lane, column));
    }

    KOKKOS_FORCEINLINE_FUNCTION void sum_tile(std::uint64_t tile, Sums& sums) const {
      int const lane = part_.lane;
      Tiles const& coarse = kernel_.tiles.coarse;
      if constexpr (Steps > 0) {
        constexpr std::uint64_t quads_per_tile = Steps * digits * Tiles::quads * lanes::width;
        DigitQuad const* const from = coarse.digits.data() + tile * quads_per_tile + lane;
        Quads quads[Steps];
        RIFFLE_UNROLL
        for (int step = 0; step < Steps; ++step) {
          read_quads(from + step * digits * Tiles::quads * lanes::width, quads[step]);
        }
        RIFFLE_UNROLL
        for (int i = 0; i < Shape::row_tiles; ++i) {
          add_rows<true>(lane, kept_.rows(0, i), quads[0], i, sums);
          RIFFLE_UNROLL
          for (int step = 1; step < Steps; ++step) {
            add_rows<false>(lane, kept_.rows(step, i), quads[step], i, sums);
          }
        }
      } else {
        sum_many_steps(coarse.tile(tile) + lane, static_cast<int>(coarse.steps), sums);
      }
    }

    /// The labels of the next step are on their way while those of a step are multiplied; digits come from the first-level
    /// cache, as the team's warps read the same ones.
    KOKKOS_FORCEINLINE_FUNCTION void sum_many_steps(DigitQuad const* from, int steps,
                                                    Sums& sums) const {
      constexpr int quads_of_step = digits * Tiles::quads * lanes::width;
      int const lane = part_.lane;
      std::uint32_t const* words = labels_;
      Quads quads;
      LabelsOfStep own;
      read_quads(from, quads);
      own.read(words, lane);
      begin_sums(sums);
      for (int step = 0; step < steps - 1; ++step) {
        // While they are together.
        if (step % steps_together == 0) part_.team.team_barrier();
        LabelsOfStep next;
        words += Shape::replicates;
        next.read(words, lane);
        add_step(lane, own, quads, sums);
        from += quads_of_step;
        read_quads(from, quads);
        own = next;
      }
      add_step(lane, own, quads, sums);
    }

    /// Counts what the coarse sums of a row tile decide.
    KOKKOS_FORCEINLINE_FUNCTION void look(Sums const& sums, int i, Columns const& columns,
                                          Reaching& reaching, Open& open) {
      float largest[2] = {-HUGE_VALF, -HUGE_VALF};
      float counts[Shape::columns] = {};
      float total = 0;
      float squares = 0;
      for_row_tile([&](int c, int half) {
        float const sum = coarse_sum(sums, i, c, half);
        float const reaches = columns[c].reaches(sum);
        counts[c] += reaches;
        squares = Kokkos::fma(reaches, reaches, squares);
        largest[half] = Kokkos::fmax(largest[half], columns[c].bound(sum));
      });
      RIFFLE_UNROLL
      for (int c = 0; c < Shape::columns; ++c) total += counts[c];
      // Squares add up to the same where all are 0 or 1.
      bool const is_open = total != squares || largest[0] >= bounds_.of[2 * i] ||
                           largest[1] >= bounds_.of[2 * i + 1];
      if (!lanes::all(!is_open)) look_closely(sums, i, columns, counts, open);
      RIFFLE_UNROLL
      for (int c = 0; c < Shape::columns; ++c) reaching.of[c] += counts[c];
    }

    /// Finds the sums of a row tile that are open, and leaves them out of the counts. What maxima grow to at least is the
    /// bound of later variables.
    KOKKOS_FORCEINLINE_FUNCTION void look_closely(Sums const& sums, int i, Columns const& columns,
                                                  float (&counts)[Shape::columns], Open& open) {
      RIFFLE_UNROLL
      for (float& count : counts) count = 0;
      for_row_tile([&](int c, int half) {
        std::uint32_t const bit = 1u << (Open::bits * i + 2 * c + half);
        float const sum = coarse_sum(sums, i, c, half);
        float const reaches = columns[c].reaches(sum);
        if (reaches == 1) counts[c] += 1;
        if (reaches > 0 && reaches < 1) open.counts |= bit;
        float& bound = bounds_.of[2 * i + half];
        bool const may_exceed = columns[c].bound(sum) >= bound;
        if (may_exceed) open.maxima |= bit;
        bound = Kokkos::fmax(bound, of_row(may_exceed ? columns[c].least(sum) : bound));
      });
    }

    /// The largest of the lanes that share a row.
    KOKKOS_FUNCTION float of_row(float value) const {
      RIFFLE_UNROLL
      for (int distance = 1; distance < 4; distance *= 2) {
        value = Kokkos::fmax(value, lanes::from_lane(value, part_.lane ^ distance));
      }
      return value;
    }

    KOKKOS_FORCEINLINE_FUNCTION float coarse_sum(Sums const& sums, int i, int column,
                                                 int half) const {
      std::int32_t of_pairs[Pairs];
      RIFFLE_UNROLL
      for (int p = 0; p < Pairs; ++p) {
        of_pairs[p] = sums[p][i][column / 2][2 * half + column % 2];
      }
      float const sum = Sum::value(of_pairs, bounds_.offset[2 * i + half]);
      return IsTwoSided ? Kokkos::abs(sum) : sum;
    }

    /// function(column, half) of the sums of a row tile: of row g + 8 half.
    template <class Function>
    KOKKOS_FORCEINLINE_FUNCTION static void for_row_tile(Function const& function) {
      RIFFLE_UNROLL
      for (int c = 0; c < Shape::columns; ++c) {
        RIFFLE_UNROLL
        for (int half = 0; half < 2; ++half) function(c, half);
      }
    }

    /// Those of a replicate in the order of variables: bit by bit, and of each from lane to lane.
    KOKKOS_FUNCTION void let_wait(Open const& open, int first_variable) {
      std::uint32_t const own = open.counts | open.maxima;
      for (std::uint32_t left = of_any_lane(own); left != 0; left &= left - 1) {
        int const bit = lanes::lowest_one(left);
        bool const is_open = (own >> bit & 1) != 0;
        std::uint32_t const of_lanes = lanes::ballot(is_open);
        if (is_open) {
          std::uint32_t const before = of_lanes & ((1u << part_.lane) - 1);
          part_.own.waiting[waiting_ + lanes::count_ones(before)] =
              OpenSum(Shape::replicate(part_.lane, Open::row(bit)),
                      first_variable + Shape::variable(part_.lane, Open::column(bit)),
                      (open.counts >> bit & 1) != 0, (open.maxima >> bit & 1) != 0);
        }
        waiting_ += lanes::count_ones(of_lanes);
      }
      lanes::synchronize();
    }

    KOKKOS_FUNCTION std::uint32_t of_any_lane(std::uint32_t bits) const {
      RIFFLE_UNROLL
      for (int distance = 1; distance < lanes::width; distance *= 2) {
        bits |= lanes::from_lane(bits, part_.lane ^ distance);
      }
      return bits;
    }

    /// Leaves those before out.
    KOKKOS_FUNCTION void keep_from(int first) {
      if (first == 0) return;
      waiting_ -= first;
      bool const is_one = part_.lane < waiting_;
      OpenSum const own = part_.own.waiting[first + (is_one ? part_.lane : 0)];
      lanes::synchronize();
      if (is_one) part_.own.waiting[part_.lane] = own;
      lanes::synchronize();
    }

    /// `count` of those that wait, a lane each.
    KOKKOS_FUNCTION void add_up(int first, int count) {
      bool const is_one = part_.lane < count;
      OpenSum const own = part_.own.waiting[first + (is_one ? part_.lane : 0)];
      auto const place = static_cast<std::uint32_t>(first_ * Shape::variables) +
                         static_cast<std::uint32_t>(own.variable());
      double const value = is_one ? comparand(own.replicate(), part_.maxima.terms(place)) : 0;
      if (is_one && own.counts() && value >= part_.maxima.terms(place).threshold) {
        lanes::add_in_scratch(&part_.window.raw[own.variable()], 1);
      }
      lanes::synchronize();
      part_.maxima.add(is_one && own.may_exceed(), own.replicate(), place, value);
    }

    KOKKOS_FUNCTION double comparand(int replicate, TileTerms const& terms) const {
      auto const& values = kernel_.tiles.values;
      std::uint64_t const n = values.extent(1);
      double const sum = sum_of_labels(values.data() + terms.variable * n, n, labels_ + replicate,
                                       Shape::replicates);
      // The factor has the other sign where less is more extreme: 0 added makes 0 of -0.
      return IsTwoSided ? Kokkos::abs(sum) * terms.factor : sum * terms.factor + 0.0;
    }

    CountLabels const& kernel_;
    Part part_;
    std::uint32_t const* labels_;
    KeptLabels kept_;
    Bounds bounds_;
    /// The first tile of the window.
    std::uint64_t first_ = 0;
    int waiting_ = 0;
  };
};

}  // namespace riffle::detail::variables
