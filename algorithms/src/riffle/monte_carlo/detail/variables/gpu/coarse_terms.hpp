#pragma once

// What a coarse sum says of a statistic without the rest of its digits.
//
// A variable's values y stand beside numbers c of few digits, c = s y + what is rounded. A sum T of them is off from s
// times that of the values by no more than
//   e = the sum of all that is rounded up, or of all that is rounded down, whichever is more,
// for any set of observations: T - e > s t says that the sum exceeds t, T + e < s t that it does not, and what lies
// between is rare. Maxima are kept by bounds from above alike. Comparisons are made of floats; all of their roundings lie
// within margins below.

#include <Kokkos_Core.hpp>

#include <cmath>
#include <cstdint>

#include <riffle/backend/backend.hpp>
#include <riffle/backend/floating_point.hpp>
#include <riffle/context.hpp>
#include <riffle/monte_carlo/alternative.hpp>
#include <riffle/monte_carlo/detail/variables/comparand.hpp>
#include <riffle/monte_carlo/detail/variables/gpu/digit_tiles.hpp>
#include <riffle/monte_carlo/detail/variables/gpu/tile_shape.hpp>
#include <riffle/monte_carlo/detail/variables/prepare.hpp>

namespace riffle::detail::variables {

/// Of a coarse sum x, without its sign where both sides count.
struct alignas(16) CoarseTerms {
  float slope;
  float start;
  float factor;
  float slack;

  /// 1 where the statistic reaches its threshold, 0 where it does not, between where more digits are needed.
  KOKKOS_FORCEINLINE_FUNCTION float reaches(float x) const {
    return backend::saturate(Kokkos::fma(x, slope, start));
  }
  /// No comparand is larger.
  KOKKOS_FORCEINLINE_FUNCTION float bound(float x) const { return Kokkos::fma(x, factor, slack); }
  /// Nor is any less.
  KOKKOS_FORCEINLINE_FUNCTION float least(float x) const { return Kokkos::fma(x, factor, -slack); }
};

/// The numbers c of a variable.
struct CoarseValues {
  double scale = 1;
  /// e.
  double error = 0;
  /// The sum of their sizes: no T is larger.
  double size = 0;

  template <class Values>
  KOKKOS_FUNCTION CoarseValues(Values const& values, std::uint64_t n, double most) {
    double largest = 0;
    for (std::uint64_t i = 0; i < n; ++i) largest = Kokkos::max(largest, Kokkos::abs(values(i)));
    if (largest > most) scale = most / largest;
    double up = 0;
    double down = 0;
    for (std::uint64_t i = 0; i < n; ++i) {
      double const coarse = rounded(values(i), scale);
      double const rest = Kokkos::fma(values(i), scale, -coarse);
      up += Kokkos::max(rest, 0.0);
      down += Kokkos::max(-rest, 0.0);
      size += Kokkos::abs(coarse);
    }
    error = Kokkos::max(up, down);
  }

  KOKKOS_FUNCTION static double rounded(double value, double scale) {
    return Kokkos::floor(Kokkos::fma(value, scale, 0.5));
  }
};

class MakeCoarseTerms {
 public:
  KOKKOS_FUNCTION MakeCoarseTerms(CoarseValues const& values, TileTerms const& own,
                                  Alternative alternative)
      : values_(values),
        threshold_(own.threshold),
        factor_(own.factor),
        is_two_sided_(alternative == Alternative::two_sided),
        sign_(alternative == Alternative::less ? -1.0f : 1.0f) {}

  KOKKOS_FUNCTION CoarseTerms operator()() const {
    CoarseTerms terms = always();
    set_bound(terms);
    // Comparands of what is no sum times a number above 0, as of no number at all, are found by all digits.
    if (!(factor_ > 0) || detail::is_nan(threshold_)) return undecided(terms);
    // Far from all sums, and within infinities.
    double const reach = 2 * (values_.size + values_.error + 1);
    double const at = threshold_ / factor_ * values_.scale;
    if (at > reach) {
      terms.start = -HUGE_VALF;
    } else if (at >= (is_two_sided_ ? 0 : -reach)) {
      set_threshold(at, terms);
    }
    return terms;
  }

 private:
  /// What floats hold.
  static constexpr double most_exact = 0x1p24;

  KOKKOS_FUNCTION static CoarseTerms always() { return {0, HUGE_VALF, 0, HUGE_VALF}; }
  KOKKOS_FUNCTION static CoarseTerms undecided(CoarseTerms terms) {
    terms.start = 0.5f;
    terms.slope = 0;
    return terms;
  }

  KOKKOS_FUNCTION void set_bound(CoarseTerms& terms) const {
    double const factor = factor_ / values_.scale * (1 + 0x1p-20);
    if (!(factor > 1e-30 && factor < 1e30)) return;
    terms.factor = sign_ * static_cast<float>(factor);
    terms.slack = static_cast<float>((values_.error + 0x1p-18 * (values_.size + 1)) * factor);
  }

  KOKKOS_FUNCTION void set_threshold(double at, CoarseTerms& terms) const {
    if (values_.scale == 1 && values_.error == 0 && values_.size < most_exact) {
      terms.slope = sign_;
      terms.start = static_cast<float>(1 - least_that_reaches(at));
      return;
    }
    // Thresholds lie so far from the ends, 1/18 of the window, that no rounding moves them out.
    double const half =
        1.125 * (values_.error + 0x1p-19 * (Kokkos::abs(at) + values_.size) + 0x1p-10);
    terms.slope = sign_ * static_cast<float>(0.5 / half);
    terms.start = static_cast<float>(0.5 - at / (2 * half));
  }

  /// The least whole number whose comparand reaches the threshold, which is about `at`.
  KOKKOS_FUNCTION double least_that_reaches(double at) const {
    double least = Kokkos::ceil(at);
    while ((least - 1) * factor_ >= threshold_) --least;
    while (least * factor_ < threshold_) ++least;
    return least;
  }

  CoarseValues values_;
  double threshold_;
  double factor_;
  bool is_two_sided_;
  float sign_;
};

/// The whole numbers of coarse digits.
template <class Memory>
struct CoarseScale {
  Array<Memory> scales;
  KOKKOS_FUNCTION double operator()(std::uint64_t place, double value) const {
    return CoarseValues::rounded(value, scales(place));
  }
};

}  // namespace riffle::detail::variables
