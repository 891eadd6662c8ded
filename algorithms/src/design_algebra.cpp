// Computes the rank of a design, and its partition into columns of interest and nuisance columns.
//
// All computations are in long double, which vector instructions and fused multiply-adds do not affect. Matrix products
// are not blocked, because Eigen derives block sizes from the cache sizes of the processor. Therefore -O0 and -O3
// -march=native give bitwise identical results. The only exception is that Eigen's Householder reflections are blocked
// if there are 48 or more columns. Blocking may change the last bits of long doubles. A result, which is a long double
// rounded to double, changes only if the long double is next to the midpoint between two doubles.

#include <riffle/monte_carlo/detail/design_algebra.hpp>

#if __has_include(<Eigen/QR>)
// Otherwise Eigen marks functions for the device that call unmarked functions of the standard library.
#ifndef EIGEN_NO_CUDA
#define EIGEN_NO_CUDA
#endif
#ifndef EIGEN_NO_HIP
#define EIGEN_NO_HIP
#endif
#include <Eigen/QR>
#endif

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include <riffle/errors.hpp>

namespace riffle::detail {

std::string column_name(std::size_t column, std::vector<std::string> const& names) {
  std::string const number = "column " + std::to_string(column);
  return names.empty() ? number : number + " (" + names[column] + ")";
}

#if __has_include(<Eigen/QR>)

namespace {

using ExtendedMatrix = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;
using ExtendedVector = Eigen::Matrix<long double, Eigen::Dynamic, 1>;

/// A column counts as linearly dependent on other columns if the length of its part outside of their span is at most
/// this share of its whole length (R's lm uses 1e-7). If no column is linearly dependent, the bases, which are computed
/// in long double, have at least nine correct digits.
inline constexpr double min_independent_part = 1e-9;

ExtendedMatrix to_extended(RowMajor const& matrix) {
  auto const rows = static_cast<Eigen::Index>(matrix.rows);
  auto const columns = static_cast<Eigen::Index>(matrix.columns);
  ExtendedMatrix result(rows, columns);
  for (Eigen::Index row = 0; row < rows; ++row) {
    for (Eigen::Index column = 0; column < columns; ++column) {
      result(row, column) = matrix(static_cast<std::size_t>(row), static_cast<std::size_t>(column));
    }
  }
  return result;
}

RowMajor to_row_major(ExtendedMatrix const& matrix) {
  RowMajor result;
  result.rows = static_cast<std::size_t>(matrix.rows());
  result.columns = static_cast<std::size_t>(matrix.cols());
  for (Eigen::Index row = 0; row < matrix.rows(); ++row) {
    for (Eigen::Index column = 0; column < matrix.cols(); ++column) {
      result.values.push_back(static_cast<double>(matrix(row, column)));
    }
  }
  return result;
}

/// Returns the lengths of the columns, or 1 for a column of zeros. Values are first divided by the largest magnitude,
/// so that no square overflows.
ExtendedVector lengths_of_columns(ExtendedMatrix const& matrix) {
  ExtendedVector lengths(matrix.cols());
  for (Eigen::Index column = 0; column < matrix.cols(); ++column) {
    long double const length = matrix.col(column).stableNorm();
    lengths(column) = length > 0 ? length : 1;
  }
  return lengths;
}

ExtendedMatrix with_unit_columns(ExtendedMatrix const& matrix) {
  return matrix * lengths_of_columns(matrix).cwiseInverse().asDiagonal();
}

/// Returns a basis of the null space of a matrix. The elements of a basis vector are coefficients with which the
/// columns of the matrix add up to 0.
std::vector<ExtendedVector> relations_of_columns(ExtendedMatrix const& matrix) {
  ExtendedMatrix const unit = with_unit_columns(matrix);
  Eigen::ColPivHouseholderQR<ExtendedMatrix> qr(unit);
  // The threshold is relative to the greatest pivot, which is 1, the length of a column, unless all columns are 0.
  qr.setThreshold(min_independent_part);
  auto const rank = unit.isZero(0) ? Eigen::Index(0) : qr.rank();
  ExtendedMatrix const factor = qr.matrixQR();
  std::vector<ExtendedVector> relations;
  for (Eigen::Index dependent = rank; dependent < unit.cols(); ++dependent) {
    ExtendedVector permuted = ExtendedVector::Zero(unit.cols());
    permuted(dependent) = -1;
    // Back substitution by loops, because Eigen's back substitution is blocked.
    for (Eigen::Index row = rank - 1; row >= 0; --row) {
      long double rest = factor(row, dependent);
      for (Eigen::Index column = row + 1; column < rank; ++column) {
        rest -= factor(row, column) * permuted(column);
      }
      permuted(row) = rest / factor(row, row);
    }
    relations.emplace_back(qr.colsPermutation() * permuted);
  }
  return relations;
}

/// Requires: linearly independent columns. Returns the orthonormal columns that the Gram-Schmidt process gives,
/// computed by Householder reflections. The inner product of each result with its input column is positive.
ExtendedMatrix orthonormal_columns(ExtendedMatrix const& matrix) {
  Eigen::Index const columns = matrix.cols();
  if (columns == 0) return matrix;
  Eigen::HouseholderQR<ExtendedMatrix> const qr(with_unit_columns(matrix));
  ExtendedMatrix basis = qr.householderQ() * ExtendedMatrix::Identity(matrix.rows(), columns);
  for (Eigen::Index column = 0; column < columns; ++column) {
    if (qr.matrixQR()(column, column) < 0) basis.col(column) *= -1;
  }
  return basis;
}

/// The partition of M into [X Z] with the same span, where the coefficients of X are C b (G. R. Ridgway's partition in
/// Winkler et al. 2014, appendix A, but without projecting Z out of X).
struct Partition {
  ExtendedMatrix interest;  // X = M C+, n x s; if C selects columns of M, these
  ExtendedMatrix nuisance;  // Z = M C0, n x q; C C0 = 0
};

/// Returns the pseudoinverse of C, C' (C C')^-1.
ExtendedMatrix pseudoinverse(ExtendedMatrix const& contrast) {
  ExtendedMatrix const transposed = contrast.transpose();
  ExtendedMatrix const gram = contrast.lazyProduct(transposed);
  ExtendedMatrix const inverse = Eigen::HouseholderQR<ExtendedMatrix>(gram).solve(
      ExtendedMatrix::Identity(gram.rows(), gram.cols()));
  return transposed.lazyProduct(inverse);
}

bool selects_columns(ExtendedMatrix const& contrast) {
  for (Eigen::Index row = 0; row < contrast.rows(); ++row) {
    if ((contrast.row(row).array() != 0).count() != 1) return false;
  }
  return true;
}

/// Returns C+ for a contrast whose rows have one nonzero coefficient each. The result is exact, so that equal values of
/// a selected column stay equal.
ExtendedMatrix pseudoinverse_of_selection(ExtendedMatrix const& contrast) {
  ExtendedMatrix result = contrast.transpose();
  for (long double& value : result.reshaped()) value = value == 0 ? 0 : 1 / value;
  return result;
}

Partition partition_design(ExtendedMatrix const& design, ExtendedMatrix const& contrast) {
  Partition parts;
  parts.interest = design.lazyProduct(
      selects_columns(contrast) ? pseudoinverse_of_selection(contrast) : pseudoinverse(contrast));
  // The null space is computed for columns of length 1, so that it does not depend on their units.
  ExtendedMatrix const scaled_contrast =
      contrast * lengths_of_columns(design).cwiseInverse().asDiagonal();
  ExtendedMatrix const transposed = with_unit_columns(scaled_contrast.transpose());
  Eigen::HouseholderQR<ExtendedMatrix> const qr(transposed);
  ExtendedMatrix const all =
      qr.householderQ() * ExtendedMatrix::Identity(design.cols(), design.cols());
  ExtendedMatrix const null_space = all.rightCols(design.cols() - contrast.rows());
  parts.nuisance = with_unit_columns(design).lazyProduct(null_space);
  return parts;
}

bool spans_constant(ExtendedMatrix const& basis) {
  ExtendedVector rest = ExtendedVector::Ones(basis.rows());
  ExtendedVector const sums = basis.transpose().lazyProduct(rest);
  rest -= basis.lazyProduct(sums);
  return rest.norm() <= min_independent_part * std::sqrt(static_cast<double>(basis.rows()));
}

/// Returns the matrix after the mean of each orbit is subtracted from each column.
ExtendedMatrix about_orbit_means(ExtendedMatrix matrix, std::vector<int> const& orbits) {
  auto const count = orbits.empty() ? 0 : *std::max_element(orbits.begin(), orbits.end()) + 1;
  ExtendedMatrix sums = ExtendedMatrix::Zero(count, matrix.cols());
  ExtendedVector sizes = ExtendedVector::Zero(count);
  for (Eigen::Index row = 0; row < matrix.rows(); ++row) {
    int const orbit = orbits[static_cast<std::size_t>(row)];
    sums.row(orbit) += matrix.row(row);
    sizes(orbit) += 1;
  }
  for (Eigen::Index row = 0; row < matrix.rows(); ++row) {
    int const orbit = orbits[static_cast<std::size_t>(row)];
    matrix.row(row) -= sums.row(orbit) / sizes(orbit);
  }
  return matrix;
}

/// Returns the rank of a matrix whose columns have a length of at most 1.
std::size_t rank_of_short_columns(ExtendedMatrix const& matrix) {
  if (matrix.cols() == 0) return 0;
  Eigen::ColPivHouseholderQR<ExtendedMatrix> const qr(matrix);
  return static_cast<std::size_t>(
      (qr.matrixQR().diagonal().array().abs() > min_independent_part).count());
}

// --- checks ---
//
// These checks throw for designs and contrasts for which the statistic is not defined. Messages name the columns.

/// The columns whose coefficients in a linear relation are not 0 up to rounding. `dependent` is the last of these
/// columns, `others` are the rest.
struct NamedRelation {
  std::size_t dependent = 0;
  std::vector<std::size_t> others;
};

NamedRelation name_relation(ExtendedVector const& relation) {
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

/// Returns "column 3 (b) depends on column 0 (intercept), column 2 (a)", or "column 3 (b) is 0".
std::string text_of_relation(ExtendedVector const& relation,
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

/// Returns whether a row of the contrast can be estimated, that is, whether its product with every linear relation
/// between the columns of the design is 0.
bool can_be_estimated(ExtendedMatrix const& contrast, Eigen::Index row,
                      ExtendedMatrix const& design, std::vector<ExtendedVector> const& relations) {
  ExtendedMatrix const scaled = contrast * lengths_of_columns(design).cwiseInverse().asDiagonal();
  long double const length = scaled.row(row).norm();
  for (auto const& relation : relations) {
    long double const product = scaled.row(row).dot(relation);
    if (std::abs(product) > 1e-6L * length * relation.norm()) return false;
  }
  return true;
}

void check_rank_of_design(RowMajor const& design, RowMajor const& contrast,
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

void check_rows_of_contrast(RowMajor const& contrast) {
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

}  // namespace

std::size_t rank_within(std::vector<int> const& orbits, RowMajor const& nuisance,
                        RowMajor const& interest) {
  ExtendedMatrix const within = about_orbit_means(to_extended(nuisance), orbits);
  ExtendedMatrix both(within.rows(), within.cols() + static_cast<Eigen::Index>(interest.columns));
  both << within, about_orbit_means(to_extended(interest), orbits);
  return rank_of_short_columns(both) - rank_of_short_columns(within);
}

DesignBases bases_of_design(RowMajor const& design, RowMajor const& contrast,
                            std::vector<std::string> const& names) {
  check_rows_of_contrast(contrast);
  check_rank_of_design(design, contrast, names);
  auto const parts = partition_design(to_extended(design), to_extended(contrast));
  Eigen::Index const nuisance_columns = parts.nuisance.cols();
  ExtendedMatrix both(parts.interest.rows(), nuisance_columns + parts.interest.cols());
  both << parts.nuisance, parts.interest;
  ExtendedMatrix const basis = orthonormal_columns(both);
  ExtendedMatrix const nuisance = basis.leftCols(nuisance_columns);
  return {to_row_major(basis.rightCols(parts.interest.cols())), to_row_major(nuisance),
          to_row_major(orthonormal_columns(parts.interest)), to_row_major(parts.interest),
          spans_constant(nuisance)};
}

#else

DesignBases bases_of_design(RowMajor const&, RowMajor const&, std::vector<std::string> const&) {
  check<std::runtime_error>(false, "LinearModel",
                            "linear models need Eigen 3.4, which was not found when "
                            "riffle::monte_carlo was compiled (Debian: libeigen3-dev)");
  return {};
}

std::size_t rank_within(std::vector<int> const&, RowMajor const&, RowMajor const&) { return 0; }

#endif

}  // namespace riffle::detail
