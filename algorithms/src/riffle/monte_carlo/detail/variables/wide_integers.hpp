#pragma once

// Compares variables and replicates as wide integers, with more bits than products of doubles have (column_model.hpp).
//
// A sum of products in a double has 53 bits, which the column and the values share. If this is not enough to decide how
// replicates compare with the data, for example because of outliers, values are converted to integers of up to 60 bits,
// columns to 52 bits, and sums have up to 126 bits. For whole numbers and decimals, replicates are then compared
// exactly (exact_order.hpp). For other data, test statistics have errors of a few roundings of a double.

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <cstdint>

#include <riffle/backend/floating_point.hpp>
#include <riffle/context.hpp>
#include <riffle/monte_carlo/alternative.hpp>
#include <riffle/monte_carlo/detail/arrangement_numbers.hpp>
#include <riffle/monte_carlo/detail/exact_order.hpp>
#include <riffle/monte_carlo/detail/exact_sum.hpp>
#include <riffle/monte_carlo/detail/variables/column_model.hpp>
#include <riffle/monte_carlo/detail/variables/count_batch.hpp>
#include <riffle/monte_carlo/detail/variables/statistic_models.hpp>
#include <riffle/monte_carlo/detail/variables/test_statistic.hpp>
#include <riffle/monte_carlo/detail/variables/whole_values.hpp>
#include <riffle/monte_carlo/detail/whole_unit.hpp>

namespace riffle::detail::variables {

/// Returns whether a model can be tested with wide integers. Models with adjustments or with per-variable sample sizes
/// cannot.
inline bool can_be_wide(ColumnModel const& model) {
  constexpr std::uint64_t most =
      4096;  // with more observations, sums of squares would leave few bits for the values
  bool const is_simple =
      model.form == Form::correlation || model.form == Form::welch || model.form == Form::share;
  return model.n <= most && model.identity_is_observed && model.treatment != Treatment::residuals &&
         model.free_columns.empty() && (model.is_exact || !model.wide_column.empty()) &&
         model.adjustments == 0 && is_simple;
}

/// Returns the model with its wide column, if it has one.
inline ColumnModel wide_model(ColumnModel const& model) {
  ColumnModel wide = model;
  if (model.wide_column.empty()) return wide;
  wide.columns = model.wide_column;
  wide.scales = {1 / wide.length_of(0)};
  return wide;
}

/// The parameters of the comparison that are the same for all variables.
struct WideModel {
  static constexpr int max_groups = Comparison::max_columns;

  Form form = Form::correlation;
  Alternative alternative = Alternative::two_sided;
  Treatment treatment = Treatment::centred;
  bool has_sum_0 = false;
  bool explains_constant = false;
  int value_bits = 0;
  int columns = 1;
  std::int64_t n_1 = 0;
  std::int64_t n_2 = 0;
  double column_error = 0;  // the error of a correlation from rounding the column
  double multiple = 0;      // least common multiple of the group sizes, 0 if it is too large
  Kokkos::Array<std::int64_t, max_groups> factors{};
  Kokkos::Array<double, max_groups> scales{};
};

inline WideModel make_wide_model(ColumnModel const& model, Alternative alternative) {
  WideModel wide;
  wide.form = model.form;
  wide.alternative = alternative;
  wide.treatment = model.treatment;
  wide.has_sum_0 = model.is_of_labels;
  wide.columns = model.width();
  wide.n_1 = static_cast<std::int64_t>(model.n_1);
  wide.n_2 = static_cast<std::int64_t>(model.n_2);
  std::copy(model.scales.begin(), model.scales.end(), wide.scales.data());
  // The sums of a correlation fit in 126 bits, because (bits of a value) + (52 bits of the column) + (bits of n) is
  // less than 126. For Welch's t, products of sums of squares must fit in 126 bits.
  int const bits_of_n = bit_width(model.n);
  wide.value_bits =
      model.form == Form::welch ? (exact_order_bits - 5 * bits_of_n) / 2 - 1 : 62 - bits_of_n;
  wide.column_error = model.wide_column_error;
  wide.explains_constant = model.explains_constant;
  if (model.form != Form::share) return wide;
  wide.multiple = multiple_of_sizes(model);
  if (wide.multiple == 0) return wide;
  // For groups, the least common multiple of the sizes times a sum of squares must fit in 126 bits.
  auto const multiple = static_cast<std::uint64_t>(wide.multiple);
  wide.value_bits =
      std::min(wide.value_bits, (exact_order_bits - 1 - bits_of_n - bit_width(multiple)) / 2);
  for (int k = 0; k < model.width(); ++k) {
    double const length = model.length_of(k);
    wide.factors[k] = static_cast<std::int64_t>(multiple) / std::llround(length * length);
  }
  return wide;
}

/// The observed values of a variable with which replicates are compared.
struct WideTerms {
  int128 observed = 0;  // the sum; for groups: L times the sum of squares between them
  WholeWelch welch{};
  SignedSquare observed_t{};
  bool is_exact = false;
};

/// The sums of a replicate.
struct WideSums {
  int128 sum = 0;        // of products of the values and the only column
  int128 squares = 0;    // for Welch's t: of products of the squared values and the column
  double explained = 0;  // for groups: the sum of squares that they explain
  int128 between = 0;    // for groups: L times the same, exactly
};

KOKKOS_INLINE_FUNCTION std::int64_t wide_value(double x) {
  return Kokkos::bit_cast<std::int64_t>(x);
}

/// Adds to `sums` the squares that group k explains, given the sum of its values.
KOKKOS_INLINE_FUNCTION void add_group(WideModel const& model, int k, int128 sum, WideSums& sums) {
  double const scaled = to_double(sum) * model.scales[k];
  sums.explained += separate_product(scaled, scaled);
  sums.between += sum * sum * model.factors[k];
}

/// Returns the test statistic before the alternative is applied.
KOKKOS_INLINE_FUNCTION double wide_test_statistic(WideModel const& model, WideSums const& sums,
                                                  VariableTerms const& terms,
                                                  WideTerms const& wide) {
  if (model.form == Form::share) return (sums.explained - terms.base) / terms.squares;
  if (model.form == Form::correlation) return to_double(sums.sum) * terms.factor;
  auto const t = wide.welch(sums.sum, sums.squares);
  double const freedom = static_cast<double>((model.n_1 - 1) * (model.n_2 - 1));
  double const size = Kokkos::sqrt(to_double(t.square) / to_double(t.divisor) * freedom);
  if (t.divisor == 0) return t.sign * hidden_infinity();
  return t.sign * size;
}

/// Returns -1, 0 or 1 if a replicate is less extreme than the data, equally extreme, or more extreme.
KOKKOS_INLINE_FUNCTION int wide_order(WideModel const& model, WideSums const& sums,
                                      WideTerms const& wide) {
  if (model.form == Form::share) return order_of(sums.between, wide.observed);
  auto const magnitude = [](int128 x) { return x < 0 ? -x : x; };
  bool const is_two_sided = model.alternative == Alternative::two_sided;
  int order = 0;
  if (model.form == Form::welch) {
    auto const t = wide.welch(sums.sum, sums.squares);
    order = is_two_sided ? order_of(t.magnitude(), wide.observed_t.magnitude())
                         : order_of(t, wide.observed_t);
  } else {
    order = is_two_sided ? order_of(magnitude(sums.sum), magnitude(wide.observed))
                         : order_of(sums.sum, wide.observed);
  }
  return model.alternative == Alternative::less ? -order : order;
}

/// Returns the test statistic if it is on the side of the threshold that the exact order requires, otherwise the
/// closest value on that side.
KOKKOS_INLINE_FUNCTION double ordered_test_statistic(double test_statistic, int order,
                                                     double threshold) {
  if (order >= 0) return Kokkos::max(test_statistic, threshold);
  double const below = is_infinite(threshold)
                           ? (threshold > 0 ? DBL_MAX : -hidden_infinity())
                           : threshold - Kokkos::max(Kokkos::abs(threshold) * 0x1p-52, DBL_MIN);
  return Kokkos::min(test_statistic, below);
}

/// A batch of replicates as wide integers, which is counted like other batches (count_batch.hpp).
template <class Memory, int V, int Width>
struct WideBatch : CountedBatch<Memory, V, Width> {
  static constexpr bool is_wide = true;
  WideModel model;
  Kokkos::View<WideTerms*, Memory> wide;       // wide(g): the terms of variable g
  Kokkos::View<std::uint64_t*, Memory> order;  // order(p): the variable at position p
};

template <class Batch, int V, int R, int Stride, int Step>
requires(Batch::is_wide)
    KOKKOS_INLINE_FUNCTION void find_test_statistics(Batch const& batch, std::uint64_t block,
                                                     std::uint64_t chunk, int lane,
                                                     Tile<V, R>& tile) {
  WideModel const& model = batch.model;
  std::uint64_t const n = batch.blocks.n;
  for (int v = 0; v < V; ++v) {
    std::uint64_t const place = block * V + static_cast<std::uint64_t>(v);
    VariableTerms const& terms = batch.blocks.terms(place);
    for (int r = 0; r < R; ++r) tile.sums[v][r] = -HUGE_VAL;
    if (terms.shift != 0) continue;  // not tested, or padding after the last variable
    WideTerms const& wide = batch.wide(batch.order(place));
    WideSums sums[R];
    for (int k = 0; k < model.columns; ++k) {
      double const* const x = batch.columns.chunk(chunk, k) + lane;
      double const* const y = batch.blocks.of_block(block) + v;
      int128 own[R] = {};
      for (std::uint64_t i = 0; i < n; ++i) {
        std::int64_t const value = wide_value(y[i * V]);
        for (int r = 0; r < R; ++r) {
          // The operands have 64 bits, so this is one multiplication instruction.
          own[r] +=
              static_cast<int128>(value) * static_cast<std::int64_t>(x[i * Stride + r * Step]);
        }
      }
      for (int r = 0; r < R; ++r) {
        if (model.form == Form::share) {
          add_group(model, k, own[r], sums[r]);
        } else {
          sums[r].sum = own[r];
        }
      }
      if (model.form != Form::welch) continue;
      for (std::uint64_t i = 0; i < n; ++i) {
        int128 const value = wide_value(y[i * V]);
        for (int r = 0; r < R; ++r) {
          if (x[i * Stride + r * Step] != 0) sums[r].squares += value * value;
        }
      }
    }
    for (int r = 0; r < R; ++r) {
      double const c =
          sided_value(model.alternative, wide_test_statistic(model, sums[r], terms, wide));
      tile.sums[v][r] = !wide.is_exact ? c
                                       : ordered_test_statistic(c, wide_order(model, sums[r], wide),
                                                                terms.threshold);
    }
  }
}

/// Converts the n values of a variable to 64-bit integers in place. The bits of an integer are stored in the double.
template <class Memory>
struct ConvertToWide {
  Matrix<Memory> values;
  Kokkos::View<VariableFacts*, Memory> facts;
  Kokkos::View<WideTerms*, Memory> wide;
  WideModel model;

  KOKKOS_FUNCTION void operator()(std::uint64_t g) const {
    std::uint64_t const n = values.extent(1);
    VariableFacts found;
    double least = HUGE_VAL;
    double greatest = -HUGE_VAL;
    for (std::uint64_t i = 0; i < n; ++i) {
      double const x = values(g, i);
      found.n += detail::is_nan(x) ? 0 : 1;
      least = Kokkos::min(least, x);
      greatest = Kokkos::max(greatest, x);
    }
    found.is_missing = found.n < static_cast<double>(n);
    bool const is_about_0 = model.treatment != Treatment::centred;
    bool const is_constant = least == greatest && model.treatment != Treatment::as_they_are;
    if (found.is_missing || is_constant || (least == 0 && greatest == 0)) {
      for (std::uint64_t i = 0; i < n; ++i) put(g, i, 0);
      facts(g) = found;
      return;
    }
    double const largest = Kokkos::max(-least, greatest);
    double const reach = is_about_0 ? largest : greatest / 2 - as_rounded(least / 2);
    bool const is_exact = convert(g, least, greatest, largest, is_about_0);
    describe(g, found);
    if (model.has_sum_0) remove_sum(g, found);
    found.is_tested = found.squares > 0;
    wide(g).is_exact =
        is_exact && (model.form != Form::share || model.multiple > 0) && !(model.column_error > 0);
    found.tie = tie(wide(g).is_exact, largest / reach, static_cast<double>(n));
    found.is_certain = wide(g).is_exact;
    facts(g) = found;
  }

 private:
  KOKKOS_FUNCTION void put(std::uint64_t g, std::uint64_t i, std::int64_t whole) const {
    values(g, i) = Kokkos::bit_cast<double>(whole);
  }
  KOKKOS_FUNCTION std::int64_t at(std::uint64_t g, std::uint64_t i) const {
    return wide_value(values(g, i));
  }

  /// Converts the values to whole multiples of a unit. Returns whether all values are such multiples, that is, whether
  /// the conversion is exact.
  KOKKOS_FUNCTION bool convert(std::uint64_t g, double least, double greatest, double largest,
                               bool is_about_0) const {
    constexpr double room = 0x1p62;
    std::uint64_t const n = values.extent(1);
    int decimals = 0;
    for (std::uint64_t i = 0; i < n; ++i) {
      decimals = Kokkos::max(decimals, decimals_of(values(g, i)));
    }
    double const limit = times_power_of_two(1, model.value_bits);
    double const range = is_about_0 ? largest : greatest - least;
    WholeUnit unit;
    if (decimals != no_decimals && largest * power_of_ten(decimals) < room &&
        range * power_of_ten(decimals) < limit) {
      unit = {WholeUnit::Kind::decimal, decimals};
    } else {
      int exponent = 1024;
      for (std::uint64_t i = 0; i < n; ++i) {
        if (values(g, i) != 0) exponent = Kokkos::min(exponent, last_exponent(values(g, i)));
      }
      if (times_power_of_two(largest, -exponent) < 0x1p44 &&
          times_power_of_two(range, -exponent) < limit) {
        unit = {WholeUnit::Kind::binary, exponent};
      }
    }
    if (unit.exists()) {
      std::int64_t const first = is_about_0 ? 0 : unit(values(g, 0));
      std::int64_t sum = 0;
      for (std::uint64_t i = 0; i < n; ++i) sum += unit(values(g, i)) - first;
      std::int64_t const center = is_about_0 ? 0 : first + sum / static_cast<std::int64_t>(n);
      for (std::uint64_t i = 0; i < n; ++i) put(g, i, unit(values(g, i)) - center);
      return true;
    }
    // All numbers are halved, so that no difference overflows.
    double const center = is_about_0 ? 0 : as_rounded(least / 4) + greatest / 4;
    double const half_range = is_about_0 ? largest / 2 : greatest / 2 - as_rounded(least / 2);
    int exponent = 0;
    while (times_power_of_two(half_range, -exponent) >= 1) ++exponent;
    while (times_power_of_two(half_range, -exponent) < 0.5) --exponent;
    for (std::uint64_t i = 0; i < n; ++i) {
      double const half = values(g, i) / 2 - center;
      put(g, i,
          static_cast<std::int64_t>(
              Kokkos::floor(times_power_of_two(half, model.value_bits - exponent) + 0.5)));
    }
    return false;
  }

  /// Replaces each value by n times the value minus the sum of all values, so that the sum is 0. This is done last,
  /// because the sum of squares of the new values would not fit in 128 bits.
  KOKKOS_FUNCTION void remove_sum(std::uint64_t g, VariableFacts& found) const {
    std::uint64_t const n = values.extent(1);
    std::int64_t sum = 0;
    for (std::uint64_t i = 0; i < n; ++i) sum += at(g, i);
    if (sum == 0) return;
    for (std::uint64_t i = 0; i < n; ++i) put(g, i, at(g, i) * static_cast<std::int64_t>(n) - sum);
    found.squares *= static_cast<double>(n) * static_cast<double>(n);
    found.base = 0;
  }

  KOKKOS_FUNCTION void describe(std::uint64_t g, VariableFacts& found) const {
    std::uint64_t const n = values.extent(1);
    int128 sum = 0;
    int128 squares = 0;
    for (std::uint64_t i = 0; i < n; ++i) {
      int128 const x = at(g, i);
      sum += x;
      squares += x * x;
    }
    wide(g).welch = {model.n_1, model.n_2, sum, squares};
    // The magnitude of the sum of centred values is below n, and the sum of fixed-point values is small, too. So the
    // subtraction loses no digits.
    double const all = to_double(sum);
    double const mean = all / static_cast<double>(n);
    bool const is_about_mean = model.treatment == Treatment::centred;
    found.squares = Kokkos::fma(is_about_mean ? -mean : 0, all, to_double(squares));
    found.base = model.explains_constant ? mean * all : 0;
  }

  /// Returns an upper bound for the difference between two test statistics that tie. For exact values it is a few
  /// rounding errors, by which equal correlations of different variables may differ. For other values, the rounding
  /// errors of the data, relative to their range, are added.
  KOKKOS_FUNCTION double tie(bool is_exact, double largest, double n) const {
    constexpr double few_roundings = 0x1p-46;
    if (is_exact) return few_roundings;
    return Kokkos::fma(data_epsilon * Kokkos::sqrt(n), largest, few_roundings + model.column_error);
  }
};

/// Writes the terms of a variable, except for its thresholds, and its test statistic before the alternative is applied.
template <class Memory>
struct ObserveWide {
  WholeData<Memory> whole;
  Array<Memory> design;
  WideModel model;
  Kokkos::View<WideTerms*, Memory> wide;
  Kokkos::View<VariableTerms*, Memory> terms;
  Array<Memory> values;

  KOKKOS_FUNCTION void operator()(std::uint64_t g) const {
    VariableFacts const facts = whole.facts(g);
    VariableTerms found;
    WideSums sums;
    if (facts.is_tested) {
      found.factor = model.scales[0] / Kokkos::sqrt(facts.squares);
      found.squares = facts.squares;
      found.base = facts.base;
      found.shift = 0;
      add_up(g, sums);
      wide(g).observed = model.form == Form::share ? sums.between : sums.sum;
      if (model.form == Form::welch) wide(g).observed_t = wide(g).welch(sums.sum, sums.squares);
    }
    terms(g) = found;
    values(g) = facts.is_tested ? wide_test_statistic(model, sums, found, wide(g)) : 0;
  }

 private:
  KOKKOS_FUNCTION void add_up(std::uint64_t g, WideSums& sums) const {
    std::uint64_t const n = whole.values.extent(1);
    for (int k = 0; k < model.columns; ++k) {
      int128 sum = 0;
      for (std::uint64_t i = 0; i < n; ++i) {
        int128 const y = wide_value(whole.values(g, i));
        auto const x = static_cast<std::int64_t>(design(static_cast<std::uint64_t>(k) * n + i));
        sum += y * x;
        if (model.form == Form::welch && x != 0) sums.squares += y * y;
      }
      if (model.form == Form::share) {
        add_group(model, k, sum, sums);
      } else {
        sums.sum = sum;
      }
    }
  }
};

}  // namespace riffle::detail::variables
