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

#include <riffle/backend/floating_point.hpp>
#include <riffle/context.hpp>
#include <riffle/errors.hpp>
#include <riffle/monte_carlo/alternative.hpp>
#include <riffle/monte_carlo/detail/common.hpp>
#include <riffle/monte_carlo/detail/exchanges/orbits.hpp>
#include <riffle/monte_carlo/detail/variables/column_model.hpp>
#include <riffle/monte_carlo/detail/variables/count_min_p.hpp>
#include <riffle/monte_carlo/detail/variables/counting.hpp>
#include <riffle/monte_carlo/detail/variables/host_maxima.hpp>
#include <riffle/monte_carlo/detail/variables/own_model.hpp>
#include <riffle/monte_carlo/detail/variables/own_values.hpp>
#include <riffle/monte_carlo/detail/variables/read_result.hpp>
#include <riffle/monte_carlo/exchanges.hpp>
#include <riffle/monte_carlo/missing_values.hpp>
#include <riffle/monte_carlo/permutation_tests_result.hpp>
#include <riffle/monte_carlo/statistics.hpp>
#include <riffle/primitives/call.hpp>
#include <riffle/primitives/mistakes.hpp>
#include <riffle/primitives/range.hpp>
#include <riffle/primitives/scope.hpp>
#include <riffle/primitives/views.hpp>

namespace riffle {

/// How permutation tests of many variables are made.
struct PermutationTestsOptions {
  /// m, the number of random arrangements; at least 1.
  std::uint64_t replicates = 9999;
  /// Replicate r is a function of (seed, r) and of what is exchanged alone.
  std::uint64_t seed = 0;
  /// two_sided compares |T|, of U about its mean. two_sided_doubled makes the tests of `less` and of `greater`, which takes
  /// twice the time, and doubles the smaller of each two p-values, adjusted ones too; it has no maxima and no counts to
  /// resume from, and does not go with `resume` and `stop`. F and H have one tail: they refuse `less` and
  /// `two_sided_doubled`, and `two_sided` means `greater`.
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
  /// Whether the result has the maximum of every replicate: result.maxima and result.counts.maxima. All p-values come out
  /// the same without, in less time, and in memory that does not grow with m.
  bool keep_maxima = true;
  /// Called on the host after each batch with the replicates done and their total.
  std::function<void(std::uint64_t done, std::uint64_t total)> progress = {};
  /// Called on the host after each batch: true ends the tests with the replicates done so far.
  std::function<bool()> stop = {};
  /// Counts of an earlier call with the same data and options (but for `replicates`, where arrangements are random): its
  /// replicates are not evaluated again, and the outcome is that of one call. With or without maxima where keep_maxima is
  /// false, else with those of all their replicates.
  std::optional<PermutationCounts> resume = {};
};

namespace detail::variables {

/// Throws where the alternative does not go with the statistic or other options.
inline void check_alternative(char const* function, PermutationTestsOptions const& options,
                              ColumnModel const& model) {
  check_options(function, options.replicates, options.alternative, model.form == Form::share);
  bool const has_two_tests = options.alternative == Alternative::two_sided_doubled;
  check(!has_two_tests || (!options.resume && !options.stop), function,
        "options.alternative = two_sided_doubled: does not go with options.resume and "
        "options.stop, as each tail is counted by itself");
}

inline Alternative checked_alternative(char const* function, PermutationTestsOptions const& options,
                                       ColumnModel const& model) {
  bool const has_one_tail = model.form == Form::share;
  check_alternative(function, options, model);
  return has_one_tail ? Alternative::greater : options.alternative;
}

/// Twice the smaller of two values, at most 1; NaN of NaNs.
inline double twice_the_smaller(double a, double b) {
  return detail::is_nan(a) ? a : std::min(1.0, 2 * std::min(a, b));
}

/// By run(options), which tests one tail, what two_sided_doubled finds.
template <class Run>
PermutationTestsResult double_smaller_tails(PermutationTestsOptions options, Run const& run) {
  options.keep_maxima = false;
  auto const progress = options.progress;
  auto const tested = [&](Alternative alternative, std::uint64_t tests_before) {
    options.alternative = alternative;
    if (progress) {
      options.progress = [&progress, tests_before](std::uint64_t done, std::uint64_t total) {
        progress(tests_before * total + done, 2 * total);
      };
    }
    return run(options);
  };
  auto result = tested(Alternative::greater, 0);
  auto const other = tested(Alternative::less, 1);
  auto const combine = [](auto const& values, auto const& others) {
    for (std::size_t g = 0; g < values.size(); ++g) {
      values(g) = twice_the_smaller(values(g), others(g));
    }
  };
  combine(result.p, other.p);
  combine(result.p_single_step, other.p_single_step);
  combine(result.p_step_down, other.p_step_down);
  combine(result.p_single_step_min_p, other.p_single_step_min_p);
  combine(result.p_step_down_min_p, other.p_step_down_min_p);
  for (std::size_t g = 0; g < result.extreme.size(); ++g) {
    if (other.extreme(g) >= result.extreme(g)) continue;
    result.extreme(g) = other.extreme(g);
    result.uncertain(g) = other.uncertain(g);
  }
  write_false_discovery(result);
  result.alternative = Alternative::two_sided_doubled;
  result.counts = {};
  return result;
}

/// Of models without nuisance. What compares groups compares each with each: exchanges must connect all of them.
inline void check_that_design_changes(char const* function, Exchanges const& exchanges,
                                      ColumnModel const& model) {
  if (exchanges.flips_signs()) return;
  auto const orbits = exchanges.orbits();
  std::vector<std::uint32_t> type_in(orbits.size());
  std::vector<bool> is_met(orbits.size(), false);
  DisjointSets connected(orbits.size());  // types, of which there are at most as many
  bool changes = false;
  for (std::size_t i = 0; i < orbits.size(); ++i) {
    auto const orbit = static_cast<std::size_t>(orbits[i]);
    auto const type = static_cast<std::uint32_t>(model.types[i]);
    if (is_met[orbit] && type_in[orbit] != type) {
      changes = true;
      connected.unite(type_in[orbit], type);
    }
    type_in[orbit] = type;
    is_met[orbit] = true;
  }
  check(changes, function,
        "no exchange changes what is compared: it is equal for all observations that may change "
        "places");
  if (!model.explains_constant) return;
  auto const sets = connected.numbers();
  for (int g = 1; g < model.effects; ++g) {
    check(sets[static_cast<std::size_t>(g)] == sets[0], function,
          "no exchange changes groups 0 and ", g,
          ", not by way of other groups either: they say nothing of all groups at once");
  }
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
  check_that_design_changes(function, exchanges, model);
  return exchanges.with_equal_observations(model.types);
}

/// Earlier counts go without maxima where none are kept and they are counted already.
inline void check_counts(char const* function, PermutationCounts const& counts, bool keeps_maxima,
                         std::uint64_t variables, std::uint64_t total) {
  check(counts.extreme.size() == variables && counts.step_down.size() == variables, function,
        "options.resume has the counts of ", counts.extreme.size(), " and ",
        counts.step_down.size(), " variables: must be those of ", variables);
  bool const lacks_maxima = counts.maxima.empty() && counts.done > 0;
  bool const is_without = lacks_maxima && counts.single_step.size() == variables;
  check(!is_without || !keeps_maxima, function, "options.resume has no maxima of its ", counts.done,
        " replicates: options.keep_maxima must be false");
  check(counts.done <= total && (is_without || counts.maxima.size() == counts.done), function,
        "options.resume.done = ", counts.done, " with ", counts.maxima.size(),
        " maxima: must be as many, and at most ", total);
  for (auto const* const of_variables : {&counts.extreme, &counts.step_down, &counts.single_step}) {
    for (std::uint64_t const count : *of_variables) {
      check(count <= counts.done, function, "options.resume counts ", count, " replicates of ",
            counts.done, ": must be at most as many");
    }
  }
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

/// Permutation tests under way. Who runs them counts all replicates, in ranges, and reads the result.
template <class Exec>
class RunningTests {
 public:
  /// Throws where something is wrong with what was passed. The context outlives the tests. Fences.
  template <class Data>
  RunningTests(char const* function, Context<Exec> const& context, Data const& data,
               ColumnModel model, PermutationTestsOptions const& options)
      : context_(context), scope_(context), model_(std::move(model)), batch_(options.batch) {
    check(data.extent(1) == model_.n, function, "data.extent(1) = ", data.extent(1),
          ": must be the number of observations, ", model_.n);
    check_sizes(function, data.extent(1));
    alternative_ = checked_alternative(function, options, model_);
    auto const exchanges = checked_exchanges(function, options, model_);
    if (data.extent(0) == 0) return;
    if (leaves_values_out(function, context, data, options.missing)) model_ = own_model(model_);
    std::uint64_t const arrangements = exchanges.arrangements();
    bool const is_exact = options.enumerate && model_.identity_is_observed &&
                          arrangements < saturated && arrangements <= options.replicates;
    total_ = is_exact ? arrangements : options.replicates;
    numbering_ = {options.seed, is_exact ? total_ : 0};
    keeps_maxima_ = options.keep_maxima;
    constexpr std::uint64_t most_maxima = std::uint64_t{1} << 59;
    check(!keeps_maxima_ || total_ <= most_maxima, function,
          "options.replicates = ", options.replicates,
          " with options.keep_maxima: must be at most ", most_maxima);
    if (options.resume) {
      check_counts(function, *options.resume, keeps_maxima_, data.extent(0), total_);
    }
    plan_.emplace(make_exchange_plan(context, scope_, exchanges.layout()));
    std::uint64_t const kept = keeps_maxima_ ? total_ : 0;
    counting_.emplace(function, context, data, model_, alternative_, kept);
    Precision precision{may_be_wide(model_) && needs_wide(is_exact)};
    auto const counted = precision.is_wide ? wide_model(model_) : model_;
    if (precision.is_wide) {
      counting_.emplace(function, context, data, counted, alternative_, kept, precision);
    }
    if (!is_exact || has_own_n(model_.form)) return;
    if (!counting_->has_tested(&VariableFacts::is_certain, false)) return;
    precision.counts_near = false;
    bool const is_free =
        arrangements ==
        Exchanges::free(model_.n).with_equal_observations(model_.types).arrangements();
    bool const exchanges_samples = is_free && model_.n_1 > 0 && model_.n_1 == model_.n_2;
    bool const has_mirror =
        alternative_ == Alternative::two_sided && (exchanges_samples || exchanges.flips_signs());
    known_ties_ = has_mirror                            ? 2
                  : is_free && model_.explains_constant ? orders_of_groups(model_)
                                                        : 1;
    beyond_.emplace(function, context, data, counted, alternative_, 0, precision);
  }

  /// Whether enumerated arrangements may tie with the data or not, as rounding does not tell.
  bool has_uncertain() const { return beyond_.has_value(); }

  /// How many of the replicates first, ..., first + count - 1, by variable, are surely as extreme as the data.
  std::vector<std::uint64_t> count_surely(std::uint64_t first, std::uint64_t count) {
    std::uint64_t const step = beyond_->batch_size(batch_);
    for (std::uint64_t done = 0; done < count; done += step) {
      beyond_->count(*plan_, numbering_, first + done, std::min(step, count - done));
    }
    return beyond_->template counts<PermutationCounts>().extreme;
  }

  /// Adds to the result how many arrangements are uncertain, where those are counted that are surely as extreme as the data.
  /// The observed one itself is as extreme, and those that exchange groups of one size, or where |T| is compared all signs.
  void add_uncertain(std::vector<std::uint64_t> const& sure, PermutationTestsResult& result) const {
    for (std::uint64_t g = 0; g < sure.size(); ++g) {
      auto const& facts = counting_->facts(g);
      std::uint64_t const known = sure[g] + known_ties_;
      bool const is_open = facts.is_tested && !facts.is_certain && result.extreme(g) > known;
      result.uncertain(g) = is_open ? result.extreme(g) - known : 0;
    }
  }

  /// The replicates of the whole tests; none where there are no variables.
  std::uint64_t total() const { return total_; }

  /// Replicates that are best counted at once.
  std::uint64_t batch_size() const { return counting_->batch_size(batch_); }

  /// Begins with these counts, of replicates 0, ..., counts.done - 1.
  void begin_with(PermutationCounts const& counts) { counting_->add(counts); }

  /// Begins with no counts beside the maxima of these, where they are kept.
  void begin_beside(PermutationCounts const& counts) {
    if (keeps_maxima_) counting_->place_maxima(counts.maxima);
  }

  /// Counts replicates first, ..., first + count - 1 as well. Does not fence.
  void count(std::uint64_t first, std::uint64_t count) {
    counting_->count(*plan_, numbering_, first, count);
    counting_->count_single_step(first, count);
  }

  /// The counts so far, said to be those of the first `done` replicates, without their maxima. Fences.
  PermutationCounts counts(std::uint64_t done) const {
    auto counts = counting_->template counts<PermutationCounts>();
    counts.done = done;
    return counts;
  }

  /// Memory of the host for the maxima of so many replicates, where they are kept. Does not fence: best called while a
  /// device counts.
  HostMaxima memory_for_maxima(std::uint64_t done) const {
    return variables::memory_for_maxima(context_, keeps_maxima_ ? done : 0);
  }

  /// The maxima of all replicates by their numbers, where they are kept, of which those are there that are counted.
  Array<typename Exec::memory_space> const& maxima() const { return counting_->maxima(); }

  /// Reads them as far as there is memory, which they stay in when result() is given it. Fences.
  void read_comparands(HostMaxima& maxima) const {
    variables::read_comparands(context_, counting_->maxima(), maxima);
  }

  /// Writes what others have added to them. Fences.
  void write_comparands(HostMaxima const& maxima) const {
    counting_->place_maxima(maxima.comparands);
  }

  /// What the first counts.done replicates say, which are all that are counted, and whose maxima are there. Fences.
  PermutationTestsResult result(PermutationCounts counts, HostMaxima maxima,
                                bool is_stopped) const {
    auto result = read_result(context_, *counting_, model_, std::move(counts),
                              numbering_.is_exact() && !is_stopped);
    result.stopped = is_stopped;
    result.alternative = alternative_;
    if (keeps_maxima_) read_maxima(context_, *counting_, model_, std::move(maxima), result);
    return result;
  }

  /// Where there are no variables.
  PermutationTestsResult result_of_none() const {
    auto result = allocate_result(context_.label(), 0);
    result.alternative = alternative_;
    return result;
  }

  /// The variables from the least to the most significant, by a result of all replicates.
  std::vector<std::uint64_t> order_of(PermutationTestsResult const& result) const {
    return order_by_p(*counting_, result.counts);
  }

  /// Adds p-values by their minimum to that result, by what is counted in that order.
  void add_min_p(PermutationTestsResult& result, std::vector<std::uint64_t> const& order,
                 MinPCounts const& counts) {
    write_min_p(context_.label(), *counting_, counts, order, all_replicates().arrangements(),
                result);
  }

  /// What such a function counts of some consecutive places of the order.
  MinPOfPlaces<Exec> min_p_of_places(std::vector<std::uint64_t> variables) {
    return {context_, *counting_, all_replicates(), std::move(variables)};
  }

  AllReplicates<typename Exec::memory_space> all_replicates() const {
    return {*plan_, numbering_, total_, batch_};
  }

 private:
  /// Whether data are to be compared in more bits: of enumerated arrangements where the order is not certain by doubles, if they
  /// are not too many, and wherever rounding leaves few bits. The same on every back end.
  bool needs_wide(bool is_exact) const {
    constexpr double most_products = 0x1p37;
    bool const gains_bits = counting_->has_tested(&VariableFacts::gains_bits, true);
    if (is_exact && gains_bits && counting_->products(total_) < most_products) return true;
    return model_.is_coarse || counting_->has_tested(&VariableFacts::is_coarse, true);
  }

  Context<Exec> const& context_;
  Scope<Exec> scope_;
  ColumnModel model_;
  std::uint64_t batch_;
  std::uint64_t total_ = 0;
  Numbering numbering_{};
  bool keeps_maxima_ = false;
  Alternative alternative_ = Alternative::two_sided;
  std::optional<ExchangePlan<typename Exec::memory_space>> plan_;
  std::optional<Counting<Exec>> counting_;
  std::optional<Counting<Exec>> beyond_;
  std::uint64_t known_ties_ = 1;  // with the observed statistic, whatever the rounding
};

template <class Exec, class Data>
PermutationTestsResult run_tests(char const* function, Context<Exec> const& context,
                                 Data const& data, ColumnModel const& model,
                                 PermutationTestsOptions const& options) {
  if (options.alternative == Alternative::two_sided_doubled) {
    check_alternative(function, options, model);
    return double_smaller_tails(options, [&](PermutationTestsOptions const& of_one_tail) {
      return run_tests(function, context, data, model, of_one_tail);
    });
  }
  RunningTests<Exec> tests(function, context, data, model, options);
  std::uint64_t const total = tests.total();
  if (total == 0) return tests.result_of_none();
  std::uint64_t done = 0;
  if (options.resume) {
    tests.begin_with(*options.resume);
    done = options.resume->done;
  }
  bool is_stopped = false;
  while (done < total && !is_stopped) {
    std::uint64_t const count = std::min(tests.batch_size(), total - done);
    tests.count(done, count);
    done += count;
    if (options.progress || options.stop) context.exec().fence(context.label() + "::progress");
    if (options.progress) options.progress(done, total);
    is_stopped = done < total && options.stop && options.stop();
  }
  auto maxima = tests.memory_for_maxima(done);
  context.exec().fence(context.label() + "::result");
  auto result = tests.result(tests.counts(done), std::move(maxima), is_stopped);
  if (tests.has_uncertain() && !is_stopped)
    tests.add_uncertain(tests.count_surely(0, total), result);
  if (options.min_p && !is_stopped) {
    auto const order = tests.order_of(result);
    auto least = no_ranks(tests.all_replicates().arrangements());
    MinPCounts counts = tests.min_p_of_places(order).count(least);
    count_single_step(least, counts);
    tests.add_min_p(result, order, counts);
  }
  return result;
}

/// The values of a rank-1 View on the host, as doubles. Fences.
template <class Exec, class View>
std::vector<double> host_values(Context<Exec> const& context, View const& view) {
  Array<typename Exec::memory_space> const values(
      Kokkos::view_alloc(context.exec(), Kokkos::WithoutInitializing, context.label() + "::by"),
      view.extent(0));
  context.named("by").for_each(view.extent(0), CopyValues<View, decltype(values)>{view, values});
  return to_std_vector<double>(context, values);
}

// --- the model of each statistic ---

inline ColumnModel model_of(char const* function, StudentT, std::vector<double> const& labels) {
  ColumnModel model = two_sample_model(function, labels, 1);
  add_labels(labels, model);
  return model;
}

inline ColumnModel model_of(char const* function, WelchT, std::vector<double> const& labels) {
  return welch_model(function, labels);
}

inline ColumnModel model_of(char const* function, MannWhitneyU, std::vector<double> const& labels) {
  ColumnModel model = model_of(function, StudentT{}, labels);
  model.treatment = Treatment::ranked;
  model.reported = Reported::mann_whitney_u;
  // Of twice the ranks about their mean, where there are no ties.
  auto const n = static_cast<double>(model.n);
  model.common_squares = n * (n * n - 1) / 3;
  return model;
}

inline ColumnModel model_of(char const* function, FStatistic, std::vector<double> const& labels) {
  return groups_model(function, labels);
}

inline ColumnModel model_of(char const* function, KruskalWallisH,
                            std::vector<double> const& labels) {
  ColumnModel model = groups_model(function, labels);
  model.treatment = Treatment::ranked;
  model.reported = Reported::kruskal_wallis_h;
  return model;
}

inline ColumnModel model_of(char const* function, PearsonCorrelation,
                            std::vector<double> const& x) {
  return covariate_model(function, x);
}

inline ColumnModel model_of(char const* function, SpearmanCorrelation,
                            std::vector<double> const& x) {
  check_covariate(function, x);
  ColumnModel model = covariate_model(function, centred_ranks(x));
  model.treatment = Treatment::ranked;
  return model;
}

}  // namespace detail::variables

/// Tests a statistic of each of G variables on the same n observations, with p-values adjusted for G.
///
/// - exec: an execution space instance, or a Context of one.
/// - statistic, by:
///   - StudentT, WelchT, MannWhitneyU: `by` are the labels 0 and 1 of two samples; the statistic is of label 1, which is the first
///     sample of permutation_test, less label 0.
///   - FStatistic, KruskalWallisH: the labels 0, ..., k - 1 of groups, k at most 64.
///   - PearsonCorrelation, SpearmanCorrelation: a covariate.
///   U is compared as it is between variables, whatever ties they have, so that those with many ties seldom have the
///   maximum; other statistics of ranks are corrected for ties. SpearmanCorrelation of two samples' labels is U over its
///   standard deviation given the ties, but for a factor that all variables share.
/// - data: a rank-2 View of arithmetic values, G variables x n observations, of any layout. NaN is a missing value:
///   options.missing says what becomes of it (MissingValues).
/// - by: a rank-1 View of n numbers.
/// - options: replicates, seed, alternative, exchanges, missing, keep_maxima.
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
  auto const model = detail::variables::model_of("permutation_tests", statistic,
                                                 detail::variables::host_values(context, by));
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

RIFFLE_EXPLAIN_MISTAKES(permutation_tests, OrNumber<statistic<NoView>>, data<Matrix>, by<Array>,
                        options<Optional<NoView>>)

}  // namespace riffle
