#pragma once

// The general linear model of a permutation test: a design, a contrast, and the columns by which the permuted data of a
// replicate are multiplied.
//   [1] A. M. Winkler, G. R. Ridgway, M. A. Webster, S. M. Smith, T. E. Nichols, "Permutation inference for the general
//       linear model", NeuroImage 92 (2014).
// The methods and their formulas are in riffle/monte_carlo/nuisance.hpp. The model is compiled into the library
// riffle::monte_carlo, for which CMake must find Eigen.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <riffle/monte_carlo/design_matrix.hpp>
#include <riffle/monte_carlo/linear_statistic.hpp>
#include <riffle/monte_carlo/nuisance.hpp>

namespace riffle {

namespace detail {

/// A matrix in host memory, in row-major order.
struct RowMajor {
  std::vector<double> values;
  std::size_t rows = 0;
  std::size_t columns = 0;

  double operator()(std::size_t row, std::size_t column) const {
    return values[row * columns + column];
  }
  double& operator()(std::size_t row, std::size_t column) { return values[row * columns + column]; }
};

/// The bases of X and Z (riffle/monte_carlo/nuisance.hpp).
struct DesignBases {
  RowMajor interest;             // X_r
  RowMajor nuisance;             // Z_o
  RowMajor unadjusted_interest;  // X_o
  RowMajor raw_interest;         // X
  bool nuisance_has_constant;    // whether the constant 1 is in the span of Z
};

}  // namespace detail

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
              std::vector<double> const& contrast, LinearModelOptions const& options = {});

  /// Makes a model from `design`, an n x p View that the host can access.
  template <class View>
  requires(Kokkos::is_view_v<View>)
      LinearModel(View const& design, std::vector<double> const& contrast,
                  LinearModelOptions const& options = {})
      : LinearModel(values_of(design), design.extent(0), design.extent(1), contrast, options) {}

  /// Makes a model from a DesignMatrix. `contrast` is a result of design.contrast(), contrasts() or term(). Error
  /// messages name the columns.
  LinearModel(DesignMatrix const& design, std::vector<double> const& contrast,
              LinearModelOptions options = {});

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
  std::size_t changed_effects(std::vector<int> const& orbits) const;

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
  std::vector<double> residuals(std::vector<double> const& y) const;

  /// Returns the observed statistic, which is the ordinary t or F. It is NaN if y contains a NaN.
  ///
  /// Requires: n values. Throws: std::invalid_argument otherwise.
  double observed(std::vector<double> const& y) const;

  /// Returns the function that computes t or F of a replicate from the sums of P u with the columns weights() and
  /// adjustment_weights().
  LinearStatistic statistic() const {
    return {static_cast<int>(effects()), static_cast<int>(adjustments()), degrees_of_freedom(),
            is_f()};
  }

  /// Returns the type of each observation. Types are numbered from 0 in the order of their first observations. Swapping
  /// two observations of one type changes no bit of any sum. So if type t has n_t observations, the number of distinct
  /// arrangements is n! / (n_0! n_1! ...).
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

  void make(detail::RowMajor design, detail::RowMajor const& contrast);

  void find_row_types();

  void choose_residual_basis();

  void check_length(std::vector<double> const& y, char const* function) const;

  LinearModelOptions options_;
  detail::RowMajor design_;
  detail::DesignBases bases_;
  detail::RowMajor residual_basis_;
  std::vector<int> row_types_;
  std::vector<double> none_;
};

}  // namespace riffle
