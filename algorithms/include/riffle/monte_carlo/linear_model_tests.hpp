#pragma once

// Permutation tests of a linear model with nuisance variables, for many variables at once: t or F of a contrast by
// Freedman and Lane, ter Braak, Manly, or Still and White (riffle/monte_carlo/nuisance.hpp has the formulas, and the
// papers). Needs Eigen, as riffle/monte_carlo/linear_model.hpp does.

#include <Kokkos_Core.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <riffle/errors.hpp>
#include <riffle/kernel/call.hpp>
#include <riffle/kernel/views.hpp>
#include <riffle/monte_carlo/detail/variables/column_model.hpp>
#include <riffle/monte_carlo/linear_model.hpp>
#include <riffle/monte_carlo/permutation_tests.hpp>

namespace riffle {

namespace detail::variables {

/// An n x `columns` matrix, row by row.
struct RowsOf {
  std::vector<double> values;
  std::size_t columns;

  double at(std::size_t i, std::size_t k) const { return values[i * columns + k]; }
};

/// Adds the columns of a matrix, from column `first` on.
inline void add_columns_of(RowsOf const& matrix, std::size_t first, ColumnModel& model) {
  for (std::size_t k = first; k < matrix.columns; ++k) {
    std::vector<double> column(model.n);
    for (std::size_t i = 0; i < column.size(); ++i) column[i] = matrix.at(i, k);
    add_unit_column(column, model);
  }
}

/// Another orthonormal basis of the same columns, which span the constant: the first column is it, so that the others
/// sum to 0. (A reflection that takes the constant's coordinates to the first axis; A. S. Householder, Journal of the
/// ACM 5, 1958.)
inline RowsOf with_constant_first(RowsOf basis) {
  std::size_t const rows = basis.values.size() / basis.columns;
  std::vector<long double> mirror(basis.columns, 0);
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t k = 0; k < basis.columns; ++k) mirror[k] += basis.at(i, k);
  }
  long double length = 0;
  for (long double const x : mirror) length += x * x;
  length = std::sqrt(length);
  mirror[0] += mirror[0] < 0 ? -length : length;
  long double squares = 0;
  for (long double const x : mirror) squares += x * x;
  for (std::size_t i = 0; i < rows; ++i) {
    long double sum = 0;
    for (std::size_t k = 0; k < basis.columns; ++k) sum += mirror[k] * basis.at(i, k);
    for (std::size_t k = 0; k < basis.columns; ++k) {
      double& x = basis.values[i * basis.columns + k];
      x = static_cast<double>(x - 2 * sum / squares * mirror[k]);
    }
  }
  return basis;
}

/// Adds the columns of nuisance. Places are exchanged without a change of the sum, so that the constant need not be
/// multiplied with.
inline void add_adjustments(LinearModel const& linear, bool flips_signs, ColumnModel& model) {
  RowsOf const nuisance{linear.adjustment_weights(), linear.adjustments()};
  if (nuisance.columns == 0) return;
  bool const leaves_constant = linear.nuisance_has_constant() && !flips_signs;
  model.adjustments = static_cast<int>(nuisance.columns) - (leaves_constant ? 1 : 0);
  if (leaves_constant) {
    add_columns_of(with_constant_first(nuisance), 1, model);
  } else {
    add_columns_of(nuisance, 0, model);
  }
}

/// What is left of nothing but a constant is the data about their mean, which are whole where the data are decimal.
inline Treatment treatment_of(LinearModel const& linear, bool flips_signs) {
  bool const leaves_constant = linear.nuisance_has_constant() && !flips_signs;
  bool const is_manly = linear.method() == Nuisance::manly;
  if (leaves_constant && (is_manly || linear.residual_columns() == 1)) return Treatment::centred;
  return is_manly ? Treatment::as_they_are : Treatment::residuals;
}

inline ColumnModel model_of(char const* function, LinearModel const& linear,
                            PermutationTestsOptions const& options) {
  check(linear.method() != Nuisance::draper_stoneman, function,
        "model.method() = draper_stoneman: its replicates have designs of their own, which "
        "LinearModel evaluates and this function does not");
  check(options.missing != MissingValues::leave_value_out, function,
        "options.missing = leave_value_out: nuisance cannot be taken from a variable's own "
        "observations, a linear model must leave_variable_out");
  bool const flips_signs = options.exchanges && options.exchanges->flips_signs();
  ColumnModel model;
  model.n = linear.observations();
  model.effects = static_cast<int>(linear.effects());
  model.effect_degrees = static_cast<double>(linear.effects());
  model.degrees_of_freedom = linear.degrees_of_freedom();
  model.form = linear.is_f() ? Form::share : Form::correlation;
  model.reported = linear.is_f() ? Reported::f : Reported::t;
  model.types = linear.row_types();
  model.may_flip_signs = true;
  add_columns_of({linear.weights(), linear.effects()}, 0, model);
  add_adjustments(linear, flips_signs, model);
  model.treatment = treatment_of(linear, flips_signs);
  model.residual_basis = linear.residual_basis();
  model.basis_columns = static_cast<int>(linear.residual_columns());
  model.identity_is_observed = linear.identity_is_observed();
  model.observed_basis = linear.nuisance();
  model.observed_basis_columns = static_cast<int>(linear.nuisance_columns());
  return model;
}

}  // namespace detail::variables

/// Tests the contrast of a linear model for each of G variables, with p-values adjusted for G.
///
/// - exec: an execution space instance, or a Context of one.
/// - model: design, contrast and method; made once for all variables. Not of Nuisance::draper_stoneman.
/// - data, options: as for the other permutation_tests. By default any observations may be exchanged. By
///   Nuisance::ter_braak arrangements are always random, since the observed one is not that of the identity.
///
/// Columns of the design are rounded to 2^-26 of their length, and values so that their length is some 2^26: a partial
/// correlation is within some 1e-8 of that in exact arithmetic, and replicates that near to the observed one tie with it.
///
/// Throws and fences as the other permutation_tests. Reproducible: the same bits on every back end.
///
/// Cost: m G n (s + q) multiplications of s tested columns and q of nuisance, fewer by Still and White.
template <detail::InstanceOrContext Exec, detail::MatrixFrom<Exec> Data>
PermutationTestsResult permutation_tests(Exec const& exec, LinearModel const& model,
                                         Data const& data,
                                         PermutationTestsOptions const& options = {}) {
  detail::Call const context(exec, "riffle::permutation_tests");
  auto const columns = detail::variables::model_of("permutation_tests", model, options);
  return detail::variables::run_tests("permutation_tests", context, data, columns, options);
}

}  // namespace riffle
