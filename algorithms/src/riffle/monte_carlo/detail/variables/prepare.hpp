#pragma once

// Brings data into the form that replicates are counted in: whole numbers, in blocks of a few variables.

#include <Kokkos_Core.hpp>

#include <cmath>
#include <cstdint>
#include <string>

#include <riffle/backend/floating_point.hpp>
#include <riffle/context.hpp>
#include <riffle/errors.hpp>
#include <riffle/monte_carlo/detail/column_model.hpp>
#include <riffle/monte_carlo/detail/common.hpp>
#include <riffle/monte_carlo/detail/test_data.hpp>
#include <riffle/monte_carlo/detail/variables/products.hpp>
#include <riffle/monte_carlo/detail/variables/residuals.hpp>
#include <riffle/monte_carlo/detail/variables/whole_values.hpp>
#include <riffle/monte_carlo/detail/whole_unit.hpp>
#include <riffle/primitives/loops.hpp>
#include <riffle/rank/rank_unsorted_rows.hpp>
#include <riffle/rank/ties.hpp>

namespace riffle::detail::variables {

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

/// One row of a matrix.
template <class Memory>
struct Row {
  Matrix<Memory> matrix;
  std::uint64_t g;
  KOKKOS_FUNCTION double& operator()(std::uint64_t i) const { return matrix(g, i); }
};

/// What a kernel needs to know of a model to make whole numbers.
struct Conversion {
  Treatment treatment;
  Form form;
  double column_length;
  bool columns_are_exact;
  /// Whether the formula has sums of adjusting columns, too.
  bool is_adjusted;
  bool explains_constant;
  bool is_of_labels;
  /// A common multiple of the groups' sizes; 0 where it is not known.
  double multiple;
};

template <class Memory>
struct MakeWhole {
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
    // Ranks are about their mean already.
    bool const centres = conversion.treatment == Treatment::centred;
    // Of the values as they are, before they are converted.
    bool const is_short = are_decimals(row, n) || are_binary_fractions(row, n);
    WholeValues whole(row, n);
    // Ranks are about their mean: about their middle, where ties move it, U would not be that of their sums.
    whole.convert({conversion.treatment == Treatment::centred,
                   conversion.treatment != Treatment::residuals, conversion.is_of_labels,
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
  /// Whether the values are whole multiples of a power of 2, fewer than 2^44.
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

  /// squares - sum^2 / n: what the division leaves is taken off, too.
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

  /// Of exact values and columns. Different shares are one over the multiple of sizes and the squares apart.
  KOKKOS_FUNCTION bool is_certain(VariableFacts const& found) const {
    if (conversion.form == Form::correlation) return !conversion.is_adjusted;
    return conversion.form == Form::share && !conversion.is_adjusted && conversion.multiple > 0 &&
           2 * found.tie * conversion.multiple * found.squares < 1;
  }

  /// Comparands of real columns or values differ by the roundings of both, those of formulas with more than one sum by
  /// their own. Exact sums tie where they are equal; but other variables, which are compared in maxima, have the same
  /// correlation by another product: within some roundings, far less than from one sum to the next.
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
struct KeepMissing {
  Matrix<Memory> values;
  Matrix<Memory> ranks;

  KOKKOS_FUNCTION void operator()(std::uint64_t at) const {
    std::uint64_t const n = ranks.extent(1);
    if (detail::is_nan(values(at / n, at % n))) ranks(at / n, at % n) = values(at / n, at % n);
  }
};

/// Data as whole numbers, in the order of the data.
template <class Memory>
struct WholeData {
  Matrix<Memory> values;  // G x n
  Kokkos::View<VariableFacts*, Memory> facts;
  Matrix<Memory> masks = {};  // where n is a variable's own (own_values.hpp)
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
  context.named("missing").for_each(all, KeepMissing<Memory>{values, ranks});
  return ranks;
}

/// The data, or their ranks, as doubles; facts are to be written.
template <class Exec, class Data>
auto read_values(char const* function, Context<Exec> const& context, Data const& data,
                 ColumnModel const& model) {
  using Memory = typename Exec::memory_space;
  auto const named = [&](char const* name) {
    return Kokkos::view_alloc(context.exec(), Kokkos::WithoutInitializing, context.label() + name);
  };
  WholeData<Memory> whole{Matrix<Memory>(named("::values"), data.extent(0), data.extent(1)),
                          Kokkos::View<VariableFacts*, Memory>(named("::facts"), data.extent(0))};
  copy_as_doubles(context.named("copy"), data, whole.values);
  check_no_infinite(function, context, whole.values);
  if (model.treatment == Treatment::ranked) whole.values = rank_values(context, whole.values);
  return whole;
}

/// `basis` is n x columns, where residuals are wanted.
template <class Exec, class Data>
auto make_whole(char const* function, Context<Exec> const& context, Data const& data,
                ColumnModel const& model, Matrix<typename Exec::memory_space> const& basis) {
  using Memory = typename Exec::memory_space;
  auto const whole = read_values(function, context, data, model);
  Conversion const conversion{model.treatment,       model.form,
                              model.length(),        model.is_exact,
                              model.adjustments > 0, model.explains_constant,
                              model.is_of_labels,    multiple_of_sizes(model)};
  if (model.treatment == Treatment::residuals) {
    leave_residuals<Products>(context.named("residuals"), whole.values, basis);
  }
  context.named("whole").for_each(data.extent(0),
                                  MakeWhole<Memory>{whole.values, whole.facts, conversion});
  return whole;
}

}  // namespace riffle::detail::variables
