#pragma once

// Converts variables to whole numbers (see column_model.hpp).
//
// Measured data are often decimals. If all values of a variable are multiples of one of the units 1, 0.1, ..., 1e-9,
// the largest such unit is used. Then no value is rounded, and equal sums stay equal. Otherwise the values are rounded
// to multiples of a power of two. Rounding changes a correlation with a real column by about 4e-9, and a correlation
// with a column of whole numbers by far less.

#include <Kokkos_Core.hpp>

#include <cmath>
#include <cstdint>
#include <string>

#include <riffle/backend/floating_point.hpp>
#include <riffle/context.hpp>
#include <riffle/errors.hpp>
#include <riffle/monte_carlo/detail/arrangement_numbers.hpp>
#include <riffle/monte_carlo/detail/running_tests.hpp>
#include <riffle/monte_carlo/detail/variables/column_model.hpp>
#include <riffle/monte_carlo/detail/variables/products.hpp>
#include <riffle/monte_carlo/detail/variables/residuals.hpp>
#include <riffle/monte_carlo/detail/variables/statistic_models.hpp>
#include <riffle/monte_carlo/detail/whole_unit.hpp>
#include <riffle/primitives/loops.hpp>
#include <riffle/rank/rank_unsorted_rows.hpp>
#include <riffle/rank/ties.hpp>

namespace riffle::detail::variables {

// --- one variable ---

/// Properties of a variable and of the whole numbers that represent it.
struct VariableFacts {
  /// The sum of squares of the whole numbers. If the model centres the values, it is the sum of squared deviations from
  /// their mean, except for Welch's t.
  double squares = 0;
  /// For groups: (sum of the whole numbers)^2 / n, which is subtracted from the sum of squares that groups explain. For
  /// Welch's t: the sum.
  double base = 0;
  /// An upper bound for the difference between test statistics of replicates that tie in exact arithmetic.
  double tie = 0;
  /// The number of values that are not missing.
  double n = 0;
  /// With per-variable sample sizes: the low part of the sum of squares, at most 2^-53 of `squares`.
  double squares_low = 0;
  /// With per-variable sample sizes: the observed statistic.
  double statistic = 0;
  /// Whether the variable has a statistic, that is, whether it is not constant and no value is missing.
  bool is_tested = false;
  bool is_missing = false;
  /// Whether test statistics tie with the observed one only if they are equal in exact arithmetic.
  bool is_certain = false;
  /// Whether wide integers (wide_integers.hpp) can decide more ties than doubles.
  bool gains_bits = false;
  /// Whether most values are so close to each other that rounding to whole numbers leaves few bits for their
  /// differences.
  bool is_coarse = false;
};

/// The number of variables that are not tested, and the numbers of tested variables that are not certain, that gain bits,
/// and that are coarse (see VariableFacts).
struct FactCounts {
  std::uint64_t untested = 0;
  std::uint64_t uncertain = 0;
  std::uint64_t gaining_bits = 0;
  std::uint64_t coarse = 0;

  KOKKOS_FUNCTION void operator+=(FactCounts const& other) {
    untested += other.untested;
    uncertain += other.uncertain;
    gaining_bits += other.gaining_bits;
    coarse += other.coarse;
  }
};

template <class Memory>
struct CountFacts {
  using value_type = FactCounts;
  Kokkos::View<VariableFacts*, Memory> facts;

  KOKKOS_FUNCTION void operator()(std::uint64_t g, FactCounts& counts) const {
    bool const is_tested = facts(g).is_tested;
    counts.untested += !is_tested;
    counts.uncertain += is_tested && !facts(g).is_certain;
    counts.gaining_bits += is_tested && facts(g).gains_bits;
    counts.coarse += is_tested && facts(g).is_coarse;
  }
};

/// Returns whether `value` is a multiple of 1 / units, up to the rounding error of a decimal that is stored as a
/// double. If the value is so large that this rounding error could hide any fraction, returns whether it is the closest
/// double to such a multiple with up to 15 digits.
KOKKOS_INLINE_FUNCTION bool is_multiple(double value, double units) {
  constexpr double most_exact = 0x1p52;    // all larger doubles are whole numbers
  constexpr double most_rounded = 0x1p45;  // where the bound below is 1/32
  double const whole = Kokkos::floor(Kokkos::fma(value, units, 0.5));
  double const size = Kokkos::abs(whole);
  double const error = Kokkos::abs(Kokkos::fma(value, units, -whole));
  if (error == 0) return size < most_exact;
  if (size < most_rounded) return error <= 0x1p-50 * size;
  // At most one decimal with 15 digits has `value` as its closest double.
  return size < 1e15 && whole / units == value;
}

/// Says how values are converted to whole numbers.
struct WholeForm {
  bool centres;
  bool may_be_decimal;
  /// Whether the sum of the whole numbers must be 0.
  bool has_sum_0;
  /// An upper bound for the lengths of all columns.
  double column_length;
};

/// Converts the n values of one variable to whole numbers, in place. `values(i)` returns a reference to a double.
///
/// One thread processes the observations in order, by operations that a compiler cannot contract.
template <class Values>
class WholeValues {
 public:
  KOKKOS_FUNCTION WholeValues(Values const& values, std::uint64_t n) : values_(values), n_(n) {}

  KOKKOS_FUNCTION void convert(WholeForm const& form) {
    constexpr double two_to_52 = 4503599627370496.0;
    form_ = form;
    // If the sum must be 0, the values are also summed. This sum is a product with a column of ones, whose length is
    // sqrt(n).
    double const ones = form.has_sum_0 ? Kokkos::sqrt(static_cast<double>(n_)) : 0;
    max_length_ = two_to_52 / Kokkos::max(form.column_length, ones);
    find_range();
    if (form.may_be_decimal && convert_decimal()) return;
    convert_binary();
  }

  /// squares() returns the sum of squares of the whole numbers, sum() their sum.
  KOKKOS_FUNCTION double squares() const {
    double sum = 0;
    for (std::uint64_t i = 0; i < n_; ++i) sum = Kokkos::fma(values_(i), values_(i), sum);
    return sum;
  }
  KOKKOS_FUNCTION double sum() const {
    double sum = 0;
    for (std::uint64_t i = 0; i < n_; ++i) sum += values_(i);
    return sum;
  }

  /// Returns the ratio between the largest magnitude and half of the range of the values.
  KOKKOS_FUNCTION double offset() const { return offset_; }
  KOKKOS_FUNCTION bool is_constant() const { return least_ == greatest_; }
  /// Returns whether rounding affects most values, because they are close together: whether more than half of all pairs
  /// of consecutive values are unequal and differ by less than 4096 / sqrt(n) after conversion.
  KOKKOS_FUNCTION bool is_coarse() const { return is_coarse_; }
  /// Returns whether value = unit * (whole number) + constant holds exactly for all values.
  KOKKOS_FUNCTION bool is_exact() const { return is_exact_; }

 private:
  static constexpr int max_decimals = 9;

  KOKKOS_FUNCTION void find_range() {
    least_ = greatest_ = values_(0);
    for (std::uint64_t i = 1; i < n_; ++i) {
      least_ = Kokkos::min(least_, static_cast<double>(values_(i)));
      greatest_ = Kokkos::max(greatest_, static_cast<double>(values_(i)));
    }
    double const reach = greatest_ / 2 - least_ / 2;
    if (form_.centres && reach > 0) offset_ = Kokkos::max(-least_, greatest_) / reach;
  }

  KOKKOS_FUNCTION bool are_multiples(double units) const {
    for (std::uint64_t i = 0; i < n_; ++i) {
      if (!is_multiple(values_(i), units)) return false;
    }
    return true;
  }

  KOKKOS_FUNCTION bool convert_decimal() {
    double units = 1;
    int decimals = 0;
    for (; decimals <= max_decimals; ++decimals, units *= 10) {
      if (are_multiples(units)) break;
    }
    if (decimals > max_decimals) return false;
    double const center =
        form_.centres ? Kokkos::floor(Kokkos::fma(middle_of(least_, greatest_), units, 0.5)) : 0;
    double squares = 0;
    double sum = 0;
    for (std::uint64_t i = 0; i < n_; ++i) {
      double const whole = Kokkos::floor(Kokkos::fma(values_(i), units, 0.5)) - center;
      squares = Kokkos::fma(whole, whole, squares);
      sum += whole;
    }
    // n times each value minus the sum of all values: these numbers have sum 0.
    auto const n = static_cast<double>(n_);
    bool const is_off = form_.has_sum_0 && sum != 0;
    double const factor = is_off ? n : 1;
    if (squares >= max_length_ * max_length_ / (factor * factor)) return false;
    for (std::uint64_t i = 0; i < n_; ++i) {
      double const whole = Kokkos::floor(Kokkos::fma(values_(i), units, 0.5)) - center;
      values_(i) = is_off ? Kokkos::fma(n, whole, -sum) : whole;
    }
    is_exact_ = true;
    return true;
  }

  KOKKOS_FUNCTION double equal_neighbours() const {
    double count = 0;
    for (std::uint64_t i = 1; i < n_; ++i) count += values_(i) == values_(i - 1) ? 1 : 0;
    return count;
  }

  KOKKOS_FUNCTION void find_coarse(double equal) {
    double const few = 4096 / Kokkos::sqrt(static_cast<double>(n_));
    double count = 0;
    for (std::uint64_t i = 1; i < n_; ++i) {
      count += Kokkos::abs(values_(i) - values_(i - 1)) < few ? 1 : 0;
    }
    is_coarse_ = 2 * (count - equal) > static_cast<double>(n_ - 1);
  }

  KOKKOS_FUNCTION void convert_binary() {
    double const equal = equal_neighbours();
    if (is_constant() && form_.centres) {
      for (std::uint64_t i = 0; i < n_; ++i) values_(i) = 0;
      is_exact_ = true;
      return;
    }
    scale_down();
    double const middle = form_.centres ? middle_of(least_, greatest_) : 0;
    least_ -= middle;
    greatest_ -= middle;
    double const reach = Kokkos::max(Kokkos::abs(greatest_), Kokkos::abs(least_));
    if (!(reach > 0)) return;
    // Values are divided by the largest distance from the middle, so that no square overflows. The mean is computed
    // after the middle of the range is subtracted. Otherwise, for values with a large common part, the mean would be
    // rounded to the precision of the common part, and every deviation would have this error.
    double sum = 0;
    for (std::uint64_t i = 0; i < n_; ++i) {
      values_(i) = (values_(i) - middle) / reach;
      sum += values_(i);
    }
    double const mean = form_.centres ? sum / static_cast<double>(n_) : 0;
    double const farthest =
        Kokkos::max(Kokkos::abs(greatest_ / reach - mean), Kokkos::abs(least_ / reach - mean));
    double squares = 0;
    for (std::uint64_t i = 0; i < n_; ++i) {
      double const x = (values_(i) - mean) / farthest;
      squares = Kokkos::fma(x, x, squares);
    }
    double const unit = power_of_two_below(max_length_ / Kokkos::sqrt(squares));
    for (std::uint64_t i = 0; i < n_; ++i) {
      double const x = (values_(i) - mean) / farthest;
      values_(i) = Kokkos::floor(Kokkos::fma(x, unit, 0.5));
    }
    find_coarse(equal);
    if (form_.has_sum_0) remove_sum(unit);
  }

  /// Changes up to about n / 2 of the whole numbers by 1 until their sum is 0. Numbers that move towards 0 are changed
  /// first. No number moves beyond `farthest`.
  KOKKOS_FUNCTION void remove_sum(double farthest) {
    double left = sum();
    while (left != 0) {
      for (int towards_0 = 1; towards_0 >= 0; --towards_0) {
        for (std::uint64_t i = 0; i < n_ && left != 0; ++i) {
          double const step = left > 0 ? 1 : -1;
          bool const is_towards_0 = values_(i) * step > 0;
          if (is_towards_0 != (towards_0 == 1)) continue;
          if (!is_towards_0 && Kokkos::abs(values_(i)) >= farthest) continue;
          values_(i) -= step;
          left -= step;
        }
      }
    }
  }

  /// Scales values down so that no sum or difference overflows. The scale does not matter for the statistic.
  KOKKOS_FUNCTION void scale_down() {
    constexpr double large = 0x1p900;
    if (greatest_ < large && least_ > -large) return;
    for (std::uint64_t i = 0; i < n_; ++i) values_(i) /= large;
    least_ /= large;
    greatest_ /= large;
  }

  KOKKOS_FUNCTION static double power_of_two_below(double x) {
    constexpr double greatest = 0x1p1000;  // also for infinity
    double power = 1;
    while (2 * power <= x && power < greatest) power *= 2;
    return power / 2;
  }

  Values values_;
  std::uint64_t n_;
  WholeForm form_{};
  double max_length_ = 0;
  double least_ = 0;
  double greatest_ = 0;
  double offset_ = 1;
  bool is_exact_ = false;
  bool is_coarse_ = false;
};

// --- all variables ---

template <class Data>
struct FindInfinite {
  Data data;

  KOKKOS_FUNCTION void operator()(std::uint64_t at, std::uint64_t& first) const {
    std::uint64_t const n = data.extent(1);
    if (is_infinite(data(at / n, at % n))) first = Kokkos::min(first, at);
  }
};

template <class Exec, class Data>
void check_no_infinite(char const* function, Context<Exec> const& context, Data const& data) {
  std::uint64_t const all = data.extent(0) * data.extent(1);
  std::uint64_t first = all;
  Kokkos::parallel_reduce(context.label() + "::check_finite", range(context.exec(), 0, all),
                          FindInfinite<Data>{data}, Kokkos::Min<std::uint64_t>(first));
  check(first >= all, function, "data(", first / data.extent(1), ", ", first % data.extent(1),
        "): must be no infinity");
}

/// Accesses row g of a matrix.
template <class Memory>
struct Row {
  Matrix<Memory> matrix;
  std::uint64_t g;
  KOKKOS_FUNCTION double& operator()(std::uint64_t i) const { return matrix(g, i); }
};

/// The properties of a model that a kernel needs to convert values.
struct Conversion {
  Treatment treatment;
  Form form;
  double column_length;
  bool columns_are_exact;
  /// Whether the formula also contains sums with adjusting columns.
  bool is_adjusted;
  bool explains_constant;
  bool is_of_labels;
  /// The least common multiple of the group sizes, or 0 if it is too large or if there are no groups.
  double multiple;
};

template <class Memory>
struct ConvertToWhole {
  Matrix<Memory> values;
  Kokkos::View<VariableFacts*, Memory> facts;
  Conversion conversion;

  KOKKOS_FUNCTION void operator()(std::uint64_t g) const {
    std::uint64_t const n = values.extent(1);
    Row<Memory> const row{values, g};
    VariableFacts found;
    found.n = count_values(row, n);
    found.is_missing = found.n < static_cast<double>(n);
    if (found.is_missing) {
      for (std::uint64_t i = 0; i < n; ++i) row(i) = 0;
      facts(g) = found;
      return;
    }
    bool const centres = conversion.treatment == Treatment::centred;
    // This must be determined before the values are converted.
    bool const is_short = are_decimals(row, n) || are_binary_fractions(row, n);
    WholeValues whole(row, n);
    // Ranks are already centred. They are not centred again: their mean must stay 0, or the sums would not give U. (Ties
    // can move the middle of their range away from their mean.)
    whole.convert({centres, conversion.treatment != Treatment::residuals, conversion.is_of_labels,
                   conversion.column_length});
    describe(whole.sum(), whole.squares(), static_cast<double>(n), centres, found);
    found.is_tested = found.squares > 0 && !(centres && whole.is_constant());
    found.tie = tie(whole, found.squares);
    found.is_coarse = found.is_tested && whole.is_coarse();
    found.is_certain = whole.is_exact() && conversion.columns_are_exact && is_certain(found);
    found.gains_bits =
        !found.is_certain && (whole.is_exact() || is_short || !conversion.columns_are_exact ||
                              conversion.form == Form::welch);
    facts(g) = found;
  }

 private:
  /// Returns whether all values are multiples of a power of 2 with factors below 2^44.
  KOKKOS_FUNCTION static bool are_binary_fractions(Row<Memory> const& row, std::uint64_t n) {
    int exponent = 1024;
    double largest = 0;
    for (std::uint64_t i = 0; i < n; ++i) {
      if (row(i) != 0) exponent = Kokkos::min(exponent, last_exponent(row(i)));
      largest = Kokkos::max(largest, Kokkos::abs(row(i)));
    }
    return times_power_of_two(largest, -exponent) < 0x1p44;
  }

  KOKKOS_FUNCTION void describe(double sum, double squares, double n, bool centres,
                                VariableFacts& found) const {
    if (conversion.form == Form::welch) {
      found.base = sum;
      found.squares = squares;
    } else if (centres) {
      found.base = conversion.explains_constant ? sum * (sum / n) : 0;
      found.squares = about_mean(sum, squares, n);
    } else {
      found.squares = squares;
    }
  }

  /// Returns squares - sum^2 / n, corrected for the rounding error of the division.
  KOKKOS_FUNCTION static double about_mean(double sum, double squares, double n) {
    double const mean = sum / n;
    double const rest = Kokkos::fma(-n, mean, sum);
    return Kokkos::fma(-sum, rest / n, Kokkos::fma(-sum, mean, squares));
  }

  KOKKOS_FUNCTION static double count_values(Row<Memory> const& row, std::uint64_t n) {
    double count = 0;
    for (std::uint64_t i = 0; i < n; ++i) count += detail::is_nan(row(i)) ? 0 : 1;
    return count;
  }

  KOKKOS_FUNCTION static bool are_decimals(Row<Memory> const& row, std::uint64_t n) {
    for (std::uint64_t i = 0; i < n; ++i) {
      if (decimals_of(row(i)) == no_decimals) return false;
    }
    return true;
  }

  /// Returns the value of VariableFacts::is_certain. Requires: values and columns are exact. Different shares differ by
  /// at least 1 / (conversion.multiple * found.squares).
  KOKKOS_FUNCTION bool is_certain(VariableFacts const& found) const {
    if (conversion.form == Form::correlation) return !conversion.is_adjusted;
    return conversion.form == Form::share && !conversion.is_adjusted && conversion.multiple > 0 &&
           2 * found.tie * conversion.multiple * found.squares < 1;
  }

  /// Returns an upper bound for the difference between two test statistics that tie. It is the sum of:
  /// - for rounded columns or values: the rounding errors of both;
  /// - for formulas with several sums: the rounding errors of the formula;
  /// - for one exact sum: at most a few rounding errors. Replicates of one variable that tie are exactly equal. But
  ///   maxima are also compared with other variables, which may have the same correlation from different sums. Such
  ///   correlations differ by a few rounding errors, which is far less than the difference between correlations that do
  ///   not tie.
  template <class Whole>
  KOKKOS_FUNCTION double tie(Whole const& whole, double squares) const {
    bool const is_simple = conversion.form == Form::correlation && !conversion.is_adjusted;
    double tie = 0x1p-40;
    if (is_simple) tie = conversion.column_length * Kokkos::sqrt(squares) < 0x1p47 ? 0x1p-49 : 0;
    if (!whole.is_exact() && squares > 0) {
      tie += Kokkos::fma(data_epsilon, whole.offset(), 2 / Kokkos::sqrt(squares));
    }
    if (!conversion.columns_are_exact) tie += 2.0 / (1 << real_column_bits);
    return tie;
  }
};

template <class Memory>
struct CentreRankRows {
  Matrix<Memory> ranks;

  KOKKOS_FUNCTION void operator()(std::uint64_t at) const {
    std::uint64_t const n = ranks.extent(1);
    double& rank = ranks(at / n, at % n);
    rank = 2 * rank - static_cast<double>(n + 1);
  }
};

template <class Memory>
struct RestoreMissing {
  Matrix<Memory> values;
  Matrix<Memory> ranks;

  KOKKOS_FUNCTION void operator()(std::uint64_t at) const {
    std::uint64_t const n = ranks.extent(1);
    if (detail::is_nan(values(at / n, at % n))) ranks(at / n, at % n) = values(at / n, at % n);
  }
};

/// The variables as whole numbers, in the order of the data.
template <class Memory>
struct WholeData {
  Matrix<Memory> values;  // G x n
  Kokkos::View<VariableFacts*, Memory> facts;
  Matrix<Memory> masks = {};  // only with per-variable sample sizes (per_variable_n.hpp)
};

template <class Exec>
auto rank_values(Context<Exec> const& context, Matrix<typename Exec::memory_space> const& values) {
  using Memory = typename Exec::memory_space;
  Matrix<Memory> const ranks(
      Kokkos::view_alloc(context.exec(), Kokkos::WithoutInitializing, context.label() + "::ranks"),
      values.extent(0), values.extent(1));
  std::uint64_t const all = values.size();
  rank_unsorted_rows(context.named("rank"), values, ranks, ties::Fractional{});
  context.named("centre").for_each(all, CentreRankRows<Memory>{ranks});
  context.named("missing").for_each(all, RestoreMissing<Memory>{values, ranks});
  return ranks;
}

/// Returns the data, or their ranks, as doubles. The elements of `facts` are not written.
template <class Exec>
auto read_values(char const* function, Context<Exec> const& context, TestData<Exec> const& data,
                 ColumnModel const& model) {
  using Memory = typename Exec::memory_space;
  Kokkos::View<VariableFacts*, Memory> const facts(
      Kokkos::view_alloc(context.exec(), Kokkos::WithoutInitializing, context.label() + "::facts"),
      data.variables);
  WholeData<Memory> whole{data.read(context), facts};
  check_no_infinite(function, context, whole.values);
  if (model.treatment == Treatment::ranked) whole.values = rank_values(context, whole.values);
  return whole;
}

/// Returns the data converted to whole numbers, and the VariableFacts of each variable. Requires: if residuals are
/// tested, `basis` is the n x basis_columns residual basis.
template <class Exec>
auto convert_to_whole(char const* function, Context<Exec> const& context,
                      TestData<Exec> const& data, ColumnModel const& model,
                      Matrix<typename Exec::memory_space> const& basis) {
  using Memory = typename Exec::memory_space;
  auto const whole = read_values(function, context, data, model);
  Conversion const conversion{model.treatment,       model.form,
                              model.length(),        model.is_exact,
                              model.adjustments > 0, model.explains_constant,
                              model.is_of_labels,    multiple_of_sizes(model)};
  if (model.treatment == Treatment::residuals) {
    replace_by_residuals<Products>(context.named("residuals"), whole.values, basis);
  }
  context.named("whole").for_each(data.variables,
                                  ConvertToWhole<Memory>{whole.values, whole.facts, conversion});
  return whole;
}

}  // namespace riffle::detail::variables
