#pragma once

// The rank of a design and its partition into columns of interest and of nuisance.
//
// All is computed in long double, which no vector instruction and no fused multiply-add touches, and by products without
// blocks, whose size Eigen takes from the machine's caches: -O0 and -O3 -march=native give the same bits. From 48 columns
// on Eigen's reflections do go by blocks; what that changes is below a double's last bit, but for roundings at a tie.

#include <algorithm>
#include <cstddef>
#include <vector>

#include <riffle/backend/eigen_qr.hpp>
#include <riffle/monte_carlo/detail/row_types.hpp>

namespace riffle::detail {

using ExtendedMatrix = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;
using ExtendedVector = Eigen::Matrix<long double, Eigen::Dynamic, 1>;

/// Columns depend on each other where that which one adds to the others is at most this part of its length (in R's lm,
/// 1e-7). In long double it leaves the bases some nine digits at the worst.
inline constexpr double min_independent_part = 1e-9;

inline ExtendedMatrix to_extended(RowMajor const& matrix) {
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

inline RowMajor to_row_major(ExtendedMatrix const& matrix) {
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

/// The columns' lengths, 1 for a column of zeros. By the largest magnitude first, so that no square overflows.
inline ExtendedVector lengths_of_columns(ExtendedMatrix const& matrix) {
  ExtendedVector lengths(matrix.cols());
  for (Eigen::Index column = 0; column < matrix.cols(); ++column) {
    long double const length = matrix.col(column).stableNorm();
    lengths(column) = length > 0 ? length : 1;
  }
  return lengths;
}

inline ExtendedMatrix with_unit_columns(ExtendedMatrix const& matrix) {
  return matrix * lengths_of_columns(matrix).cwiseInverse().asDiagonal();
}

/// Linear relations among a matrix's columns: the coefficients of each add up to a column of zeros.
inline std::vector<ExtendedVector> relations_of_columns(ExtendedMatrix const& matrix) {
  ExtendedMatrix const unit = with_unit_columns(matrix);
  Eigen::ColPivHouseholderQR<ExtendedMatrix> qr(unit);
  // Relative to the greatest pivot, which is 1, the length of a column, where not all are zeros.
  qr.setThreshold(min_independent_part);
  auto const rank = unit.isZero(0) ? Eigen::Index(0) : qr.rank();
  ExtendedMatrix const factor = qr.matrixQR();
  std::vector<ExtendedVector> relations;
  for (Eigen::Index dependent = rank; dependent < unit.cols(); ++dependent) {
    ExtendedVector permuted = ExtendedVector::Zero(unit.cols());
    permuted(dependent) = -1;
    // Back substitution by hand, as Eigen's goes by blocks.
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

/// Orthonormal columns that span those of `matrix`, each on the positive side of the column that it comes from. The
/// columns are independent: Gram and Schmidt's way by Householder's reflections.
inline ExtendedMatrix orthonormal_columns(ExtendedMatrix const& matrix) {
  Eigen::Index const columns = matrix.cols();
  if (columns == 0) return matrix;
  Eigen::HouseholderQR<ExtendedMatrix> const qr(with_unit_columns(matrix));
  ExtendedMatrix basis = qr.householderQ() * ExtendedMatrix::Identity(matrix.rows(), columns);
  for (Eigen::Index column = 0; column < columns; ++column) {
    if (qr.matrixQR()(column, column) < 0) basis.col(column) *= -1;
  }
  return basis;
}

/// M and C, as [X Z] of the same span: the coefficients of X are C b (G. R. Ridgway's partition in Winkler et al. 2014,
/// appendix A, with X as it is before Z is taken from it).
struct Partition {
  ExtendedMatrix interest;  // X = M C+, n x s; where C picks columns of M, these
  ExtendedMatrix nuisance;  // Z = M C0, n x q; C C0 = 0
};

/// C's pseudoinverse C' (C C')^-1.
inline ExtendedMatrix pseudoinverse(ExtendedMatrix const& contrast) {
  ExtendedMatrix const transposed = contrast.transpose();
  ExtendedMatrix const gram = contrast.lazyProduct(transposed);
  ExtendedMatrix const inverse = Eigen::HouseholderQR<ExtendedMatrix>(gram).solve(
      ExtendedMatrix::Identity(gram.rows(), gram.cols()));
  return transposed.lazyProduct(inverse);
}

inline bool is_pick_of_columns(ExtendedMatrix const& contrast) {
  for (Eigen::Index row = 0; row < contrast.rows(); ++row) {
    if ((contrast.row(row).array() != 0).count() != 1) return false;
  }
  return true;
}

/// C+ where each row of C has one coefficient; exact, so that equal values of a picked column stay equal.
inline ExtendedMatrix pseudoinverse_of_pick(ExtendedMatrix const& contrast) {
  ExtendedMatrix result = contrast.transpose();
  for (long double& value : result.reshaped()) value = value == 0 ? 0 : 1 / value;
  return result;
}

inline Partition partition_design(ExtendedMatrix const& design, ExtendedMatrix const& contrast) {
  Partition parts;
  parts.interest = design.lazyProduct(is_pick_of_columns(contrast) ? pseudoinverse_of_pick(contrast)
                                                                   : pseudoinverse(contrast));
  // The null space is sought for columns of length 1, so that their units do not matter.
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

/// The bases of a partition that replicates are multiplied with (riffle/monte_carlo/nuisance.hpp).
struct DesignBases {
  RowMajor interest;             // X_r
  RowMajor nuisance;             // Z_o
  RowMajor unadjusted_interest;  // X_o
  RowMajor raw_interest;         // X
  bool nuisance_has_constant;    // whether 1 is in Z's span
};

inline bool spans_constant(ExtendedMatrix const& basis) {
  ExtendedVector rest = ExtendedVector::Ones(basis.rows());
  ExtendedVector const sums = basis.transpose().lazyProduct(rest);
  rest -= basis.lazyProduct(sums);
  return rest.norm() <= min_independent_part * std::sqrt(static_cast<double>(basis.rows()));
}

/// The columns about their means in each orbit.
inline ExtendedMatrix about_orbit_means(ExtendedMatrix matrix, std::vector<int> const& orbits) {
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

/// The rank of a matrix whose columns are at most of length 1.
inline std::size_t rank_of_short_columns(ExtendedMatrix const& matrix) {
  if (matrix.cols() == 0) return 0;
  Eigen::ColPivHouseholderQR<ExtendedMatrix> const qr(matrix);
  return static_cast<std::size_t>(
      (qr.matrixQR().diagonal().array().abs() > min_independent_part).count());
}

/// The rank that orthonormal columns of interest add to those of nuisance, all about their means in each orbit.
inline std::size_t rank_within(std::vector<int> const& orbits, RowMajor const& nuisance,
                               RowMajor const& interest) {
  ExtendedMatrix const within = about_orbit_means(to_extended(nuisance), orbits);
  ExtendedMatrix both(within.rows(), within.cols() + static_cast<Eigen::Index>(interest.columns));
  both << within, about_orbit_means(to_extended(interest), orbits);
  return rank_of_short_columns(both) - rank_of_short_columns(within);
}

inline DesignBases bases_of_design(RowMajor const& design, RowMajor const& contrast) {
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

}  // namespace riffle::detail
