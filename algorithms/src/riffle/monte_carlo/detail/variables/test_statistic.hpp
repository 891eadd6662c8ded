#pragma once

// Computes test statistics, by which replicates are compared, from sums. A test statistic is greater if a replicate is
// more extreme. All variables use the same function, so the variable with the maximum is the most extreme one.

#include <Kokkos_Core.hpp>

#include <cmath>
#include <cstdint>

#include <riffle/backend/floating_point.hpp>
#include <riffle/context.hpp>
#include <riffle/monte_carlo/alternative.hpp>
#include <riffle/monte_carlo/detail/variables/column_model.hpp>
#include <riffle/monte_carlo/detail/variables/whole_values.hpp>

namespace riffle::detail::variables {

/// Returns the product a b with its last bit cleared. A compiler cannot fuse it with a following addition, because its
/// value differs from a b, so the result has the same bits on every back end. (Kokkos::fma would be a slow function
/// call if the processor has no such instruction or if the compiler may not assume it.)
KOKKOS_INLINE_FUNCTION double separate_product(double a, double b) {
  return Kokkos::bit_cast<double>(Kokkos::bit_cast<std::uint64_t>(a * b) & ~std::uint64_t{1});
}

/// The numbers that kernels need for each variable.
struct VariableTerms {
  /// The test statistic of a formula with one sum is the sum times this factor. The factor is 0 for a variable that is
  /// not tested.
  double factor = 0;
  double squares = 0;
  double base = 0;
  /// A number that is added to the test statistic: 0, or minus infinity for a variable that is not tested, so that the
  /// variable never has the maximum.
  double shift = -HUGE_VAL;
  /// A test statistic >= threshold counts as at least as extreme as the observed one. For a variable that is not
  /// tested, the threshold is infinity, so that the test statistic of minus infinity does not count.
  double threshold = HUGE_VAL;
  /// The minimum of `threshold` over this variable and all more extreme ones. A running maximum >= step_down_threshold
  /// counts for the step-down p-value. The tolerances for ties differ between variables, so `threshold` may decrease
  /// from a variable to the next more extreme one; step_down_threshold never decreases.
  double step_down_threshold = HUGE_VAL;
  // With per-variable sample sizes (per_variable_statistic.hpp):
  double n = 0;
  double squares_low = 0;
};

/// Returns Welch's t for label 1 minus label 0. `sum` and `square_sum` are the sums of values and of squares over label
/// 1, `all` and `all_squares` the same sums over both labels.
KOKKOS_INLINE_FUNCTION double welch_t(double sum, double square_sum, double all, double all_squares,
                                      double n_1, double n_2) {
  double const mean_1 = sum / n_1;
  double const mean_2 = (all - sum) / n_2;
  double const within_1 = square_sum - separate_product(mean_1, sum);
  double const within_2 = all_squares - square_sum - separate_product(mean_2, all - sum);
  double const error = within_1 / (n_1 * (n_1 - 1)) + within_2 / (n_2 * (n_2 - 1));
  double const difference = mean_1 - mean_2;
  return error > 0 ? difference / Kokkos::sqrt(error)
                   : Kokkos::copysign(difference == 0 ? 0 : hidden_infinity(), difference);
}

/// The sums of squares that a replicate explains, accumulated over the columns.
struct Explained {
  double first = 0;     // the scaled sum of the first effect
  double effects = 0;   // the sum of squares of all effects
  double adjusted = 0;  // the sum of squares of the adjustments
};

/// Returns a value that is greater if the statistic is more extreme for the alternative.
KOKKOS_INLINE_FUNCTION double sided_value(Alternative alternative, double value) {
  if (alternative == Alternative::two_sided) return Kokkos::abs(value);
  return alternative == Alternative::less ? -value : value;
}

/// Returns the test statistic of one column without adjustments.
KOKKOS_INLINE_FUNCTION double simple_test_statistic(Alternative alternative, double sum,
                                                    VariableTerms const& terms) {
  return sided_value(alternative, sum * terms.factor) + terms.shift;
}

/// Computes test statistics from sums.
struct Comparison {
  static constexpr int max_columns = 64;

  Form form = Form::correlation;
  Alternative alternative = Alternative::two_sided;
  int effects = 1;
  int adjustments = 0;
  double n_1 = 0;
  double n_2 = 0;
  double common_squares = 0;
  /// The residual sum of squares counts as rounding error if it is at most this share of the total sum of squares.
  double rounding = 1e-12;
  Kokkos::Array<double, max_columns> scales{};

  KOKKOS_FUNCTION bool is_simple() const { return form == Form::correlation && adjustments == 0; }

  /// Adds to `found` what column k explains, given the sum with this column.
  KOKKOS_FUNCTION void add(int k, double sum, Explained& found) const {
    double const scaled = sum * scales[k];
    if (k == 0) found.first = scaled;
    if (k < effects) {
      found.effects += separate_product(scaled, scaled);
    } else {
      found.adjusted += separate_product(scaled, scaled);
    }
  }

  /// Returns the test statistic of one column without adjustments.
  KOKKOS_FUNCTION double simple(double sum, VariableTerms const& terms) const {
    return simple_test_statistic(alternative, sum, terms);
  }

  /// Returns whether the residual sum of squares after adjustment is more than rounding error.
  KOKKOS_FUNCTION bool has_residual(Explained const& found, VariableTerms const& terms) const {
    return terms.squares - found.adjusted > rounding * terms.squares;
  }

  KOKKOS_FUNCTION double operator()(Explained const& found, VariableTerms const& terms) const {
    double const left = terms.squares - found.adjusted;
    double value = 0;
    if (has_residual(found, terms)) {
      value = form == Form::share ? (found.effects - terms.base) / left
                                  : found.first / Kokkos::sqrt(left);
    }
    return sided(value) + terms.shift;
  }

  KOKKOS_FUNCTION double welch(double sum, double square_sum, double all, double all_squares,
                               VariableTerms const& terms) const {
    return sided(welch_t(sum, square_sum, all, all_squares, n_1, n_2)) + terms.shift;
  }

  KOKKOS_FUNCTION double sided(double value) const { return sided_value(alternative, value); }
};

/// Pointers to the memory for the counts of a batch.
struct BatchCounts {
  /// raw[v] is the count of the v-th counted variable.
  std::uint64_t* raw;
  /// step_down[v] is the step-down count of the v-th counted variable. On a GPU, kernels that use tiles store instead
  /// the difference between this count and the step-down count of variable v - 1.
  std::uint64_t* step_down;
  /// maxima[r] is the maximum of the batch's r-th replicate.
  double* maxima;
  std::uint64_t replicates;
};

// --- the observed statistic ---
//
// The observed statistic is computed by the same formulas as the statistics of replicates.

/// Returns the sum of products of variable g's values and column k of the design.
template <class Memory>
KOKKOS_INLINE_FUNCTION double column_sum(Matrix<Memory> const& values, std::uint64_t g,
                                         Array<Memory> const& design, int k) {
  std::uint64_t const n = values.extent(1);
  double sum = 0;
  for (std::uint64_t i = 0; i < n; ++i) {
    sum += values(g, i) * design(static_cast<std::uint64_t>(k) * n + i);
  }
  return sum;
}

/// Returns the sum of products of variable g's squared values and column 0 of the design.
template <class Memory>
KOKKOS_INLINE_FUNCTION double column_sum_of_squares(Matrix<Memory> const& values, std::uint64_t g,
                                                    Array<Memory> const& design) {
  double sum = 0;
  for (std::uint64_t i = 0; i < values.extent(1); ++i) {
    sum += values(g, i) * values(g, i) * design(i);
  }
  return sum;
}

/// Writes the terms of a variable, except for its thresholds, and its test statistic before the alternative is applied.
template <class Memory>
struct ObserveVariable {
  WholeData<Memory> whole;
  Array<Memory> design;
  Comparison comparison;  // Alternative::greater, which keeps signs
  Kokkos::View<VariableTerms*, Memory> terms;
  Array<Memory> values;

  KOKKOS_FUNCTION void operator()(std::uint64_t g) const {
    VariableFacts& facts = whole.facts(g);
    VariableTerms found;
    double value = 0;
    if (facts.is_tested) {
      double const common = comparison.common_squares;
      found.factor = comparison.scales[0] / Kokkos::sqrt(common > 0 ? common : facts.squares);
      found.squares = facts.squares;
      found.base = facts.base;
      found.shift = 0;
      value = test_statistic(g, found, facts.is_tested);
    }
    terms(g) = facts.is_tested ? found : VariableTerms{};
    values(g) = facts.is_tested ? value : 0;
  }

 private:
  /// Returns the test statistic. Sets is_tested to false if the residual sum of squares after adjustment is only
  /// rounding error.
  KOKKOS_FUNCTION double test_statistic(std::uint64_t g, VariableTerms const& found,
                                        bool& is_tested) const {
    if (comparison.is_simple()) return comparison.simple(sum(g, 0), found);
    if (comparison.form == Form::welch) {
      return comparison.welch(sum(g, 0), column_sum_of_squares(whole.values, g, design), found.base,
                              found.squares, found);
    }
    Explained explained;
    for (int k = 0; k < comparison.effects + comparison.adjustments; ++k) {
      comparison.add(k, sum(g, k), explained);
    }
    is_tested = comparison.has_residual(explained, found);
    return comparison(explained, found);
  }

  KOKKOS_FUNCTION double sum(std::uint64_t g, int k) const {
    return column_sum(whole.values, g, design, k);
  }
};

/// Sets the threshold: a test statistic >= threshold counts as at least as extreme as the observed one.
template <class Memory>
struct SetThreshold {
  Kokkos::View<VariableFacts*, Memory> facts;
  Kokkos::View<VariableTerms*, Memory> terms;
  Array<Memory> values;  // with their signs
  Array<Memory>
      test_statistics;  // written: for the alternative, minus infinity if the variable is not tested
  Comparison comparison;
  /// 1: replicates that may or may not tie with the data count as at least as extreme. -1: they do not.
  double side = 1;

  KOKKOS_FUNCTION void operator()(std::uint64_t g) const {
    auto& own = terms(g);
    double const test_statistic = comparison.sided(values(g)) + own.shift;
    test_statistics(g) = test_statistic;
    if (!facts(g).is_tested) return;
    double const size =
        comparison.form == Form::welch ? Kokkos::max(1.0, Kokkos::abs(test_statistic)) : 1;
    // t is infinite if both samples are constant and differ.
    own.threshold = is_infinite(test_statistic)
                        ? test_statistic
                        : Kokkos::fma(-side * facts(g).tie, size, test_statistic);
  }
};

template <class Memory, class Function>
struct MapValues {
  Array<Memory> values;
  Function function;
  double* out;

  KOKKOS_FUNCTION void operator()(std::uint64_t i) const { out[i] = function(values(i)); }
};

/// Adds to counts(g) the number of maxima that reach the threshold of variable g. Requires: `maxima` is in ascending
/// order.
template <class Memory>
struct CountFrom {
  Array<Memory> maxima;
  Kokkos::View<VariableTerms*, Memory> terms;
  Kokkos::View<std::uint64_t*, Memory> counts;

  KOKKOS_FUNCTION void operator()(std::uint64_t g) const {
    double const threshold = terms(g).threshold;
    std::uint64_t low = 0;
    for (std::uint64_t high = maxima.extent(0); low < high;) {
      std::uint64_t const middle = low + (high - low) / 2;
      if (maxima(middle) >= threshold) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    counts(g) += maxima.extent(0) - low;
  }
};

/// Sets the step-down thresholds of tested variables. The scan is over these variables from the most to the least
/// extreme one; index i stands for position last - i. A step-down threshold is the minimum of the thresholds so far.
template <class Memory>
struct SetStepDownThresholds {
  Kokkos::View<std::uint64_t*, Memory> order;
  Kokkos::View<VariableTerms*, Memory> terms;
  std::uint64_t last;

  KOKKOS_FUNCTION double operator()(std::uint64_t i) const {
    return terms(order(last - i)).threshold;
  }
  KOKKOS_FUNCTION void operator()(std::uint64_t i, double least) const {
    terms(order(last - i)).step_down_threshold = least;
  }
};

/// Writes keys that have the same order as the test statistics, except that tested variables come after untested ones
/// if both are minus infinity.
template <class Memory>
struct WriteSortKeys {
  Kokkos::View<VariableFacts*, Memory> facts;
  Array<Memory> test_statistics;
  Array<Memory> keys;

  KOKKOS_FUNCTION void operator()(std::uint64_t g) const {
    constexpr double least_finite = -0x1.fffffffffffffp1023;
    double const own = test_statistics(g);
    keys(g) = facts(g).is_tested && own < least_finite ? least_finite : own;
  }
};

}  // namespace riffle::detail::variables
