#pragma once

// Ways to permute data under a linear model with nuisance variables, all by one plan of sums. From
//   [1] A. M. Winkler, G. R. Ridgway, M. A. Webster, S. M. Smith, T. E. Nichols, "Permutation inference for the general
//       linear model", NeuroImage 92 (2014), section 2 and Table 2,
//   [2] M. J. Anderson, J. Robinson, "Permutation tests for linear models", Australian & New Zealand Journal of
//       Statistics 43 (2001).
//
// The model is y = X b + Z g + e: X has the s columns whose coefficients are tested, Z those of nuisance, q of them, and
// [X Z] is of full rank s + q. P is the replicate's exchange, (P y)_i = y_pi(i), where it flips signs with the sign of i.
// H_A projects onto the columns of A, R_A = I - H_A. A_o is an orthonormal basis of A's columns:
//
//   Z_o   of Z (LinearModel::nuisance),
//   X_r   of R_Z X (LinearModel::interest),
//   X_o   of X itself (LinearModel::unadjusted_interest).
//
// Every method makes of y a vector u, once; a replicate needs the sums of P u with s columns A and k columns B, and |u|:
//
//   share R2 = |A' P u|^2 / (|u|^2 - |B' P u|^2),   and for s = 1 the correlation r = A' P u / sqrt(same denominator).
//
// Why that is so: [A B] has orthonormal columns, so the residual sum of squares of P u on B is the denominator, and the
// part of it that A explains is the numerator. Exchanges keep lengths, so |P u| = |u|. With v = n - s - q
//
//   t = r sqrt(v / (1 - r^2)),   F = (R2 / s) / ((1 - R2) / v).
//
//   method            the replicate's model [1]            u        A     B      the observed statistic
//   freedman_lane     (P R_Z + H_Z) y on [X Z]             R_Z y    X_r   Z_o    of P = I, the ordinary t or F
//   ter_braak         (P R_M + H_M) y on M = [X Z], where  R_M y    X_r   Z_o    the ordinary one: that of R_Z y, as by
//                     b* - b is tested                                           freedman_lane, not of P = I
//   manly             P y on [X Z]                         y        X_r   Z_o    of P = I, the ordinary one
//   still_white       P R_Z y on R_Z X alone               R_Z y    X_r   none   of P = I, the ordinary one
//   draper_stoneman   y on [P^-1 X, Z]                     R_Z y    X_o   none   of P = I, the ordinary one; see below
//
// freedman_lane: H_Z y is explained by Z whatever P is, so it changes neither the coefficients of X nor the residuals:
// the statistic of (P R_Z + H_Z) y on [X Z] is that of P R_Z y.
// ter_braak: b* is b plus the coefficients of P R_M y on M, and H_M y leaves the residuals alone: testing b* - b is
// testing P R_M y. Of P = I that is 0, since R_M y is orthogonal to X: the arrangement as observed counts with the
// observed statistic in place of it.
// still_white: X is made orthogonal to Z, as the authors' program PALM does (github.com/andersonwinkler/PALM; its partition
// of a design, appendix A of [1], unless its option -pmethodr says otherwise). Degrees of freedom stay v = n - s - q, as
// there, though X alone would leave n - s; a constant factor of all replicates' F, which changes no p-value. It is
// freedman_lane without the adjustment of P R_Z y for Z.
// draper_stoneman: exchanging the design's rows by P^-1 in place of the data's by P makes its sums those of the others,
// (P^-1 X)' R_Z y = X' P R_Z y, and as exchanges are a group, the null distribution is the same. [P^-1 X_o, Z] is not
// orthogonal: R_Z P^-1 X_o has the s x s Gram matrix G = I - W'W, W = (P Z_o)' X_o, which is the q x s matrix of the
// sums of Z_o's columns when they are exchanged as u is. With G = L L', L lower triangular, R2 = |L^-1 X_o' P u|^2 /
// |u|^2. W and L belong to the replicate, and are the same for all variables (FreeGram in linear_statistic.hpp).
//
// Where Z holds the constant (LinearModel::nuisance_has_constant), a constant may be added to y, for exchanges without
// signs: no method's replicates change. By that, manly loses no digits to a large mean.

namespace riffle {

/// How data are exchanged under a linear model with nuisance variables; the formulas are at the top of this header.
enum class Nuisance {
  /// Residuals of the nuisance alone are permuted (D. Freedman, D. Lane, Journal of Business & Economic Statistics 1,
  /// 1983). The choice of [1], and the default.
  freedman_lane,
  /// Residuals of the full model are permuted (C. J. F. ter Braak, in Bootstrapping and Related Techniques, 1992).
  ter_braak,
  /// The data are permuted as they are (B. F. J. Manly, Researches on Population Ecology 28, 1986).
  manly,
  /// The tested columns of the design are permuted (N. R. Draper, D. M. Stoneman, Technometrics 8, 1966).
  draper_stoneman,
  /// Residuals of the nuisance are permuted and fitted to the residuals of the tested columns alone (A. W. Still, A. P.
  /// White, British Journal of Mathematical and Statistical Psychology 34, 1981; in the form of [1]'s program PALM).
  still_white,
};

}  // namespace riffle
