#pragma once

// Counts of a warp that walks over tiles of variables with some replicates, for the units that multiply small matrices
// (riffle/lanes/matrix_units.hpp).
//
// Three counts are to be kept, and each of them costs far less than a comparison a statistic would suggest.
//   - How many replicates reach a variable's threshold: a comparison each, added up in bytes of a word.
//   - The running maximum of a replicate over the variables so far. It grows some ln(G) times alone, so a statistic is
//     only looked at where the upper half of its bits is no smaller than that of the maximum.
//   - How many running maxima reach a variable's step-down threshold. These thresholds never fall from a variable to the
//     next (counting.hpp), so a maximum that did not grow in a tile reaches all of the tile's, as it mostly does in the
//     beginning, none, as later, or it is looked at.

#include <Kokkos_Core.hpp>

#include <cmath>
#include <cstdint>

#include <riffle/lanes/lanes.hpp>

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

  /// The replicate of a lane's row, and the variable of its column.
  KOKKOS_FUNCTION static int replicate(int lane, int row) { return 8 * row + lane / 4; }
  KOKKOS_FUNCTION static int variable(int lane, int column) {
    return 8 * (column / 2) + 2 * (lane % 4) + column % 2;
  }
};

/// What is compared with a variable's statistics.
struct alignas(16) TileTerms {
  /// By which the sum is multiplied to be the comparand, where that is all.
  double factor;
  double threshold;
  double step_down_threshold;
  double unused;
};

/// The counts of a team in a window of tiles, in its scratch memory.
template <class Shape>
struct WindowCounts {
  static constexpr int tiles = 1024 / Shape::variables;

  std::uint32_t raw[1024];
  std::uint32_t step_down[1024];
  /// Of maxima that reach all step-down thresholds of a tile.
  std::uint32_t step_down_of_tile[tiles];

  KOKKOS_FUNCTION void clear(int rank, int threads) {
    for (int i = rank; i < 1024; i += threads) raw[i] = step_down[i] = 0;
    for (int i = rank; i < tiles; i += threads) step_down_of_tile[i] = 0;
  }

  /// Adds them to those of all replicates, of the `count` variables of the window.
  KOKKOS_FUNCTION void add_to(std::uint64_t* all_raw, std::uint64_t* all_step_down, int count,
                              int rank, int threads) const {
    for (int i = rank; i < count; i += threads) {
      std::uint64_t const step = step_down[i] + step_down_of_tile[i / Shape::variables];
      if (raw[i] > 0) Kokkos::atomic_add(all_raw + i, static_cast<std::uint64_t>(raw[i]));
      if (step > 0) Kokkos::atomic_add(all_step_down + i, step);
    }
  }
};

template <class Shape>
class TileCounter {
 public:
  /// `maxima` are the warp's in scratch memory, one a replicate; the first `count` replicates are such. All lanes
  /// synchronise before they go on.
  KOKKOS_FUNCTION TileCounter(int lane, double* maxima, int count)
      : maxima_(maxima), lane_(lane), count_(count) {
    RIFFLE_UNROLL
    for (int row = 0; row < Shape::rows; ++row) {
      is_replicate_[row] = Shape::replicate(lane, row) < count;
      bound_[row] = is_replicate_[row] ? no_maximum : INT32_MAX;
    }
    for (int r = lane; r < Shape::replicates; r += lanes::width) maxima[r] = -HUGE_VAL;
    RIFFLE_UNROLL
    for (double& maximum : own_) maximum = -HUGE_VAL;
  }

  KOKKOS_FUNCTION void begin_tile(TileTerms const* terms) {
    terms_ = terms;
    grown_rows_ = 0;
    RIFFLE_UNROLL
    for (int w = 0; w < words; ++w) raw_[w] = step_down_[w] = 0;
  }

  /// Counts the comparands of a row of the lane. `thresholds` are those of its columns.
  KOKKOS_FORCEINLINE_FUNCTION void count_row(int row, double const (&values)[Shape::columns],
                                             double const (&thresholds)[Shape::columns]) {
    std::int32_t largest = INT32_MIN;
    RIFFLE_UNROLL
    for (int c = 0; c < Shape::columns; ++c) {
      if (values[c] >= thresholds[c] && is_replicate_[row]) raw_[c / 4] += 1u << (8 * (c % 4));
      largest = Kokkos::max(largest, upper_half(values[c]));
    }
    if (lanes::all(largest < bound_[row])) return;
    grow_maximum(row, values);
  }

  /// Adds the counts of the tile to those of the team's window, in which it is the tile `tile`.
  KOKKOS_FORCEINLINE_FUNCTION void end_tile(WindowCounts<Shape>& window, int tile) {
    if (grown_rows_ != 0) read_own_maxima();
    count_unchanged_maxima(window, tile);
    add_words(raw_, window.raw + tile * Shape::variables);
    if (grown_rows_ != 0) add_words(step_down_, window.step_down + tile * Shape::variables);
  }

  /// Writes the maxima of the warp's replicates.
  KOKKOS_FUNCTION void store_maxima(double* to) const {
    for (int r = lane_; r < count_; r += lanes::width) to[r] = maxima_[r];
  }

 private:
  static constexpr int words = Shape::columns / 4;
  static constexpr int own_maxima = Shape::replicates / lanes::width;
  /// The bound of a maximum below 0, whose bits are in another order.
  static constexpr std::int32_t no_maximum = INT32_MIN;

  KOKKOS_FUNCTION static std::int32_t upper_half(double x) {
    return static_cast<std::int32_t>(Kokkos::bit_cast<std::int64_t>(x) >> 32);
  }

  /// Some replicate of the row has a comparand that may exceed its maximum: the row's replicates are counted variable by
  /// variable.
  KOKKOS_FUNCTION void grow_maximum(int row, double const (&values)[Shape::columns]) {
    double& maximum = maxima_[Shape::replicate(lane_, row)];
    double running = maximum;
    RIFFLE_UNROLL
    for (int j = 0; j < Shape::column_tiles; ++j) {
      double own = running;
      double of_all = running;
      double const pair = Kokkos::max(values[2 * j], values[2 * j + 1]);
      for (int place = 0; place < 4; ++place) {
        double const other = lanes::from_lane(pair, lane_ / 4 * 4 + place);
        of_all = Kokkos::max(of_all, other);
        if (place < lane_ % 4) own = Kokkos::max(own, other);
      }
      for (int e = 0; e < 2; ++e) {
        int const c = 2 * j + e;
        own = Kokkos::max(own, values[c]);
        bool const reaches = own >= terms_[Shape::variable(lane_, c)].step_down_threshold;
        if (reaches && is_replicate_[row]) step_down_[c / 4] += 1u << (8 * (c % 4));
      }
      running = of_all;
    }
    lanes::synchronize();
    if (lane_ % 4 == 0) maximum = running;
    if (is_replicate_[row]) bound_[row] = running < 0 ? no_maximum : upper_half(running);
    grown_rows_ |= 1u << row;
    lanes::synchronize();
  }

  KOKKOS_FUNCTION void read_own_maxima() {
    RIFFLE_UNROLL
    for (int o = 0; o < own_maxima; ++o) own_[o] = maxima_[o * lanes::width + lane_];
  }

  /// Whether the lane's o-th own maximum is of a replicate whose row did not grow.
  KOKKOS_FUNCTION bool is_unchanged(int o) const {
    int const replicate = o * lanes::width + lane_;
    return replicate < count_ && (grown_rows_ >> (replicate / 8) & 1) == 0;
  }

  KOKKOS_FORCEINLINE_FUNCTION void count_unchanged_maxima(WindowCounts<Shape>& window, int tile) {
    double const least = terms_[0].step_down_threshold;
    double const greatest = terms_[Shape::variables - 1].step_down_threshold;
    int reach_all = 0;
    bool reaches_some = false;
    RIFFLE_UNROLL
    for (int o = 0; o < own_maxima; ++o) {
      bool const reaches_all = own_[o] >= greatest;
      reach_all += lanes::count_ones(lanes::ballot(is_unchanged(o) && reaches_all));
      reaches_some |= is_unchanged(o) && !reaches_all && own_[o] >= least;
    }
    if (reach_all > 0 && lane_ == 0) {
      lanes::add_in_scratch(&window.step_down_of_tile[tile], static_cast<std::uint32_t>(reach_all));
    }
    if (!lanes::all(!reaches_some)) count_by_variable(window, tile, greatest);
  }

  /// Counts the maxima that reach some of the tile's thresholds, not all.
  KOKKOS_FUNCTION void count_by_variable(WindowCounts<Shape>& window, int tile, double greatest) {
    int own_count = 0;
    RIFFLE_NO_UNROLL
    for (int v = 0; v < Shape::variables; ++v) {
      double const threshold = terms_[v].step_down_threshold;
      int count = 0;
      for (int o = 0; o < own_maxima; ++o) {
        bool const reaches = own_[o] < greatest && own_[o] >= threshold;
        count += lanes::count_ones(lanes::ballot(is_unchanged(o) && reaches));
      }
      if (lane_ == v) own_count = count;
    }
    if (lane_ >= Shape::variables || own_count == 0) return;
    lanes::add_in_scratch(&window.step_down[tile * Shape::variables + lane_],
                          static_cast<std::uint32_t>(own_count));
  }

  /// Adds up bytes over the lanes of equal variables. No byte overflows: a warp has fewer than 256 replicates.
  KOKKOS_FORCEINLINE_FUNCTION void add_words(std::uint32_t (&own)[words], std::uint32_t* to) const {
    static_assert(Shape::replicates < 256);
    RIFFLE_UNROLL
    for (int w = 0; w < words; ++w) {
      std::uint32_t word = own[w];
      RIFFLE_UNROLL
      for (int distance = 4; distance < lanes::width; distance *= 2) {
        word += lanes::from_lane(word, lane_ ^ distance);
      }
      int const byte = lane_ / 4;
      if (byte >= 4) continue;
      std::uint32_t const count = word >> (8 * byte) & 0xFF;
      if (count > 0) lanes::add_in_scratch(to + Shape::variable(lane_, 4 * w + byte), count);
    }
  }

  double* maxima_;
  TileTerms const* terms_ = nullptr;
  int lane_;
  int count_;
  /// Rows of the tile whose maxima grew; the same in all lanes.
  std::uint32_t grown_rows_ = 0;
  /// Comparands whose upper half is below it do not exceed the maximum of the row's replicate.
  std::int32_t bound_[Shape::rows];
  bool is_replicate_[Shape::rows];
  /// The maxima of the replicates lane, lane + 32, ...
  double own_[own_maxima];
  /// A byte a column.
  std::uint32_t raw_[words];
  std::uint32_t step_down_[words];
};

}  // namespace riffle::detail::variables
