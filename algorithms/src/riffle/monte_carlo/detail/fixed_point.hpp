#pragma once

// Converts a sample to 64-bit fixed-point numbers: the deviations from the mean of the sample.
//
// Integer sums are exact, so they do not depend on the order of summation, on team sizes or on contractions by the
// compiler. Every back end gets the same bits, and two arrangements with equal sums tie exactly. The largest deviation
// from the mean has 62 - ceil(log2 n) bits. Up to n = 512 this is at least the precision of a double. The error of a
// sum is below the error of adding n doubles in any order.

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

#include <riffle/backend/floating_point.hpp>
#include <riffle/context.hpp>
#include <riffle/errors.hpp>
#include <riffle/monte_carlo/detail/arrangement_numbers.hpp>
#include <riffle/monte_carlo/detail/exact_sum.hpp>
#include <riffle/monte_carlo/detail/numeric_views.hpp>
#include <riffle/monte_carlo/detail/whole_unit.hpp>
#include <riffle/primitives/loops.hpp>
#include <riffle/random/integers.hpp>

namespace riffle::detail {

/// Calls function(view) for a View, or for the array of Numbers.
template <class View, class Function>
void visit_numbers(View const& view, Function const& function) {
  function(view);
}
template <class Memory, class Function>
void visit_numbers(Numbers<Memory> const& numbers, Function const& function) {
  numbers.visit(function);
}

template <class Exec, class Memory>
std::vector<double> host_values(Context<Exec> const& context, Numbers<Memory> const& numbers) {
  return numbers.visit([&](auto const& array) { return host_values(context, array); });
}

/// Converts reals to integers: x -> round((x - center) 2^shift). The power 2^shift is stored as two factors, because it
/// may overflow.
struct FixedPointScale {
  double center = 0;
  double factor = 1;
  double cofactor = 1;

  static FixedPointScale make(double center, int shift) {
    return {center, std::ldexp(1.0, shift / 2), std::ldexp(1.0, shift - shift / 2)};
  }

  KOKKOS_FUNCTION std::int64_t operator()(double x) const {
    return static_cast<std::int64_t>(Kokkos::floor(spread(x - center) + 0.5));
  }

  /// Converts a difference between two values of the data to fixed-point units; unscale() converts back.
  KOKKOS_FUNCTION double spread(double difference) const {
    return as_rounded(difference * factor) * cofactor;
  }
  KOKKOS_FUNCTION double unscale(double units) const {
    return as_rounded(units / factor) / cofactor;
  }
};

struct Extremes {
  double lowest;
  double highest;
};

template <class View>
struct FindExtremes {
  using value_type = Kokkos::MinMaxScalar<double>;
  View x;

  KOKKOS_FUNCTION void operator()(std::uint64_t i, value_type& found) const {
    auto const value = static_cast<double>(x(i));
    found.min_val = Kokkos::min(found.min_val, value);
    found.max_val = Kokkos::max(found.max_val, value);
  }
};

template <class View>
struct FindNonFinite {
  View x;

  KOKKOS_FUNCTION void operator()(std::uint64_t i, std::uint64_t& first) const {
    if (!is_finite(static_cast<double>(x(i)))) first = Kokkos::min(first, i);
  }
};

template <class View, class Values>
struct ToFixedPoint {
  View x;
  Values out;
  std::uint64_t offset;
  FixedPointScale scale;

  KOKKOS_FUNCTION void operator()(std::uint64_t i) const {
    out(offset + i) = scale(static_cast<double>(x(i)));
  }
};

template <class View, class Sum>
struct SumRange {
  View x;

  KOKKOS_FUNCTION void operator()(std::uint64_t i, Sum& sum) const {
    sum += static_cast<Sum>(x(i));
  }
};

template <class Exec, class View>
void check_finite(char const* function, Context<Exec> const& context, char const* name,
                  View const& x) {
  std::uint64_t first = x.extent(0);
  Kokkos::parallel_reduce(context.label() + "::check_finite", range(context.exec(), 0, x.extent(0)),
                          FindNonFinite<View>{x}, Kokkos::Min<std::uint64_t>(first));
  if (first >= x.extent(0)) return;
  double value = 0;
  Kokkos::parallel_reduce(context.label() + "::check_finite",
                          range(context.exec(), first, first + 1), SumRange<View, double>{x},
                          value);
  check(false, function, name, "(", first,
        ") = ", detail::is_nan(value) ? std::string("NaN") : concatenate(value),
        ": must be a finite number");
}

template <class Exec, class Memory>
void check_finite(char const* function, Context<Exec> const& context, char const* name,
                  Numbers<Memory> const& x) {
  x.visit([&](auto const& own) { check_finite(function, context, name, own); });
}

template <class Exec, class View>
Extremes extremes(Context<Exec> const& context, View const& x) {
  Kokkos::MinMaxScalar<double> found{};
  Kokkos::parallel_reduce(context.label() + "::extremes", range(context.exec(), 0, x.extent(0)),
                          FindExtremes<View>{x}, Kokkos::MinMax<double>(found));
  return {found.min_val, found.max_val};
}

template <class Exec, class Memory>
Extremes extremes(Context<Exec> const& context, Numbers<Memory> const& x) {
  return x.visit([&](auto const& own) { return extremes(context, own); });
}

/// Returns the exact sum of x(begin), ..., x(end - 1).
template <class Exec, class View>
std::int64_t exact_sum(Context<Exec> const& context, View const& x, std::uint64_t begin,
                       std::uint64_t end) {
  std::int64_t sum = 0;
  Kokkos::parallel_reduce(context.label() + "::exact_sum", range(context.exec(), begin, end),
                          SumRange<View, std::int64_t>{x}, sum);
  return sum;
}

template <class Values>
struct SumProducts {
  Values x;
  Values y;

  KOKKOS_FUNCTION void operator()(std::uint64_t i, ExactSum& sum) const {
    sum += ExactSum(static_cast<int128>(x(i)) * y(i));
  }
};

/// Returns the exact sum of x(i) y(i) over begin <= i < end.
template <class Exec, class Values>
int128 exact_products(Context<Exec> const& context, Values const& x, Values const& y,
                      std::uint64_t begin, std::uint64_t end) {
  ExactSum sum;
  Kokkos::parallel_reduce(context.label() + "::sum_of_products", range(context.exec(), begin, end),
                          SumProducts<Values>{x, y}, Kokkos::Sum<ExactSum>(sum));
  return sum.value();
}

/// One or two samples, one after the other, as fixed-point deviations from their common mean.
template <class MemorySpace>
struct FixedPointSample {
  using Values = Kokkos::View<std::int64_t*, MemorySpace>;

  Values values;
  FixedPointScale scale;
  double largest = 0;    // max |x|, which bounds the rounding of the input itself
  double deviation = 0;  // max |x - mean|
  std::int64_t total = 0;
  std::int64_t reach = 0;  // if is_exact: max |values|
  bool is_exact = false;   // whether data = unit * values + constant, exactly

  std::uint64_t size() const { return values.extent(0); }
  bool is_constant() const { return deviation == 0; }
};

/// Returns the number of bits that values may have such that a sum of n values fits in 63 bits.
inline int bits_for_sum(std::uint64_t n) { return 62 - bit_width(n - 1); }

/// Converts x followed by y, which may be empty. Requires: at least one value in total. Throws unless all values and
/// their differences are finite.
template <class Exec, class X, class Y>
auto make_fixed_point(char const* function, Context<Exec> const& context, int bits, X const& x,
                      Y const& y, char const* name_of_x = "x", char const* name_of_y = "y") {
  using Sample = FixedPointSample<typename Exec::memory_space>;
  std::uint64_t const n = x.extent(0) + y.extent(0);
  check_finite(function, context, name_of_x, x);
  check_finite(function, context, name_of_y, y);
  auto const a = extremes(context, x);
  auto const b = extremes(context, y);
  double const lowest = std::min(a.lowest, b.lowest);
  double const highest = std::max(a.highest, b.highest);

  check(is_finite(highest - lowest), function, "values range from ", lowest, " to ", highest,
        ": their differences must be finite");

  Sample sample;
  sample.values = typename Sample::Values(
      Kokkos::view_alloc(context.exec(), Kokkos::WithoutInitializing, context.label() + "::values"),
      n);
  sample.largest = std::max(std::abs(lowest), std::abs(highest));
  if (lowest == highest) {
    sample.scale.center = lowest;
    context.named("fill").for_each(n, FillZero<typename Sample::Values>{sample.values});
    return sample;
  }

  auto convert = [&](double center, int fraction_bits) {
    sample.deviation = std::max(highest - center, center - lowest);
    int exponent = 0;
    std::frexp(sample.deviation, &exponent);  // deviation < 2^exponent
    sample.scale = FixedPointScale::make(center, fraction_bits - exponent);
    auto const convert_from = [&](auto const& numbers, std::uint64_t offset) {
      visit_numbers(numbers, [&]<class View>(View const& own) {
        context.named("to_fixed_point")
            .for_each(own.extent(0), ToFixedPoint<View, typename Sample::Values>{
                                         own, sample.values, offset, sample.scale});
      });
    };
    convert_from(x, 0);
    convert_from(y, x.extent(0));
    sample.total = exact_sum(context, sample.values, 0, n);
  };
  // The values are converted twice. The first conversion subtracts the middle of the range; the exact sum of its result
  // gives a mean that has the same bits on every back end. The second one subtracts this mean.
  convert(middle_of(lowest, highest), bits_for_sum(n));
  double const mean =
      sample.scale.center +
      sample.scale.unscale(static_cast<double>(sample.total)) / static_cast<double>(n);
  convert(std::clamp(mean, lowest, highest), bits);
  return sample;
}

template <class View, class Values>
struct ToWhole {
  View x;
  Values out;
  std::uint64_t offset;
  WholeUnit unit;
  std::int64_t center;

  KOKKOS_FUNCTION void operator()(std::uint64_t i) const {
    // The subtraction is modulo 2^64, because the operands may have all 64 bits.
    out(offset + i) = static_cast<std::int64_t>(static_cast<std::uint64_t>(unit(x(i))) -
                                                static_cast<std::uint64_t>(center));
  }
};

template <class View>
struct SumWhole {
  View x;
  WholeUnit unit;

  KOKKOS_FUNCTION void operator()(std::uint64_t i, std::int64_t& sum) const { sum += unit(x(i)); }
};

template <class Values>
struct FindWholeExtremes {
  using value_type = Kokkos::MinMaxScalar<std::int64_t>;
  Values values;

  KOKKOS_FUNCTION void operator()(std::uint64_t i, value_type& found) const {
    found.min_val = Kokkos::min(found.min_val, values(i));
    found.max_val = Kokkos::max(found.max_val, values(i));
  }
};

/// If all values are multiples of a unit and fit in `bits` bits, converts the sample exactly to whole numbers with a
/// mean close to 0 and returns true; otherwise returns false.
template <class Exec>
bool make_whole_sample(Context<Exec> const& context, int bits,
                       Numbers<typename Exec::memory_space> const& x,
                       Numbers<typename Exec::memory_space> const& y,
                       FixedPointSample<typename Exec::memory_space>& sample) {
  using Values = typename FixedPointSample<typename Exec::memory_space>::Values;
  std::uint64_t const n = x.extent(0) + y.extent(0);
  auto const a = extremes(context, x);
  auto const b = extremes(context, y);
  double const lowest = std::min(a.lowest, b.lowest);
  double const highest = std::max(a.highest, b.highest);
  sample.largest = std::max(std::abs(lowest), std::abs(highest));
  WholeUnit const unit = find_unit(context, sample.largest, x, y);
  auto const scale = FixedPointScale{lowest, unit.factor(), unit.cofactor()};
  // The bound is a quarter of 2^bits, because `highest`, `lowest` and their difference are rounded to doubles.
  if (!unit.exists() || scale.spread(highest - lowest) > std::ldexp(1.0, bits - 2)) return false;
  sample.values = Values(
      Kokkos::view_alloc(context.exec(), Kokkos::WithoutInitializing, context.label() + "::values"),
      n);
  auto const convert = [&](std::int64_t center) {
    auto const convert_from = [&](auto const& numbers, std::uint64_t offset) {
      numbers.visit([&]<class View>(View const& own) {
        context.named("to_whole")
            .for_each(own.extent(0),
                      ToWhole<View, Values>{own, sample.values, offset, unit, center});
      });
    };
    convert_from(x, 0);
    convert_from(y, x.extent(0));
    sample.total = exact_sum(context, sample.values, 0, n);
  };
  // One of the values is subtracted first, so that the sum fits; then the mean is subtracted.
  std::int64_t first = 0;
  x.visit([&]<class View>(View const& own) {
    Kokkos::parallel_reduce(context.label() + "::first", range(context.exec(), 0, 1),
                            SumWhole<View>{own, unit}, first);
  });
  convert(first);
  std::int64_t const mean = sample.total / static_cast<std::int64_t>(n);
  convert(static_cast<std::int64_t>(static_cast<std::uint64_t>(first) +
                                    static_cast<std::uint64_t>(mean)));
  Kokkos::MinMaxScalar<std::int64_t> found{};
  Kokkos::parallel_reduce(context.label() + "::extremes", range(context.exec(), 0, n),
                          FindWholeExtremes<Values>{sample.values},
                          Kokkos::MinMax<std::int64_t>(found));
  sample.scale = scale;
  sample.reach = std::max(found.max_val, -found.min_val);
  sample.deviation = scale.unscale(static_cast<double>(sample.reach));
  sample.is_exact = true;
  return true;
}

/// Returns a sample as exact whole numbers if they fit, otherwise as fixed-point numbers.
template <class Exec>
auto make_sample(char const* function, Context<Exec> const& context, int bits,
                 Numbers<typename Exec::memory_space> const& x,
                 Numbers<typename Exec::memory_space> const& y = {}, char const* name_of_x = "x",
                 char const* name_of_y = "y") {
  FixedPointSample<typename Exec::memory_space> sample;
  check_finite(function, context, name_of_x, x);
  check_finite(function, context, name_of_y, y);
  if (make_whole_sample(context, bits, x, y, sample)) return sample;
  return make_fixed_point(function, context, bits, x, y, name_of_x, name_of_y);
}

inline void check_not_constant(char const* function, bool constant, char const* name) {
  check(!constant, function, name, ": all values are equal, so the statistic is not defined");
}

/// Returns an upper bound for the rounding errors of data and formula, relative to the largest deviation from the mean.
template <class Sample>
double relative_error(Sample const& sample) {
  if (sample.is_exact) return tie_epsilon;
  return tie_epsilon + data_epsilon * sample.largest / sample.deviation;
}

template <class Values>
struct SquareValues {
  Values values;
  Values squares;
  int bits;

  KOKKOS_FUNCTION void operator()(std::uint64_t i) const {
    auto const x = static_cast<int128>(values(i));
    squares(i) = static_cast<std::int64_t>((x * x + (static_cast<int128>(1) << bits >> 1)) >> bits);
  }
};

/// Returns b such that the sum of the sample's squares in units of 2^b fits in 63 bits; 0 if the squares are exact.
template <class Sample>
int bits_of_squares(Sample const& sample, int bits) {
  if (!sample.is_exact) return bits;
  int const of_values = bit_width(static_cast<std::uint64_t>(sample.reach));
  return std::max(0, 2 * of_values - bits);
}

/// Returns the squares of a sample, in units of 2^bits.
template <class Exec, class Values>
Values make_squares(Context<Exec> const& context, Values const& values, int bits) {
  Values squares(Kokkos::view_alloc(context.exec(), Kokkos::WithoutInitializing,
                                    context.label() + "::squares"),
                 values.extent(0));
  context.named("square").for_each(values.extent(0), SquareValues<Values>{values, squares, bits});
  return squares;
}

}  // namespace riffle::detail
