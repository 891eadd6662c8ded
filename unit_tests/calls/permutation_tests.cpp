// Permutation tests of many variables at once.

#include <Kokkos_Core.hpp>
#include <riffle/context.hpp>
#include <riffle/monte_carlo/benjamini_hochberg.hpp>
#include <riffle/monte_carlo/missing_values.hpp>
#include <riffle/monte_carlo/p_value_intervals.hpp>
#include <riffle/monte_carlo/permutation_scheme.hpp>
#include <riffle/monte_carlo/permutation_tests.hpp>
#include <riffle/monte_carlo/statistics.hpp>

#include <cmath>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "calls/case.hpp"
#include "calls/inputs.hpp"

namespace riffle::test::calls::permutation_tests_cases {
namespace {

constexpr std::uint64_t observations = 17;

void add_result(Results& results, PermutationTestsResult const& found) {
  Kokkos::View<VariableStatus*, Kokkos::HostSpace> const status = found.status;
  results.add("status", status);
  results.add("statistic", found.statistic);
  results.add("p", found.p);
  results.add("extreme", found.extreme);
  results.add("observations", found.observations);
  results.add("p_single_step", found.p_single_step);
  results.add("p_step_down", found.p_step_down);
  results.add("p_false_discovery", found.p_false_discovery);
  results.add("maxima", found.maxima);
  results.add("replicates", found.replicates);
  PermutationCounts const& counts = found.counts;
  for (std::uint64_t const count : counts.step_down) results.add("count of step-down", count);
  for (std::uint64_t const count : counts.single_step) results.add("count of single-step", count);
}

/// Tenths, thirds, ties and a constant in turn; with `missing_every` > 0 some values are missing.
template <class Exec>
auto variables(Exec const&, std::uint64_t count, std::uint64_t missing_every = 0) {
  using View = Kokkos::View<double**, Kokkos::LayoutRight, typename Exec::memory_space>;
  std::vector<double> values(count * observations);
  for (std::uint64_t g = 0; g < count; ++g) {
    for (std::uint64_t i = 0; i < observations; ++i) {
      auto const number = static_cast<double>(word(g * observations + i, 3) % 200);
      double& value = values[g * observations + i];
      switch (g % 5) {
        case 0: value = number / 10; break;
        case 1: value = number / 3 - 1e6; break;
        case 2: value = static_cast<double>(static_cast<int>(number) % 4); break;
        case 3: value = g % 2 == 0 ? 0.7 : number * 1e-300; break;
        default: value = number + static_cast<double>(i); break;
      }
      bool const is_missing =
          missing_every > 0 && word(g * observations + i, 6) % missing_every == 0;
      if (is_missing) value = std::nan("");
    }
  }
  View const view("variables", count, observations);
  copy_from_host<typename Exec::memory_space>(view.data(), values.data(),
                                              values.size() * sizeof(double));
  return view;
}

template <class Statistic>
struct TestVariables {
  std::int32_t groups = 2;

  template <class Exec>
  void operator()(Exec const& exec, std::uint64_t n, Results& results) const {
    std::vector<std::int32_t> by(observations);
    for (std::uint64_t i = 0; i < observations; ++i) {
      by[i] = static_cast<std::int32_t>(i) % groups;
    }
    PermutationTestsOptions options;
    options.replicates = 3000;
    options.seed = 1993;
    add_result(results, permutation_tests(exec, Statistic{}, variables(exec, n), to_array<Exec>(by),
                                          options));
  }
};

template <class Statistic>
struct TestGroups {
  template <class Exec>
  void operator()(Exec const& exec, std::uint64_t n, Results& results) const {
    TestVariables<Statistic>{3}(exec, n, results);
  }
};

/// Tests a covariate that is not an integer.
template <class Statistic>
struct TestCovariate {
  template <class Exec>
  void operator()(Exec const& exec, std::uint64_t n, Results& results) const {
    std::vector<double> x(observations);
    for (std::uint64_t i = 0; i < observations; ++i) {
      x[i] = static_cast<double>(word(i, 4) % 1000) / 7;
    }
    PermutationTestsOptions options;
    options.replicates = 700;
    options.alternative = Alternative::less;
    std::vector<int> blocks(observations);
    for (std::uint64_t i = 0; i < observations; ++i) blocks[i] = i < 8 ? 1 : 2;
    options.scheme = PermutationScheme::within_blocks(blocks);
    add_result(results, permutation_tests(Context(exec, "covariate"), Statistic{},
                                          variables(exec, n), to_array<Exec>(x), options));
  }
};

/// In two calls; and with all 2^17 sign changes.
struct TestSigns {
  template <class Exec>
  void operator()(Exec const& exec, std::uint64_t n, Results& results) const {
    PermutationTestsOptions options;
    options.replicates = 500;
    options.alternative = Alternative::greater;
    auto const data = variables(exec, n);
    options.resume = permutation_tests(exec, OneSampleT{}, data, options).counts;
    options.replicates = 2000;
    auto const found = permutation_tests(exec, OneSampleT{}, data, options);
    add_result(results, found);
    PValueIntervals const one = p_value_intervals_of_variable(found, 0, 0.9);
    auto const all = p_value_intervals(found);
    results.add("interval", one.p_step_down);
    results.add("intervals", all.back().p);
    options.keep_maxima = false;
    add_result(results, permutation_tests(exec, OneSampleT{}, data, options));
    options.resume = {};
    add_result(results, permutation_tests(exec, OneSampleT{}, data, options));
    options.keep_maxima = true;
    options.replicates = std::uint64_t{1} << observations;
    add_result(results, permutation_tests(exec, OneSampleT{}, data, options));
  }
};

/// Tests with missing values, also with min_p.
template <class Statistic>
struct TestWithoutMissing {
  std::int32_t groups = 2;

  template <class Exec>
  void operator()(Exec const& exec, std::uint64_t n, Results& results) const {
    PermutationTestsOptions options;
    options.replicates = 1500;
    options.missing = MissingValues::leave_value_out;
    options.min_p = true;
    auto const data = variables(exec, n, 6);
    auto const add = [&](PermutationTestsResult const& found) {
      add_result(results, found);
      results.add("p_single_step_min_p", found.p_single_step_min_p);
      results.add("p_step_down_min_p", found.p_step_down_min_p);
    };
    if constexpr (std::is_same_v<Statistic, OneSampleT>) {
      add(permutation_tests(exec, OneSampleT{}, data, options));
    } else {
      std::vector<std::int32_t> by(observations);
      for (std::uint64_t i = 0; i < observations; ++i) {
        by[i] = static_cast<std::int32_t>(i) % groups;
      }
      add(permutation_tests(exec, Statistic{}, data, to_array<Exec>(by), options));
    }
  }
};

template <class Statistic>
struct TestManyWithoutMissing {
  template <class Exec>
  void operator()(Exec const& exec, std::uint64_t n, Results& results) const {
    TestWithoutMissing<Statistic>{3}(exec, n, results);
  }
};

/// On the host only.
struct FalseDiscoveries {
  template <class Exec>
  void operator()(Exec const&, std::uint64_t n, Results& results) const {
    std::vector<double> p(n);
    for (std::uint64_t i = 0; i < n; ++i) p[i] = static_cast<double>(word(i, 5) % 1000) / 1000;
    for (double const adjusted : benjamini_hochberg(p)) results.add("adjusted", adjusted);
  }
};

std::vector<std::uint64_t> numbers_of_variables() { return {1, 8, 75, 1000}; }

Cases const cases{
    make_case<TestVariables<StudentT>>("tests_student", numbers_of_variables()),
    make_case<TestVariables<WelchT>>("tests_welch", numbers_of_variables()),
    make_case<TestVariables<MannWhitneyU>>("tests_mann_whitney", numbers_of_variables()),
    make_case<TestGroups<FStatistic>>("tests_f", numbers_of_variables()),
    make_case<TestGroups<KruskalWallisH>>("tests_kruskal_wallis", numbers_of_variables()),
    make_case<TestCovariate<PearsonCorrelation>>("tests_pearson", numbers_of_variables()),
    make_case<TestCovariate<SpearmanCorrelation>>("tests_spearman", numbers_of_variables()),
    make_case<TestSigns>("tests_signs", {1, 8, 75}),
    make_case<TestWithoutMissing<StudentT>>("tests_student_missing", numbers_of_variables()),
    make_case<TestWithoutMissing<WelchT>>("tests_welch_missing", numbers_of_variables()),
    make_case<TestWithoutMissing<MannWhitneyU>>("tests_mann_whitney_missing",
                                                numbers_of_variables()),
    make_case<TestWithoutMissing<OneSampleT>>("tests_signs_missing", numbers_of_variables()),
    make_case<TestManyWithoutMissing<FStatistic>>("tests_f_missing", numbers_of_variables()),
    make_case<TestManyWithoutMissing<KruskalWallisH>>("tests_kruskal_wallis_missing",
                                                      numbers_of_variables()),
    make_case<TestManyWithoutMissing<PearsonCorrelation>>("tests_pearson_missing",
                                                          numbers_of_variables()),
    make_case<TestManyWithoutMissing<SpearmanCorrelation>>("tests_spearman_missing",
                                                           numbers_of_variables()),
    make_case<FalseDiscoveries>("false_discoveries", {1, 1000}),
};

}  // namespace
}  // namespace riffle::test::calls::permutation_tests_cases
