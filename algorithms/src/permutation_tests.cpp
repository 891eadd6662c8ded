// The parts of permutation tests of many variables that run on the host and do not depend on the execution space.

#include <riffle/monte_carlo/detail/running_tests.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include <riffle/backend/floating_point.hpp>
#include <riffle/errors.hpp>
#include <riffle/monte_carlo/benjamini_hochberg.hpp>
#include <riffle/monte_carlo/detail/arrangement_numbers.hpp>
#include <riffle/monte_carlo/detail/disjoint_sets.hpp>
#include <riffle/monte_carlo/detail/variables/min_p.hpp>
#include <riffle/monte_carlo/detail/variables/read_result.hpp>
#include <riffle/monte_carlo/detail/variables/statistic_models.hpp>
#include <riffle/monte_carlo/detail/variables/tests_of_space.hpp>

namespace riffle::detail::variables {

// --- checks ---

void check_alternative(char const* function, PermutationTestsOptions const& options,
                       ColumnModel const& model) {
  check_options(function, options.replicates, options.alternative, model.form == Form::share);
  bool const has_two_tests = options.alternative == Alternative::two_sided_doubled;
  check(!has_two_tests || (!options.resume && !options.stop), function,
        "options.alternative = two_sided_doubled: does not go with options.resume and "
        "options.stop, as each tail is counted by itself");
}

Alternative checked_alternative(char const* function, PermutationTestsOptions const& options,
                                ColumnModel const& model) {
  bool const has_one_tail = model.form == Form::share;
  check_alternative(function, options, model);
  return has_one_tail ? Alternative::greater : options.alternative;
}

/// Throws unless permutations change what a model without nuisance compares. A statistic of groups compares all groups
/// with each other, so permutations must be able to move observations, directly or through other groups, between any
/// two of them.
void check_design_changes(char const* function, PermutationScheme const& scheme,
                          ColumnModel const& model) {
  if (scheme.flips_signs()) return;
  auto const orbits = scheme.orbits();
  std::vector<std::uint32_t> type_in(orbits.size());
  std::vector<bool> is_met(orbits.size(), false);
  DisjointSets connected(orbits.size());  // elements are types; there are at most n types
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
        "no permutation changes what is compared: it is equal for all observations that may change "
        "places");
  if (!model.explains_constant) return;
  auto const sets = connected.numbers();
  for (int g = 1; g < model.effects; ++g) {
    check(sets[static_cast<std::size_t>(g)] == sets[0], function,
          "no permutation changes groups 0 and ", g,
          ", not by way of other groups either: they say nothing of all groups at once");
  }
}

PermutationScheme checked_scheme(char const* function, PermutationTestsOptions const& options,
                                 ColumnModel const& model) {
  if (!options.scheme) {
    return model.flips_signs
               ? PermutationScheme::sign_flips(model.n)
               : PermutationScheme::free(model.n).with_equal_observations(model.types);
  }
  auto const& scheme = *options.scheme;
  check(scheme.size() == model.n, function, "options.scheme.size() = ", scheme.size(),
        ": must be the number of observations, ", model.n);
  bool const is_about_0 =
      model.treatment == Treatment::as_they_are || model.treatment == Treatment::residuals;
  check(is_about_0 || !scheme.flips_signs(), function,
        "options.scheme changes signs: the statistic is not about 0");
  check_design_changes(function, scheme, model);
  return scheme.with_equal_observations(model.types);
}

void check_counts(char const* function, PermutationCounts const& counts, bool keeps_maxima,
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

// --- both tails ---

/// Returns twice the smaller of two values, capped at 1, or NaN if the values are NaN.
double twice_the_smaller(double a, double b) {
  return detail::is_nan(a) ? a : std::min(1.0, 2 * std::min(a, b));
}

PermutationTestsResult double_smaller_tails(
    PermutationTestsOptions options,
    std::function<PermutationTestsResult(PermutationTestsOptions const&)> const& run) {
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
  auto const adjusted =
      benjamini_hochberg(std::vector<double>(result.p.data(), result.p.data() + result.p.size()));
  std::copy(adjusted.begin(), adjusted.end(), result.p_false_discovery.data());
  result.alternative = Alternative::two_sided_doubled;
  result.counts = {};
  return result;
}

// --- the minimum of p-values ---

std::vector<std::uint32_t> greatest_ranks(std::uint64_t arrangements) {
  return std::vector<std::uint32_t>(arrangements, ~std::uint32_t{0});
}

void count_single_step(std::vector<std::uint32_t> least, MinPCounts& counts) {
  std::sort(least.begin(), least.end());
  counts.single_step = counts_up_to(least, counts.bounds);
}

// --- the model of each statistic ---

namespace {

Model shared(ColumnModel model) { return std::make_shared<ColumnModel const>(std::move(model)); }

ColumnModel student_model(char const* function, std::vector<double> const& labels) {
  ColumnModel model = two_sample_model(function, labels, 1);
  add_labels(labels, model);
  return model;
}

}  // namespace

Model model_of(char const* function, StudentT, std::vector<double> const& labels) {
  return shared(student_model(function, labels));
}

Model model_of(char const* function, WelchT, std::vector<double> const& labels) {
  return shared(welch_model(function, labels));
}

Model model_of(char const* function, MannWhitneyU, std::vector<double> const& labels) {
  ColumnModel model = student_model(function, labels);
  model.treatment = Treatment::ranked;
  model.reported = Reported::mann_whitney_u;
  // The sum of squares of d = 2 rank - (n + 1) over all values, for data without ties.
  auto const n = static_cast<double>(model.n);
  model.common_squares = n * (n * n - 1) / 3;
  return shared(std::move(model));
}

Model model_of(char const* function, FStatistic, std::vector<double> const& labels) {
  return shared(groups_model(function, labels));
}

Model model_of(char const* function, KruskalWallisH, std::vector<double> const& labels) {
  ColumnModel model = groups_model(function, labels);
  model.treatment = Treatment::ranked;
  model.reported = Reported::kruskal_wallis_h;
  return shared(std::move(model));
}

Model model_of(char const* function, PearsonCorrelation, std::vector<double> const& x) {
  return shared(covariate_model(function, x));
}

Model model_of(char const* function, SpearmanCorrelation, std::vector<double> const& x) {
  check_covariate(function, x);
  ColumnModel model = covariate_model(function, centred_ranks(x));
  model.treatment = Treatment::ranked;
  return shared(std::move(model));
}

Model model_of(char const* function, OneSampleT, std::uint64_t n) {
  return shared(one_sample_model(function, n));
}

}  // namespace riffle::detail::variables
