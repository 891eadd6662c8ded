#include "histogram.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "input_error.hpp"

namespace example {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// The values in order, all of them and each only once.
struct Sorted {
  std::vector<double> all;
  std::vector<double> distinct;
  double tolerance = 0;  // values no further apart are one: other summation orders, other last bits

  Sorted(std::vector<double> values, double observed) : all(std::move(values)) {
    std::sort(all.begin(), all.end());
    double const range = all.back() - all.front();
    tolerance = std::max(1e-9 * range, 1e-14 * std::abs(observed));
    for (double const value : all) {
      if (distinct.empty() || value - distinct.back() > tolerance) distinct.push_back(value);
    }
  }

  std::uint64_t below(double x) const {
    return static_cast<std::uint64_t>(std::lower_bound(all.begin(), all.end(), x) - all.begin());
  }

  // Midway between distinct values i-1 and i; beyond all values for the first and last i.
  double middle(std::size_t i) const {
    if (i == 0) return -infinity;
    if (i == distinct.size()) return infinity;
    return distinct[i - 1] + (distinct[i] - distinct[i - 1]) / 2;
  }

  // The place of the middle that is nearest to x.
  std::size_t nearest_middle(double x) const {
    auto const above = std::upper_bound(distinct.begin(), distinct.end(), x) - distinct.begin();
    auto const i = static_cast<std::size_t>(above);
    std::size_t nearest = i;
    for (std::size_t const j : {i - std::min<std::size_t>(i, 1), i + 1}) {
      if (j > distinct.size()) continue;
      if (std::abs(middle(j) - x) < std::abs(middle(nearest) - x)) nearest = j;
    }
    return nearest;
  }

  // The border below which about `count` of the lowest values lie.
  double border_above_lowest(std::uint64_t count) const {
    if (count == 0) return -infinity;
    if (count >= all.size()) return infinity;
    double const last = all[count - 1] + tolerance;
    auto const i = static_cast<std::size_t>(
        std::upper_bound(distinct.begin(), distinct.end(), last) - distinct.begin());
    // Ties: with the last distinct value or without it, whichever comes nearer to `count`.
    std::uint64_t const with = below(middle(i)) - count;
    std::uint64_t const without = count - below(middle(i - 1));
    return i > 1 && without < with ? middle(i - 1) : middle(i);
  }
};

// What counts for p: values below `low` and values from `high` on.
struct Tails {
  double low = -infinity;
  double high = infinity;
  double anchor = 0;  // the border that is at the observed statistic
};

Tails tails_of(Sorted const& sorted, double observed, Alternative alternative) {
  auto const& distinct = sorted.distinct;
  auto const place = [&](auto at) { return static_cast<std::size_t>(at - distinct.begin()); };
  // Outside of all values there is no neighbour to stand midway to.
  auto const border = [&](std::size_t i) {
    return i == 0 || i == distinct.size() ? observed : sorted.middle(i);
  };
  double const high = border(
      place(std::lower_bound(distinct.begin(), distinct.end(), observed - 2 * sorted.tolerance)));
  double const low = border(
      place(std::upper_bound(distinct.begin(), distinct.end(), observed + 2 * sorted.tolerance)));
  std::uint64_t const n = sorted.all.size();
  std::uint64_t const above = n - sorted.below(high == observed ? high - sorted.tolerance : high);
  std::uint64_t const below = sorted.below(low == observed ? low + sorted.tolerance : low);

  if (alternative == Alternative::less) return {below == n ? infinity : low, infinity, low};
  if (alternative == Alternative::greater) return {-infinity, above == n ? -infinity : high, high};
  if (below < above) return {low, sorted.border_above_lowest(n - below), low};
  return {sorted.border_above_lowest(above), high, high};
}

double median_step(std::vector<double> const& distinct) {
  if (distinct.size() < 2) return 1;
  std::vector<double> steps;
  for (std::size_t i = 1; i < distinct.size(); ++i) steps.push_back(distinct[i] - distinct[i - 1]);
  auto const median = steps.begin() + static_cast<std::ptrdiff_t>(steps.size() / 2);
  std::nth_element(steps.begin(), median, steps.end());
  return *median;
}

// The ends of the picture and the borders of the tails: edges that must be.
std::vector<double> fixed_edges(Sorted const& sorted, Tails const& tails, double step) {
  double const lowest = sorted.all.front();
  double const highest = sorted.all.back();
  std::vector<double> edges{lowest - step / 2, highest + step / 2};
  for (double const border : {tails.low, tails.high}) {
    if (border > lowest && border <= highest) edges.push_back(border);
  }
  return edges;
}

// Edges in order, about `width` apart.
std::vector<double> edges_of(Sorted const& sorted, Tails const& tails, double step, double width) {
  double const lowest = sorted.all.front();
  auto const fixed = fixed_edges(sorted, tails, step);
  auto const snapped = [&](double x) {
    double const middle = sorted.middle(sorted.nearest_middle(x));
    return std::abs(middle - x) <= width / 2 ? middle : x;
  };
  // Too near to a fixed edge a bar would be a splinter, its height mostly noise.
  auto const is_free = [&](double x) {
    return std::none_of(fixed.begin(), fixed.end(),
                        [&](double edge) { return std::abs(x - edge) < 0.45 * width; });
  };
  std::vector<double> edges = fixed;
  double const first = tails.anchor - width * std::floor((tails.anchor - lowest) / width);
  for (std::uint64_t i = 0; first + static_cast<double>(i) * width < sorted.all.back(); ++i) {
    double const edge = snapped(first + static_cast<double>(i) * width);
    if (is_free(edge)) edges.push_back(edge);
  }
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  return edges;
}

}  // namespace

double Histogram::share(Bar const& bar) const {
  return static_cast<double>(bar.count) / static_cast<double>(size) * width /
         (bar.right - bar.left);
}

Histogram make_histogram(std::vector<double> values, double observed, Alternative alternative,
                         unsigned bins) {
  // A t or an F whose denominator is zero has no place on the axis.
  std::erase_if(values, [](double value) { return !std::isfinite(value); });
  if (values.empty()) throw InputError("the null distribution has no finite value to draw");
  Sorted const sorted(std::move(values), observed);
  double const range = sorted.all.back() - sorted.all.front();
  if (!std::isfinite(4 * range)) {
    throw InputError("the null distribution spans too wide a range to draw");
  }
  Tails const tails = tails_of(sorted, observed, alternative);

  Histogram histogram;
  double const step = median_step(sorted.distinct);
  histogram.width = std::max(range / bins, step);  // more bars than values would leave gaps
  histogram.observed = observed;
  histogram.size = sorted.all.size();
  auto const edges = edges_of(sorted, tails, step, histogram.width);
  for (std::size_t i = 1; i < edges.size(); ++i) {
    double const left = edges[i - 1];
    double const right = edges[i];
    histogram.bars.push_back({left, right, sorted.below(right) - sorted.below(left),
                              right <= tails.low || left >= tails.high});
  }
  return histogram;
}

}  // namespace example
