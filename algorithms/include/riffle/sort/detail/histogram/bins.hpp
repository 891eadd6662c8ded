#pragma once

// The bin of each element of a histogram. bin(i) is a number less than the number of bins, or another number if element i is in no
// bin.

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include <riffle/backend/floating_point.hpp>

namespace riffle::detail::histogram {

/// `count` bins of equal width. Bin b begins at edge(b) and ends before edge(b + 1); the last bin ends with `upper`. The edges
/// ascend, but neighbours are equal if bins are narrower than the distance of two doubles.
class EqualBins {
 public:
  EqualBins(double lower, double upper, std::uint64_t count)
      : lower_(lower),
        upper_(upper),
        width_(upper - lower),
        count_(count),
        real_count_(static_cast<double>(count)),
        scale_(real_count_ / width_),
        margin_(
            std::ldexp(real_count_ + std::max(std::abs(lower), std::abs(upper)) * scale_, -49)) {}

  /// Whether no value between the bounds can overflow.
  bool is_valid() const {
    return is_finite(lower_) && is_finite(upper_) && lower_ < upper_ &&
           is_finite(width_ * real_count_) && is_finite(scale_);
  }

  KOKKOS_FUNCTION std::uint64_t operator()(double value) const {
    // The place is compared with the edges only if it is so near to an integer that rounding errors could have changed its integer
    // part.
    double const outside = real_count_ + 0.5;
    double place = (value - lower_) * scale_;
    place = value >= lower_ ? place : outside;
    place = value <= upper_ ? place : outside;
    place = is_nan(value) ? outside : place;
    auto const bin = static_cast<std::int64_t>(place);
    double const fraction = place - static_cast<double>(bin);
    if ((fraction < margin_) | (fraction > 1 - margin_)) {
      return place == outside ? count_ : find(value, static_cast<std::uint64_t>(bin));
    }
    return static_cast<std::uint64_t>(bin);
  }

 private:
  // A compiler cannot contract this to a fused multiply-add, because the sum is of a quotient.
  KOKKOS_FUNCTION double edge(std::uint64_t b) const {
    double const computed = lower_ + static_cast<double>(b) * width_ / real_count_;
    return computed < upper_ ? computed : upper_;
  }

  /// Returns the last bin that does not begin after the value, which is between the bounds. The bin is near `guess`.
  KOKKOS_FUNCTION std::uint64_t find(double value, std::uint64_t guess) const {
    std::uint64_t low = guess < count_ ? guess : count_ - 1;
    for (std::uint64_t step = 1; low > 0 && value < edge(low); step *= 2) {
      low -= step < low ? step : low;
    }
    std::uint64_t high = low + 1;
    for (std::uint64_t step = 1; high < count_ && value >= edge(high); step *= 2) {
      low = high;
      high += step;
    }
    if (high > count_) high = count_;
    while (high - low > 1) {
      std::uint64_t const middle = low + (high - low) / 2;
      (value < edge(middle) ? high : low) = middle;
    }
    return low;
  }

  double lower_;
  double upper_;
  double width_;
  std::uint64_t count_;
  double real_count_;
  double scale_;
  double margin_;
};

/// Bin b begins at edges(b) and ends before edges(b + 1); the last bin ends with the last edge.
template <class Edges>
struct BinsBetweenEdges {
  Edges edges;

  template <class Value>
  KOKKOS_FUNCTION std::uint64_t operator()(Value const& value) const {
    std::uint64_t low = 0;
    std::uint64_t high = edges.extent(0) - 1;
    if (is_nan(value) || value < edges(0) || value > edges(high)) return high;
    while (high - low > 1) {
      std::uint64_t const middle = low + (high - low) / 2;
      (value < edges(middle) ? high : low) = middle;
    }
    return low;
  }
};

/// The bins of values, which are a View or a function of i.
template <class Values, class Bins>
struct BinsOfValues {
  Values values;
  Bins bins;

  KOKKOS_FUNCTION std::uint64_t operator()(std::uint64_t i) const {
    if constexpr (std::is_same_v<Bins, EqualBins>) {
      return bins(static_cast<double>(values(i)));
    } else {
      return bins(values(i));
    }
  }
};

}  // namespace riffle::detail::histogram
