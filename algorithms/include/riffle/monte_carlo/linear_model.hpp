#pragma once

// The general linear model of a permutation test: a design, a contrast, and the columns by which the permuted data of a
// replicate are multiplied.
//   [1] A. M. Winkler, G. R. Ridgway, M. A. Webster, S. M. Smith, T. E. Nichols, "Permutation inference for the general
//       linear model", NeuroImage 92 (2014).
// The methods and their formulas are in riffle/monte_carlo/nuisance.hpp. This header needs Eigen.

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <riffle/backend/eigen_qr.hpp>
#include <riffle/errors.hpp>
#include <riffle/monte_carlo/design_matrix.hpp>
#include <riffle/monte_carlo/detail/design_algebra.hpp>
#include <riffle/monte_carlo/linear_statistic.hpp>
#include <riffle/monte_carlo/nuisance.hpp>

namespace riffle {

/// Options of a linear model's test.
struct LinearModelOptions {
  Nuisance nuisance = Nuisance::freedman_lane;
  /// Whether a contrast with one row is tested by F instead of t. Contrasts with several rows are always tested by F.
  bool is_f = false;
  /// Names of the design's columns, for error messages: none, or one for each column. If the design is a DesignMatrix,
  /// its names are the default.
  std::vector<std::string> names = {};
};

/// A design matrix M, n x p, with a contrast C, s x p. They are partitioned [1, appendix A] into columns of interest X,
/// n x s, whose coefficients are C b, and nuisance columns Z, n x q with q = p - s. The t or F of C b is the t or F of
/// X in [X Z].
///
/// The object is in host memory. It stores the matrices that kernels need in row-major order, as doubles.
///
/// Requires: linearly independent columns, so that every contrast can be estimated. After each column is scaled to
/// length 1, every pivot of a QR decomposition with column pivoting must exceed 1e-9. The pivot of a column is the
/// length of its part outside of the span of the columns before it.
///
/// Throws: std::invalid_argument if a value is not finite (the message gives row and column), if n <= p, if columns are
/// linearly dependent (the message lists these columns by number and name, and the rows of the contrast that cannot be
/// estimated), or if the contrast is empty, its length is not a multiple of p, one of its rows is zero, or its rows are
/// linearly dependent.
///
/// Complexity: O(n p^2) in long double, on the host. Reproducible: the same bits on any back end and with any vector
/// instructions. The last bit may differ between processors whose `long double` differs.
class LinearModel {
 public:
  /// Makes a model from an n x p `design` and an s x p `contrast`, both in row-major order.
  LinearModel(std::vector<double> const& design, std::size_t n, std::size_t p,
              std::vector<double> const& contrast, LinearModelOptions const& options = {})
      : options_(options) {
    detail::check_shapes(design, n, p, contrast, options.names);
    make({design, n, p}, {contrast, contrast.size() / p, p});
  }

  /// Makes a model from `design`, an n x p View that the host can access.
  template <class View>
  requires(Kokkos::is_view_v<View>)
      LinearModel(View const& design, std::vector<double> const& contrast,
                  LinearModelOptions const& options = {})
      : LinearModel(values_of(design), design.extent(0), design.extent(1), contrast, options) {}

  /// Makes a model from a DesignMatrix. `contrast` is a result of design.contrast(), contrasts() or term(). Error
  /// messages name the columns.
  LinearModel(DesignMatrix const& design, std::vector<double> const& contrast,
              LinearModelOptions options = {})
      : LinearModel(design.values(), design.rows(), design.columns(), contrast,
                    with_names(std::move(options), design)) {}

  // --- sizes ---

  /// Returns n.
  std::size_t observations() const { return design_.rows; }
  /// Returns s, the rank of the contrast.
  std::size_t effects() const { return bases_.interest.columns; }
  /// Returns q = p - s.
  std::size_t nuisance_columns() const { return bases_.nuisance.columns; }
  /// Returns v = n - s - q. It is the same for every method.
  double degrees_of_freedom() const {
    return static_cast<double>(observations() - design_.columns);
  }
  Nuisance method() const { return options_.nuisance; }
  /// Returns whether the statistic is F; it is t otherwise.
  bool is_f() const { return options_.is_f || effects() > 1; }

  // --- bases ---

  /// Returns X_r, n x s: an orthonormal basis of R_Z X. For s = 1, X_r' y has the sign of the estimated C b.
  std::vector<double> const& interest() const { return bases_.interest.values; }
  /// Returns Z_o, n x q: an orthonormal basis of Z.
  std::vector<double> const& nuisance() const { return bases_.nuisance.values; }
  /// Returns X_o, n x s: an orthonormal basis of X = M C+, not adjusted for the nuisance. If the contrast selects
  /// columns of M, X consists of these columns; if it is the difference between two coefficients, X is half the
  /// difference between their columns.
  std::vector<double> const& unadjusted_interest() const {
    return bases_.unadjusted_interest.values;
  }
  /// Returns whether the constant vector is in the span of Z. If so, adding a constant to y does not change the
  /// statistic.
  bool nuisance_has_constant() const { return bases_.nuisance_has_constant; }

  /// Returns how many of the s effects a permutation test with these orbits can test (see PermutationScheme::orbits()).
  /// The number is rank [X Z] - rank Z, where the mean of each orbit is first subtracted from every column. It does not
  /// depend on the parametrisation of the design. The other s - changed_effects() effects do not depend on the order of
  /// the data within orbits, so no permutation changes them.
  ///
  /// Requires: n orbits, none negative. Throws: std::invalid_argument otherwise. Complexity: O(n p^2) in long double.
  std::size_t changed_effects(std::vector<int> const& orbits) const {
    detail::check(orbits.size() == observations(), "LinearModel",
                  "changed_effects: orbits.size() = ", orbits.size(),
                  ": must be the design's rows, ", observations());
    for (int const orbit : orbits) {
      detail::check(orbit >= 0, "LinearModel", "changed_effects: an orbit is ", orbit,
                    ": must be at least 0");
    }
    return detail::rank_within(orbits, bases_.nuisance, bases_.interest);
  }

  // --- the columns of a replicate, which depend on the method ---

  /// Returns A, n x s. The effects of a replicate are A' P u.
  std::vector<double> const& weights() const {
    return needs_free_gram() ? unadjusted_interest() : interest();
  }
  /// Returns B, n x adjustments(). The sums B' P u adjust a replicate for the nuisance.
  std::vector<double> const& adjustment_weights() const {
    return adjustments() == 0 ? none_ : nuisance();
  }
  /// Returns k, the number of columns of B, which is q or 0.
  std::size_t adjustments() const {
    bool const is_adjusted = !needs_free_gram() && method() != Nuisance::still_white;
    return is_adjusted ? nuisance_columns() : 0;
  }
  /// Returns whether each replicate also needs a FreeGram, whose input (P Z_o)' X_o contains the permuted columns of
  /// Z_o. True only for draper_stoneman.
  bool needs_free_gram() const { return method() == Nuisance::draper_stoneman; }
  /// Returns whether the statistic of the identity permutation is the observed statistic. False for ter_braak, where
  /// the identity gives 0.
  bool identity_is_observed() const { return method() != Nuisance::ter_braak; }

  /// Returns Q, n x residual_columns(), with orthonormal columns. Replicates permute the residuals u = y - Q (Q' y). Q
  /// is [Z_o X_r] for ter_braak, has no columns for manly, and is Z_o for the other methods.
  std::vector<double> const& residual_basis() const { return residual_basis_.values; }
  std::size_t residual_columns() const { return residual_basis_.columns; }

  /// Returns the residuals u of y. If |u| <= 1e-12 |y|, u is only rounding error: then 0 is returned, and the statistic
  /// of the variable is 0.
  ///
  /// Requires: n values. Throws: std::invalid_argument otherwise.
  std::vector<double> residuals(std::vector<double> const& y) const {
    check_length(y, "residuals");
    return residuals_by(residual_basis_, y);
  }

  /// Returns the observed statistic, which is the ordinary t or F. It is NaN if y contains a NaN.
  ///
  /// Requires: n values. Throws: std::invalid_argument otherwise.
  double observed(std::vector<double> const& y) const {
    check_length(y, "observed");
    // Every method computes it from the residuals of the nuisance, although ter_braak and manly permute other vectors.
    auto const u = residuals_by(bases_.nuisance, y);
    auto const sums = products(bases_.interest, u);
    LinearStatistic const statistic(static_cast<int>(effects()), 0, degrees_of_freedom(), is_f());
    return statistic(sums.data(), nullptr, sum_of_squares(u));
  }

  /// Returns the function that computes t or F of a replicate from the sums of P u with the columns weights() and
  /// adjustment_weights().
  LinearStatistic statistic() const {
    return {static_cast<int>(effects()), static_cast<int>(adjustments()), degrees_of_freedom(),
            is_f()};
  }

  /// Returns the type of each observation. Types are numbered from 0 in the order of their first observations. Swapping
  /// two observations of one type changes no bit of any sum. So the number of distinct arrangements is n! divided by
  /// the product of the factorials of the numbers of observations per type.
  ///
  /// Observations of one type have equal rows of M. For draper_stoneman they have equal rows of X, because the permuted
  /// values are not multiplied by Z. Sign changes are not covered: each observation has its own sign, so observations
  /// of one type with different signs are not interchangeable.
  std::vector<int> const& row_types() const { return row_types_; }

 private:
  template <class View>
  static std::vector<double> values_of(View const& design) {
    static_assert(View::rank() == 2, "riffle: design is a rank-2 View, n x p");
    static_assert(
        Kokkos::SpaceAccessibility<Kokkos::HostSpace, typename View::memory_space>::accessible,
        "riffle: the host cannot access the design: pass Kokkos::create_mirror_view_and_copy of "
        "it");
    std::vector<double> values;
    for (std::size_t row = 0; row < design.extent(0); ++row) {
      for (std::size_t column = 0; column < design.extent(1); ++column) {
        values.push_back(static_cast<double>(design(row, column)));
      }
    }
    return values;
  }

  static LinearModelOptions with_names(LinearModelOptions options, DesignMatrix const& design) {
    if (options.names.empty()) options.names = design.names();
    return options;
  }

  void make(detail::RowMajor design, detail::RowMajor const& contrast) {
    auto const method = static_cast<int>(options_.nuisance);
    detail::check(method >= 0 && method <= static_cast<int>(Nuisance::still_white), "LinearModel",
                  "options.nuisance = ", method, ": is no method");
    detail::check_finite(design, "design", options_.names);
    detail::check_finite(contrast, "contrast", options_.names);
    detail::check(design.rows > design.columns, "LinearModel", "design has n = ", design.rows,
                  " rows and p = ", design.columns, " columns: no degrees of freedom are left");
    detail::check_rows_of_contrast(contrast);
    detail::check_rank_of_design(design, contrast, options_.names);
    design_ = std::move(design);
    bases_ = detail::bases_of_design(design_, contrast);
    find_row_types();
    choose_residual_basis();
  }

  void find_row_types() {
    constexpr double rounding = 1e-14;
    auto const of_design = detail::types_of_rows(design_, 0);
    auto const of_interest = detail::types_of_rows(bases_.raw_interest, rounding);
    detail::equalise_rows(bases_.interest, of_design);
    detail::equalise_rows(bases_.nuisance, of_design);
    detail::equalise_rows(bases_.unadjusted_interest, of_interest);
    row_types_ = needs_free_gram() ? of_interest : of_design;
  }

  void choose_residual_basis() {
    residual_basis_.rows = observations();
    if (method() == Nuisance::manly) return;
    residual_basis_ = bases_.nuisance;
    if (method() == Nuisance::ter_braak) append_columns(residual_basis_, bases_.interest);
  }

  static void append_columns(detail::RowMajor& matrix, detail::RowMajor const& added) {
    detail::RowMajor both{{}, matrix.rows, matrix.columns + added.columns};
    for (std::size_t row = 0; row < both.rows; ++row) {
      for (std::size_t column = 0; column < both.columns; ++column) {
        both.values.push_back(column < matrix.columns ? matrix(row, column)
                                                      : added(row, column - matrix.columns));
      }
    }
    matrix = std::move(both);
  }

  void check_length(std::vector<double> const& y, char const* function) const {
    detail::check(y.size() == observations(), "LinearModel", function, ": y.size() = ", y.size(),
                  ": must be the design's rows, ", observations());
  }

  /// Sums are computed in long double, here and below, because it has more digits and no compiler fuses its
  /// multiply-adds.
  static std::vector<double> products(detail::RowMajor const& matrix,
                                      std::vector<double> const& y) {
    std::vector<long double> sums(matrix.columns, 0);
    for (std::size_t i = 0; i < matrix.values.size(); ++i) {
      long double const weight = matrix.values[i];
      sums[i % matrix.columns] += weight * y[i / matrix.columns];
    }
    return {sums.begin(), sums.end()};
  }

  static double sum_of_squares(std::vector<double> const& y) {
    long double sum = 0;
    for (long double const value : y) sum += value * value;
    return static_cast<double>(sum);
  }

  static std::vector<double> residuals_by(detail::RowMajor const& basis,
                                          std::vector<double> const& y) {
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

  LinearModelOptions options_;
  detail::RowMajor design_;
  detail::DesignBases bases_;
  detail::RowMajor residual_basis_;
  std::vector<int> row_types_;
  std::vector<double> none_;
};

}  // namespace riffle
