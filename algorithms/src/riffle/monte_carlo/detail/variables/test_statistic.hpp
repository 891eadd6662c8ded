#pragma once

// Test statistics, by which replicates are compared, from sums. A test statistic grows with how extreme a replicate is,
// and is the same function for all variables, so that its maximum over variables belongs to the most extreme one.

#include <Kokkos_Core.hpp>

#include <cmath>
#include <cstdint>

#include <riffle/backend/floating_point.hpp>
#include <riffle/context.hpp>
#include <riffle/monte_carlo/alternative.hpp>
#include <riffle/monte_carlo/detail/column_model.hpp>
#include <riffle/monte_carlo/detail/variables/whole_values.hpp>

namespace riffle::detail::variables {

/// Returns a b without its last bit. Since its value differs from a b, no compiler fuses it with an addition, and it
/// has the same bits on every back end. (Kokkos::fma is a slow function call on processors without it, or for compilers
/// that do not assume it.)
KOKKOS_INLINE_FUNCTION double separate_product(double a, double b) {
  return Kokkos::bit_cast<double>(Kokkos::bit_cast<std::uint64_t>(a * b) & ~std::uint64_t{1});
}

/// The numbers of a variable that kernels use.
struct VariableTerms {
  /// The factor of the sum that gives the test statistic, or 0 for a variable that is not tested.
  double factor = 0;
  double squares = 0;
  double base = 0;
  /// Added to the test statistic: 0, or minus infinity for a variable that is not tested, so that it is never a
  /// maximum.
  double shift = -HUGE_VAL;
  /// Test statistics from this value on are at least as extreme as the observed one. Infinity, which minus infinity
  /// never reaches, for a variable that is not tested.
  double threshold = HUGE_VAL;
  /// The least threshold of this variable and the more extreme ones. From this value on, a running maximum counts for
  /// step-down. In the order from the least to the most extreme variable it never decreases, although tolerances of
  /// ties differ.
  double step_down_threshold = HUGE_VAL;
  // With per-variable sample sizes (per_variable_statistic.hpp):
  double n = 0;
  double squares_low = 0;
};

/// Returns Welch's t of label 1 minus label 0, from the sums of values and of squares over label 1 and over all.
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

/// The sums of a replicate, added up column by column.
struct Explained {
  double first = 0;     // the sum of the first effect, scaled
  double effects = 0;   // the sum of squares of all effects
  double adjusted = 0;  // the sum of squares of the adjustments
};

/// Returns a value that grows with how extreme the statistic is.
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
  /// The part of all squares up to which the squares after adjustment are rounding error.
  double rounding = 1e-12;
  Kokkos::Array<double, max_columns> scales{};

  KOKKOS_FUNCTION bool is_simple() const { return form == Form::correlation && adjustments == 0; }

  /// Adds the sum of column k.
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

  /// Returns whether more than rounding error is left after adjustment.
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

/// The memory for the counts of a batch.
struct TileCounts {
  /// The count of the first counted variable.
  std::uint64_t* raw;
  /// The step-down count of this variable. Kernels with tiles on a GPU store differences from the count of the variable
  /// before.
  std::uint64_t* step_down;
  /// The maximum of the batch's first replicate.
  double* maxima;
  std::uint64_t replicates;
};

// --- the observed statistic ---
//
// Computed by the same formulas as the statistics of replicates.

/// Returns the sum of a variable's values with column k of the design.
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

/// Returns the sum of a variable's squared values with column 0.
template <class Memory>
KOKKOS_INLINE_FUNCTION double column_sum_of_squares(Matrix<Memory> const& values, std::uint64_t g,
                                                    Array<Memory> const& design) {
  double sum = 0;
  for (std::uint64_t i = 0; i < values.extent(1); ++i) {
    sum += values(g, i) * values(g, i) * design(i);
  }
  return sum;
}

/// Writes the terms of a variable except its threshold, and its test statistic before the alternative is applied.
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
  /// Sets is_tested to false if nothing is left after adjustment.
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

/// Sets the threshold from which on a test statistic counts as at least as extreme as the observed one.
template <class Memory>
struct SetThreshold {
  Kokkos::View<VariableFacts*, Memory> facts;
  Kokkos::View<VariableTerms*, Memory> terms;
  Array<Memory> values;  // with their signs
  Array<Memory>
      test_statistics;  // written: for the alternative, minus infinity if the variable is not tested
  Comparison comparison;
  /// 1 if test statistics that may tie count, -1 if they do not.
  double side = 1;

  KOKKOS_FUNCTION void operator()(std::uint64_t g) const {
    auto& own = terms(g);
    double const test_statistic = comparison.sided(values(g)) + own.shift;
    test_statistics(g) = test_statistic;
    if (!facts(g).is_tested) return;
    double const size =
        comparison.form == Form::welch ? Kokkos::max(1.0, Kokkos::abs(test_statistic)) : 1;
    // Two constant samples that differ have an infinite t.
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

/// Adds to counts(g) the number of maxima that reach the threshold of variable g. Requires: ascending maxima.
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

/// A scan over the tested variables from the last place of their order to the first: the running minimum of thresholds
/// is the step-down threshold.
template <class Memory>
struct SetStepDownThresholds {
  using value_type = double;

  Kokkos::View<std::uint64_t*, Memory> order;
  Kokkos::View<VariableTerms*, Memory> terms;

  KOKKOS_FUNCTION static void init(double& least) { least = HUGE_VAL; }
  KOKKOS_FUNCTION static void join(double& least, double const& other) {
    least = Kokkos::min(least, other);
  }
  KOKKOS_FUNCTION void operator()(std::uint64_t i, double& least, bool is_final) const {
    VariableTerms& own = terms(order(order.extent(0) - 1 - i));
    least = Kokkos::min(least, own.threshold);
    if (is_final) own.step_down_threshold = least;
  }
};

/// Copies by_variable(g) to by_place(place), or the reverse.
template <class Memory>
struct ReorderCounts {
  Kokkos::View<std::uint64_t*, Memory> order;
  Kokkos::View<std::uint64_t*, Memory> by_place;
  Kokkos::View<std::uint64_t*, Memory> by_variable;
  bool is_to_variables;

  KOKKOS_FUNCTION void operator()(std::uint64_t place) const {
    std::uint64_t& own = by_variable(order(place));
    if (is_to_variables) {
      own = by_place(place);
    } else {
      by_place(place) = own;
    }
  }
};

}  // namespace riffle::detail::variables
