// Permutation tests of many variables: options that change no result, progress, stop and resume, and Kokkos Tools
// callbacks.

#include <Kokkos_Core.hpp>
#include <riffle/context.hpp>
#include <riffle/monte_carlo/benjamini_hochberg.hpp>
#include <riffle/monte_carlo/missing_values.hpp>
#include <riffle/monte_carlo/p_value_intervals.hpp>
#include <riffle/monte_carlo/permutation_scheme.hpp>
#include <riffle/monte_carlo/permutation_test.hpp>
#include <riffle/monte_carlo/permutation_tests.hpp>
#include <riffle/monte_carlo/statistics.hpp>
#include <riffle/workspace.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/matrices.hpp"
#include "support/thrown_message.hpp"
#include "support/tool_checks.hpp"
#include "support/views.hpp"

namespace riffle::test::permutation_tests_options_test {
namespace {

using Progress = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

constexpr std::size_t n = 13;
constexpr std::size_t variables = 21;

std::vector<std::uint64_t> bits_of(PermutationTestsResult::Values<double> const& values) {
  std::vector<std::uint64_t> bits(values.extent(0));
  if (!bits.empty()) std::memcpy(bits.data(), values.data(), 8 * bits.size());
  return bits;
}

/// Compares bit by bit; NaNs are equal.
void expect_same_but_for_maxima(PermutationTestsResult const& found,
                                PermutationTestsResult const& expected) {
  EXPECT_EQ(found.replicates, expected.replicates);
  EXPECT_EQ(found.exact, expected.exact);
  EXPECT_EQ(found.stopped, expected.stopped);
  EXPECT_EQ(bits_of(found.statistic), bits_of(expected.statistic));
  EXPECT_EQ(bits_of(found.p), bits_of(expected.p));
  EXPECT_EQ(bits_of(found.p_single_step), bits_of(expected.p_single_step));
  EXPECT_EQ(bits_of(found.p_step_down), bits_of(expected.p_step_down));
  EXPECT_EQ(bits_of(found.p_single_step_min_p), bits_of(expected.p_single_step_min_p));
  EXPECT_EQ(bits_of(found.p_step_down_min_p), bits_of(expected.p_step_down_min_p));
  EXPECT_EQ(bits_of(found.p_false_discovery), bits_of(expected.p_false_discovery));
  EXPECT_EQ(to_vector(found.status), to_vector(expected.status));
  EXPECT_EQ(to_vector(found.observations), to_vector(expected.observations));
  EXPECT_EQ(to_vector(found.extreme), to_vector(expected.extreme));
  EXPECT_EQ(found.counts.done, expected.counts.done);
  EXPECT_EQ(found.counts.extreme, expected.counts.extreme);
  EXPECT_EQ(found.counts.step_down, expected.counts.step_down);
  EXPECT_EQ(found.counts.single_step, expected.counts.single_step);
}

void expect_same(PermutationTestsResult const& found, PermutationTestsResult const& expected) {
  expect_same_but_for_maxima(found, expected);
  EXPECT_EQ(bits_of(found.maxima), bits_of(expected.maxima));
  EXPECT_EQ(found.counts.maxima, expected.counts.maxima);
}

/// `found` has no maxima.
void expect_without_maxima(PermutationTestsResult const& found,
                           PermutationTestsResult const& expected) {
  expect_same_but_for_maxima(found, expected);
  EXPECT_EQ(found.maxima.extent(0), 0u);
  EXPECT_TRUE(found.counts.maxima.empty());
}

PermutationTestsOptions options_of(std::uint64_t replicates) {
  PermutationTestsOptions options;
  options.replicates = replicates;
  options.seed = 1993;
  return options;
}

/// FNV-1a.
std::uint64_t hash_of(std::vector<std::uint64_t> const& words) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (auto const word : words) hash = (hash ^ word) * 0x100000001b3u;
  return hash;
}

template <class Exec>
class PermutationTestsOptionsTest : public ::testing::Test {
 protected:
  /// Real numbers; the first variables have an effect, one is constant, and one has a missing value.
  static auto data() {
    auto const matrix = make_matrix<Exec, double, Kokkos::LayoutRight>(variables, n);
    std::vector<double> values;
    for (std::size_t g = 0; g < variables; ++g) {
      for (std::size_t i = 0; i < n; ++i) {
        auto const noise = static_cast<double>((37 * g * g + 101 * i * i + 7 * g * i) % 211);
        double const effect = g < 4 && i > 5 ? 300.0 / static_cast<double>(g + 1) : 0;
        values.push_back(g == 7 ? 0.25 : (noise + effect) / 7);
      }
    }
    values[9 * n + 4] = std::nan("");
    fill(matrix, values);
    return matrix;
  }

  static std::vector<int> labels() {
    std::vector<int> result(n);
    for (std::size_t i = 0; i < n; ++i) result[i] = i > 5 ? 1 : 0;
    return result;
  }

  template <class Instance = Exec, class Statistic = StudentT>
  static PermutationTestsResult run(PermutationTestsOptions const& options,
                                    Instance const& exec = {}, Statistic statistic = {}) {
    return permutation_tests(exec, statistic, data(), to_view<Exec>(labels()), options);
  }

  /// Stops after the first batch that reaches `first` replicates, and resumes from there.
  static PermutationTestsResult run_in_two(PermutationTestsOptions options, std::uint64_t first) {
    std::uint64_t reached = 0;
    auto const progress = options.progress;
    options.progress = [&](std::uint64_t done, std::uint64_t total) {
      reached = done;
      if (progress) progress(done, total);
    };
    options.stop = [&] { return reached >= first; };
    auto const begun = run(options);
    EXPECT_TRUE(begun.stopped);
    EXPECT_FALSE(begun.exact);
    EXPECT_EQ(begun.replicates, reached);
    EXPECT_EQ(begun.maxima.extent(0), options.keep_maxima ? reached : 0);
    EXPECT_EQ(begun.counts.done, reached);
    options.stop = {};
    options.resume = begun.counts;
    return run(options);
  }
};
TYPED_TEST_SUITE(PermutationTestsOptionsTest, ExecutionSpaces, SpaceNames);

/// Each p-value is twice the smaller of two one-sided ones, also for a variable with missing values and a constant one.
TYPED_TEST(PermutationTestsOptionsTest, TwiceTheSmallerTail) {
  auto options = options_of(1000);
  options.min_p = true;
  auto const with = [&](Alternative alternative) {
    options.alternative = alternative;
    return this->run(options);
  };
  auto const less = with(Alternative::less);
  auto const greater = with(Alternative::greater);
  Progress told;
  options.progress = [&](std::uint64_t done, std::uint64_t total) {
    told.push_back({done, total});
  };
  auto const both = with(Alternative::two_sided_doubled);
  EXPECT_EQ(told.back(), (Progress::value_type{2000, 2000}));
  EXPECT_EQ(both.alternative, Alternative::two_sided_doubled);
  EXPECT_EQ(less.alternative, Alternative::less);
  EXPECT_EQ(both.maxima.extent(0), 0u);
  EXPECT_EQ(both.counts.done, 0u);
  EXPECT_EQ(bits_of(both.statistic), bits_of(less.statistic));
  int doubled = 0;
  for (std::size_t g = 0; g < variables; ++g) {
    EXPECT_EQ(both.extreme(g), std::min(less.extreme(g), greater.extreme(g)));
    auto const expect = [&](auto const& found, auto const& a, auto const& b) {
      bool const has_none = std::isnan(a(g));
      EXPECT_EQ(std::isnan(found(g)), has_none) << g;
      if (!has_none) {
        EXPECT_EQ(found(g), std::min(1.0, 2 * std::min(a(g), b(g)))) << g;
      }
      doubled += found(g) < 1 ? 1 : 0;
    };
    expect(both.p, less.p, greater.p);
    expect(both.p_single_step, less.p_single_step, greater.p_single_step);
    expect(both.p_step_down, less.p_step_down, greater.p_step_down);
    expect(both.p_single_step_min_p, less.p_single_step_min_p, greater.p_single_step_min_p);
    expect(both.p_step_down_min_p, less.p_step_down_min_p, greater.p_step_down_min_p);
  }
  EXPECT_GT(doubled, 20);
  std::vector<double> const p(both.p.data(), both.p.data() + variables);
  auto const adjusted = benjamini_hochberg(p);
  for (std::size_t g = 0; g < variables; ++g) {
    bool const has_none = std::isnan(adjusted[g]);
    EXPECT_EQ(std::isnan(both.p_false_discovery(g)), has_none) << g;
    if (!has_none) {
      EXPECT_EQ(both.p_false_discovery(g), adjusted[g]) << g;
    }
  }
  auto const interval = p_value_intervals_of_variable(both, 1).p;
  auto const one_sided = p_value_intervals_of_variable(greater, 1).p;
  EXPECT_EQ(interval.lower, 2 * one_sided.lower);
  EXPECT_EQ(interval.upper, 2 * one_sided.upper);
  options.stop = [] { return false; };
  EXPECT_EQ(thrown_message([&] { this->run(options); }),
            "riffle::permutation_tests: options.alternative = two_sided_doubled: does not go with "
            "options.resume and options.stop, as each tail is counted by itself");
}

/// The minimum over one variable is its own p-value, in each random replicate and for the data.
TYPED_TEST(PermutationTestsOptionsTest, MinPOfOneVariableIsItsP) {
  auto options = options_of(1000);
  options.min_p = true;
  auto const by = to_view<TypeParam>(this->labels());
  auto const one = make_matrix<TypeParam, double, Kokkos::LayoutRight>(1, n);
  for (std::size_t const step : {7, 37, 101}) {
    std::vector<double> values;
    for (std::size_t i = 0; i < n; ++i) values.push_back(static_cast<double>(step * i * i % 211));
    fill(one, values);
    auto const found = permutation_tests(TypeParam(), StudentT{}, one, by, options);
    EXPECT_FALSE(found.exact);
    EXPECT_EQ(found.p_single_step_min_p(0), found.p(0)) << step;
    EXPECT_EQ(found.p_step_down_min_p(0), found.p(0)) << step;
  }
}

/// permutation_test and permutation_tests give equal results for one variable, with the same sign if label 1 is the
/// first sample. Student's t grows with the difference of means.
TYPED_TEST(PermutationTestsOptionsTest, BothCallsAgree) {
  std::vector<double> const x{5.5, 6.1, 9.9, 30.2};
  std::vector<double> const y{4.1, 7.3, 6.8, 8.1, 5.9};
  auto const data = make_matrix<TypeParam, double, Kokkos::LayoutRight>(1, 9);
  std::vector<double> all = x;
  all.insert(all.end(), y.begin(), y.end());
  fill(data, all);
  auto const by = to_view<TypeParam>(std::vector<int>{1, 1, 1, 1, 0, 0, 0, 0, 0});
  for (auto const alternative : {Alternative::less, Alternative::greater, Alternative::two_sided,
                                 Alternative::two_sided_doubled}) {
    PermutationTestOptions of_one;
    PermutationTestsOptions of_many;
    of_one.alternative = of_many.alternative = alternative;
    auto const one = [&](auto statistic) {
      return permutation_test(TypeParam(), statistic, to_view<TypeParam>(x), to_view<TypeParam>(y),
                              of_one);
    };
    auto const means = one(DifferenceOfMeans{});
    auto const t = permutation_tests(TypeParam(), StudentT{}, data, by, of_many);
    EXPECT_EQ(t.p(0), means.p_value());
    EXPECT_EQ(t.statistic(0) > 0, means.statistic > 0);
    auto const u = one(MannWhitneyU{});
    auto const ranked = permutation_tests(TypeParam(), MannWhitneyU{}, data, by, of_many);
    EXPECT_EQ(ranked.p(0), u.p_value());
    EXPECT_EQ(ranked.statistic(0), u.statistic);
    auto const welch = permutation_tests(TypeParam(), WelchT{}, data, by, of_many);
    EXPECT_EQ(welch.p(0), one(WelchT{}).p_value());
  }
}

TYPED_TEST(PermutationTestsOptionsTest, BatchesDoNotChangeResults) {
  for (std::uint64_t const replicates : {1u, 127u, 128u, 129u, 1000u, 4097u}) {
    auto options = options_of(replicates);
    options.enumerate = false;
    auto const expected = this->run(options);
    EXPECT_EQ(expected.maxima.extent(0), replicates);
    for (std::uint64_t const batch : {1u, 128u, 1000u, 1u << 30}) {
      options.batch = batch;
      expect_same(this->run(options), expected);
    }
  }
  auto options = options_of(1716);  // 13! / (6! 7!)
  auto const expected = this->run(options);
  EXPECT_TRUE(expected.exact);
  options.batch = 1;
  expect_same(this->run(options), expected);
  options.replicates = 1715;
  EXPECT_FALSE(this->run(options).exact);
}

TYPED_TEST(PermutationTestsOptionsTest, LayoutsAndTypesDoNotChangeResults) {
  auto const options = options_of(500);
  auto const expected = this->run(options);
  auto const left = make_matrix<TypeParam, double, Kokkos::LayoutLeft>(variables, n);
  fill(left, row_major(this->data()));
  auto const labels =
      to_view<TypeParam>(std::vector<double>({0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1}));
  expect_same(permutation_tests(TypeParam(), StudentT{}, left, labels, options), expected);
}

TYPED_TEST(PermutationTestsOptionsTest, InstancesDoNotChangeResults) {
  auto const options = options_of(1000);
  auto const expected = this->run(options);
  auto const instances = Kokkos::Experimental::partition_space(TypeParam(), 1, 1);
  expect_same(this->run(options, instances[0]), expected);
  expect_same(this->run(options, instances[1]), expected);
  Workspace<TypeParam> workspace;
  expect_same(this->run(options, Context(TypeParam(), workspace)), expected);
}

// Replicates do not depend on the number of replicates, nor on replicates of other seeds.
TYPED_TEST(PermutationTestsOptionsTest, ReplicatesAreFunctionsOfTheirNumbers) {
  auto options = options_of(1000);
  auto const many = bits_of(this->run(options).maxima);
  options.replicates = 300;
  auto const few = bits_of(this->run(options).maxima);
  EXPECT_EQ(few, std::vector<std::uint64_t>(many.begin(), many.begin() + 300));
  options.seed = 1994;
  EXPECT_NE(bits_of(this->run(options).maxima), few);
}

TYPED_TEST(PermutationTestsOptionsTest, ReportsProgress) {
  Progress told;
  auto options = options_of(300);
  options.batch = 128;
  options.progress = [&](std::uint64_t done, std::uint64_t total) {
    told.push_back({done, total});
  };
  this->run(options);
  ASSERT_FALSE(told.empty());
  EXPECT_EQ(told.back(), (std::pair<std::uint64_t, std::uint64_t>(300, 300)));
  for (std::size_t k = 0; k < told.size(); ++k) {
    EXPECT_EQ(told[k].second, 300u);
    EXPECT_GT(told[k].first, k == 0 ? 0 : told[k - 1].first);
  }
  if (backend::is_cpu<TypeParam>) {
    EXPECT_EQ(told, (Progress{{128, 300}, {256, 300}, {300, 300}}));
  }
}

TYPED_TEST(PermutationTestsOptionsTest, StoppedTestsResume) {
  std::uint64_t const unit = backend::is_cpu<TypeParam> ? 128 : 1024;
  auto options = options_of(5 * unit + 3);
  options.enumerate = false;
  options.batch = unit;
  auto const expected = this->run(options);
  for (std::uint64_t const first : {unit, 2 * unit, 5 * unit}) {
    expect_same(this->run_in_two(options, first), expected);
  }
  // Resumes a shorter run that ended inside a batch.
  options.replicates = unit + 1;
  auto const begun = this->run(options);
  options.replicates = 5 * unit + 3;
  options.resume = begun.counts;
  expect_same(this->run(options), expected);
  // Resumes a complete run: no replicate is left.
  options.resume = expected.counts;
  options.progress = [](std::uint64_t, std::uint64_t) { ADD_FAILURE() << "a replicate was run"; };
  expect_same(this->run(options), expected);
}

TYPED_TEST(PermutationTestsOptionsTest, EnumerationsResume) {
  auto options = options_of(9999);
  options.batch = backend::is_cpu<TypeParam> ? 128 : 1024;
  auto const expected = this->run(options);
  EXPECT_TRUE(expected.exact);
  EXPECT_EQ(expected.replicates, 1716u);
  expect_same(this->run_in_two(options, 129), expected);
}

// --- without maxima ---

TYPED_TEST(PermutationTestsOptionsTest, OtherResultsAreEqualWithoutMaxima) {
  auto const expect = [&](PermutationTestsOptions options, auto statistic) {
    auto const expected = this->run(options, TypeParam(), statistic);
    options.keep_maxima = false;
    for (std::uint64_t const batch : {0u, 1u, 1000u}) {
      options.batch = batch;
      expect_without_maxima(this->run(options, TypeParam(), statistic), expected);
    }
  };
  for (std::uint64_t const replicates : {1u, 127u, 128u, 129u, 4097u}) {
    auto options = options_of(replicates);
    options.enumerate = false;
    expect(options, StudentT{});
    expect(options, WelchT{});
  }
  auto options = options_of(1716);  // all
  options.min_p = true;
  expect(options, StudentT{});
  expect(options, MannWhitneyU{});
  options.replicates = 500;
  options.alternative = Alternative::less;
  options.missing = MissingValues::leave_value_out;
  expect(options, WelchT{});
  expect(options, SpearmanCorrelation{});
}

TYPED_TEST(PermutationTestsOptionsTest, StoppedTestsWithoutMaximaResume) {
  std::uint64_t const unit = backend::is_cpu<TypeParam> ? 128 : 1024;
  auto options = options_of(5 * unit + 3);
  options.enumerate = false;
  options.batch = unit;
  auto const expected = this->run(options);
  options.keep_maxima = false;
  for (std::uint64_t const first : {unit, 2 * unit, 5 * unit}) {
    expect_without_maxima(this->run_in_two(options, first), expected);
  }
  // Resumes from counts with maxima, also from counts of only them.
  auto few = options;
  few.keep_maxima = true;
  few.replicates = unit + 1;
  options.resume = this->run(few).counts;
  expect_without_maxima(this->run(options), expected);
  options.resume->single_step.clear();
  expect_without_maxima(this->run(options), expected);
  options.keep_maxima = true;
  expect_same(this->run(options), expected);
}

// They are counted in two batches.
TYPED_TEST(PermutationTestsOptionsTest, ResumesFromManyMaxima) {
  if (!backend::is_cpu<TypeParam>) return;  // one back end of the host takes seconds
  std::uint64_t const many = (std::uint64_t{1} << 20) + 5;
  auto const data = make_matrix<TypeParam, double, Kokkos::LayoutRight>(1, n);
  std::vector<double> values(n);
  for (std::size_t i = 0; i < n; ++i) values[i] = static_cast<double>(i * i % 11);
  fill(data, values);
  auto options = options_of(many);
  options.enumerate = false;
  auto const expected = permutation_tests(TypeParam(), OneSampleT{}, data, options);
  // For one variable all counts are equal.
  EXPECT_EQ(expected.counts.single_step, expected.counts.extreme);
  options.resume = expected.counts;
  for (bool const keeps_maxima : {true, false}) {
    options.keep_maxima = keeps_maxima;
    auto const found = permutation_tests(TypeParam(), OneSampleT{}, data, options);
    expect_same_but_for_maxima(found, expected);
    EXPECT_EQ(bits_of(found.maxima),
              keeps_maxima ? bits_of(expected.maxima) : std::vector<std::uint64_t>());
  }
}

TYPED_TEST(PermutationTestsOptionsTest, StopAfterTheLastBatchIsIgnored) {
  auto options = options_of(100);
  options.stop = [] { return true; };
  EXPECT_FALSE(this->run(options).stopped);
}

TYPED_TEST(PermutationTestsOptionsTest, NoVariables) {
  auto const none = make_matrix<TypeParam, double, Kokkos::LayoutRight>(0, n);
  auto const found = permutation_tests(TypeParam(), StudentT{}, none,
                                       to_view<TypeParam>(this->labels()), options_of(10));
  EXPECT_EQ(found.statistic.extent(0), 0u);
  EXPECT_EQ(found.maxima.extent(0), 0u);
  EXPECT_EQ(found.replicates, 0u);
}

TYPED_TEST(PermutationTestsOptionsTest, OneReplicate) {
  auto const found = this->run(options_of(1));
  EXPECT_EQ(found.replicates, 1u);
  for (std::size_t g = 0; g < variables; ++g) {
    if (found.status(g) != VariableStatus::tested) continue;
    EXPECT_TRUE(found.p(g) == 0.5 || found.p(g) == 1) << found.p(g);
    EXPECT_LE(found.p(g), found.p_step_down(g));
    EXPECT_LE(found.p_step_down(g), found.p_single_step(g));
  }
}

// Without a variable that has a statistic, no maximum is finite.
TYPED_TEST(PermutationTestsOptionsTest, ConstantsAlone) {
  auto const constants = make_matrix<TypeParam, double, Kokkos::LayoutRight>(2, n);
  auto const found = permutation_tests(TypeParam(), WelchT{}, constants,
                                       to_view<TypeParam>(this->labels()), options_of(10));
  for (std::size_t r = 0; r < 10; ++r) EXPECT_EQ(found.maxima(r), -HUGE_VAL);
  EXPECT_TRUE(std::isnan(found.p_single_step(1)));
  EXPECT_EQ(found.status(1), VariableStatus::no_variation);
}

// No variation is left within the groups, or about the mean.
TYPED_TEST(PermutationTestsOptionsTest, StatisticsAreInfiniteWithoutVariance) {
  auto const labels = this->labels();
  auto const split = make_matrix<TypeParam, double, Kokkos::LayoutRight>(3, n);
  std::vector<double> values;
  for (double const high : {0.1, -2.0 / 3, 1e5}) {
    for (int const label : labels) values.push_back(label == 1 ? high : 0.01);
  }
  fill(split, values);
  auto const by = to_view<TypeParam>(labels);
  auto const options = options_of(2000);
  auto const t = permutation_tests(TypeParam(), StudentT{}, split, by, options);
  auto const f = permutation_tests(TypeParam(), FStatistic{}, split, by, options);
  EXPECT_EQ(to_vector(t.statistic), (std::vector<double>{HUGE_VAL, -HUGE_VAL, HUGE_VAL}));
  EXPECT_EQ(to_vector(f.statistic), (std::vector<double>(3, HUGE_VAL)));
  for (std::size_t g = 0; g < 3; ++g) EXPECT_EQ(t.extreme(g), 1u);

  auto const constants = make_matrix<TypeParam, double, Kokkos::LayoutRight>(3, n);
  values = std::vector<double>(n, 1.0 / 3);
  values.insert(values.end(), n, -7);
  values.insert(values.end(), n, 0);
  fill(constants, values);
  auto const one = permutation_tests(TypeParam(), OneSampleT{}, constants, options_of(1 << n));
  EXPECT_EQ(one.statistic(0), HUGE_VAL);
  EXPECT_EQ(one.statistic(1), -HUGE_VAL);
  EXPECT_TRUE(std::isnan(one.statistic(2)));
  EXPECT_EQ(to_vector(one.extreme), (std::vector<std::uint64_t>{2, 2, 0}));
}

TYPED_TEST(PermutationTestsOptionsTest, RunsOnTheInstanceUnderItsLabels) {
  TypeParam const exec;
  auto const data = this->data();
  auto const labels = to_view<TypeParam>(this->labels());
  auto options = options_of(300);
  options.batch = 128;
  options.progress = [](std::uint64_t, std::uint64_t) {};
  auto const earlier = permutation_tests(exec, MannWhitneyU{}, data, labels, options_of(200));
  options.resume = earlier.counts;
  auto const call = [&](auto const& exec_or_context) {
    permutation_tests(exec_or_context, MannWhitneyU{}, data, labels, options);
    permutation_tests(exec_or_context, OneSampleT{}, data, options_of(300));
    auto of_per_variable_n = options_of(300);
    of_per_variable_n.missing = MissingValues::leave_value_out;
    of_per_variable_n.min_p = true;
    permutation_tests(exec_or_context, SpearmanCorrelation{}, data, labels, of_per_variable_n);
  };
  expect_labels_and_instance(exec, call);
  Workspace<TypeParam> workspace(exec);
  expect_labels_and_instance(exec, call, workspace);
}

// The results of a seed must never change.
TYPED_TEST(PermutationTestsOptionsTest, Golden) {
  auto const found = this->run(options_of(1000));
  EXPECT_EQ(to_vector(found.extreme),
            (std::vector<std::uint64_t>{0,   2,   12,  28,  106, 733, 877, 0,  372, 0,  619,
                                        415, 753, 702, 547, 706, 11,  136, 37, 534, 904}));
  EXPECT_EQ(hash_of(bits_of(found.statistic)), 4036367609922329565u);
  EXPECT_EQ(hash_of(bits_of(found.maxima)), 831443771313875503u);
  EXPECT_EQ(hash_of(found.counts.step_down), 5605430337882484994u);
}

// The number of arrangements of 100 observations exceeds 64 bits, so they are not enumerated for any number of
// replicates.
TYPED_TEST(PermutationTestsOptionsTest, LargestNumberOfReplicates) {
  auto const matrix = make_matrix<TypeParam, double, Kokkos::LayoutRight>(2, 100);
  std::vector<double> values(200);
  std::vector<double> labels(100);
  for (std::size_t i = 0; i < 200; ++i) values[i] = static_cast<double>(i * i % 17) - 7;
  for (std::size_t i = 0; i < 100; ++i) labels[i] = static_cast<double>(i % 2);
  fill(matrix, values);
  PermutationTestsOptions options;
  options.keep_maxima = false;
  options.batch = 512;
  options.stop = [] { return true; };
  auto const by = to_view<TypeParam>(labels);
  auto const counts_of = [&](std::uint64_t replicates) {
    options.replicates = replicates;
    auto const by_signs = permutation_tests(TypeParam(), OneSampleT{}, matrix, options);
    auto const by_labels = permutation_tests(TypeParam(), StudentT{}, matrix, by, options);
    EXPECT_FALSE(by_signs.exact || by_labels.exact);
    return std::pair(by_signs.counts.extreme, by_labels.counts.extreme);
  };
  EXPECT_EQ(counts_of(~std::uint64_t{0}), counts_of(1'000'000));
}

}  // namespace
}  // namespace riffle::test::permutation_tests_options_test
