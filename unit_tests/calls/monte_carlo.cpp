// Permutation tests with Riffle's statistics and with a user-defined one.

#include <Kokkos_Core.hpp>
#include <riffle/monte_carlo/binomial_interval.hpp>
#include <riffle/monte_carlo/p_value_interval.hpp>
#include <riffle/monte_carlo/permutation_test.hpp>
#include <riffle/monte_carlo/statistics.hpp>
#include <riffle/random/random_permutation.hpp>

#include <cstdint>
#include <type_traits>
#include <vector>

#include "calls/case.hpp"
#include "calls/inputs.hpp"

namespace riffle::test::calls::monte_carlo_cases {
namespace {

void add_result(Results& results, PermutationTestResult const& found) {
  results.add("statistic", found.statistic);
  results.add("replicates", found.replicates);
  results.add("less_equal", found.less_equal);
  results.add("as_far", found.as_far);
  results.add("greater_equal", found.greater_equal);
  results.add("p_value", found.p_value());
  results.add("interval", p_value_interval(found));
  Interval const interval = clopper_pearson(found.less_equal, found.replicates, 0.9);
  results.add("interval of less_equal", interval);
}

PermutationTestOptions options_of_test() {
  PermutationTestOptions options;
  options.replicates = 2000;
  options.seed = 1935;
  return options;
}

/// Integers with many ties, or numbers that are not integers.
template <class T>
std::vector<T> sample_of(std::uint64_t n, std::uint64_t seed) {
  std::vector<T> values(n);
  for (std::uint64_t i = 0; i < n; ++i) {
    auto const below_1000 = static_cast<double>(word(i, seed) % 1000);
    values[i] = static_cast<T>(std::is_integral_v<T> ? below_1000 : below_1000 / 7);
  }
  return values;
}

template <class Statistic, class T, class U>
struct TwoSamples {
  template <class Exec>
  void operator()(Exec const& exec, std::uint64_t n, Results& results) const {
    auto const x = to_array<Exec>(sample_of<T>(n, 1));
    auto const y = to_array<Exec>(sample_of<U>(n, 2));
    add_result(results, permutation_test(exec, Statistic{}, x, y, options_of_test()));
  }
};

struct DistributionOfDifferences {
  template <class Exec>
  void operator()(Exec const& exec, std::uint64_t n, Results& results) const {
    auto const x = to_array<Exec>(sample_of<double>(n, 1));
    auto const y = to_array<Exec>(sample_of<float>(n, 2));
    auto const values = make_output<Exec, double>(500);
    results.add("values",
                null_distribution(exec, DifferenceOfMeans{}, x, y, values, options_of_test()));
    results.add("distribution", values);
  }
};

template <class Statistic>
struct SeveralGroups {
  template <class Exec>
  void operator()(Exec const& exec, std::uint64_t n, Results& results) const {
    auto const x = to_array<Exec>(sample_of<double>(n, 1));
    std::vector<std::int32_t> labels(n);
    for (std::uint64_t i = 0; i < n; ++i) labels[i] = static_cast<std::int32_t>(i % 5);
    add_result(results, permutation_test(Context(exec, "groups"), Statistic{}, x,
                                         to_array<Exec>(labels), options_of_test()));
  }
};

/// A user-defined statistic of integers, so that the order of additions and fused operations do not matter.
template <class View>
struct SumOfProducts {
  View x;
  KOKKOS_FUNCTION double operator()(RandomPermutation const& sigma) const {
    double sum = 0;
    for (std::uint64_t i = 0; i < x.extent(0); ++i) {
      sum += static_cast<double>(x(i)) * static_cast<double>(x(sigma(i)));
    }
    return sum;
  }
};

/// The same statistic, with one team per replicate.
template <class View>
struct TeamSumOfProducts {
  View x;

  struct Product {
    View x;
    RandomPermutation sigma;
    KOKKOS_FUNCTION void operator()(int i, double& sum) const {
      sum +=
          static_cast<double>(x(i)) * static_cast<double>(x(sigma(static_cast<std::uint64_t>(i))));
    }
  };

  template <class Member>
  KOKKOS_FUNCTION double operator()(Member const& member, RandomPermutation const& sigma) const {
    double sum = 0;
    Kokkos::parallel_reduce(Kokkos::TeamThreadRange(member, static_cast<int>(x.extent(0))),
                            Product{x, sigma}, sum);
    return sum;
  }
};

struct ByUsersStatistic {
  template <class Exec>
  void operator()(Exec const& exec, std::uint64_t n, Results& results) const {
    auto const x = to_array<Exec>(sample_of<std::int32_t>(n, 1));
    using View = Array<Exec, std::int32_t>;
    add_result(results, permutation_test(exec, n, SumOfProducts<View>{x}, options_of_test()));
    add_result(results, permutation_test(Context(exec, "teams"), n, TeamSumOfProducts<View>{x},
                                         options_of_test()));
    auto const values = make_output<Exec, double>(500);
    results.add("values",
                null_distribution(exec, n, SumOfProducts<View>{x}, values, options_of_test()));
    results.add("distribution", values);
  }
};

std::vector<std::uint64_t> sizes_of_samples() { return {5, 6, 15, 100, 1000, 4097}; }

Cases const cases{
    make_case<TwoSamples<DifferenceOfMeans, double, float>>("test_difference_of_means",
                                                            sizes_of_samples()),
    make_case<DistributionOfDifferences>("test_distribution_of_differences", sizes_of_samples()),
    make_case<TwoSamples<WelchT, double, double>>("test_welch", sizes_of_samples()),
    make_case<TwoSamples<PairedDifference, double, float>>("test_pairs", sizes_of_samples()),
    make_case<TwoSamples<MannWhitneyU, double, double>>("test_mann_whitney", sizes_of_samples()),
    make_case<TwoSamples<PearsonCorrelation, double, double>>("test_pearson", sizes_of_samples()),
    make_case<TwoSamples<SpearmanCorrelation, std::int32_t, double>>("test_spearman",
                                                                     sizes_of_samples()),
    make_case<SeveralGroups<FStatistic>>("test_f", {6, 15, 100, 1000, 4097}),
    make_case<SeveralGroups<KruskalWallisH>>("test_kruskal_wallis", {6, 15, 100, 1000, 4097}),
    make_case<ByUsersStatistic>("test_by_users_statistic", sizes_of_samples()),
};

}  // namespace
}  // namespace riffle::test::calls::monte_carlo_cases
