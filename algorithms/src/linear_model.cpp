// Linear models: checks, bases, row types and residuals.

#include <riffle/monte_carlo/linear_model.hpp>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <riffle/backend/floating_point.hpp>
#include <riffle/errors.hpp>
#include <riffle/monte_carlo/detail/design_algebra.hpp>
#include <riffle/monte_carlo/detail/row_types.hpp>

namespace riffle {
namespace {

using detail::RowMajor;

std::string text_of_not_finite(double value) {
  return detail::is_nan(value) ? "NaN" : value > 0 ? "inf" : "-inf";
}

void check_finite(RowMajor const& matrix, char const* argument,
                  std::vector<std::string> const& names) {
  for (std::size_t row = 0; row < matrix.rows; ++row) {
    for (std::size_t column = 0; column < matrix.columns; ++column) {
      double const value = matrix(row, column);
      if (detail::is_finite(value)) continue;
      detail::check(false, "LinearModel", argument, "(", row, ", ", column,
                    ") = ", text_of_not_finite(value),
                    names.empty() ? "" : ", of " + detail::column_name(column, names),
                    ": must be a finite number");
    }
  }
}

void check_shapes(std::vector<double> const& design, std::size_t rows, std::size_t columns,
                  std::vector<double> const& contrast, std::vector<std::string> const& names) {
  detail::check(columns > 0, "LinearModel", "design has no columns");
  detail::check(
      rows <= std::numeric_limits<std::size_t>::max() / columns && design.size() == rows * columns,
      "LinearModel", "design.size() = ", design.size(), ": must be n p = ", rows, " * ", columns);
  detail::check(names.empty() || names.size() == columns, "LinearModel",
                "options.names.size() = ", names.size(), ": must be 0 or the design's columns, ",
                columns);
  detail::check(!contrast.empty(), "LinearModel", "contrast is empty: it tests nothing");
  detail::check(contrast.size() % columns == 0, "LinearModel",
                "contrast.size() = ", contrast.size(),
                ": must be a multiple of the design's columns, ", columns);
}

void append_columns(RowMajor& matrix, RowMajor const& added) {
  RowMajor both{{}, matrix.rows, matrix.columns + added.columns};
  for (std::size_t row = 0; row < both.rows; ++row) {
    for (std::size_t column = 0; column < both.columns; ++column) {
      both.values.push_back(column < matrix.columns ? matrix(row, column)
                                                    : added(row, column - matrix.columns));
    }
  }
  matrix = std::move(both);
}

/// Here and below, sums are computed in long double, because it has more digits than double, and because compilers do
/// not fuse multiply-adds of long doubles.
std::vector<double> products(RowMajor const& matrix, std::vector<double> const& y) {
  std::vector<long double> sums(matrix.columns, 0);
  for (std::size_t i = 0; i < matrix.values.size(); ++i) {
    long double const weight = matrix.values[i];
    sums[i % matrix.columns] += weight * y[i / matrix.columns];
  }
  return {sums.begin(), sums.end()};
}

double sum_of_squares(std::vector<double> const& y) {
  long double sum = 0;
  for (long double const value : y) sum += value * value;
  return static_cast<double>(sum);
}

std::vector<double> residuals_by(RowMajor const& basis, std::vector<double> const& y) {
  std::vector<double> u = y;
  // The second pass removes the rounding error that the first one leaves if the projection of y on the basis is
  // large.
  for (int pass = 0; pass < 2; ++pass) {
    auto const sums = products(basis, u);
    for (std::size_t row = 0; row < basis.rows; ++row) {
      long double rest = u[row];
      for (std::size_t column = 0; column < basis.columns; ++column) {
        rest -= static_cast<long double>(basis(row, column)) * sums[column];
      }
      u[row] = static_cast<double>(rest);
    }
  }
  constexpr double min_part = 1e-12;
  if (basis.columns > 0 && sum_of_squares(u) <= min_part * min_part * sum_of_squares(y)) {
    std::fill(u.begin(), u.end(), 0.0);
  }
  return u;
}

LinearModelOptions with_names(LinearModelOptions options, DesignMatrix const& design) {
  if (options.names.empty()) options.names = design.names();
  return options;
}

}  // namespace

LinearModel::LinearModel(std::vector<double> const& design, std::size_t n, std::size_t p,
                         std::vector<double> const& contrast, LinearModelOptions const& options)
    : options_(options) {
  check_shapes(design, n, p, contrast, options.names);
  make({design, n, p}, {contrast, contrast.size() / p, p});
}

LinearModel::LinearModel(DesignMatrix const& design, std::vector<double> const& contrast,
                         LinearModelOptions options)
    : LinearModel(design.values(), design.rows(), design.columns(), contrast,
                  with_names(std::move(options), design)) {}

std::size_t LinearModel::changed_effects(std::vector<int> const& orbits) const {
  detail::check(orbits.size() == observations(), "LinearModel",
                "changed_effects: orbits.size() = ", orbits.size(), ": must be the design's rows, ",
                observations());
  for (int const orbit : orbits) {
    detail::check(orbit >= 0, "LinearModel", "changed_effects: an orbit is ", orbit,
                  ": must be at least 0");
  }
  return detail::rank_within(orbits, bases_.nuisance, bases_.interest);
}

std::vector<double> LinearModel::residuals(std::vector<double> const& y) const {
  check_length(y, "residuals");
  return residuals_by(residual_basis_, y);
}

double LinearModel::observed(std::vector<double> const& y) const {
  check_length(y, "observed");
  // For every method, the observed statistic is computed from the residuals after the nuisance is projected out,
  // although ter_braak and manly permute other vectors.
  auto const u = residuals_by(bases_.nuisance, y);
  auto const sums = products(bases_.interest, u);
  LinearStatistic const statistic(static_cast<int>(effects()), 0, degrees_of_freedom(), is_f());
  return statistic(sums.data(), nullptr, sum_of_squares(u));
}

void LinearModel::make(RowMajor design, RowMajor const& contrast) {
  auto const method = static_cast<int>(options_.nuisance);
  detail::check(method >= 0 && method <= static_cast<int>(Nuisance::still_white), "LinearModel",
                "options.nuisance = ", method, ": is no method");
  check_finite(design, "design", options_.names);
  check_finite(contrast, "contrast", options_.names);
  detail::check(design.rows > design.columns, "LinearModel", "design has n = ", design.rows,
                " rows and p = ", design.columns, " columns: no degrees of freedom are left");
  design_ = std::move(design);
  bases_ = detail::bases_of_design(design_, contrast, options_.names);
  find_row_types();
  choose_residual_basis();
}

void LinearModel::find_row_types() {
  constexpr double rounding = 1e-14;
  auto const of_design = detail::types_of_rows(design_, 0);
  auto const of_interest = detail::types_of_rows(bases_.raw_interest, rounding);
  detail::equalise_rows(bases_.interest, of_design);
  detail::equalise_rows(bases_.nuisance, of_design);
  detail::equalise_rows(bases_.unadjusted_interest, of_interest);
  row_types_ = needs_free_gram() ? of_interest : of_design;
}

void LinearModel::choose_residual_basis() {
  residual_basis_.rows = observations();
  if (method() == Nuisance::manly) return;
  residual_basis_ = bases_.nuisance;
  if (method() == Nuisance::ter_braak) append_columns(residual_basis_, bases_.interest);
}

void LinearModel::check_length(std::vector<double> const& y, char const* function) const {
  detail::check(y.size() == observations(), "LinearModel", function, ": y.size() = ", y.size(),
                ": must be the design's rows, ", observations());
}

}  // namespace riffle
