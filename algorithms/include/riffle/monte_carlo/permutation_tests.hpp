#pragma once

// Permutation tests of many variables on the same observations at once, with p-values adjusted for their number:
//   P. H. Westfall, S. S. Young, Resampling-Based Multiple Testing, 1993 (single-step and step-down max-T),
//   Y. Ge, S. Dudoit, T. P. Speed, "Resampling-based multiple testing for microarray data analysis", Test 12, 2003,
//   Y. Benjamini, Y. Hochberg, Journal of the Royal Statistical Society B 57, 1995 (false discovery rate).
//
// Values and design are converted to whole numbers before anything is permuted. Sums are then exact, and replicates tie
// if they tie in exact arithmetic (riffle/monte_carlo/detail/column_model.hpp). A replicate is a function of (seed,
// number) and of the permutation scheme: results have the same bits on every back end, for any number of threads and
// any batch.

#include <Kokkos_Core.hpp>

#include <riffle/context.hpp>
#include <riffle/monte_carlo/detail/column_model.hpp>
#include <riffle/monte_carlo/detail/numeric_views.hpp>
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
/// - statistic, with the values of `by`:
///   - StudentT, WelchT, MannWhitneyU: labels 0 and 1 of two samples. The statistic is of label 1, which is the first sample
///     of permutation_test, minus label 0. StudentT has the p-values of the difference of means.
///   - FStatistic, KruskalWallisH: labels 0, ..., k - 1 of groups, with k at most 64.
///   - PearsonCorrelation, SpearmanCorrelation: a covariate.
///   U is compared between variables as it is, without a correction for ties, so a variable with many ties seldom has the
///   maximum; other rank statistics are corrected for ties. SpearmanCorrelation with the labels of two samples is U divided
///   by its standard deviation given the ties, times a factor that does not depend on the variable.
/// - data: a rank-2 View of arithmetic values, G variables x n observations, of any layout. NaN is a missing value;
///   options.missing says how it is treated (MissingValues).
/// - by: a rank-1 View of n numbers.
/// - options: replicates, seed, alternative, scheme, missing, keep_maxima and others.
///
/// Values are converted to whole numbers. Decimals of up to nine places are converted exactly. Other values have 52
/// bits minus the bits of the design: a correlation with a real covariate changes by about 4e-9 at most, other
/// statistics by far less. Replicates within this rounding error of the observed statistic tie with it; others are
/// compared exactly. If this does not decide the order of enumerated arrangements, or an outlier leaves most values of
/// a variable or covariate few bits, integers of up to 60 bits replace the doubles, and the order is decided exactly
/// for whole numbers and decimals of up to 15 digits. result.uncertain counts the arrangements whose order is not
/// decided.
///
/// Throws: std::invalid_argument, before anything is written, if lengths differ; a label is invalid, a group is empty
/// or too small, or no degrees of freedom are left; `by` is constant (correlations) or not finite; a value is infinite;
/// m = 0; or the scheme has another size, changes signs, or does not change what is compared: `by` is equal for all
/// observations that may change places, or groups are compared between which no observation can move. Blocking: fences.
/// Reproducible: the same bits on every back end.
///
/// Complexity: m G n k multiplications, where k is the number of columns of the design (1; for F and H the number of
/// groups), and m draws of n places. If values are left out, the multiplications double or triple, or for
/// SpearmanCorrelation are multiplied by 1 + f for a variable without f values. Memory: 16 G n or 32 G n bytes, and a
/// batch: at most 256 MiB on a GPU and 16 MiB on a CPU, unless 1024 (GPU) or 128 (CPU) replicates need more. Maxima that
/// are kept take 8 m bytes of `exec`'s memory, on a GPU 16 m, and 16 m bytes of the host, which writes to them while a
/// GPU counts.
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

/// Tests the t of one sample for each of G variables, with sign changes as arrangements. The data are values, or
/// differences of pairs.
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
