#pragma once

// Permutation tests of many variables on the same observations at once, with p-values adjusted for their number:
//   P. H. Westfall, S. S. Young, Resampling-Based Multiple Testing, 1993 (single-step and step-down max-T),
//   Y. Ge, S. Dudoit, T. P. Speed, "Resampling-based multiple testing for microarray data analysis", Test 12, 2003,
//   Y. Benjamini, Y. Hochberg, Journal of the Royal Statistical Society B 57, 1995 (false discovery rate).
//
// Values and design become whole numbers before anything is exchanged, so that sums are exact and replicates tie where
// they tie on paper (riffle/monte_carlo/detail/column_model.hpp). A replicate is a function of (seed, number)
// and of what is exchanged: results are the same bits on every back end, for any number of threads and any batch.

#include <Kokkos_Core.hpp>

#include <riffle/context.hpp>
#include <riffle/monte_carlo/detail/column_model.hpp>
#include <riffle/monte_carlo/detail/numbers.hpp>
#include <riffle/monte_carlo/detail/running_tests.hpp>
#include <riffle/monte_carlo/permutation_tests_options.hpp>
#include <riffle/monte_carlo/permutation_tests_result.hpp>
#include <riffle/monte_carlo/statistics.hpp>
#include <riffle/primitives/call.hpp>
#include <riffle/primitives/call_diagnostics.hpp>
#include <riffle/primitives/views.hpp>

namespace riffle {

/// Tests a statistic of each of G variables on the same n observations, with p-values adjusted for G.
///
/// - exec: an execution space instance, or a Context of one.
/// - statistic, by:
///   - StudentT, WelchT, MannWhitneyU: `by` are the labels 0 and 1 of two samples; the statistic is of label 1, which is the first
///     sample of permutation_test, less label 0. StudentT has the p-values of the difference of means.
///   - FStatistic, KruskalWallisH: the labels 0, ..., k - 1 of groups, k at most 64.
///   - PearsonCorrelation, SpearmanCorrelation: a covariate.
///   U is compared as it is between variables, whatever ties they have, so that those with many ties seldom have the
///   maximum; other statistics of ranks are corrected for ties. SpearmanCorrelation of two samples' labels is U over its
///   standard deviation given the ties, but for a factor that all variables share.
/// - data: a rank-2 View of arithmetic values, G variables x n observations, of any layout. NaN is a missing value:
///   options.missing says what becomes of it (MissingValues).
/// - by: a rank-1 View of n numbers.
/// - options: replicates, seed, alternative, scheme, missing, keep_maxima.
///
/// Values become whole numbers: decimals of up to nine places as they are, others in 52 bits less those of the design, by
/// which a correlation with a real covariate changes by some 4e-9 at most, others by far less. Replicates within that
/// rounding of the observed statistic tie with it, others are compared exactly. Where that does not decide the order of
/// enumerated arrangements, or an outlier leaves most values of a variable or a covariate few bits, integers of up to 60 bits
/// take the place of doubles, and the order of whole numbers and decimals of up to 15 digits is decided exactly;
/// result.uncertain says of how many arrangements it is not.
///
/// Throws std::invalid_argument where lengths differ; a label is none, a group is empty or too small, or no degrees of
/// freedom are left; `by` is constant (correlations) or not finite; a value is infinite; m = 0; or exchanges are of
/// another size, change signs, or do not change what is compared: `by` is equal for all observations that may change
/// places, or groups are compared that exchanges do not connect. Nothing is written then. Fences. Reproducible: the same bits on every back end.
///
/// Cost: m G n k multiplications, k being the columns of the design (1; of F and H the groups), m draws of n places. Where
/// values are left out, two or three times as many, or for SpearmanCorrelation 1 + f of a variable that lacks f values.
/// Memory: 16 G n bytes, or 32 G n, and a batch of at most 256 MiB on a GPU, 16 MiB on a CPU, or one of 8192 or 128 replicates.
/// Maxima that are kept take 8 m bytes, on a GPU 16 m, and 16 m on the host, which touches them while a GPU counts.
template <detail::InstanceOrContext Exec, class Statistic, detail::MatrixFrom<Exec> Data,
          detail::ArrayFrom<Exec> By>
PermutationTestsResult permutation_tests(Exec const& exec, Statistic statistic, Data const& data,
                                         By const& by,
                                         PermutationTestsOptions const& options = {}) {
  detail::Call const context(exec, "riffle::permutation_tests");
  auto const model =
      detail::variables::model_of("permutation_tests", statistic, detail::host_values(context, by));
  return detail::variables::run_tests("permutation_tests", context,
                                      detail::variables::test_data<detail::SpaceOf<Exec>>(data),
                                      model, options);
}

/// The same for a statistic of one sample: OneSampleT of values, or of the differences of pairs, whose signs are changed.
template <detail::InstanceOrContext Exec, detail::MatrixFrom<Exec> Data>
PermutationTestsResult permutation_tests(Exec const& exec, OneSampleT, Data const& data,
                                         PermutationTestsOptions const& options = {}) {
  detail::Call const context(exec, "riffle::permutation_tests");
  auto const model = detail::variables::model_of("permutation_tests", OneSampleT{}, data.extent(1));
  return detail::variables::run_tests("permutation_tests", context,
                                      detail::variables::test_data<detail::SpaceOf<Exec>>(data),
                                      model, options);
}

RIFFLE_CALL_DIAGNOSTICS(permutation_tests, OrNumber<statistic<NoView>>, data<Matrix>, by<Array>,
                        options<Optional<NoView>>)

}  // namespace riffle
