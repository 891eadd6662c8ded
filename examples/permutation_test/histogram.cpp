#include "histogram.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "input_error.hpp"

namespace example {
namespace {

// Values that differ by at most a tolerance are taken as equal: the order of summation changes their last bits.
struct Value {
  double value = 0;
  std::uint64_t count = 0;
};

double tolerance_of(std::vector<double> const& sorted, double observed) {
  return std::max(1e-9 * (sorted.back() - sorted.front()), 1e-14 * std::abs(observed));
}

std::vector<Value> distinct_values(std::vector<double> const& sorted, double tolerance) {
  std::vector<Value> distinct;
  for (double const value : sorted) {
    if (distinct.empty() || value - distinct.back().value > tolerance) distinct.push_back({value});
    ++distinct.back().count;
  }
  return distinct;
}

// How many of the lowest and of the highest values are extreme, and the side of the observed statistic.
struct Tails {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  bool is_observed_low = false;
};

Tails tails_of(std::vector<Value> const& distinct, double observed, double tolerance,
               Alternative alternative, double middle) {
  // Two-sided: values on both sides are extreme if they are at least as far from the middle as the observed one.
  bool const is_by_distance = alternative == Alternative::two_sided;
  double const mirrored = is_by_distance ? 2 * middle - observed : observed;
  double const last_low = std::min(observed, mirrored) + 2 * tolerance;
  double const first_high = std::max(observed, mirrored) - 2 * tolerance;
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  std::uint64_t size = 0;
  for (auto const& [value, count] : distinct) {
    if (value <= last_low) low += count;
    if (value >= first_high) high += count;
    size += count;
  }
  if (alternative == Alternative::less) return {low, 0, true};
  if (alternative == Alternative::greater) return {0, high, false};
  if (is_by_distance) {
    if (low + high >= size) return {size, 0, observed < middle};
    return {low, high, observed < middle};
  }
  std::uint64_t const smaller = std::min(low, high);
  if (2 * smaller >= size) return {size, 0, low < high};
  return {smaller, smaller, low < high};
}

// The step of which all distances are whole multiples; 0 if there is none.
double lattice_step(std::vector<Value> const& distinct) {
  constexpr double max_steps = 1e6;
  if (distinct.size() < 2) return 0;
  double step = std::numeric_limits<double>::infinity();
  for (std::size_t i = 1; i < distinct.size(); ++i) {
    step = std::min(step, distinct[i].value - distinct[i - 1].value);
  }
  double const range = distinct.back().value - distinct.front().value;
  if (range / step > max_steps) return 0;
  step = range / std::round(range / step);
  for (auto const& [value, count] : distinct) {
    double const steps = (value - distinct.front().value) / step;
    if (std::abs(steps - std::round(steps)) > 0.01) return 0;
  }
  return step;
}

struct Grid {
  double left = 0;
  double width = 1;
  std::size_t bars = 1;

  std::size_t bar_of(double value) const {
    return std::min(static_cast<std::size_t>(std::max((value - left) / width, 0.0)), bars - 1);
  }
};

// Bars with an edge between the extreme values on the observed side and the other values.
Grid grid_of(std::vector<Value> const& distinct, double observed, double tolerance,
             bool is_observed_low, unsigned bins) {
  double const lowest = distinct.front().value;
  double const range = distinct.back().value - lowest;
  if (range == 0) return {lowest - 0.5, 1, 1};
  double const step = lattice_step(distinct);
  double const steps_of_bar = std::max(std::ceil((range / step + 1) / bins - 1e-9), 1.0);
  double const width = step > 0 ? steps_of_bar * step : range / bins;
  double const beyond = step > 0 ? step / 2 : 2 * tolerance;
  double const border = is_observed_low ? observed + beyond : observed - beyond;
  double const below = step > 0 ? lowest - step / 4 : lowest;
  double const left = border - width * std::ceil((border - below) / width);
  return {left, width,
          static_cast<std::size_t>(std::floor((distinct.back().value - left) / width)) + 1};
}

// The part of [begin, end) outside [low, high).
std::uint64_t count_outside(std::uint64_t begin, std::uint64_t end, std::uint64_t low,
                            std::uint64_t high) {
  std::uint64_t const inside_begin = std::max(begin, low);
  std::uint64_t const inside_end = std::min(end, high);
  return end - begin - (inside_end > inside_begin ? inside_end - inside_begin : 0);
}

}  // namespace

Histogram make_histogram(std::vector<double> values, double observed, Alternative alternative,
                         unsigned bins, double middle) {
  // A t or F statistic with denominator zero is infinite and cannot be drawn.
  std::erase_if(values, [](double value) { return !std::isfinite(value); });
  if (values.empty()) throw InputError("the null distribution has no finite value to draw");
  std::sort(values.begin(), values.end());
  if (!std::isfinite(4 * (values.back() - values.front()))) {
    throw InputError("the null distribution spans too wide a range to draw");
  }
  double const tolerance = tolerance_of(values, observed);
  auto const distinct = distinct_values(values, tolerance);
  Tails const tails = tails_of(distinct, observed, tolerance, alternative, middle);
  Grid const grid = grid_of(distinct, observed, tolerance, tails.is_observed_low, bins);

  Histogram histogram;
  histogram.width = grid.width;
  histogram.observed = observed;
  histogram.size = values.size();
  auto const edge = [&](std::size_t bar) {
    return grid.left + static_cast<double>(bar) * grid.width;
  };
  for (std::size_t bar = 0; bar < grid.bars; ++bar) {
    histogram.bars.push_back({edge(bar), edge(bar + 1)});
  }
  std::uint64_t begin = 0;
  for (auto const& [value, count] : distinct) {
    auto& bar = histogram.bars[grid.bar_of(value)];
    bar.count += count;
    bar.extreme += count_outside(begin, begin + count, tails.low, histogram.size - tails.high);
    begin += count;
  }
  return histogram;
}

}  // namespace example
