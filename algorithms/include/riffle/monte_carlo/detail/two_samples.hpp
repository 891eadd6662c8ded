#pragma once

// Difference of means, Welch's t, and any other statistic of the first sample's sum: random subsets of
// the pooled values.

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include <riffle/context.hpp>
#include <riffle/errors.hpp>
#include <riffle/lanes/lanes.hpp>
#include <riffle/monte_carlo/detail/common.hpp>
#include <riffle/monte_carlo/detail/fixed_point.hpp>
#include <riffle/monte_carlo/detail/label_walk.hpp>
#include <riffle/monte_carlo/detail/labels_in_order.hpp>
#include <riffle/monte_carlo/detail/subset_walk.hpp>
#include <riffle/monte_carlo/statistics.hpp>

namespace riffle::detail {

/// A statistic that is a linear function of a sum, by which it is compared: for two samples, that of the first.
struct SumComparand {
  static constexpr bool uses_squares = false;

  double slope;
  double offset;
  FixedPointScale scale;  // the scale of the statistic
  double tie;             // how far sums that tie may differ

  KOKKOS_FUNCTION double operator()(std::int64_t sum, std::int64_t) const {
    return static_cast<double>(sum);
  }
  KOKKOS_FUNCTION double value(double comparand) const {
    return scale.unscale(Kokkos::fma(comparand, slope, offset));
  }
  double tolerance(double) const { return tie; }
};

/// mean(first) - mean(second) = sum(first) (1 / n_1 + 1 / n_2) - total / n_2. Sums tie within the rounding
/// of the data and of their conversion.
template <class Sample>
SumComparand compare_means(double n_1, double n_2, Sample const& sample) {
  double const slope = (n_1 + n_2) / n_1 / n_2;
  return {slope, -static_cast<double>(sample.total) / n_2, sample.scale,
          sample.scale.spread(data_epsilon * sample.largest) / slope + n_1};
}

/// Welch's t, from the sum and the sum of squares of the first sample.
struct WelchComparand {
  static constexpr bool uses_squares = true;

  double n_1;
  double n_2;
  double total;
  double total_of_squares;
  double square_unit;  // squared fixed-point units per unit of the squares
  double relative_error;

  KOKKOS_FUNCTION double operator()(std::int64_t sum, std::int64_t squares) const {
    double const s_1 = static_cast<double>(sum);
    double const s_2 = total - s_1;
    double const q_1 = static_cast<double>(squares) * square_unit;
    double const q_2 = total_of_squares * square_unit - q_1;
    double const mean_1 = s_1 / n_1;
    double const mean_2 = s_2 / n_2;
    double const variance_1 = variance(mean_1, s_1, q_1, n_1);
    double const variance_2 = variance(mean_2, s_2, q_2, n_2);
    return (mean_1 - mean_2) / Kokkos::sqrt(variance_1 / n_1 + variance_2 / n_2);
  }
  KOKKOS_FUNCTION double value(double comparand) const { return comparand; }
  double tolerance(double observed) const {
    return std::isfinite(observed) ? relative_error * std::max(1.0, std::abs(observed)) : 0;
  }

 private:
  KOKKOS_FUNCTION static double variance(double mean, double sum, double squares, double n) {
    return Kokkos::max(0.0, Kokkos::fma(-mean, sum, squares)) / (n - 1);
  }
};

/// Adds item i to the sums of the first sample if it is of group 0.
template <class Comparand, class Values>
KOKKOS_FORCEINLINE_FUNCTION void add_to_first(SubsetSums& sums, Values const& values,
                                              Values const& squares, std::uint32_t i, int group) {
  if (group != 0) return;
  sums.values += values(i);
  if constexpr (Comparand::uses_squares) sums.squares += squares(i);
}

/// The sums of the first sample, as LabelsInOrder asks for them.
template <class Values, class Comparand>
struct SumsOfFirst {
  using Sums = SubsetSums;

  Values values;
  Values squares;
  Comparand compare;

  void add(Sums& sums, std::uint32_t i, int group) const {
    add_to_first<Comparand>(sums, values, squares, i, group);
  }
  void remove(Sums& sums, std::uint32_t i, int group) const {
    if (group != 0) return;
    sums.values -= values(i);
    if constexpr (Comparand::uses_squares) sums.squares -= squares(i);
  }
  void merge(Sums& sums, Sums const& others) const {
    sums.values += others.values;
    sums.squares += others.squares;
  }
  double comparand(Sums const& sums) const { return compare(sums.values, sums.squares); }
};

/// The replicate source of two samples, by the sums of the first.
template <class Values, class Comparand, SubsetWalks Walks>
struct TwoSampleSource {
  static constexpr bool is_per_team = false;
  static constexpr int max_width = 8;
  static constexpr int arrangements_in_order = 256;

  Values values;
  Values squares;  // empty unless Comparand uses them
  GroupSizes<2> groups;
  Numbering numbering;
  Comparand comparand;

  template <int Width>
  KOKKOS_FUNCTION void operator()(std::uint64_t first, double (&comparands)[Width]) const {
    if (numbering.is_exact()) return sum_by_ranks(first, comparands);
    SubsetSums sums[Width];
    sum_random_subsets<Width, Comparand::uses_squares, Walks>(values, squares, groups.size[0],
                                                              numbering.seed, first, sums);
    compare(sums, comparands);
  }

  auto in_order() const {
    SumsOfFirst<Values, Comparand> const sums{values, squares, comparand};
    return LabelsInOrder(groups, numbering.arrangements, sums);
  }

  KOKKOS_FUNCTION double value(double c) const { return comparand.value(c); }

 private:
  template <int Width>
  KOKKOS_FUNCTION void sum_by_ranks(std::uint64_t first, double (&comparands)[Width]) const {
    SubsetSums sums[Width];
    sum_ranked_labels(groups, numbering.arrangements, first, sums,
                      [&](SubsetSums& to, std::uint32_t i, int group) {
                        add_to_first<Comparand>(to, values, squares, i, group);
                      });
    compare(sums, comparands);
  }

  template <int Width>
  KOKKOS_FUNCTION void compare(SubsetSums const (&sums)[Width], double (&comparands)[Width]) const {
    for (int w = 0; w < Width; ++w) comparands[w] = comparand(sums[w].values, sums[w].squares);
  }
};

template <class Values, class Comparand>
class TwoSampleProblem {
 public:
  static constexpr bool has_one_tail = false;

  TwoSampleProblem(Values values, Values squares, GroupSizes<2> groups, Comparand comparand,
                   double observed)
      : values_(values),
        squares_(squares),
        groups_(groups),
        comparand_(comparand),
        observed_(observed) {}

  std::uint64_t count_arrangements(std::uint64_t limit) const {
    return count_assignments(groups_, limit);
  }
  double observed_comparand() const { return observed_; }
  double tolerance(double observed) const { return comparand_.tolerance(observed); }
  double value(double comparand) const { return comparand_.value(comparand); }

  template <class Visitor>
  auto visit_source(Numbering numbering, Visitor const& visitor) const {
    if constexpr (lanes::is_cpu<typename Values::execution_space>) {
      return visitor(source<SubsetWalks::any>(numbering));
    } else if (are_few_items(groups_.total())) {
      return visitor(source<SubsetWalks::of_few_items>(numbering));
    } else {
      return visitor(source<SubsetWalks::of_more_items>(numbering));
    }
  }

 private:
  template <SubsetWalks Walks>
  auto source(Numbering numbering) const {
    return TwoSampleSource<Values, Comparand, Walks>{values_, squares_, groups_, numbering,
                                                     comparand_};
  }

  Values values_;
  Values squares_;
  GroupSizes<2> groups_;
  Comparand comparand_;
  double observed_;
};

template <class X, class Y>
GroupSizes<2> two_groups(X const& x, Y const& y) {
  GroupSizes<2> groups;
  groups.size = {static_cast<std::uint32_t>(x.extent(0)), static_cast<std::uint32_t>(y.extent(0))};
  groups.count = 2;
  return groups;
}

template <class X, class Y>
void check_samples(char const* function, X const& x, Y const& y, std::uint64_t least) {
  for (auto const& [name, size] : {std::pair{"x", x.extent(0)}, std::pair{"y", y.extent(0)}}) {
    check(size >= least, function, name, ".extent(0) = ", size, ": must be at least ", least);
  }
  check_sizes(function, x.extent(0) + y.extent(0));
}

template <class Exec, class X, class Y>
auto make_problem(char const* function, Context<Exec> const& context, DifferenceOfMeans, X const& x,
                  Y const& y) {
  check_samples(function, x, y, 1);
  std::uint64_t const n = x.extent(0) + y.extent(0);
  auto const sample = make_fixed_point(function, context, bits_for_sum(n), x, y);
  auto const first = exact_sum(context, sample.values, 0, x.extent(0));
  auto const comparand =
      compare_means(static_cast<double>(x.extent(0)), static_cast<double>(y.extent(0)), sample);
  using Values = decltype(sample.values);
  return TwoSampleProblem<Values, SumComparand>(sample.values, {}, two_groups(x, y), comparand,
                                                comparand(first, 0));
}

template <class Exec, class X, class Y>
auto make_problem(char const* function, Context<Exec> const& context, WelchT, X const& x,
                  Y const& y) {
  check_samples(function, x, y, 2);
  std::uint64_t const n = x.extent(0) + y.extent(0);
  int const bits = bits_for_sum(n);
  auto const sample = make_fixed_point(function, context, bits, x, y);
  check_not_constant(function, sample.is_constant(), "x and y");
  auto const squares = make_squares(context, sample.values, bits);
  WelchComparand const comparand{static_cast<double>(x.extent(0)),
                                 static_cast<double>(y.extent(0)),
                                 static_cast<double>(sample.total),
                                 static_cast<double>(exact_sum(context, squares, 0, n)),
                                 std::ldexp(1.0, bits),
                                 relative_error(sample)};
  double const observed = comparand(exact_sum(context, sample.values, 0, x.extent(0)),
                                    exact_sum(context, squares, 0, x.extent(0)));
  using Values = decltype(sample.values);
  return TwoSampleProblem<Values, WelchComparand>(sample.values, squares, two_groups(x, y),
                                                  comparand, observed);
}

}  // namespace riffle::detail
