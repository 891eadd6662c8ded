#pragma once

// The common part of the kernels that use tiles on a GPU. Each warp processes different replicates, and counts them in
// one pass over all tiles of variables.

#include <Kokkos_Core.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>

#include <riffle/backend/backend.hpp>
#include <riffle/monte_carlo/detail/variables/test_statistic.hpp>
#include <riffle/monte_carlo/tuning.hpp>
#include <riffle/primitives/launch.hpp>

namespace riffle::detail::variables {

// --- tile shape ---
//
// A tile consists of several replicates and variables, in multiples of the shapes that matrix units multiply
// (riffle/backend/matrix_units.hpp).

/// The tile of a warp: RowTiles row tiles of 16 replicates, times ColumnTiles column tiles of 8 variables. In each pair
/// of a row tile and a column tile, a lane holds the sums of two replicates and two variables.
template <int RowTiles_, int ColumnTiles_>
struct TileShape {
  static constexpr int row_tiles = RowTiles_;
  static constexpr int column_tiles = ColumnTiles_;
  static constexpr int replicates = 16 * row_tiles;
  static constexpr int variables = 8 * column_tiles;
  /// The numbers of rows and columns that a lane holds.
  static constexpr int rows = 2 * row_tiles;
  static constexpr int columns = 2 * column_tiles;

  /// A lane holds the sums for `rows` replicates and `columns` variables of a tile. replicate() returns the replicate
  /// that belongs to a row of the lane, variable() the variable that belongs to a column of the lane; both are indices
  /// in the tile. For each j, the variables in column 2 j of all lanes come before the variables in column 2 j + 1.
  KOKKOS_FUNCTION static int replicate(int lane, int row) { return 8 * row + lane / 4; }
  KOKKOS_FUNCTION static int variable(int lane, int column) { return 4 * column + lane % 4; }

  /// Returns the variable, as an index in the tile, whose values are a given column of matrix B. The result agrees with
  /// variable(), because lane l holds columns 2 (l % 4) and 2 (l % 4) + 1 of matrix C.
  KOKKOS_FUNCTION static int variable_of_b(int column) {
    return column / 8 * 8 + column % 2 * 4 + column % 8 / 2;
  }
};

/// The numbers with which the statistics of a variable are compared.
struct alignas(16) TileTerms {
  /// The test statistic is the sum times this factor, for formulas with one sum.
  double factor;
  double threshold;
  double step_down_threshold;
  /// The index of the variable in the data.
  std::uint64_t variable;

  /// Returns the terms of a variable. If `is_variable` is false (padding), the thresholds are infinite.
  KOKKOS_FUNCTION static TileTerms of(VariableTerms const& own, std::uint64_t variable,
                                      bool is_variable) {
    return {own.factor, is_variable ? own.threshold : HUGE_VAL,
            is_variable ? own.step_down_threshold : HUGE_VAL, variable};
  }
};

// --- tile order ---
//
// The order in which variables are stored in tiles.

/// The variables in tiles are order(skipped), order(skipped + 1), ... The last tile is padded with copies of the last
/// variable, which do not count.
template <class Order>
struct TileOrder {
  Order order;
  std::uint64_t skipped;

  KOKKOS_FUNCTION std::uint64_t last() const { return order.extent(0) - 1; }
  KOKKOS_FUNCTION bool is_variable(std::uint64_t place) const { return skipped + place <= last(); }
  KOKKOS_FUNCTION std::uint64_t variable(std::uint64_t place) const {
    return static_cast<std::uint64_t>(order(Kokkos::min(skipped + place, last())));
  }
  /// Returns the number of tiles, if a tile has `size` variables.
  std::uint64_t tiles(int size) const {
    auto const own = static_cast<std::uint64_t>(size);
    return (order.extent(0) - skipped + own - 1) / own;
  }
};
template <class Order>
TileOrder(Order, std::uint64_t) -> TileOrder<Order>;

// --- window counts ---
//
// A window consists of several consecutive tiles. A team shares counts for the variables of the current window; each
// warp also has its own counts for the variables of its current tile.

/// The counts of a team, in scratch memory, for the variables of a window.
struct WindowCounts {
  static constexpr int variables = variables_of_window;

  /// raw[v] is the number of test statistics of variable v that reach its threshold.
  std::uint32_t raw[variables];
  /// Let s[v] be the number of maxima that reach the step-down threshold of variable v. step_down[v] is s[v] - s[v -
  /// 1], modulo 2^32.
  std::uint32_t step_down[variables];

  KOKKOS_FUNCTION void clear(int rank, int threads) {
    for (int i = rank; i < variables; i += threads) raw[i] = step_down[i] = 0;
  }

  /// Adds the window's counts, for its first `count` variables, to the totals in global memory (all_raw and
  /// all_step_down).
  KOKKOS_FUNCTION void add_to(std::uint64_t* all_raw, std::uint64_t* all_step_down, int count,
                              int rank, int threads) const {
    for (int i = rank; i < count; i += threads) {
      auto const step = static_cast<std::int64_t>(static_cast<std::int32_t>(step_down[i]));
      if (raw[i] > 0) Kokkos::atomic_add(all_raw + i, std::uint64_t{raw[i]});
      if (step != 0) Kokkos::atomic_add(all_step_down + i, static_cast<std::uint64_t>(step));
    }
  }
};

/// Counts how many test statistics of a warp reach the threshold of each variable in a tile. Each lane has one byte for
/// each of its columns.
template <class Shape>
class ColumnCounts {
 public:
  KOKKOS_FORCEINLINE_FUNCTION void add(int column, std::uint32_t count) {
    words_[column / 4] += count << (8 * (column % 4));
  }

  /// Adds the counts of all lanes to the counts `to` of the tile. No byte overflows, because a warp has fewer than 256
  /// replicates.
  KOKKOS_FORCEINLINE_FUNCTION void add_to(std::uint32_t* to, int lane) const {
    static_assert(Shape::replicates < 256);
    RIFFLE_UNROLL
    for (int w = 0; w < words; ++w) {
      std::uint32_t word = words_[w];
      RIFFLE_UNROLL
      for (int distance = 4; distance < backend::width; distance *= 2) {
        word += backend::from_lane(word, lane ^ distance);
      }
      int const byte = lane / 4;
      if (byte >= 4) continue;
      std::uint32_t const count = word >> (8 * byte) & 0xFF;
      if (count > 0) backend::add_in_scratch(to + Shape::variable(lane, 4 * w + byte), count);
    }
  }

 private:
  static constexpr int words = Shape::columns / 4;
  std::uint32_t words_[words] = {};
};

// --- running maxima ---
//
// The running maximum of each replicate of a warp over the variables, and the counts of maxima that reach each
// step-down threshold.
//
// Step-down thresholds never decrease from a variable to the next (replicate_counter.hpp). The maximum of a replicate
// grows at about ln(G) variables. As long as it does not grow, it reaches the thresholds up to some variable and none
// after it. So the counts are stored as differences: +1 where a maximum grows, and -1 after the last threshold that it
// reaches. `place` is the position of a variable in the order of tiles.
//
//   place         0   1   2   3   4   5   6
//   threshold     1   2   2   3   5   6   9
//   maximum       2   2   2   4   4   4   4       grows at places 0 and 3
//   difference   +1           0  -1               (at 3: -1 for the old maximum, +1 for the new one)
//   prefix sum    1   1   1   1   0   0   0       1 where the maximum reaches the threshold

/// The running maximum of one replicate, in scratch memory.
struct RunningMaximum {
  double value;
  /// The smallest position such that the running maximum reaches no threshold there or at a later position.
  std::uint32_t end;
  /// Whether the maximum reaches the threshold at the position where it last grew.
  std::uint32_t is_counted;
};

class RunningMaxima {
 public:
  /// Requires: `maxima` has `count` elements or more; `terms` has `places` elements, one for each position.
  KOKKOS_FUNCTION RunningMaxima(int lane, int count, RunningMaximum* maxima, WindowCounts& window,
                                TileTerms const* terms, std::uint32_t places)
      : lane_(lane),
        count_(count),
        maxima_(maxima),
        window_(&window),
        terms_(terms),
        places_(places) {}

  KOKKOS_FUNCTION int count() const { return count_; }
  KOKKOS_FUNCTION double value(int replicate) const { return maxima_[replicate].value; }
  KOKKOS_FUNCTION TileTerms const& terms(std::uint64_t place) const { return terms_[place]; }

  /// Must be called before the first window, with cleared counts. The maxima start at minus infinity, which may already
  /// reach thresholds that are minus infinity.
  KOKKOS_FUNCTION void begin() {
    std::uint32_t const end = first_place_above(-HUGE_VAL, 0);
    for (int r = lane_; r < count_; r += backend::width) {
      maxima_[r] = {-HUGE_VAL, end, end > 0 ? 1u : 0u};
      if (end > 0) backend::add_in_scratch(&window_->step_down[0], 1);
    }
    backend::synchronize();
  }

  /// Starts the window at position `first`. `all` contains the differences of counts for all positions.
  KOKKOS_FUNCTION void begin_window(std::uint32_t first, std::uint64_t* all) {
    first_ = first;
    all_ = all;
  }

  /// On each lane with `has_one`, adds a test statistic for a replicate and position `place` in the window. For each
  /// replicate, test statistics must be added in ascending order of `place`: first over the lanes of a call, then over
  /// calls.
  KOKKOS_FUNCTION void add(bool has_one, int replicate, std::uint32_t place,
                           double test_statistic) {
    has_one = has_one && replicate < count_;
    std::uint32_t const end = has_one ? first_place_above(test_statistic, place) : 0;
    std::uint32_t const before = lanes_of_replicate(replicate) & ((1u << lane_) - 1);
    // Each iteration adds, for each replicate, the first test statistic that remains.
    for (std::uint32_t left; (left = backend::ballot(has_one)) != 0;) {
      if (has_one && (left & before) == 0) {
        grow(maxima_[replicate], place, test_statistic, end);
        has_one = false;
      }
      backend::synchronize();
    }
  }

  /// Writes the maxima. Must be called after the last window.
  KOKKOS_FUNCTION void finish(double* to) const {
    for (int r = lane_; r < count_; r += backend::width) {
      if (maxima_[r].is_counted != 0) count_end(maxima_[r].end);
      to[r] = maxima_[r].value;
    }
  }

 private:
  KOKKOS_FUNCTION static std::uint32_t lanes_of_replicate(int replicate) {
    constexpr int bits = 6;
    std::uint32_t equal = ~std::uint32_t{0};
    RIFFLE_UNROLL
    for (int bit = 0; bit < bits; ++bit) {
      bool const is_set = (replicate >> bit & 1) != 0;
      std::uint32_t const set = backend::ballot(is_set);
      equal &= is_set ? set : ~set;
    }
    return equal;
  }

  /// Returns the first position >= place whose threshold exceeds the test statistic.
  KOKKOS_FUNCTION std::uint32_t first_place_above(double test_statistic,
                                                  std::uint32_t place) const {
    std::uint32_t begin = place;
    std::uint32_t end = places_;
    while (begin < end) {
      std::uint32_t const middle = begin + (end - begin) / 2;
      if (terms_[middle].step_down_threshold <= test_statistic) {
        begin = middle + 1;
      } else {
        end = middle;
      }
    }
    return begin;
  }

  KOKKOS_FUNCTION void grow(RunningMaximum& maximum, std::uint32_t place, double test_statistic,
                            std::uint32_t end) const {
    if (!(test_statistic > maximum.value)) return;
    // The thresholds at this and later positions are no longer reached by the old, smaller maximum.
    bool const was_counted = maximum.is_counted != 0;
    if (was_counted && maximum.end > place) {
      backend::add_in_scratch(&window_->step_down[place - first_], ~std::uint32_t{0});
    } else if (was_counted) {
      count_end(maximum.end);
    }
    bool const is_counted = end > place;
    if (is_counted) backend::add_in_scratch(&window_->step_down[place - first_], 1);
    maximum = {test_statistic, end, is_counted ? 1u : 0u};
  }

  KOKKOS_FUNCTION void count_end(std::uint32_t end) const {
    if (end < places_) Kokkos::atomic_add(all_ + end, ~std::uint64_t{0});
  }

  int lane_;
  int count_;
  RunningMaximum* maxima_;
  WindowCounts* window_;
  TileTerms const* terms_;
  std::uint32_t places_;
  std::uint32_t first_ = 0;
  std::uint64_t* all_ = nullptr;
};

// --- the walk ---

/// Runs a kernel that processes tiles. `WarpScratch` is the type of the kernel's per-warp state in scratch memory.
/// kernel.of_warp(part) returns an object with two member functions. count_tile(tile, in_window) counts the test
/// statistics of a tile. end_window() is called after the last tile of a window.
template <class Shape_, class WarpScratch>
struct TileWalk {
  using Shape = Shape_;
  static constexpr int threads = counting_threads;
  static constexpr int warps = threads / backend::width;
  static constexpr int tiles_of_window = WindowCounts::variables / Shape::variables;

  struct State {
    WindowCounts window;
    RunningMaximum maxima[warps][Shape::replicates];
    WarpScratch scratch[warps];
  };
  static constexpr std::size_t scratch_bytes = team_state_bytes<State>;

  /// The argument of of_warp(): a warp's part of the work.
  template <class Member>
  struct Part {
    Member const& team;
    std::uint64_t chunk;
    int lane;
    WindowCounts& window;
    RunningMaxima& maxima;
    WarpScratch& scratch;

    /// Returns a pointer to the counts of a tile's variables.
    KOKKOS_FUNCTION std::uint32_t* raw_of_tile(int in_window) const {
      return window.raw + in_window * Shape::variables;
    }
  };

  static std::uint64_t teams(std::uint64_t replicates) {
    constexpr std::uint64_t of_team = warps * Shape::replicates;
    return (replicates + of_team - 1) / of_team;
  }

  /// Requires: `terms` contains the terms of all variables in all tiles.
  template <class Kernel, class Member>
  KOKKOS_FORCEINLINE_FUNCTION static void run(Kernel const& kernel, Member const& team,
                                              BatchCounts const& counts, TileTerms const* terms,
                                              std::uint64_t tiles) {
    State& state = team_state<State>(team);
    int const rank = team.team_rank();
    int const lane = rank % backend::width;
    int const warp = rank / backend::width;
    std::uint64_t const chunk =
        static_cast<std::uint64_t>(team.league_rank()) * warps + static_cast<std::uint64_t>(warp);
    std::uint64_t const first = chunk * Shape::replicates;
    std::uint64_t const left = counts.replicates > first ? counts.replicates - first : 0;
    auto const own = static_cast<int>(Kokkos::min<std::uint64_t>(left, Shape::replicates));
    RunningMaxima maxima(lane, own, state.maxima[warp], state.window, terms,
                         static_cast<std::uint32_t>(tiles * Shape::variables));
    state.window.clear(rank, threads);
    team.team_barrier();
    maxima.begin();
    // A warp without replicates computes the first chunk again without counting, because it must take part in the
    // barriers of the team.
    auto of_warp = kernel.of_warp(
        Part<Member>{team, left > 0 ? chunk : 0, lane, state.window, maxima, state.scratch[warp]});
    for (std::uint64_t begin = 0; begin < tiles; begin += tiles_of_window) {
      auto const in_window =
          static_cast<int>(Kokkos::min<std::uint64_t>(tiles_of_window, tiles - begin));
      std::uint64_t const place = begin * Shape::variables;
      maxima.begin_window(static_cast<std::uint32_t>(place), counts.step_down);
      RIFFLE_NO_UNROLL
      for (int t = 0; t < in_window; ++t) {
        of_warp.count_tile(begin + static_cast<std::uint64_t>(t), t);
      }
      of_warp.end_window();
      team.team_barrier();
      state.window.add_to(counts.raw + place, counts.step_down + place,
                          in_window * Shape::variables, rank, threads);
      team.team_barrier();
      state.window.clear(rank, threads);
      team.team_barrier();
    }
    maxima.finish(counts.maxima + first);
  }
};

}  // namespace riffle::detail::variables
