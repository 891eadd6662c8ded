#pragma once

// Permutation tests of many variables on the same observations at once, with p-values adjusted for their number:
//   P. H. Westfall, S. S. Young, Resampling-Based Multiple Testing, 1993 (single-step and step-down max-T),
//   Y. Ge, S. Dudoit, T. P. Speed, "Resampling-based multiple testing for microarray data analysis", Test 12, 2003,
//   Y. Benjamini, Y. Hochberg, Journal of the Royal Statistical Society B 57, 1995 (false discovery rate).
//
// Values and design become whole numbers before anything is exchanged, so that sums are exact and replicates tie where
// they tie on paper (riffle/monte_carlo/detail/variables/column_model.hpp). A replicate is a function of (seed, number)
// and of what is exchanged: results are the same bits on every back end, for any number of threads and any batch.

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <riffle/context.hpp>
#include <riffle/errors.hpp>
#include <riffle/kernel/call.hpp>
#include <riffle/kernel/mistakes.hpp>
#include <riffle/kernel/range.hpp>
#include <riffle/kernel/scope.hpp>
#include <riffle/kernel/views.hpp>
#include <riffle/monte_carlo/alternative.hpp>
#include <riffle/monte_carlo/benjamini_hochberg.hpp>
#include <riffle/monte_carlo/detail/common.hpp>
#include <riffle/monte_carlo/detail/variables/adjust.hpp>
#include <riffle/monte_carlo/detail/variables/column_model.hpp>
#include <riffle/monte_carlo/detail/variables/counting.hpp>
#include <riffle/monte_carlo/detail/variables/own_model.hpp>
#include <riffle/monte_carlo/detail/variables/own_values.hpp>
#include <riffle/monte_carlo/exchanges.hpp>
#include <riffle/monte_carlo/linear_statistic.hpp>
#include <riffle/monte_carlo/missing_values.hpp>
#include <riffle/monte_carlo/statistics.hpp>

namespace riffle {

/// The counts of permutation tests of G variables as far as they have come: what it takes to go on later.
struct PermutationCounts {
  /// The replicates that are counted: 0, ..., done - 1.
  std::uint64_t done = 0;
  /// By variable: the replicates at least as extreme as the data, and those whose maximum over the variables no more
  /// extreme is.
  std::vector<std::uint64_t> extreme = {};
  std::vector<std::uint64_t> step_down = {};
  /// By replicate: the greatest comparand. That is |T| where two-sided, -T where less; in place of t and F it is the
  /// correlation and the share of squares, of which they are functions, unless values are left out of variables.
  std::vector<double> maxima = {};
};

/// How permutation tests of many variables are made.
struct PermutationTestsOptions {
  /// m, the number of random arrangements; at least 1.
  std::uint64_t replicates = 9999;
  /// Replicate r is a function of (seed, r) and of what is exchanged alone.
  std::uint64_t seed = 0;
  /// two_sided compares |T|. F and H have one tail: they refuse `less`, and `two_sided` means `greater`.
  Alternative alternative = Alternative::two_sided;
  /// What may be exchanged; by default any observations, for OneSampleT their signs.
  std::optional<Exchanges> exchanges = {};
  /// What NaNs mean. Without any, both are the same.
  MissingValues missing = MissingValues::leave_variable_out;
  /// Replicates per kernel; 0 lets the test choose. Any number will do, and none changes a result.
  std::uint64_t batch = 0;
  /// Evaluate every distinct arrangement once, instead of m random ones, where there are at most m.
  bool enumerate = true;
  /// Adjust by the minimum of p-values, too: every replicate is evaluated once more, and ranked in every variable. Not
  /// where options.stop ended the tests.
  bool min_p = false;
  /// Called on the host after each batch with the replicates done and their total.
  std::function<void(std::uint64_t done, std::uint64_t total)> progress = {};
  /// Called on the host after each batch: true ends the tests with the replicates done so far.
  std::function<bool()> stop = {};
  /// Counts of an earlier call with the same data and options (but for `replicates`, where arrangements are random): its
  /// replicates are not evaluated again, and the outcome is that of one call.
  std::optional<PermutationCounts> resume = {};
};

/// What permutation tests of G variables found, in the order of the data, on the host.
///
/// With b the replicates that are at least as extreme as the data, p is b / m if exact, (b + 1) / (m + 1) if random, and
/// so are adjusted ones. A variable whose values are all equal has the statistic 0 and p-values of 1, but against changes of
/// sign, where that is so of values that are 0, and t of others is infinite. One that is left out for missing values has NaNs.
/// Neither has a part in the maxima. t and F are infinite where nothing is left within groups (or about a fit), and where no
/// more is left than rounding: from some 2e7 sqrt(v) and 1e14 v / s on, with v degrees of freedom and s effects.
struct PermutationTestsResult {
  template <class T>
  using Values = Kokkos::View<T*, Kokkos::HostSpace>;

  Values<double> statistic;
  /// Of the variable alone.
  Values<double> p;
  /// The number b of each.
  Values<std::uint64_t> extreme;
  /// How many observations each has, n where none of its values is missing.
  Values<std::uint64_t> observations;
  /// Adjusted by the maximum over all variables.
  Values<double> p_single_step;
  /// Adjusted by the maximum over the variables that are no more extreme, and made monotone (step-down max-T).
  Values<double> p_step_down;
  /// The same two by the minimum of p-values in place of the maximum of statistics, which gives variables whose
  /// statistics have other distributions the same weight; empty unless options.min_p.
  Values<double> p_single_step_min_p;
  Values<double> p_step_down_min_p;
  /// Benjamini and Hochberg's, of p.
  Values<double> p_false_discovery;
  /// The most extreme statistic over all variables of each replicate, in the order of the replicates: the greatest T,
  /// |T| where two-sided, -T where less. U is about its mean then: two-sided the greater of U and n_1 n_2 - U, where less
  /// that of n_1 n_2 - U; where values are left out of variables it is (U - n_1 n_2 / 2) / sqrt(n_1 n_2 (n + 1) / 12) of
  /// a variable's own n in the replicate.
  Values<double> maxima;
  /// The arrangements evaluated: m, or all there are if `exact`; fewer where options.stop ended the tests.
  std::uint64_t replicates = 0;
  /// Whether all arrangements were enumerated, the observed one among them.
  bool exact = false;
  /// Whether options.stop ended the tests. Then p-values are those of random arrangements; of an enumeration that was
  /// ended they say nothing, since it goes through arrangements in an order.
  bool stopped = false;
  PermutationCounts counts = {};
};

namespace detail::variables {

/// The statistic that a comparand before sides stands for.
class StatisticOfComparand {
 public:
  explicit StatisticOfComparand(ColumnModel const& model) : model_(model) {}

  double operator()(double comparand) const {
    if (std::isinf(comparand) || has_own_n(model_.form)) return comparand;
    switch (model_.reported) {
      case Reported::mann_whitney_u: return u(comparand);
      case Reported::t:
        return t_of_correlation(or_1(comparand, 0x1p-50), model_.degrees_of_freedom);
      case Reported::f:
        return f_of_share(or_1(comparand, 0x1p-47), model_.effect_degrees,
                          model_.degrees_of_freedom);
      case Reported::kruskal_wallis_h: return comparand * static_cast<double>(model_.n - 1);
      default: return comparand;
    }
  }

 private:
  /// From the sum S of label 1's ranks, twice and about their mean: U = (S + n_1 n_2) / 2, a multiple of one half.
  double u(double comparand) const {
    double const n = model_.n_1 + model_.n_2;
    double const sum = comparand * std::sqrt(model_.common_squares * model_.n_1 * model_.n_2 / n);
    return std::nearbyint(sum + model_.n_1 * model_.n_2) / 2;
  }

  /// 1 or -1 where that may be what is rounded to x.
  static double or_1(double x, double rounding) {
    return 1 - std::abs(x) <= rounding ? std::copysign(1.0, x) : x;
  }

  ColumnModel const& model_;
};

/// All values are to be written.
inline PermutationTestsResult allocate_result(std::string const& label, std::uint64_t variables,
                                              std::uint64_t replicates) {
  PermutationTestsResult result;
  auto const named = [&](char const* name) {
    return Kokkos::view_alloc(Kokkos::WithoutInitializing, label + name);
  };
  using Doubles = PermutationTestsResult::Values<double>;
  result.statistic = Doubles(named("::statistic"), variables);
  result.p = Doubles(named("::p"), variables);
  result.extreme = PermutationTestsResult::Values<std::uint64_t>(named("::extreme"), variables);
  result.observations =
      PermutationTestsResult::Values<std::uint64_t>(named("::observations"), variables);
  result.p_single_step = Doubles(named("::p_single_step"), variables);
  result.p_step_down = Doubles(named("::p_step_down"), variables);
  result.p_false_discovery = Doubles(named("::p_false_discovery"), variables);
  result.maxima = Doubles(named("::maxima"), replicates);
  result.replicates = replicates;
  return result;
}

template <class Exec>
PermutationTestsResult read_result(std::string const& label, Counting<Exec> const& counting,
                                   ColumnModel const& model, std::uint64_t replicates,
                                   bool is_exact) {
  std::uint64_t const count = counting.variables();
  auto result = allocate_result(label, count, replicates);
  result.exact = is_exact;
  StatisticOfComparand const statistic(model);
  auto const observed = counting.observed();
  result.counts = counting.template counts<PermutationCounts>(replicates);
  auto const& counts = result.counts;
  auto maxima = counts.maxima;
  for (std::uint64_t r = 0; r < replicates; ++r) result.maxima(r) = statistic(maxima[r]);
  std::sort(maxima.begin(), maxima.end());
  std::vector<double> p_step_down(count);
  for (std::uint64_t place = 0; place < count; ++place) {
    std::uint64_t const g = counting.order()[place];
    p_step_down[place] = p_of_count(counts.step_down[g], replicates, is_exact);
  }
  make_monotone(p_step_down);
  double constexpr missing = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> p(count);
  for (std::uint64_t place = 0; place < count; ++place) {
    std::uint64_t const g = counting.order()[place];
    auto const& facts = counting.facts(g);
    bool const is_tested = facts.is_tested;
    double const otherwise = facts.is_missing ? missing : 1;
    result.observations(g) = static_cast<std::uint64_t>(facts.n);
    double const found = has_own_n(model.form) ? facts.statistic : statistic(observed[g]);
    result.statistic(g) = is_tested ? found : facts.is_missing ? missing : 0;
    result.extreme(g) = is_tested ? counts.extreme[g] : facts.is_missing ? 0 : replicates;
    p[g] = is_tested ? p_of_count(counts.extreme[g], replicates, is_exact) : otherwise;
    result.p(g) = p[g];
    result.p_step_down(g) = is_tested ? p_step_down[place] : otherwise;
    auto const beyond = count_from(maxima, counting.thresholds()[g]);
    result.p_single_step(g) = is_tested ? p_of_count(beyond, replicates, is_exact) : otherwise;
  }
  auto const adjusted = benjamini_hochberg(p);
  std::copy(adjusted.begin(), adjusted.end(), result.p_false_discovery.data());
  return result;
}

/// Variables from the least to the most significant; of equal p-values the less extreme comes first.
template <class Exec>
std::vector<std::uint64_t> order_by_p(Counting<Exec> const& counting,
                                      PermutationCounts const& counts) {
  auto variables = counting.order();
  std::stable_sort(variables.begin(), variables.end(), [&](std::uint64_t a, std::uint64_t b) {
    bool const is_a_tested = counting.facts(a).is_tested;
    bool const is_b_tested = counting.facts(b).is_tested;
    if (is_a_tested != is_b_tested) return is_b_tested;
    return counts.extreme[a] > counts.extreme[b];
  });
  return variables;
}

/// All p-values are of `arrangements`, the observed one among them.
template <class Exec>
void write_min_p(std::string const& label, Counting<Exec> const& counting, MinPCounts const& counts,
                 std::vector<std::uint64_t> const& order, std::uint64_t arrangements,
                 PermutationTestsResult& result) {
  auto const allocate = [&](char const* name) {
    return PermutationTestsResult::Values<double>(
        Kokkos::view_alloc(Kokkos::WithoutInitializing, label + name), order.size());
  };
  result.p_single_step_min_p = allocate("::p_single_step_min_p");
  result.p_step_down_min_p = allocate("::p_step_down_min_p");
  std::vector<double> step_down;
  for (std::uint64_t const count : counts.step_down) {
    step_down.push_back(p_of_count(count, arrangements, true));
  }
  make_monotone(step_down);
  for (std::uint64_t place = 0; place < order.size(); ++place) {
    std::uint64_t const g = order[place];
    bool const is_tested = counting.facts(g).is_tested;
    double const otherwise = result.p(g);
    result.p_step_down_min_p(g) = is_tested ? step_down[place] : otherwise;
    result.p_single_step_min_p(g) =
        is_tested ? p_of_count(counts.single_step[place], arrangements, true) : otherwise;
  }
}

inline Alternative checked_alternative(char const* function, PermutationTestsOptions const& options,
                                       ColumnModel const& model) {
  bool const has_one_tail = model.form == Form::share;
  check_options(function, options.replicates, options.alternative, has_one_tail);
  return has_one_tail ? Alternative::greater : options.alternative;
}

inline Exchanges checked_exchanges(char const* function, PermutationTestsOptions const& options,
                                   ColumnModel const& model) {
  if (!options.exchanges) {
    return model.flips_signs ? Exchanges::sign_flips(model.n)
                             : Exchanges::free(model.n).with_equal_observations(model.types);
  }
  auto const& exchanges = *options.exchanges;
  check(exchanges.size() == model.n, function, "options.exchanges.size() = ", exchanges.size(),
        ": must be the number of observations, ", model.n);
  bool const is_about_0 =
      model.treatment == Treatment::as_they_are || model.treatment == Treatment::residuals;
  check(is_about_0 || !exchanges.flips_signs(), function,
        "options.exchanges changes signs: the statistic is not about 0");
  return exchanges.with_equal_observations(model.types);
}

inline void check_counts(char const* function, PermutationCounts const& counts,
                         std::uint64_t variables, std::uint64_t total) {
  check(counts.extreme.size() == variables && counts.step_down.size() == variables, function,
        "options.resume has the counts of ", counts.extreme.size(), " and ",
        counts.step_down.size(), " variables: must be those of ", variables);
  check(counts.done <= total && counts.maxima.size() == counts.done, function,
        "options.resume.done = ", counts.done, " with ", counts.maxima.size(),
        " maxima: must be as many, and at most ", total);
}

/// Whether variables are to have numbers of observations of their own. Fences where they may have.
template <class Exec, class Data>
bool leaves_values_out(char const* function, Context<Exec> const& context, Data const& data,
                       MissingValues missing) {
  check(missing == MissingValues::leave_variable_out || missing == MissingValues::leave_value_out,
        function, "options.missing = ", static_cast<int>(missing),
        ": must be leave_variable_out or leave_value_out");
  std::uint64_t count = 0;
  if (missing == MissingValues::leave_value_out) {
    Kokkos::parallel_reduce(context.label() + "::missing", range(context.exec(), 0, data.size()),
                            CountMissing<Data>{data}, count);
  }
  return count > 0;
}

template <class Exec, class Data>
PermutationTestsResult run_tests(char const* function, Context<Exec> const& context,
                                 Data const& data, ColumnModel model,
                                 PermutationTestsOptions const& options) {
  check(data.extent(1) == model.n, function, "data.extent(1) = ", data.extent(1),
        ": must be the number of observations, ", model.n);
  check_sizes(data.extent(1));
  auto const alternative = checked_alternative(function, options, model);
  auto const exchanges = checked_exchanges(function, options, model);
  if (data.extent(0) == 0) return allocate_result(context.label(), 0, 0);
  if (leaves_values_out(function, context, data, options.missing)) model = own_model(model);
  bool const is_exact = options.enumerate && model.identity_is_observed &&
                        exchanges.arrangements() <= options.replicates;
  std::uint64_t const total = is_exact ? exchanges.arrangements() : options.replicates;
  Numbering const numbering{options.seed, is_exact ? total : 0};

  Scope scope(context);
  auto const plan = make_exchange_plan(context, scope, exchanges.layout());
  Counting<Exec> counting(function, context, data, model, alternative, total);
  std::uint64_t done = 0;
  if (options.resume) {
    check_counts(function, *options.resume, data.extent(0), total);
    counting.add(*options.resume);
    done = options.resume->done;
  }
  std::uint64_t const step = counting.batch_size(options.batch);
  bool is_stopped = false;
  while (done < total && !is_stopped) {
    std::uint64_t const count = std::min(step, total - done);
    counting.count(plan, numbering, done, count);
    done += count;
    if (options.progress || options.stop) context.exec().fence(context.label() + "::progress");
    if (options.progress) options.progress(done, total);
    is_stopped = done < total && options.stop && options.stop();
  }
  context.exec().fence(context.label() + "::result");
  auto result = read_result(context.label(), counting, model, done, is_exact && !is_stopped);
  result.stopped = is_stopped;
  if (options.min_p && !is_stopped) {
    auto const order = order_by_p(counting, result.counts);
    auto const found = counting.count_min_p(plan, numbering, total, order, options.batch);
    write_min_p(context.label(), counting, found, order, total + (is_exact ? 0 : 1), result);
  }
  return result;
}

// --- the model of each statistic ---

template <class Labels>
ColumnModel model_of(char const* function, StudentT, Labels const& labels) {
  auto const host = to_std_vector<double>(labels);
  ColumnModel model = two_sample_model(function, host, 1);
  add_labels(host, model);
  return model;
}

template <class Labels>
ColumnModel model_of(char const* function, WelchT, Labels const& labels) {
  return welch_model(function, to_std_vector<double>(labels));
}

template <class Labels>
ColumnModel model_of(char const* function, MannWhitneyU, Labels const& labels) {
  ColumnModel model = model_of(function, StudentT{}, labels);
  model.treatment = Treatment::ranked;
  model.reported = Reported::mann_whitney_u;
  // Of twice the ranks about their mean, where there are no ties.
  auto const n = static_cast<double>(model.n);
  model.common_squares = n * (n * n - 1) / 3;
  return model;
}

template <class Labels>
ColumnModel model_of(char const* function, FStatistic, Labels const& labels) {
  return groups_model(function, to_std_vector<double>(labels));
}

template <class Labels>
ColumnModel model_of(char const* function, KruskalWallisH, Labels const& labels) {
  ColumnModel model = groups_model(function, to_std_vector<double>(labels));
  model.treatment = Treatment::ranked;
  model.reported = Reported::kruskal_wallis_h;
  return model;
}

template <class X>
ColumnModel model_of(char const* function, PearsonCorrelation, X const& x) {
  return covariate_model(function, to_std_vector<double>(x));
}

template <class X>
ColumnModel model_of(char const* function, SpearmanCorrelation, X const& x) {
  auto const values = to_std_vector<double>(x);
  check_covariate(function, values);
  ColumnModel model = covariate_model(function, centred_ranks(values));
  model.treatment = Treatment::ranked;
  return model;
}

}  // namespace detail::variables

/// Tests a statistic of each of G variables on the same n observations, with p-values adjusted for G.
///
/// - exec: an execution space instance, or a Context of one.
/// - statistic, by:
///   - StudentT, WelchT, MannWhitneyU: `by` are the labels 0 and 1 of two samples; the statistic is of label 1 less 0.
///   - FStatistic, KruskalWallisH: the labels 0, ..., k - 1 of groups, k at most 64.
///   - PearsonCorrelation, SpearmanCorrelation: a covariate.
///   U is compared as it is between variables, whatever ties they have; other statistics of ranks are corrected for ties.
/// - data: a rank-2 View of arithmetic values, G variables x n observations, of any layout. NaN is a missing value, and
///   leaves its variable out.
/// - by: a rank-1 View of n numbers.
/// - options: replicates, seed, alternative, exchanges.
///
/// Values become whole numbers: decimals of up to nine places as they are, others in 52 bits less those of the design,
/// by which a correlation changes by some 4e-9 at most. Replicates within that rounding of the observed statistic tie with
/// it, others are compared exactly.
///
/// Throws std::invalid_argument where lengths differ; a label is none, a group is empty or too small, or no degrees of
/// freedom are left; `by` is constant (correlations) or not finite; a value is infinite; m = 0; or exchanges are of
/// another size or change signs. Nothing is written then. Fences. Reproducible: the same bits on every back end.
///
/// Cost: m G n k multiplications, k being the columns of the design (1; of F and H the groups), m draws of n places.
/// Memory: 16 G n bytes, 8 m bytes of maxima, and a batch of at most 256 MiB on a GPU, 16 MiB on a CPU, or one of 8192
/// or 128 replicates.
template <detail::InstanceOrContext Exec, class Statistic, detail::MatrixFrom<Exec> Data,
          detail::ArrayFrom<Exec> By>
PermutationTestsResult permutation_tests(Exec const& exec, Statistic statistic, Data const& data,
                                         By const& by,
                                         PermutationTestsOptions const& options = {}) {
  detail::Call const context(exec, "riffle::permutation_tests");
  auto const model = detail::variables::model_of("permutation_tests", statistic, by);
  return detail::variables::run_tests("permutation_tests", context, data, model, options);
}

/// The same for a statistic of one sample: OneSampleT of values, or of the differences of pairs, whose signs are changed.
template <detail::InstanceOrContext Exec, detail::MatrixFrom<Exec> Data>
PermutationTestsResult permutation_tests(Exec const& exec, OneSampleT, Data const& data,
                                         PermutationTestsOptions const& options = {}) {
  detail::Call const context(exec, "riffle::permutation_tests");
  auto const model = detail::variables::one_sample_model("permutation_tests", data.extent(1));
  return detail::variables::run_tests("permutation_tests", context, data, model, options);
}

RIFFLE_EXPLAIN_MISTAKES(permutation_tests, NoNumber<NoView>, Matrix, Array, NoView)

}  // namespace riffle
