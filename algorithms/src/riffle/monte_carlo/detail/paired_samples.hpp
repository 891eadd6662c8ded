#pragma once

// Tests of the mean difference of pairs, by random or enumerated signs of the differences.

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <variant>

#include <riffle/context.hpp>
#include <riffle/errors.hpp>
#include <riffle/monte_carlo/detail/arrangement_numbers.hpp>
#include <riffle/monte_carlo/detail/correlations.hpp>
#include <riffle/monte_carlo/detail/fixed_point.hpp>
#include <riffle/monte_carlo/detail/numeric_views.hpp>
#include <riffle/monte_carlo/detail/replicates.hpp>
#include <riffle/monte_carlo/detail/sign_walk.hpp>
#include <riffle/monte_carlo/detail/two_samples.hpp>
#include <riffle/monte_carlo/statistics.hpp>
#include <riffle/monte_carlo/tuning.hpp>
#include <riffle/primitives/loops.hpp>

namespace riffle::detail {

/// Function i -> x(i) - y(i), the difference of pair i. The object is read like a View.
template <class X, class Y>
struct Differences {
  X x;
  Y y;

  KOKKOS_FUNCTION std::uint64_t extent(int) const { return x.extent(0); }
  KOKKOS_FUNCTION double operator()(std::uint64_t i) const {
    return static_cast<double>(x(i)) - static_cast<double>(y(i));
  }
};

/// Function i -> difference of pair i, as a whole number or as a fixed-point number.
template <class X, class Y>
struct FixedDifferences {
  Differences<X, Y> differences;
  FixedPointScale scale;
  WholeUnit unit;  // the unit of all values, if it exists

  KOKKOS_FUNCTION std::uint64_t extent(int) const { return differences.extent(0); }
  KOKKOS_FUNCTION std::int64_t operator()(std::uint64_t i) const {
    if (!unit.exists()) return scale(differences(i));
    // The subtraction is modulo 2^64, because the operands may have all 64 bits.
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(unit(differences.x(i))) -
                                     static_cast<std::uint64_t>(unit(differences.y(i))));
  }
};

/// Finds the largest |x_i| or |y_i| over all pairs with x_i != y_i. It gives an upper bound for the rounding error of
/// the differences. Pairs with equal values are left out, because their difference is exactly 0.
template <class X, class Y>
struct FindLargestOfUnequal {
  Differences<X, Y> differences;

  KOKKOS_FUNCTION void operator()(std::uint64_t i, double& largest) const {
    if (differences(i) == 0) return;
    largest = Kokkos::max(largest, Kokkos::abs(static_cast<double>(differences.x(i))));
    largest = Kokkos::max(largest, Kokkos::abs(static_cast<double>(differences.y(i))));
  }
};

/// The replicate source for pairs: a replicate is the sum of the differences with random or enumerated signs.
template <class Sums>
struct SignsSource {
  static constexpr bool is_per_team = false;
  static constexpr int max_width = max_sums_side_by_side;

  SignTable<Sums> table;
  Numbering numbering;
  SumStatistic test_statistic;

  template <int Width>
  KOKKOS_FUNCTION void operator()(std::uint64_t first, double (&test_statistics)[Width]) const {
    std::int64_t sums[Width];
    if (numbering.is_exact()) {
      sum_sign_patterns(table, first, sums);
    } else {
      sum_random_signs(table, numbering.seed, first, sums);
    }
    for (int w = 0; w < Width; ++w) test_statistics[w] = test_statistic(sums[w], 0);
  }

  KOKKOS_FUNCTION double value(double c) const { return test_statistic.value(c); }
};

template <class Sums>
class SignsProblem : public ComparedProblem<SumStatistic> {
 public:
  SignsProblem(SignTable<Sums> table, SumStatistic const& test_statistic, double observed,
               Mirror const& mirror, KnownTies ties)
      : ComparedProblem(test_statistic, observed, mirror, std::move(ties)), table_(table) {}

  /// Returns 2^n, or 0 if it exceeds `limit` or does not fit in 64 bits.
  std::uint64_t count_arrangements(std::uint64_t limit) const {
    std::uint64_t const count = table_.n < 64 ? std::uint64_t{1} << table_.n : 0;
    return count <= limit ? count : 0;
  }

  template <class Visitor>
  auto visit_source(Numbering numbering, Visitor const& visitor) const {
    return visitor(SignsSource<Sums>{table_, numbering, test_statistic_});
  }

 private:
  SignTable<Sums> table_;
};

/// Returns the scale of the differences. Unlike for other data, the mean is not subtracted, because signs change about
/// 0.
inline FixedPointScale scale_about_zero(double largest_difference, int bits) {
  if (largest_difference == 0) return {};
  int exponent = 0;
  std::frexp(largest_difference, &exponent);
  return FixedPointScale::make(0, bits - exponent);
}

/// Requires: x and y have the same value type, and their values are multiples of `unit`, if it exists.
template <class Exec, class View>
auto make_signs_problem(char const* function, Context<Exec> const& context, View const& x,
                        View const& y, WholeUnit unit) {
  std::uint64_t const n = x.extent(0);
  Differences<View, View> const differences{x, y};
  check_finite(function, context, "(x - y)", differences);
  auto const ends = extremes(context, differences);
  double const largest_difference = std::max(std::abs(ends.lowest), std::abs(ends.highest));
  FixedPointScale const whole{0, unit.factor(), unit.cofactor()};
  // The bound is a quarter of the largest number, because 64-bit integers and their differences are rounded to doubles.
  if (whole.spread(largest_difference) > std::ldexp(1.0, bits_for_sum(n) - 2)) unit = {};
  FixedDifferences<View, View> const numbers{
      differences, unit.exists() ? whole : scale_about_zero(largest_difference, bits_for_sum(n)),
      unit};

  double largest = 0;
  Kokkos::parallel_reduce(context.label() + "::largest", range(context.exec(), 0, n),
                          FindLargestOfUnequal<View, View>{differences},
                          Kokkos::Max<double>(largest));
  largest = std::max(largest, 0.0);  // if no pair is unequal, the maximum is negative
  auto const count = static_cast<double>(n);
  // Sums tie if they differ by no more than the rounding errors of the data and of their conversion.
  SumStatistic test_statistic{1 / count, 0, numbers.scale,
                              (numbers.scale.spread(data_epsilon * largest) + 1) * count};
  std::int64_t const observed = exact_sum(context, numbers, 0, n);
  if (unit.exists()) {
    test_statistic.compare_exactly(observed, count * numbers.scale.spread(largest_difference));
  }
  auto const table = make_sign_table(context, numbers);
  return SignsProblem<decltype(table.sums)>(
      table, test_statistic, test_statistic(observed, 0), test_statistic.mirror(observed),
      {unit.exists(),
       [context, differences] { return certain_ties_of_signs(host_values(context, differences)); },
       2});
}

template <class View, class Doubles>
struct CopyAsDoubles {
  View x;
  Doubles doubles;

  KOKKOS_FUNCTION void operator()(std::uint64_t i) const { doubles(i) = static_cast<double>(x(i)); }
};

/// If one sample contains integers and the other doubles, or if no integer type can hold both samples, differences are
/// computed in doubles.
template <class Exec, class Memory>
auto make_problem(char const* function, Context<Exec> const& context, PairedDifference,
                  Numbers<Memory> const& x, Numbers<Memory> const& y) {
  using Doubles = Kokkos::View<double*, Memory>;
  check_pairs(function, x, y, 1);
  check_finite(function, context, "x", x);
  check_finite(function, context, "y", y);
  auto const ends_of_x = extremes(context, x);
  auto const ends_of_y = extremes(context, y);
  double const largest =
      std::max({-ends_of_x.lowest, ends_of_x.highest, -ends_of_y.lowest, ends_of_y.highest});
  WholeUnit unit = find_unit(context, largest, x, y);
  if (x.values.index() == y.values.index()) {
    return x.visit([&]<class View>(View const& own) {
      return make_signs_problem(function, context, own, std::get<View>(y.values), unit);
    });
  }
  constexpr double all_whole = 0x1p53;
  if (largest >= all_whole) unit = {};
  auto const as_doubles = [&](Numbers<Memory> const& numbers) {
    Doubles const doubles(Kokkos::view_alloc(context.exec(), Kokkos::WithoutInitializing,
                                             context.label() + "::doubles"),
                          numbers.extent(0));
    numbers.visit([&]<class View>(View const& own) {
      context.named("copy").for_each(own.extent(0), CopyAsDoubles<View, Doubles>{own, doubles});
    });
    return Kokkos::View<double const*, Memory>(doubles);
  };
  return make_signs_problem(function, context, as_doubles(x), as_doubles(y), unit);
}

}  // namespace riffle::detail
