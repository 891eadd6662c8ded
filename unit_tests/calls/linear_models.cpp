// t and F of linear models from sums, in a kernel; the models themselves exist on the host only.

#include <Kokkos_Core.hpp>
#include <riffle/monte_carlo/design_matrix.hpp>
#include <riffle/monte_carlo/linear_statistic.hpp>
#if __has_include(<Eigen/QR>)
#include <riffle/monte_carlo/linear_model.hpp>
#include <riffle/monte_carlo/linear_model_tests.hpp>
#endif

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "calls/case.hpp"
#include "calls/inputs.hpp"

namespace riffle::test::calls::linear_models_cases {
namespace {

/// Numbers from -0.5 to 0.5.
std::vector<double> sums_of_size(std::uint64_t n, std::uint64_t seed) {
  std::vector<double> sums(n);
  for (std::uint64_t i = 0; i < n; ++i) {
    sums[i] = static_cast<double>(word(i, seed) % 1000) / 999 - 0.5;
  }
  return sums;
}

struct StatisticsFromSums {
  template <class Exec>
  void operator()(Exec const& exec, std::uint64_t n, Results& results) const {
    auto const sums = to_array<Exec>(sums_of_size(4 * n, 1));
    Kokkos::View<double*, typename Exec::memory_space> const found("found", 5 * n);
    LinearStatistic const statistic(2, 2, 7, true);
    Kokkos::parallel_for(
        "statistics", Kokkos::RangePolicy<Exec>(exec, 0, n), KOKKOS_LAMBDA(std::uint64_t const i) {
          double const* const here = sums.data() + 4 * i;
          double own[2] = {here[0], here[1]};
          double lower[4];
          FreeGram const gram(lower, 2);
          gram.factorise(here, 2);
          found(5 * i) = statistic(here, here + 2, 1.5);
          found(5 * i + 1) = gram.explained(own);
          found(5 * i + 2) = own[1];
          found(5 * i + 3) = t_of_correlation(here[0], 7);
          found(5 * i + 4) = f_of_share(here[1] * here[1], 2, 7);
        });
    results.add("statistics", found);
  }
};

#if __has_include(<Eigen/QR>)
struct Models {
  template <class Exec>
  void operator()(Exec const&, std::uint64_t n, Results& results) const {
    std::vector<std::string> groups;
    for (std::uint64_t i = 0; i < n; ++i) groups.push_back(i % 3 == 0 ? "a" : "b");
    DesignMatrix design(n);
    design.add_intercept().add_factor("group", groups).add_covariate("x", sums_of_size(n, 2));
    LinearModelOptions options;
    options.nuisance = Nuisance::ter_braak;
    LinearModel const model(design, design.contrast("group[b]"), options);
    results.add("observed", model.observed(sums_of_size(n, 3)));
  }
};

/// Tests n variables with 20 observations by all methods.
struct TestModels {
  template <class Exec>
  void operator()(Exec const& exec, std::uint64_t n, Results& results) const {
    constexpr std::uint64_t observations = 20;
    std::vector<std::string> groups;
    for (std::uint64_t i = 0; i < observations; ++i) groups.push_back(i % 3 == 0 ? "a" : "b");
    DesignMatrix design(observations);
    design.add_intercept()
        .add_factor("group", groups)
        .add_covariate("x", sums_of_size(observations, 2));
    using View = Kokkos::View<double**, Kokkos::LayoutRight, typename Exec::memory_space>;
    auto const values = sums_of_size(n * observations, 3);
    View const data("variables", n, observations);
    copy_from_host<typename Exec::memory_space>(data.data(), values.data(),
                                                values.size() * sizeof(double));
    for (auto const method : {Nuisance::freedman_lane, Nuisance::ter_braak, Nuisance::manly,
                              Nuisance::draper_stoneman, Nuisance::still_white}) {
      LinearModelOptions options;
      options.nuisance = method;
      LinearModel const model(design, design.contrast("group[b]"), options);
      PermutationTestsOptions tests;
      tests.replicates = 1000;
      auto const found = permutation_tests(exec, model, data, tests);
      results.add("extreme", found.extreme);
      results.add("maxima", found.maxima);
    }
  }
};
#endif

Cases const cases {
  make_case<StatisticsFromSums>("linear_statistics", {1, 1000}),
#if __has_include(<Eigen/QR>)
      make_case<Models>("linear_models", {10, 100}),
      make_case<TestModels>("tests_of_models", {1, 8, 75}),
#endif
};

}  // namespace
}  // namespace riffle::test::calls::linear_models_cases
