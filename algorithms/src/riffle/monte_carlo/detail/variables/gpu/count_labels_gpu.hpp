#pragma once

// Counts replicates whose only column consists of labels 0 and 1, with the matrix units of a GPU (NVIDIA's tensor
// cores) that multiply bytes.
//
// A sum over the observations with label 1 is the product of the labels and the digits of the variable
// (label_tiles.hpp). First, only two or four digits of each value are multiplied (tuning.hpp). The resulting coarse
// sums give bounds for the test statistics (CoarseTerms). In nearly all cases, the bounds decide whether a test
// statistic reaches its threshold, and show that it exceeds no running maximum. Sums that remain undecided are queued
// until there is one for each lane, and are then computed from whole values (OpenSums). The time is limited by the rate
// of the matrix units: each sum takes one multiplication of bytes for each digit and observation, with the number of
// observations rounded up to a multiple of 32.
//
//   digits x labels --> coarse sums --> decided:    counted
//   (matrix units)                  \-> undecided:  queue in scratch memory --> 32 at a time: summed from whole values

#include <Kokkos_Core.hpp>

#include <cmath>
#include <cstdint>

#include <riffle/backend/backend.hpp>
#include <riffle/backend/matrix_units.hpp>
#include <riffle/monte_carlo/detail/variables/draw_columns.hpp>
#include <riffle/monte_carlo/detail/variables/gpu/label_tiles.hpp>
#include <riffle/monte_carlo/detail/variables/gpu/tile_walk.hpp>
#include <riffle/monte_carlo/tuning.hpp>
#include <riffle/primitives/launch.hpp>

namespace riffle::detail::variables {

/// The tile of a warp that counts labels: 64 replicates and 16 variables.
using LabelShape = TileShape<4, 2>;

// --- coarse sums ---
//
// The coarse sum for a replicate and a variable adds the variable's coarse digits over the observations with label 1.

/// Converts coarse sums to floats. A sum has one integer accumulator for each pair of digits.
///
/// If AreSmall, that is, if |sum| < 2^22 for all sums, the accumulator starts with the bits of the float 1.5 * 2^23.
/// After the sum is added, it contains the bits of the float 1.5 * 2^23 + sum, so no conversion is needed.
template <int Pairs, bool AreSmall>
struct CoarseSums {
  static_assert(Pairs == 1 || !AreSmall);
  static constexpr float offset = AreSmall ? 0x1.8p23f : 0.0f;
  static constexpr std::int32_t begin = AreSmall ? 0x4B400000 : 0;

  /// Returns the coarse sum. `less` is subtracted from it: pass `offset` to remove the offset, or NaN for a row without
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

/// The words that contain the labels for a lane's rows in one step of 32 observations.
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

// --- undecided sums ---
//
// The sums that coarse digits leave undecided are queued until there is one for each lane of the warp. Each lane then
// computes one of them from whole values.

/// An undecided sum: a replicate of the warp, a variable of the window, and two flags that say which comparisons are
/// undecided.
class OpenSum {
 public:
  KOKKOS_DEFAULTED_FUNCTION OpenSum() = default;
  KOKKOS_FUNCTION OpenSum(int replicate, int variable, bool counts, bool may_exceed)
      : bits_(static_cast<std::uint32_t>(replicate) << 12 |
              static_cast<std::uint32_t>(variable) << 2 | (counts ? 1u : 0u) |
              (may_exceed ? 2u : 0u)) {
    static_assert(WindowCounts::variables <= 1 << 10);
  }

  KOKKOS_FUNCTION int replicate() const { return static_cast<int>(bits_ >> 12); }
  KOKKOS_FUNCTION int variable() const { return static_cast<int>(bits_ >> 2 & 0x3FF); }
  /// counts() says whether the sum must be compared with the threshold of its variable, may_exceed() whether it must be
  /// compared with the running maximum of its replicate.
  KOKKOS_FUNCTION bool counts() const { return (bits_ & 1) != 0; }
  KOKKOS_FUNCTION bool may_exceed() const { return (bits_ & 2) != 0; }

 private:
  std::uint32_t bits_;
};

/// The queue of a warp, in scratch memory. Before a tile is counted, the queue contains at most 31 sums, one less than
/// there are lanes. The tile then adds at most all of its sums.
template <class Shape>
struct OpenSums {
  static constexpr int capacity = backend::width + Shape::replicates * Shape::variables;
  OpenSum waiting[capacity];
};

/// Returns the sum of those values whose label is 1, given n whole values. One lane computes the sum alone. Word s of
/// the labels is labels[s * stride]; bits after the last observation must be 0.
KOKKOS_INLINE_FUNCTION double sum_of_labels(double const* values, std::uint64_t n,
                                            std::uint32_t const* labels, std::uint64_t stride) {
  constexpr std::uint64_t at_once = loads_under_way;
  constexpr std::uint64_t step = observations_per_step;
  std::uint64_t const last = n - 1;
  double sum = 0;
  for (std::uint64_t first = 0; first < n; first += at_once) {
    std::uint32_t const bits = labels[first / step * stride] >> first % step;
    double own[at_once];
    RIFFLE_UNROLL
    for (std::uint64_t i = 0; i < at_once; ++i) {
      own[i] = values[first + i < n ? first + i : last];
    }
    RIFFLE_UNROLL
    for (std::uint64_t i = 0; i < at_once; ++i) sum += (bits >> i & 1) != 0 ? own[i] : 0;
  }
  return sum;
}

// --- the kernel ---

/// Counting kernel in which each warp processes its replicates in one pass over all tiles of variables.
template <class Memory, int Pairs, int Steps, bool IsTwoSided>
struct CountLabels {
  using Shape = LabelShape;
  using Walk = TileWalk<Shape, OpenSums<Shape>>;
  static constexpr int threads = Walk::threads;
  static constexpr int teams_per_processor = label_teams_per_processor;
  static constexpr std::size_t scratch_bytes = Walk::scratch_bytes;

  LabelTiles<Memory, Shape> tiles;
  LabelWords<Memory, Shape::replicates> labels;
  BatchCounts counts;

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    Walk::run(*this, team, counts, tiles.terms.data(), tiles.count());
  }

  template <class Part>
  KOKKOS_FUNCTION auto of_warp(Part const& part) const {
    return OfWarp<Part>(*this, part);
  }

 private:
  using Products = LabelProducts<Memory, Pairs, Steps>;
  using Sum = typename Products::Values;
  using Sums = typename Products::Sums;
  using Columns = CoarseTerms[Shape::columns];

  /// of[i] is a lower bound for the running maximum of the replicate in row i of the lane. A sum in this row exceeds no
  /// running maximum if its upper bound (CoarseTerms::bound) is below of[i]. offset[i] is subtracted from the sums in
  /// row i. For a row without a replicate it is NaN, so that the sums are NaN and reach no threshold.
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

  /// Masks of the undecided sums in a tile, with one bit for each sum that the lane holds. Bit `bits` * i + 2 c + half
  /// stands for row tile i, the lane's column c in the tile, and row lane / 4 + 8 half of the row tile.
  struct Open {
    static constexpr int bits = 4 * Shape::column_tiles;
    static_assert(bits * Shape::row_tiles <= 32);
    /// `counts`: it is undecided whether the sum reaches its threshold. `maxima`: it is undecided whether the sum
    /// exceeds the running maximum of its replicate.
    std::uint32_t counts = 0;
    std::uint32_t maxima = 0;

    /// row() and column() return the row and the column of the lane that a bit stands for.
    KOKKOS_FUNCTION static int row(int bit) { return 2 * (bit / bits) + bit % 2; }
    KOKKOS_FUNCTION static int column(int bit) { return bit % bits / 2; }
  };

  /// Counters that are stored in floats: for each column of the lane, 2^23 + (number of the lane's rows that reach the
  /// threshold). The low bits of this float are the count.
  struct ReachingCounts {
    float of[Shape::columns];
    KOKKOS_FUNCTION ReachingCounts() {
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
          products_(kernel.labels.chunk(part.chunk), part.lane),
          bounds_(part.lane, part.maxima.count()) {}

    KOKKOS_FORCEINLINE_FUNCTION void count_tile(std::uint64_t tile, int in_window) {
      Columns columns;
      RIFFLE_UNROLL
      for (int c = 0; c < Shape::columns; ++c) {
        columns[c] = kernel_.tiles.coarse_terms.data()[tile * Shape::variables + variable(c)];
      }
      Sums sums;
      products_.sum_tile(part_.team, kernel_.tiles.coarse, tile, sums);
      Open open;
      ReachingCounts reaching;
      RIFFLE_UNROLL
      for (int i = 0; i < Shape::row_tiles; ++i) count_row_tile(sums, i, columns, reaching, open);
      ColumnCounts<Shape> raw;
      RIFFLE_UNROLL
      for (int c = 0; c < Shape::columns; ++c) raw.add(c, reaching.count(c));
      raw.add_to(part_.raw_of_tile(in_window), part_.lane);
      if (backend::all((open.counts | open.maxima) == 0)) return;
      first_ = tile - static_cast<std::uint64_t>(in_window);
      enqueue(open, in_window * Shape::variables);
      int done = 0;
      for (; waiting_ - done >= backend::width; done += backend::width)
        add_up(done, backend::width);
      discard_before(done);
    }

    KOKKOS_FUNCTION void end_window() {
      add_up(0, waiting_);
      waiting_ = 0;
    }

   private:
    KOKKOS_FUNCTION std::uint64_t variable(int column) const {
      return static_cast<std::uint64_t>(Shape::variable(part_.lane, column));
    }

    /// Counts the sums of a row tile that coarse digits decide, and finds the others.
    KOKKOS_FORCEINLINE_FUNCTION void count_row_tile(Sums const& sums, int i, Columns const& columns,
                                                    ReachingCounts& reaching, Open& open) {
      float largest[2] = {-HUGE_VALF, -HUGE_VALF};
      float counted[Shape::columns] = {};
      float total = 0;
      float squares = 0;
      for_row_tile([&](int c, int half) {
        float const sum = coarse_sum(sums, i, c, half);
        float const reaches = columns[c].reaches(sum);
        counted[c] += reaches;
        squares = Kokkos::fma(reaches, reaches, squares);
        largest[half] = Kokkos::fmax(largest[half], columns[c].bound(sum));
      });
      RIFFLE_UNROLL
      for (int c = 0; c < Shape::columns; ++c) total += counted[c];
      // All results of reaches() are in [0, 1], so their sum equals the sum of their squares if and only if all are 0
      // or 1.
      bool const is_open = total != squares || largest[0] >= bounds_.of[2 * i] ||
                           largest[1] >= bounds_.of[2 * i + 1];
      if (!backend::all(!is_open)) find_open_sums(sums, i, columns, counted, open);
      RIFFLE_UNROLL
      for (int c = 0; c < Shape::columns; ++c) reaching.of[c] += counted[c];
    }

    /// Finds the sums of a row tile that are undecided, and leaves them out of the counts. If such a sum may exceed the
    /// running maximum of its row, the lower bound of its test statistic also becomes a lower bound of the running
    /// maximum, for the later variables.
    KOKKOS_FORCEINLINE_FUNCTION void find_open_sums(Sums const& sums, int i, Columns const& columns,
                                                    float (&counted)[Shape::columns], Open& open) {
      RIFFLE_UNROLL
      for (float& count : counted) count = 0;
      for_row_tile([&](int c, int half) {
        std::uint32_t const bit = 1u << (Open::bits * i + 2 * c + half);
        float const sum = coarse_sum(sums, i, c, half);
        float const reaches = columns[c].reaches(sum);
        if (reaches == 1) counted[c] += 1;
        if (reaches > 0 && reaches < 1) open.counts |= bit;
        float& bound = bounds_.of[2 * i + half];
        bool const may_exceed = columns[c].bound(sum) >= bound;
        if (may_exceed) open.maxima |= bit;
        bound = Kokkos::fmax(bound, max_of_row(may_exceed ? columns[c].least(sum) : bound));
      });
    }

    /// Returns the largest value over the four lanes that hold sums of the same row.
    KOKKOS_FUNCTION float max_of_row(float value) const {
      RIFFLE_UNROLL
      for (int distance = 1; distance < 4; distance *= 2) {
        value = Kokkos::fmax(value, backend::from_lane(value, part_.lane ^ distance));
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

    /// Calls function(column, half) for the lane's sums in a row tile. They are in rows g + 8 half.
    template <class Function>
    KOKKOS_FORCEINLINE_FUNCTION static void for_row_tile(Function const& function) {
      RIFFLE_UNROLL
      for (int c = 0; c < Shape::columns; ++c) {
        RIFFLE_UNROLL
        for (int half = 0; half < 2; ++half) function(c, half);
      }
    }

    /// Adds the undecided sums to the queue, sorted by bit and then by lane. In this order, the sums of each replicate
    /// are sorted by variable.
    KOKKOS_FUNCTION void enqueue(Open const& open, int first_variable) {
      std::uint32_t const own = open.counts | open.maxima;
      for (std::uint32_t left = or_over_lanes(own); left != 0; left &= left - 1) {
        int const bit = backend::lowest_one(left);
        bool const is_open = (own >> bit & 1) != 0;
        std::uint32_t const of_lanes = backend::ballot(is_open);
        if (is_open) {
          std::uint32_t const before = of_lanes & ((1u << part_.lane) - 1);
          part_.scratch.waiting[waiting_ + backend::count_ones(before)] =
              OpenSum(Shape::replicate(part_.lane, Open::row(bit)),
                      first_variable + Shape::variable(part_.lane, Open::column(bit)),
                      (open.counts >> bit & 1) != 0, (open.maxima >> bit & 1) != 0);
        }
        waiting_ += backend::count_ones(of_lanes);
      }
      backend::synchronize();
    }

    KOKKOS_FUNCTION std::uint32_t or_over_lanes(std::uint32_t bits) const {
      RIFFLE_UNROLL
      for (int distance = 1; distance < backend::width; distance *= 2) {
        bits |= backend::from_lane(bits, part_.lane ^ distance);
      }
      return bits;
    }

    /// Removes the first `first` sums from the queue.
    KOKKOS_FUNCTION void discard_before(int first) {
      if (first == 0) return;
      waiting_ -= first;
      bool const is_one = part_.lane < waiting_;
      OpenSum const own = part_.scratch.waiting[first + (is_one ? part_.lane : 0)];
      backend::synchronize();
      if (is_one) part_.scratch.waiting[part_.lane] = own;
      backend::synchronize();
    }

    /// Computes and counts sums first, ..., first + count - 1 of the queue, one on each lane.
    KOKKOS_FUNCTION void add_up(int first, int count) {
      bool const is_one = part_.lane < count;
      OpenSum const own = part_.scratch.waiting[first + (is_one ? part_.lane : 0)];
      auto const place = static_cast<std::uint32_t>(first_ * Shape::variables) +
                         static_cast<std::uint32_t>(own.variable());
      double const value = is_one ? test_statistic(own.replicate(), part_.maxima.terms(place)) : 0;
      if (is_one && own.counts() && value >= part_.maxima.terms(place).threshold) {
        backend::add_in_scratch(&part_.window.raw[own.variable()], 1);
      }
      backend::synchronize();
      part_.maxima.add(is_one && own.may_exceed(), own.replicate(), place, value);
    }

    KOKKOS_FUNCTION double test_statistic(int replicate, TileTerms const& terms) const {
      auto const& values = kernel_.tiles.values;
      std::uint64_t const n = values.extent(1);
      double const sum = sum_of_labels(values.data() + terms.variable * n, n,
                                       products_.labels() + replicate, Shape::replicates);
      // For Alternative::less the factor is negative, and a sum of 0 would give -0; adding 0 turns it into 0.
      return IsTwoSided ? Kokkos::abs(sum) * terms.factor : sum * terms.factor + 0.0;
    }

    CountLabels const& kernel_;
    Part part_;
    Products products_;
    Bounds bounds_;
    /// The index of the window's first tile.
    std::uint64_t first_ = 0;
    int waiting_ = 0;
  };
};

}  // namespace riffle::detail::variables
