#pragma once

// Permutation tests of many variables that are measured on the same observations, with p-values adjusted for multiple
// testing:
//   P. H. Westfall, S. S. Young, Resampling-Based Multiple Testing, 1993 (single-step and step-down max-T),
//   Y. Ge, S. Dudoit, T. P. Speed, "Resampling-based multiple testing for microarray data analysis", Test 12, 2003,
//   Y. Benjamini, Y. Hochberg, Journal of the Royal Statistical Society B 57, 1995 (false discovery rate).
//
// The values and the design are rounded to whole numbers before anything is permuted, so that sums are exact, and
// replicates tie exactly if they tie in exact arithmetic (column_model.hpp in algorithms/src). Replicate r is a function
// of (seed, r) and of the permutation scheme. So results have the same bits on every back end, for any number of threads
// and any batch size.
//
// The steps of a call, in algorithms/src/riffle/monte_carlo/detail/variables/:
//
//     tests_of_space.hpp      run_tests(): batches of replicates until all are counted, then the result
//     whole_values.hpp        converts each variable to whole numbers
//     draw_columns.hpp        draws the labels of a batch, or the columns of other models
//     gpu/tile_counter.hpp    counts a batch of two samples or of a similar model: multiplies labels by digits of the whole
//                             numbers on matrix units (count_labels_gpu.hpp). On a CPU: cpu/count_labels_cpu.hpp
//     count_batch.hpp         counts a batch of any model
//     read_result.hpp         computes the p-values from the counts

#include <Kokkos_Core.hpp>

#include <riffle/context.hpp>
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
///   - StudentT, WelchT, MannWhitneyU: labels 0 and 1 of two samples. The sample with label 1 is the first sample (x in
///     permutation_test): t is positive, and U large, if its values are greater. StudentT gives the same p-values as
///     the difference of means.
///   - FStatistic, KruskalWallisH: labels 0, ..., k - 1 of groups, with k <= 64.
///   - PearsonCorrelation, SpearmanCorrelation: a covariate.
///   The maximum over variables is taken over U itself, without a correction for ties, so a variable with many ties
///   seldom has the maximum. The other rank statistics are corrected for ties. To correct U, use SpearmanCorrelation
///   with the labels of the two samples: up to a factor that is the same for all variables, it is U - n_1 n_2 / 2
///   divided by its standard deviation given the ties.
/// - data: a rank-2 View of arithmetic values, G variables x n observations, of any layout. A NaN is a missing value;
///   options.missing selects how missing values are treated (MissingValues).
/// - by: a rank-1 View of the n labels or covariate values.
/// - options: replicates, seed, alternative, scheme, missing, keep_maxima and others.
///
/// Values are converted to whole numbers. Decimals with up to nine decimal places are converted exactly. Other values
/// are rounded to 52 bits minus the bits of the design: this changes a correlation with a real covariate by about 4e-9
/// at most, and other statistics by far less. Replicates within this rounding error of the observed statistic tie with
/// it; others are compared exactly.
///
/// Integers of up to 60 bits replace the doubles if doubles cannot decide the order of enumerated arrangements, or if
/// an outlier leaves few bits for most values of a variable or covariate. The order is then decided exactly for whole
/// numbers and for decimals with up to 15 digits. result.uncertain counts the arrangements whose order is still not
/// decided.
///
/// Throws: std::invalid_argument, before anything is written, if
/// - by.extent(0) is not n, or m = 0;
/// - a label is invalid, a group is empty or too small, or no degrees of freedom are left;
/// - `by` is constant (correlations), or contains a value that is not finite;
/// - a value of the data is infinite;
/// - the size of the scheme is not n, or the scheme changes signs;
/// - the scheme does not change what is compared, because `by` is equal for all observations that may change places, or
///   because no observation can move between the compared groups.
///
/// Blocking: fences. Reproducible: the same bits on every back end.
///
/// Complexity: m G n k multiplications, where k is 1, or for F and H the number of groups; and m random permutations of
/// n observations. If missing values are left out (MissingValues::leave_value_out), the number of multiplications
/// doubles or triples; with SpearmanCorrelation, it is multiplied by 1 + f for a variable with f missing values.
///
/// Memory: 16 G n or 32 G n bytes, plus the memory of a batch: at most 256 MiB on a GPU and 16 MiB on a CPU, unless
/// 1024 replicates (GPU) or 128 replicates (CPU) need more. With options.keep_maxima, 8 m bytes more on a CPU, 16 m
/// bytes more on a GPU, and 16 m bytes of host memory.
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
                                      *model, options);
}

/// Tests the t of one sample for each of G variables. The arrangements are sign changes. The data are values, or
/// differences of pairs.
template <detail::InstanceOrContext Exec, detail::MatrixFrom<Exec> Data>
PermutationTestsResult permutation_tests(Exec const& exec, OneSampleT, Data const& data,
                                         PermutationTestsOptions const& options = {}) {
  detail::Call const context(exec, "riffle::permutation_tests");
  auto const model = detail::variables::model_of("permutation_tests", OneSampleT{}, data.extent(1));
  return detail::variables::run_tests("permutation_tests", context,
                                      detail::variables::test_data<detail::SpaceOf<Exec>>(data),
                                      *model, options);
}

RIFFLE_CALL_DIAGNOSTICS(permutation_tests, OrNumber<statistic<NoView>>, data<Matrix>, by<Array>,
                        options<Optional<NoView>>)

}  // namespace riffle
