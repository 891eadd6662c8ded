#pragma once

// What a linear model refuses: designs and contrasts from which no statistic follows, named by their columns.

#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include <riffle/backend/eigen_qr.hpp>
#include <riffle/backend/floating_point.hpp>
#include <riffle/errors.hpp>
#include <riffle/monte_carlo/detail/design_algebra.hpp>
#include <riffle/monte_carlo/detail/row_types.hpp>

namespace riffle::detail {

/// "column 3 (age)", or "column 3" of a design without names.
inline std::string column_name(std::size_t column, std::vector<std::string> const& names) {
  std::string const number = "column " + std::to_string(column);
  return names.empty() ? number : number + " (" + names[column] + ")";
}

inline std::string text_of_not_finite(double value) {
  return detail::is_nan(value) ? "NaN" : value > 0 ? "inf" : "-inf";
}

inline void check_finite(RowMajor const& matrix, char const* argument,
                         std::vector<std::string> const& names) {
  for (std::size_t row = 0; row < matrix.rows; ++row) {
    for (std::size_t column = 0; column < matrix.columns; ++column) {
      double const value = matrix(row, column);
      if (is_finite(value)) continue;
      check(false, "LinearModel", argument, "(", row, ", ", column,
            ") = ", text_of_not_finite(value),
            names.empty() ? "" : ", of " + column_name(column, names), ": must be a finite number");
    }
  }
}

/// The coefficients of a relation that are more than rounding, the last one's column apart.
struct NamedRelation {
  std::size_t dependent = 0;
  std::vector<std::size_t> others;
};

inline NamedRelation name_relation(ExtendedVector const& relation) {
  constexpr double rounding = 1e-6;
  NamedRelation named;
  std::vector<std::size_t> columns;
  for (Eigen::Index column = 0; column < relation.size(); ++column) {
    if (std::abs(relation(column)) > rounding) columns.push_back(static_cast<std::size_t>(column));
  }
  named.dependent = columns.back();
  columns.pop_back();
  named.others = columns;
  return named;
}

/// "column 3 (b) depends on column 0 (intercept), column 2 (a)", or "column 3 (b) is 0".
inline std::string text_of_relation(ExtendedVector const& relation,
                                    std::vector<std::string> const& names) {
  auto const [dependent, others] = name_relation(relation);
  std::string text = column_name(dependent, names);
  if (others.empty()) return text + " is 0";
  text += " depends on ";
  for (std::size_t i = 0; i < others.size(); ++i) {
    text += (i == 0 ? "" : ", ") + column_name(others[i], names);
  }
  return text;
}

/// A contrast can be estimated where it gives 0 for every relation of the design's columns.
inline bool can_be_estimated(ExtendedMatrix const& contrast, Eigen::Index row,
                             ExtendedMatrix const& design,
                             std::vector<ExtendedVector> const& relations) {
  ExtendedMatrix const scaled = contrast * lengths_of_columns(design).cwiseInverse().asDiagonal();
  long double const length = scaled.row(row).norm();
  for (auto const& relation : relations) {
    long double const product = scaled.row(row).dot(relation);
    if (std::abs(product) > 1e-6L * length * relation.norm()) return false;
  }
  return true;
}

inline void check_rank_of_design(RowMajor const& design, RowMajor const& contrast,
                                 std::vector<std::string> const& names) {
  ExtendedMatrix const matrix = to_extended(design);
  auto const relations = relations_of_columns(matrix);
  if (relations.empty()) return;
  std::string text;
  for (auto const& relation : relations) text += "; " + text_of_relation(relation, names);
  ExtendedMatrix const rows = to_extended(contrast);
  for (Eigen::Index row = 0; row < rows.rows(); ++row) {
    if (can_be_estimated(rows, row, matrix, relations)) continue;
    text += "; row " + std::to_string(row) + " of the contrast cannot be estimated";
  }
  check(false, "LinearModel", "design has ", design.columns, " columns of rank ",
        design.columns - relations.size(), ": they must be independent", text);
}

inline void check_rows_of_contrast(RowMajor const& contrast) {
  for (std::size_t row = 0; row < contrast.rows; ++row) {
    bool is_zero = true;
    for (std::size_t column = 0; column < contrast.columns; ++column) {
      is_zero = is_zero && contrast(row, column) == 0;
    }
    check(!is_zero, "LinearModel", "row ", row, " of contrast is 0: it tests nothing");
  }
  auto const relations = relations_of_columns(to_extended(contrast).transpose());
  if (relations.empty()) return;
  auto const [dependent, others] = name_relation(relations.front());
  std::string text;
  for (std::size_t const row : others) text += (text.empty() ? "" : ", ") + std::to_string(row);
  check(false, "LinearModel", "row ", dependent, " of contrast depends on rows ", text,
        ": rows must be independent");
}

inline void check_shapes(std::vector<double> const& design, std::size_t rows, std::size_t columns,
                         std::vector<double> const& contrast,
                         std::vector<std::string> const& names) {
  check(columns > 0, "LinearModel", "design has no columns");
  check(
      rows <= std::numeric_limits<std::size_t>::max() / columns && design.size() == rows * columns,
      "LinearModel", "design.size() = ", design.size(), ": must be n p = ", rows, " * ", columns);
  check(names.empty() || names.size() == columns, "LinearModel",
        "options.names.size() = ", names.size(), ": must be 0 or the design's columns, ", columns);
  check(!contrast.empty(), "LinearModel", "contrast is empty: it tests nothing");
  check(contrast.size() % columns == 0, "LinearModel", "contrast.size() = ", contrast.size(),
        ": must be a multiple of the design's columns, ", columns);
}

}  // namespace riffle::detail
