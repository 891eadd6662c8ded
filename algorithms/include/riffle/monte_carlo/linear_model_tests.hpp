#pragma once

// Permutation tests of a linear model with nuisance variables, for many variables at once. They test the t or F of a
// contrast by the method of Freedman and Lane, ter Braak, Manly, Draper and Stoneman, or Still and White. The formulas
// and the papers are in riffle/monte_carlo/nuisance.hpp.

#include <Kokkos_Core.hpp>

#include <riffle/monte_carlo/detail/running_tests.hpp>
#include <riffle/monte_carlo/linear_model.hpp>
#include <riffle/monte_carlo/permutation_tests.hpp>
#include <riffle/primitives/call.hpp>
#include <riffle/primitives/views.hpp>

namespace riffle {

namespace detail::variables {

/// Returns the model of a linear model. Throws if the options or the scheme cannot be combined with it.
Model model_of(char const* function, LinearModel const& linear,
               PermutationTestsOptions const& options);

}  // namespace detail::variables

/// Tests the contrast of a linear model for each of G variables, with p-values adjusted for G tests.
///
/// - exec: an execution space instance, or a Context of one.
/// - model: the design, contrast and method of all variables.
/// - data, options: as for the other overloads of permutation_tests, but options.missing must be leave_variable_out. By
///   default any observations may change places. With Nuisance::ter_braak, arrangements are always random, because the
///   identity does not give the observed statistic.
///
/// The columns of the design are scaled to length 2^26, and the values of each variable to a length of about 2^26. Both
/// are then rounded to whole numbers. A partial correlation therefore differs from its value in exact arithmetic by
/// about 1e-8 at most; replicates that are this close to the observed statistic tie with it.
///
/// Nuisance::manly permutes the values themselves and removes the nuisance in each replicate. This loses digits if the
/// nuisance explains most of the data. Let e be the part of the values that the nuisance explains (without a constant
/// that no permutation changes), and u the residuals: the error above is multiplied by |e|^2 / |u|^2. If |u|^2 is less
/// than about 1e-7 of the sum of squares, the statistic of the replicate is 0; if this holds for the data, the variable
/// is not tested.
///
/// Throws, Blocking: as the other overloads. Also throws std::invalid_argument if the scheme does not change signs and
/// its permutations do not change all tested effects (LinearModel::changed_effects). Reproducible: the same bits on
/// every back end.
///
/// Complexity: m G n (s + q) multiplications for s tested and q nuisance columns; m G n s for still_white and
/// draper_stoneman, and a further m n s (2 q + s), independent of G, for draper_stoneman.
template <detail::InstanceOrContext Exec, detail::MatrixFrom<Exec> Data>
PermutationTestsResult permutation_tests(Exec const& exec, LinearModel const& model,
                                         Data const& data,
                                         PermutationTestsOptions const& options = {}) {
  detail::Call const context(exec, "riffle::permutation_tests");
  auto const columns = detail::variables::model_of("permutation_tests", model, options);
  return detail::variables::run_tests("permutation_tests", context,
                                      detail::variables::test_data<detail::SpaceOf<Exec>>(data),
                                      *columns, options);
}

}  // namespace riffle
