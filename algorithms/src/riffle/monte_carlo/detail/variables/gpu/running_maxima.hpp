#pragma once

// The running maxima of a warp's replicates over the variables, and how many of them reach each step-down threshold.
//
// Step-down thresholds never fall from a variable to the next (counting.hpp). So between two places where a replicate's
// maximum grows, some ln(G) in all, it reaches the thresholds of the first variables and of no others: the counts are
// kept as differences, one more where a maximum has grown and one less behind the last threshold that it reaches.

#include <Kokkos_Core.hpp>

#include <cmath>
#include <cstdint>

#include <riffle/backend/backend.hpp>
#include <riffle/monte_carlo/detail/variables/gpu/tile_shape.hpp>
#include <riffle/monte_carlo/detail/variables/gpu/window_counts.hpp>

namespace riffle::detail::variables {

/// In scratch memory, one a replicate.
struct RunningMaximum {
  double value;
  /// The first place from which on it reaches no threshold.
  std::uint32_t end;
  /// Whether it reaches that of the place where it has grown.
  std::uint32_t is_counted;
};

class RunningMaxima {
 public:
  /// `maxima` are of `count` replicates, or more, `terms` of all places.
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

  /// Before the first window, which is clear. What is less than any comparand may reach thresholds: of infinite statistics.
  KOKKOS_FUNCTION void begin() {
    std::uint32_t const end = first_beyond(-HUGE_VAL, 0);
    for (int r = lane_; r < count_; r += backend::width) {
      maxima_[r] = {-HUGE_VAL, end, end > 0 ? 1u : 0u};
      if (end > 0) backend::add_in_scratch(&window_->step_down[0], 1);
    }
    backend::synchronize();
  }

  /// The window begins at that place. `all` are the counts' differences of all places.
  KOKKOS_FUNCTION void begin_window(std::uint32_t first, std::uint64_t* all) {
    first_ = first;
    all_ = all;
  }

  /// Lanes that have one bring the comparand of a replicate at a place of the window. Those of a replicate come in the
  /// order of places, lane by lane and call by call.
  KOKKOS_FUNCTION void add(bool has_one, int replicate, std::uint32_t place, double comparand) {
    has_one = has_one && replicate < count_;
    std::uint32_t const end = has_one ? first_beyond(comparand, place) : 0;
    std::uint32_t const before = lanes_of_replicate(replicate) & ((1u << lane_) - 1);
    // In each round the first of each replicate.
    for (std::uint32_t left; (left = backend::ballot(has_one)) != 0;) {
      if (has_one && (left & before) == 0) {
        grow(maxima_[replicate], place, comparand, end);
        has_one = false;
      }
      backend::synchronize();
    }
  }

  /// Behind the last window.
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

  /// From `place` on, the first place whose threshold is more than the comparand.
  KOKKOS_FUNCTION std::uint32_t first_beyond(double comparand, std::uint32_t place) const {
    std::uint32_t begin = place;
    std::uint32_t end = places_;
    while (begin < end) {
      std::uint32_t const middle = begin + (end - begin) / 2;
      if (terms_[middle].step_down_threshold <= comparand) {
        begin = middle + 1;
      } else {
        end = middle;
      }
    }
    return begin;
  }

  KOKKOS_FUNCTION void grow(RunningMaximum& maximum, std::uint32_t place, double comparand,
                            std::uint32_t end) const {
    if (!(comparand > maximum.value)) return;
    // The lesser maximum reaches nothing from here on.
    bool const was_counted = maximum.is_counted != 0;
    if (was_counted && maximum.end > place) {
      backend::add_in_scratch(&window_->step_down[place - first_], ~std::uint32_t{0});
    } else if (was_counted) {
      count_end(maximum.end);
    }
    bool const is_counted = end > place;
    if (is_counted) backend::add_in_scratch(&window_->step_down[place - first_], 1);
    maximum = {comparand, end, is_counted ? 1u : 0u};
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

}  // namespace riffle::detail::variables
