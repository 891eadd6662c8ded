#pragma once

// Functions from which model_of() in permutation_tests.cpp makes the column model of each statistic.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include <riffle/backend/floating_point.hpp>
#include <riffle/errors.hpp>
#include <riffle/monte_carlo/detail/arrangement_numbers.hpp>
#include <riffle/monte_carlo/detail/variables/column_model.hpp>
#include <riffle/monte_carlo/detail/whole_unit.hpp>

namespace riffle::detail::variables {

/// Returns a number 0, 1, ... for each value, such that equal values have equal numbers.
inline std::vector<int> types_of(std::vector<double> const& values) {
  std::vector<double> distinct = values;
  std::sort(distinct.begin(), distinct.end());
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  std::vector<int> types(values.size());
  std::transform(values.begin(), values.end(), types.begin(), [&](double x) {
    return static_cast<int>(std::lower_bound(distinct.begin(), distinct.end(), x) -
                            distinct.begin());
  });
  return types;
}

/// Returns the least common multiple of the group sizes. The size of a group is the squared length of its column.
/// Returns 0 if the multiple is 2^31 or more, or if the model has no groups.
inline double multiple_of_sizes(ColumnModel const& model) {
  constexpr std::uint64_t most = std::uint64_t{1} << 31;
  if (model.form != Form::share || !model.is_exact) return 0;
  std::uint64_t common = 1;
  for (int k = 0; k < model.effects; ++k) {
    double const length = model.length_of(k);
    double const size = std::nearbyint(length * length);
    if (size >= static_cast<double>(most)) return 0;
    common = std::lcm(common, static_cast<std::uint64_t>(size));
    if (common >= most) return 0;
  }
  return static_cast<double>(common);
}

/// Returns the number of permutations of the groups that move each group to a group of equal size, capped at 2^31.
inline std::uint64_t orders_of_groups(ColumnModel const& model) {
  std::uint64_t orders = 1;
  for (int k = 0; k < model.effects; ++k) {
    std::uint64_t alike = 1;
    for (int h = 0; h < k; ++h) alike += model.length_of(h) == model.length_of(k) ? 1 : 0;
    orders = std::min(orders * alike, std::uint64_t{1} << 31);
  }
  return orders;
}

/// Returns the sizes of the groups with labels 0, ..., k - 1. Throws unless there are at least two groups and none is
/// empty.
inline std::vector<std::uint64_t> group_sizes(char const* function,
                                              std::vector<double> const& labels,
                                              std::uint64_t max_groups) {
  std::vector<std::uint64_t> sizes;
  for (std::uint64_t i = 0; i < labels.size(); ++i) {
    double const label = labels[i];
    check(label >= 0 && label < static_cast<double>(max_groups) && label == std::floor(label),
          function, "labels(", i, ") = ", label, ": must be 0, 1, ... and below ", max_groups);
    auto const group = static_cast<std::uint64_t>(label);
    if (group >= sizes.size()) sizes.resize(group + 1);
    ++sizes[group];
  }
  check(sizes.size() >= 2, function, "labels: ", sizes.size(),
        " groups: there must be at least two");
  for (std::uint64_t g = 0; g < sizes.size(); ++g) {
    check(sizes[g] > 0, function, "labels: group ", g, " is empty");
  }
  return sizes;
}

/// Adds an indicator column for each group. Each observation has a nonzero element in exactly one of them.
inline void add_indicators(std::vector<double> const& labels,
                           std::vector<std::uint64_t> const& sizes, ColumnModel& model) {
  for (std::uint64_t g = 0; g < sizes.size(); ++g) {
    std::vector<double> column(labels.size());
    for (std::uint64_t i = 0; i < labels.size(); ++i) {
      column[i] = labels[i] == static_cast<double>(g) ? 1 : 0;
    }
    model.add_column(column, 1 / std::sqrt(static_cast<double>(sizes[g])));
  }
}

/// Returns a model, without columns, for the comparison of label 1 with label 0.
inline ColumnModel two_sample_model(char const* function, std::vector<double> const& labels,
                                    std::uint64_t least) {
  auto const sizes = group_sizes(function, labels, 2);
  for (std::uint64_t g = 0; g < 2; ++g) {
    check(sizes[g] >= least, function, "labels: group ", g, " has ", sizes[g],
          " observations: must be at least ", least);
  }
  check(labels.size() >= 3, function, "labels.extent(0) = ", labels.size(),
        ": there are no degrees of freedom, must be at least 3");
  ColumnModel model;
  model.n = labels.size();
  model.types = types_of(labels);
  model.n_1 = static_cast<double>(sizes[1]);
  model.n_2 = static_cast<double>(sizes[0]);
  model.degrees_of_freedom = static_cast<double>(model.n - 2);
  return model;
}

/// Adds the labels 0 and 1 as a column. If the values of a variable sum to 0, their sum over label 1 is
/// (n_1 * n_2 / n) * (mean_1 - mean_0), where mean_k is the mean over label k.
inline void add_labels(std::vector<double> const& labels, ColumnModel& model) {
  model.is_of_labels = true;
  model.add_column(labels, std::sqrt(static_cast<double>(model.n) / (model.n_1 * model.n_2)));
}

/// Returns the model of Welch's t, whose only column contains the labels 0 and 1.
inline ColumnModel welch_model(char const* function, std::vector<double> const& labels) {
  ColumnModel model = two_sample_model(function, labels, 2);
  model.form = Form::welch;
  model.reported = Reported::itself;
  model.add_column(labels, 1);
  return model;
}

/// Returns the model for several groups. Its statistic is the share of the sum of squares between groups.
inline ColumnModel groups_model(char const* function, std::vector<double> const& labels) {
  auto const sizes = group_sizes(function, labels, 64);
  check(labels.size() > sizes.size(), function, "labels.extent(0) = ", labels.size(),
        ": must exceed the number of groups, ", sizes.size());
  ColumnModel model;
  model.n = labels.size();
  model.types = types_of(labels);
  model.form = Form::share;
  model.explains_constant = true;
  model.effects = static_cast<int>(sizes.size());
  model.effect_degrees = static_cast<double>(sizes.size() - 1);
  model.reported = Reported::f;
  model.degrees_of_freedom = static_cast<double>(labels.size() - sizes.size());
  add_indicators(labels, sizes, model);
  return model;
}

inline void check_covariate(char const* function, std::vector<double> const& x) {
  check(x.size() >= 3, function, "x.extent(0) = ", x.size(),
        ": there are no degrees of freedom, must be at least 3");
  for (std::uint64_t i = 0; i < x.size(); ++i) {
    check(is_finite(x[i]), function, "x(", i, ") = ", x[i], ": must be a finite number");
  }
}

/// Subtracts `center` from the values. If the squares of the results would overflow or underflow, also multiplies them
/// by a power of two; this does not matter for a column that is later scaled to length 1. Returns whether it
/// multiplied.
inline bool centre(std::vector<double>& x, double center) {
  constexpr int greatest_exponent = 400;
  bool const overflows =
      std::any_of(x.begin(), x.end(), [&](double v) { return !is_finite(v - center); });
  double const half = overflows ? 0.5 : 1;
  double farthest = 0;
  for (double& v : x) {
    v = half * v - half * center;
    farthest = std::max(farthest, std::abs(v));
  }
  int const exponent = std::ilogb(farthest);
  if (std::abs(exponent) <= greatest_exponent) return false;
  for (double& v : x) v = std::ldexp(v, -exponent);
  return true;
}

/// Given n whole numbers x: if n (largest x - smallest x) < 2^51, returns the numbers n x - (sum of x), which are n
/// times the deviations from the mean and are whole. Otherwise returns an empty vector.
inline std::vector<double> whole_about_mean(std::vector<std::int64_t> const& wholes) {
  auto const n = static_cast<std::int64_t>(wholes.size());
  auto const [least, greatest] = std::minmax_element(wholes.begin(), wholes.end());
  double const range = static_cast<double>(*greatest) - static_cast<double>(*least);
  if (range * static_cast<double>(n) >= std::ldexp(1.0, exact_bits - 1)) return {};
  std::int64_t sum = 0;
  for (std::int64_t const x : wholes) sum += x - wholes[0];
  std::vector<double> column;
  for (std::int64_t const x : wholes) {
    column.push_back(static_cast<double>((x - wholes[0]) * n - sum));
  }
  return column;
}

/// Adds a wide column to a model: the deviations of a covariate from its mean, with up to 52 bits.
inline void add_wide_column(std::vector<double> const& x, ColumnModel& model) {
  double largest = 0;
  int decimals = 0;
  int last = 1024;
  for (double const v : x) {
    largest = std::max(largest, std::abs(v));
    decimals = std::max(decimals, decimals_of(v));
    if (v != 0) last = std::min(last, last_exponent(v));
  }
  WholeUnit unit;
  constexpr double room = 0x1p62;
  constexpr double few_bits = 0x1p44;
  if (decimals != no_decimals && largest * power_of_ten(decimals) < room) {
    unit = {WholeUnit::Kind::decimal, decimals};
  } else if (std::ldexp(largest, -last) < few_bits) {
    unit = {WholeUnit::Kind::binary, last};
  }
  if (unit.exists()) {
    std::vector<std::int64_t> wholes;
    for (double const v : x) wholes.push_back(unit(v));
    model.wide_column = whole_about_mean(wholes);
    if (!model.wide_column.empty()) return;
  }
  auto const n = static_cast<long double>(x.size());
  long double sum = 0;
  for (double const v : x) sum += v / n;
  long double farthest = 0;
  long double squares = 0;
  for (double const v : x) {
    farthest = std::max(farthest, std::abs(v - sum));
    squares += (v - sum) / largest * ((v - sum) / largest);
  }
  for (double const v : x) {
    model.wide_column.push_back(
        static_cast<double>(std::nearbyint(std::ldexp((v - sum) / farthest, exact_bits - 1))));
  }
  auto const reach = static_cast<double>(std::sqrt(squares));
  model.wide_column_error =
      std::sqrt(static_cast<double>(x.size())) * (0x1p-50 + data_epsilon / reach);
}

/// Returns whether the median of the distances between the numbers and their median is below 2^12.
inline bool is_coarse(std::vector<double> x) {
  constexpr double few = 4096;
  auto const middle = x.begin() + static_cast<std::ptrdiff_t>(x.size() / 2);
  std::nth_element(x.begin(), middle, x.end());
  double const median = *middle;
  for (double& v : x) v = std::abs(v - median);
  std::nth_element(x.begin(), middle, x.end());
  return *middle < few;
}

/// Returns a model with one column: the deviations of x from its mean. They are stored as whole numbers if x consists
/// of whole numbers that are small enough, otherwise as a column of length 1.
inline ColumnModel covariate_model(char const* function, std::vector<double> x) {
  check_covariate(function, x);
  ColumnModel model;
  model.n = x.size();
  model.types = types_of(x);
  model.degrees_of_freedom = static_cast<double>(model.n - 2);
  model.reported = Reported::correlation;
  auto const n = static_cast<double>(x.size());
  auto const [least, greatest] = std::minmax_element(x.begin(), x.end());
  check(*least < *greatest, function, "x: all values are equal, so the statistic is not defined");
  add_wide_column(x, model);
  // n x - sum is n times the deviation of x from the mean. It is a whole number if x is.
  bool is_whole = std::all_of(x.begin(), x.end(), [](double v) { return v == std::floor(v); });
  double const middle = *least / 2 + *greatest / 2;
  double const center = is_whole ? std::nearbyint(middle) : middle;
  if (centre(x, center)) is_whole = false;
  double const sum = std::accumulate(x.begin(), x.end(), 0.0);
  double squares = 0;
  for (double& v : x) {
    v = is_whole ? n * v - sum : v - sum / n;
    squares += v * v;
  }
  double const length = std::sqrt(squares);
  is_whole = is_whole && length < std::ldexp(1.0, real_column_bits);
  if (is_whole) {
    model.add_column(x, 1 / length);
  } else {
    for (double& v : x) v /= length;
    model.add_real_column(x);
    model.is_coarse = is_coarse(model.columns);
  }
  return model;
}

/// Returns the centred ranks 2 rank - (n + 1), which are whole numbers. Tied values share the mean of their ranks.
/// Requires: no NaN.
inline std::vector<double> centred_ranks(std::vector<double> const& x) {
  std::vector<double> sorted = x;
  std::sort(sorted.begin(), sorted.end());
  std::vector<double> ranks(x.size());
  auto const n = static_cast<double>(x.size());
  std::transform(x.begin(), x.end(), ranks.begin(), [&](double v) {
    auto const [begin, end] = std::equal_range(sorted.begin(), sorted.end(), v);
    auto const first = static_cast<double>(begin - sorted.begin());
    auto const last = static_cast<double>(end - sorted.begin());
    return first + last - n;
  });
  return ranks;
}

/// Returns the model for one sample of values or differences, whose signs change.
inline ColumnModel one_sample_model(char const* function, std::uint64_t n) {
  check(n >= 2, function, "data.extent(1) = ", n,
        ": there are no degrees of freedom, must be at least 2");
  ColumnModel model;
  model.n = n;
  model.types = std::vector<int>(n, 0);
  model.treatment = Treatment::as_they_are;
  model.flips_signs = true;
  model.may_flip_signs = true;
  model.degrees_of_freedom = static_cast<double>(n - 1);
  model.add_column(std::vector<double>(n, 1.0), 1 / std::sqrt(static_cast<double>(n)));
  return model;
}

}  // namespace riffle::detail::variables
