#pragma once

// Methods to permute data under a linear model with nuisance variables. All of them compute their statistic from the
// same kinds of sums, which are defined here.
//   [1] A. M. Winkler, G. R. Ridgway, M. A. Webster, S. M. Smith, T. E. Nichols, "Permutation inference for the general
//       linear model", NeuroImage 92 (2014), section 2 and Table 2,
//   [2] M. J. Anderson, J. Robinson, "Permutation tests for linear models", Australian & New Zealand Journal of
//       Statistics 43 (2001).
//
// The model is y = X b + Z g + e. X has the s columns whose coefficients are tested, Z has q nuisance columns, and [X
// Z] has full rank s + q. P is the permutation of a replicate: (P y)_i = y_pi(i), or s_i y_pi(i) with signs s_i if the
// scheme flips signs. H_A is the orthogonal projection onto the span of the columns of A, and R_A = I - H_A. The
// following are orthonormal bases of column spans:
//
//   Z_o   basis of Z (LinearModel::nuisance),
//   X_r   basis of R_Z X (LinearModel::interest),
//   X_o   basis of X itself (LinearModel::unadjusted_interest).
//
// Every method first computes a vector u from y. The statistic of a replicate is computed from |u|, the s sums A' P u
// and the k sums B' P u, where the columns of A and B depend on the method:
//
//   share R2 = |A' P u|^2 / (|u|^2 - |B' P u|^2),   and for s = 1 the correlation r = A' P u / sqrt(same denominator).
//
// [A B] has orthonormal columns, so the denominator of R2 is the residual sum of squares of P u after regression on B,
// and the numerator is the part of it that A explains. P does not change lengths, so |P u| = |u|. With v = n - s - q,
//
//   t = r sqrt(v / (1 - r^2)),   F = (R2 / s) / ((1 - R2) / v).
//
//   method            the replicate's model [1]            u        A     B      the observed statistic
//   freedman_lane     (P R_Z + H_Z) y on [X Z]             R_Z y    X_r   Z_o    at P = I
//   ter_braak         (P R_M + H_M) y on M = [X Z]; the    R_M y    X_r   Z_o    computed from R_Z y, as for
//                     test is of b* - b                                          freedman_lane; not at P = I
//   manly             P y on [X Z]                         y        X_r   Z_o    at P = I
//   still_white       P R_Z y on R_Z X alone               R_Z y    X_r   none   at P = I
//   draper_stoneman   y on [P^-1 X, Z]                     R_Z y    X_o   none   at P = I; see below for R2
//
// For every method, the observed statistic is the ordinary t or F of y on [X Z].
//
// freedman_lane: H_Z y is in the span of Z for every P, so it changes neither the coefficients of X nor the residuals.
// The statistic of (P R_Z + H_Z) y on [X Z] therefore equals the statistic of P R_Z y on [X Z].
//
// ter_braak: b* is b plus the coefficients of P R_M y on M, and H_M y does not change the residuals. So the statistic
// of b* - b is the statistic of P R_M y on M. At P = I it is 0, because R_M y is orthogonal to X. The observed
// statistic is therefore computed separately.
//
// still_white: X is made orthogonal to Z, as in the authors' program PALM (github.com/andersonwinkler/PALM; it
// partitions the design by appendix A of [1], unless its option -pmethodr is given). As in PALM, the degrees of freedom
// are v = n - s - q, although regression on s columns alone would leave n - s. This multiplies F in all replicates by
// the same constant and changes no p-value. The method is freedman_lane without the adjustment of P R_Z y for Z.
//
// draper_stoneman: the rows of X are permuted by P^-1, instead of the data by P. The sums have the same form as for the
// other methods, (P^-1 X)' R_Z y = X' P R_Z y. Replacing P by P^-1 does not change the null distribution, because the
// permutations are a group. P^-1 X_o is not orthogonal to Z: the Gram matrix of R_Z P^-1 X_o is the s x s matrix
// G = I - W'W, where W = (P Z_o)' X_o is q x s. With the Cholesky factorisation G = L L',
//
//   R2 = |L^-1 X_o' P u|^2 / |u|^2.
//
// W and L depend on the replicate, but not on the variable (FreeGram in linear_statistic.hpp).
//
// If Z spans the constant (LinearModel::nuisance_has_constant) and signs do not change, adding a constant to y changes
// no replicate of any method. So the mean of y is subtracted for manly, too, and a large mean costs no digits.

namespace riffle {

/// Says how data are permuted under a linear model with nuisance variables. The formulas are at the top of this header.
enum class Nuisance {
  /// The residuals of y on Z are permuted (D. Freedman, D. Lane, Journal of Business & Economic Statistics 1, 1983).
  /// This is the default; [1] recommends it.
  freedman_lane,
  /// The residuals of y on the full model [X Z] are permuted (C. J. F. ter Braak, in Bootstrapping and Related
  /// Techniques, 1992).
  ter_braak,
  /// The values y themselves are permuted (B. F. J. Manly, Researches on Population Ecology 28, 1986).
  manly,
  /// The tested columns X are permuted (N. R. Draper, D. M. Stoneman, Technometrics 8, 1966).
  draper_stoneman,
  /// The residuals of y on Z are permuted, and then regressed on R_Z X alone (A. W. Still, A. P. White, British Journal
  /// of Mathematical and Statistical Psychology 34, 1981; as implemented in PALM, the program of the authors of [1]).
  still_white,
};

}  // namespace riffle
