#pragma once

// Tests of the difference of means, Welch's t, and other functions of the sum of the first sample. Random or enumerated
// subsets of the pooled values take the place of the first sample.

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include <riffle/backend/backend.hpp>
#include <riffle/backend/floating_point.hpp>
#include <riffle/context.hpp>
#include <riffle/errors.hpp>
#include <riffle/monte_carlo/detail/arrangement_numbers.hpp>
#include <riffle/monte_carlo/detail/compared_problem.hpp>
#include <riffle/monte_carlo/detail/exact_order.hpp>
#include <riffle/monte_carlo/detail/fixed_point.hpp>
#include <riffle/monte_carlo/detail/label_walk.hpp>
#include <riffle/monte_carlo/detail/labels_in_order.hpp>
#include <riffle/monte_carlo/detail/numeric_views.hpp>
#include <riffle/monte_carlo/detail/replicates.hpp>
#include <riffle/monte_carlo/detail/subset_walk.hpp>
#include <riffle/monte_carlo/statistics.hpp>
#include <riffle/monte_carlo/tuning.hpp>

namespace riffle::detail {

/// Computes a statistic that is a linear function of a sum. The test statistic is this sum: for two samples, the sum of
/// the first sample.
struct SumStatistic {
  static constexpr bool uses_squares = false;

  double slope;
  double offset;
  FixedPointScale scale;  // the scale of the statistic
  double tie;             // sums tie if they differ by at most this; less than 1 if sums are exact
  std::int64_t base =
      0;  // subtracted from the sums, so that sums close to the observed one are exact as doubles

  KOKKOS_FUNCTION double operator()(std::int64_t sum, std::int64_t) const {
    return static_cast<double>(sum - base);
  }
  KOKKOS_FUNCTION double value(double test_statistic) const {
    return scale.unscale(Kokkos::fma(test_statistic, slope, offset));
  }
  double tolerance(double) const { return tie; }

  /// For whole sums of magnitude at most `largest`: lets only equal sums tie.
  void compare_exactly(std::int64_t observed, double largest) {
    constexpr double all_whole = 0x1p53;
    tie = 0.5;
    if (largest < all_whole) return;
    base = observed;
    offset = Kokkos::fma(static_cast<double>(base), slope, offset);
  }

  /// Returns a copy whose base is `whole`. Do not call value() on the copy, because value() assumes the original base.
  SumStatistic with_base(int128 whole) const {
    SumStatistic other = *this;
    other.base = static_cast<std::int64_t>(whole);
    return other;
  }

  /// Returns the mirror of the observed sum. twice_middle / count is twice the expected sum under the null hypothesis.
  Mirror mirror(std::int64_t observed, int128 twice_middle = 0, int128 count = 1) const {
    return mirror_of_sum(observed, twice_middle, count, base);
  }
};

/// Returns the statistic mean(first) - mean(second) = sum(first) (1 / n_1 + 1 / n_2) - total / n_2. `observed` is the
/// observed sum of the first sample. Sums tie if they differ by no more than the rounding errors of the data and of
/// their conversion; exact sums tie if they are equal.
template <class Sample>
SumStatistic compare_means(double n_1, double n_2, Sample const& sample, std::int64_t observed) {
  double const slope = (n_1 + n_2) / n_1 / n_2;
  SumStatistic test_statistic{slope, -static_cast<double>(sample.total) / n_2, sample.scale,
                              sample.scale.spread(data_epsilon * sample.largest) / slope + n_1};
  if (sample.is_exact) {
    test_statistic.compare_exactly(observed, (n_1 + n_2) * static_cast<double>(sample.reach));
  }
  return test_statistic;
}

/// Computes Welch's t from the sum and the sum of squares of the first sample.
struct WelchStatistic {
  static constexpr bool uses_squares = true;

  double n_1;
  double n_2;
  double total;
  double total_of_squares;
  double square_unit;  // the unit of the squares, in squared fixed-point units
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
  KOKKOS_FUNCTION double value(double test_statistic) const { return test_statistic; }
  double tolerance(double observed) const {
    return is_finite(observed) ? relative_error * std::max(1.0, std::abs(observed)) : 0;
  }

 private:
  KOKKOS_FUNCTION static double variance(double mean, double sum, double squares, double n) {
    return Kokkos::max(0.0, Kokkos::fma(-mean, sum, squares)) / (n - 1);
  }
};

/// Adds item i to the sums of the first sample if `group` is 0.
template <class TestStatistic, class Values>
KOKKOS_FORCEINLINE_FUNCTION void add_to_first(SubsetSums& sums, Values const& values,
                                              Values const& squares, std::uint32_t i, int group) {
  if (group != 0) return;
  sums.values += values(i);
  if constexpr (TestStatistic::uses_squares) sums.squares += squares(i);
}

/// The Statistic that LabelsInOrder needs to enumerate the sums of the first sample.
template <class Values, class TestStatistic>
struct SumsOfFirst {
  using Sums = SubsetSums;

  Values values;
  Values squares;
  TestStatistic compare;

  KOKKOS_FUNCTION void add(Sums& sums, std::uint32_t i, int group) const {
    add_to_first<TestStatistic>(sums, values, squares, i, group);
  }
  void remove(Sums& sums, std::uint32_t i, int group) const {
    if (group != 0) return;
    sums.values -= values(i);
    if constexpr (TestStatistic::uses_squares) sums.squares -= squares(i);
  }
  void merge(Sums& sums, Sums const& others) const {
    sums.values += others.values;
    sums.squares += others.squares;
  }
  double test_statistic(Sums const& sums) const { return compare(sums.values, sums.squares); }
};

/// The replicate source for two samples: it computes the sums of the first sample.
template <class Values, class TestStatistic, SubsetWalks Walks>
struct TwoSampleSource {
  static constexpr bool is_per_team = false;
  static constexpr int max_width = max_sums_side_by_side;
  static constexpr int arrangements_in_order = arrangements_of_groups_in_order;

  Values values;
  Values squares;  // empty unless TestStatistic uses them
  GroupSizes<2> groups;
  Numbering numbering;
  TestStatistic test_statistic;

  template <int Width>
  KOKKOS_FUNCTION void operator()(std::uint64_t first, double (&test_statistics)[Width]) const {
    if (numbering.is_exact()) return sum_by_ranks(first, test_statistics);
    SubsetSums sums[Width];
    sum_random_subsets<Width, TestStatistic::uses_squares, Walks>(values, squares, groups.size[0],
                                                                  numbering.seed, first, sums);
    compare(sums, test_statistics);
  }

  auto in_order() const {
    SumsOfFirst<Values, TestStatistic> const sums{values, squares, test_statistic};
    return LabelsInOrder(groups, numbering.arrangements, sums);
  }

  KOKKOS_FUNCTION double value(double c) const { return test_statistic.value(c); }

 private:
  template <int Width>
  KOKKOS_FUNCTION void sum_by_ranks(std::uint64_t first, double (&test_statistics)[Width]) const {
    SubsetSums sums[Width];
    sum_ranked_labels(groups, numbering.arrangements, first, sums,
                      [&](SubsetSums& to, std::uint32_t i, int group) {
                        add_to_first<TestStatistic>(to, values, squares, i, group);
                      });
    compare(sums, test_statistics);
  }

  template <int Width>
  KOKKOS_FUNCTION void compare(SubsetSums const (&sums)[Width],
                               double (&test_statistics)[Width]) const {
    for (int w = 0; w < Width; ++w)
      test_statistics[w] = test_statistic(sums[w].values, sums[w].squares);
  }
};

/// Compares Welch's t of an enumerated replicate with the observed one, exactly.
template <class Values>
struct WelchOrder {
  Values values;
  GroupSizes<2> groups;
  std::uint64_t arrangements;
  WholeWelch welch;
  SignedSquare observed;

  KOKKOS_FUNCTION OrderOfReplicate operator()(std::uint64_t r) const {
    int128 sum = 0;
    int128 squares = 0;
    walk_ranked_labels(groups, arrangements, r, [&](std::uint32_t i, int group) {
      if (group != 0) return;
      int128 const x = values(i);
      sum += x;
      squares += x * x;
    });
    auto const found = welch(sum, squares);
    return {order_of(found, observed), order_of(found.magnitude(), observed.magnitude())};
  }

  /// Returns an object that counts exactly. Let c be the greater of n_1 (n_1 - 1) / (n_2 (n_2 - 1)) and its reciprocal.
  /// The rounding errors of the variances are proportional to the total sum of squares, so the relative error of t in
  /// doubles is about c (1 + 2 t^2) 2^-50. If |t| >= 2^20 / sqrt(c), the error is so large that the value of t shows
  /// only that the exact |t| is at least half of this limit.
  CountSidesExactly<WelchOrder> counting(double t) const {
    auto const squared = [&](int g) {
      auto const size = static_cast<double>(groups.size[g]);
      return size * (size - 1);
    };
    double const ratio = std::max(squared(0), squared(1)) / std::min(squared(0), squared(1));
    double const far = 0x1p20 / std::sqrt(ratio);
    double const size = std::min(std::abs(t), far);
    double const error = (1 + size) * (1 + 2 * size * size) * ratio * 0x1p-44;
    if (size < far) return {*this, t - error, t + error};
    double const infinity = hidden_infinity();
    return t > 0 ? CountSidesExactly<WelchOrder>{*this, far / 2, infinity}
                 : CountSidesExactly<WelchOrder>{*this, -infinity, -far / 2};
  }
};

template <class Values, class TestStatistic>
class TwoSampleProblem : public ComparedProblem<TestStatistic> {
 public:
  using Order = WelchOrder<Values>;

  TwoSampleProblem(Values values, Values squares, GroupSizes<2> groups,
                   TestStatistic const& test_statistic, double observed, Mirror const& mirror,
                   KnownTies ties = {}, std::optional<Order> order = {})
      : ComparedProblem<TestStatistic>(test_statistic, observed, mirror, std::move(ties)),
        values_(values),
        squares_(squares),
        groups_(groups),
        order_(order) {}

  /// If all values are exact but doubles do not decide all ties, returns an object that compares enumerated replicates
  /// exactly.
  std::optional<CountSidesExactly<Order>> exact_counting(std::uint64_t arrangements) const
      requires(TestStatistic::uses_squares) {
    if (!order_) return {};
    auto order = *order_;
    order.arrangements = arrangements;
    return order.counting(this->observed_);
  }

  std::uint64_t count_arrangements(std::uint64_t limit) const {
    return count_assignments(groups_, limit);
  }

  template <class Visitor>
  auto visit_source(Numbering numbering, Visitor const& visitor) const {
    if constexpr (backend::is_cpu<typename Values::execution_space>) {
      return visitor(source<SubsetWalks::any>(numbering));
    } else if (are_few_items(groups_.total())) {
      return visitor(source<SubsetWalks::few_items>(numbering));
    } else {
      return visitor(source<SubsetWalks::many_items>(numbering));
    }
  }

 private:
  template <SubsetWalks Walks>
  auto source(Numbering numbering) const {
    return TwoSampleSource<Values, TestStatistic, Walks>{values_, squares_, groups_, numbering,
                                                         this->test_statistic_};
  }

  Values values_;
  Values squares_;
  GroupSizes<2> groups_;
  std::optional<Order> order_;
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

/// Returns the arrangements of two samples that certainly tie with the data.
template <class Exec, class X, class Y>
KnownTies ties_of_samples(Context<Exec> const& context, bool are_decided, X const& x, Y const& y) {
  return {are_decided,
          [context, x, y] {
            auto values = host_values(context, x);
            auto const others = host_values(context, y);
            std::vector<double> labels(values.size(), 0);
            labels.resize(values.size() + others.size(), 1);
            values.insert(values.end(), others.begin(), others.end());
            return certain_ties_of_labels(values, labels);
          },
          x.extent(0) == y.extent(0) ? 2u : 1u};
}

template <class Exec, class X, class Y>
auto make_problem(char const* function, Context<Exec> const& context, DifferenceOfMeans, X const& x,
                  Y const& y) {
  check_samples(function, x, y, 1);
  std::uint64_t const n = x.extent(0) + y.extent(0);
  auto const sample = make_sample(function, context, bits_for_sum(n), x, y);
  auto const first = exact_sum(context, sample.values, 0, x.extent(0));
  auto const test_statistic = compare_means(static_cast<double>(x.extent(0)),
                                            static_cast<double>(y.extent(0)), sample, first);
  using Values = std::decay_t<decltype(sample.values)>;
  return TwoSampleProblem<Values, SumStatistic>(
      sample.values, {}, two_groups(x, y), test_statistic, test_statistic(first, 0),
      test_statistic.mirror(first, 2 * static_cast<int128>(x.extent(0)) * sample.total,
                            static_cast<int128>(n)),
      ties_of_samples(context, sample.is_exact || sample.is_constant(), x, y));
}

template <class Exec, class X, class Y>
auto make_problem(char const* function, Context<Exec> const& context, WelchT, X const& x,
                  Y const& y) {
  check_samples(function, x, y, 2);
  std::uint64_t const n = x.extent(0) + y.extent(0);
  int const bits = bits_for_sum(n);
  auto const sample = make_sample(function, context, bits, x, y);
  check_not_constant(function, sample.is_constant(), "x and y");
  int const square_bits = bits_of_squares(sample, bits);
  auto const squares = make_squares(context, sample.values, square_bits);
  WelchStatistic const test_statistic{
      static_cast<double>(x.extent(0)),  static_cast<double>(y.extent(0)),
      static_cast<double>(sample.total), static_cast<double>(exact_sum(context, squares, 0, n)),
      std::ldexp(1.0, square_bits),      relative_error(sample)};
  auto const first = exact_sum(context, sample.values, 0, x.extent(0));
  double const observed = test_statistic(first, exact_sum(context, squares, 0, x.extent(0)));
  using Values = std::decay_t<decltype(sample.values)>;
  auto const groups = two_groups(x, y);
  std::optional<WelchOrder<Values>> order;
  if (sample.is_exact &&
      WholeWelch::fits(test_statistic.n_1, test_statistic.n_2, static_cast<double>(sample.reach))) {
    WholeWelch const welch{groups.size[0], groups.size[1], sample.total,
                           exact_products(context, sample.values, sample.values, 0, n)};
    auto const observed_squares =
        exact_products(context, sample.values, sample.values, 0, x.extent(0));
    order = WelchOrder<Values>{sample.values, groups, 0, welch, welch(first, observed_squares)};
  }
  return TwoSampleProblem<Values, WelchStatistic>(
      sample.values, squares, groups, test_statistic, observed, Mirror::about_zero(observed),
      ties_of_samples(context, order.has_value(), x, y), order);
}

}  // namespace riffle::detail
