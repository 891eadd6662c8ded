#pragma once

// Methods to permute data under a linear model with nuisance variables; one plan of sums serves all of them.
//   [1] A. M. Winkler, G. R. Ridgway, M. A. Webster, S. M. Smith, T. E. Nichols, "Permutation inference for the general
//       linear model", NeuroImage 92 (2014), section 2 and Table 2,
//   [2] M. J. Anderson, J. Robinson, "Permutation tests for linear models", Australian & New Zealand Journal of
//       Statistics 43 (2001).
//
// The model is y = X b + Z g + e. X has the s columns whose coefficients are tested, Z has q nuisance columns, and [X
// Z] has full rank s + q. P is the permutation of a replicate, (P y)_i = y_pi(i); if the scheme flips signs, times the
// sign of i. H_A projects onto the columns of A, and R_A = I - H_A. A_o is an orthonormal basis of A's columns:
//
//   Z_o   of Z (LinearModel::nuisance),
//   X_r   of R_Z X (LinearModel::interest),
//   X_o   of X itself (LinearModel::unadjusted_interest).
//
// Every method first computes a vector u from y. A replicate needs |u| and the sums of P u with s columns A and k
// columns B:
//
//   share R2 = |A' P u|^2 / (|u|^2 - |B' P u|^2),   and for s = 1 the correlation r = A' P u / sqrt(same denominator).
//
// [A B] has orthonormal columns, so the denominator is the residual sum of squares of P u on B, and the numerator is
// the part of it that A explains. P keeps lengths, so |P u| = |u|. With v = n - s - q
//
//   t = r sqrt(v / (1 - r^2)),   F = (R2 / s) / ((1 - R2) / v).
//
//   method            the replicate's model [1]            u        A     B      the observed statistic
//   freedman_lane     (P R_Z + H_Z) y on [X Z]             R_Z y    X_r   Z_o    of P = I, the ordinary t or F
//   ter_braak         (P R_M + H_M) y on M = [X Z], where  R_M y    X_r   Z_o    the ordinary one of R_Z y, as for
//                     b* - b is tested                                           freedman_lane, not of P = I
//   manly             P y on [X Z]                         y        X_r   Z_o    of P = I, the ordinary one
//   still_white       P R_Z y on R_Z X alone               R_Z y    X_r   none   of P = I, the ordinary one
//   draper_stoneman   y on [P^-1 X, Z]                     R_Z y    X_o   none   of P = I, the ordinary one; see below
//
// freedman_lane: Z explains H_Z y for every P, so H_Z y changes neither the coefficients of X nor the residuals. The
// statistic of (P R_Z + H_Z) y on [X Z] equals the statistic of P R_Z y.
//
// ter_braak: b* is b plus the coefficients of P R_M y on M, and H_M y does not change the residuals, so testing b* - b
// is testing P R_M y. For P = I the statistic is 0, since R_M y is orthogonal to X; the observed arrangement counts
// with the observed statistic instead.
//
// still_white: X is made orthogonal to Z, as in the authors' program PALM (github.com/andersonwinkler/PALM; it
// partitions the design by appendix A of [1], unless its option -pmethodr is given). As there, the degrees of freedom
// stay v = n - s - q, although X alone would leave n - s: this multiplies F of all replicates by a constant and changes
// no p-value. It is freedman_lane without the adjustment of P R_Z y for Z.
//
// draper_stoneman: the design's rows are permuted by P^-1 in place of the data by P. Then the sums equal the sums of
// the other methods, (P^-1 X)' R_Z y = X' P R_Z y, and as the permutations are a group, the null distribution is the
// same. [P^-1 X_o, Z] is not orthogonal: R_Z P^-1 X_o has the s x s Gram matrix G = I - W'W, where W = (P Z_o)' X_o is
// the q x s matrix of the sums of Z_o's columns, permuted like u. With G = L L', L lower triangular,
// R2 = |L^-1 X_o' P u|^2 / |u|^2. W and L depend on the replicate, but not on the variable (FreeGram in
// linear_statistic.hpp).
//
// If Z spans the constant (LinearModel::nuisance_has_constant) and signs do not change, a constant added to y changes
// no method's replicates. So manly subtracts the mean first, and loses no digits to a large mean.

namespace riffle {

/// Says how data are permuted under a linear model with nuisance variables. The formulas are at the top of this header.
enum class Nuisance {
  /// Residuals of the nuisance are permuted (D. Freedman, D. Lane, Journal of Business & Economic Statistics 1, 1983).
  /// Recommended by [1], and the default.
  freedman_lane,
  /// Residuals of the full model are permuted (C. J. F. ter Braak, in Bootstrapping and Related Techniques, 1992).
  ter_braak,
  /// The data are permuted as they are (B. F. J. Manly, Researches on Population Ecology 28, 1986).
  manly,
  /// The tested columns of the design are permuted (N. R. Draper, D. M. Stoneman, Technometrics 8, 1966).
  draper_stoneman,
  /// Residuals of the nuisance are permuted and fitted to the residuals of the tested columns alone (A. W. Still, A. P.
  /// White, British Journal of Mathematical and Statistical Psychology 34, 1981; in the form of PALM, the program of
  /// [1]).
  still_white,
};

}  // namespace riffle
