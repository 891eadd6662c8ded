// Makes the column model (column_model.hpp) of a linear model.

#include <riffle/monte_carlo/linear_model_tests.hpp>

#include <cmath>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include <riffle/errors.hpp>
#include <riffle/monte_carlo/detail/variables/column_model.hpp>

namespace riffle::detail::variables {
namespace {

std::vector<double> column_of(RowMajor const& matrix, std::size_t k) {
  std::vector<double> column(matrix.rows);
  for (std::size_t i = 0; i < matrix.rows; ++i) column[i] = matrix(i, k);
  return column;
}

/// Adds columns first, first + 1, ... of a matrix to the model.
void add_columns_of(RowMajor const& matrix, std::size_t first, ColumnModel& model) {
  for (std::size_t k = first; k < matrix.columns; ++k) add_unit_column(column_of(matrix, k), model);
}

/// Returns an orthonormal basis of the same space whose first column is constant; the other columns therefore sum to 0.
/// The basis is multiplied by the Householder reflection that maps the coordinates of the constant vector to the first
/// axis (A. S. Householder, Journal of the ACM 5, 1958). Requires: the constant vector is in the span of the columns.
RowMajor with_constant_first(RowMajor basis) {
  std::vector<long double> mirror(basis.columns, 0);
  for (std::size_t i = 0; i < basis.rows; ++i) {
    for (std::size_t k = 0; k < basis.columns; ++k) mirror[k] += basis(i, k);
  }
  long double length = 0;
  for (long double const x : mirror) length += x * x;
  length = std::sqrt(length);
  mirror[0] += mirror[0] < 0 ? -length : length;
  long double squares = 0;
  for (long double const x : mirror) squares += x * x;
  for (std::size_t i = 0; i < basis.rows; ++i) {
    long double sum = 0;
    for (std::size_t k = 0; k < basis.columns; ++k) sum += mirror[k] * basis(i, k);
    for (std::size_t k = 0; k < basis.columns; ++k) {
      double& x = basis(i, k);
      x = static_cast<double>(x - 2 * sum / squares * mirror[k]);
    }
  }
  return basis;
}

/// Adds the nuisance columns. If signs do not change, the sum with the constant column is the same for every
/// permutation, so the constant column is left out.
void add_adjustments(LinearModel const& linear, bool flips_signs, ColumnModel& model) {
  RowMajor const nuisance{linear.adjustment_weights(), model.n, linear.adjustments()};
  if (nuisance.columns == 0) return;
  bool const leaves_constant = linear.nuisance_has_constant() && !flips_signs;
  model.adjustments = static_cast<int>(nuisance.columns) - (leaves_constant ? 1 : 0);
  if (leaves_constant) {
    add_columns_of(with_constant_first(nuisance), 1, model);
  } else {
    add_columns_of(nuisance, 0, model);
  }
}

/// Returns columns first, first + 1, ... of a matrix in column-major order.
std::vector<double> by_columns(RowMajor const& matrix, std::size_t first) {
  std::vector<double> values;
  for (std::size_t k = first; k < matrix.columns; ++k) {
    auto const column = column_of(matrix, k);
    values.insert(values.end(), column.begin(), column.end());
  }
  return values;
}

/// Subtracts the mean of each column, and returns an orthonormal basis of the result (Gram-Schmidt, two passes). Equal
/// rows stay equal.
RowMajor about_means(RowMajor matrix) {
  std::size_t const rows = matrix.rows;
  auto const product = [&](std::size_t k, std::size_t l) {
    long double sum = 0;
    for (std::size_t i = 0; i < rows; ++i)
      sum += static_cast<long double>(matrix(i, k)) * matrix(i, l);
    return sum;
  };
  for (std::size_t k = 0; k < matrix.columns; ++k) {
    for (int time = 0; time < 2; ++time) {
      long double mean = 0;
      for (std::size_t i = 0; i < rows; ++i) mean += matrix(i, k) / static_cast<long double>(rows);
      for (std::size_t i = 0; i < rows; ++i)
        matrix(i, k) = static_cast<double>(matrix(i, k) - mean);
      for (std::size_t l = 0; l < k; ++l) {
        long double const sum = product(k, l);
        for (std::size_t i = 0; i < rows; ++i) {
          matrix(i, k) = static_cast<double>(matrix(i, k) - sum * matrix(i, l));
        }
      }
    }
    long double const length = std::sqrt(product(k, k));
    for (std::size_t i = 0; i < rows; ++i)
      matrix(i, k) = static_cast<double>(matrix(i, k) / length);
  }
  return matrix;
}

/// Adds the columns of draper_stoneman. If the nuisance spans the constant and signs do not change, the constant
/// explains the same part of a column in every replicate. Therefore this part is removed here, once. If the nuisance
/// has no other columns, a replicate only permutes the tested columns.
void add_free_columns(LinearModel const& linear, bool flips_signs, ColumnModel& model) {
  bool const leaves_constant = linear.nuisance_has_constant() && !flips_signs;
  RowMajor interest{linear.unadjusted_interest(), model.n, linear.effects()};
  RowMajor nuisance{linear.nuisance(), model.n, linear.nuisance_columns()};
  if (leaves_constant) {
    interest = about_means(interest);
    nuisance = with_constant_first(nuisance);
  }
  model.fixed_nuisance = by_columns(nuisance, leaves_constant ? 1 : 0);
  if (model.fixed_nuisance.empty()) {
    add_columns_of(interest, 0, model);
    return;
  }
  model.free_columns = by_columns(interest, 0);
  RowMajor const observed{linear.interest(), model.n, linear.effects()};
  for (std::size_t k = 0; k < observed.columns; ++k) model.add_real_column(column_of(observed, k));
}

/// Returns the treatment of the values. If the constant is the only nuisance, the residuals are the values minus their
/// mean; Treatment::centred then keeps decimals exact.
Treatment treatment_of(LinearModel const& linear, bool flips_signs) {
  bool const leaves_constant = linear.nuisance_has_constant() && !flips_signs;
  bool const is_manly = linear.method() == Nuisance::manly;
  if (leaves_constant && (is_manly || linear.residual_columns() == 1)) return Treatment::centred;
  return is_manly ? Treatment::as_they_are : Treatment::residuals;
}

/// Throws unless permutations change all tested columns, because the test is about all of them. Sign changes change
/// every column.
void check_changed_effects(char const* function, LinearModel const& linear,
                           PermutationTestsOptions const& options) {
  std::size_t const n = linear.observations();
  // A scheme of another size is reported later, together with other errors of the scheme.
  bool const is_given = options.scheme && options.scheme->size() == n;
  if (is_given && options.scheme->flips_signs()) return;
  auto const changed =
      linear.changed_effects(is_given ? options.scheme->orbits() : std::vector<int>(n, 0));
  check(
      changed > 0, function,
      "no permutation changes what is compared: apart from nuisance, the tested columns are equal "
      "for observations that may change places");
  check(changed == linear.effects(), function, "permutations change ", changed, " of the ",
        linear.effects(),
        " tested columns: of the others, which apart from nuisance are equal for observations that "
        "may change places, they say nothing");
}

}  // namespace

Model model_of(char const* function, LinearModel const& linear,
               PermutationTestsOptions const& options) {
  check(options.missing != MissingValues::leave_value_out, function,
        "options.missing = leave_value_out: nuisance cannot be taken from a variable's own "
        "observations, a linear model must leave_variable_out");
  check_changed_effects(function, linear, options);
  bool const flips_signs = options.scheme && options.scheme->flips_signs();
  ColumnModel model;
  model.n = linear.observations();
  model.effects = static_cast<int>(linear.effects());
  model.effect_degrees = static_cast<double>(linear.effects());
  model.degrees_of_freedom = linear.degrees_of_freedom();
  model.form = linear.is_f() ? Form::share : Form::correlation;
  model.reported = linear.is_f() ? Reported::f : Reported::t;
  model.types = linear.row_types();
  model.may_flip_signs = true;
  if (linear.needs_free_gram()) {
    add_free_columns(linear, flips_signs, model);
  } else {
    add_columns_of({linear.weights(), model.n, linear.effects()}, 0, model);
    add_adjustments(linear, flips_signs, model);
  }
  model.treatment = treatment_of(linear, flips_signs);
  model.residual_basis = linear.residual_basis();
  model.basis_columns = static_cast<int>(linear.residual_columns());
  model.identity_is_observed = linear.identity_is_observed();
  model.observed_basis = linear.nuisance();
  model.observed_basis_columns = static_cast<int>(linear.nuisance_columns());
  return std::make_shared<ColumnModel const>(std::move(model));
}

}  // namespace riffle::detail::variables
