// Tests a linear model with a covariate, and prints results whose bits do not depend on Kokkos Kernels.

#include <Kokkos_Core.hpp>

#include <cstdio>
#include <vector>

#include <riffle/monte_carlo/linear_model.hpp>
#include <riffle/monte_carlo/linear_model_tests.hpp>

int main(int argc, char** argv) {
  Kokkos::ScopeGuard const guard(argc, argv);
  Kokkos::DefaultExecutionSpace const exec;
  constexpr int n = 12;
  Kokkos::View<double**, Kokkos::HostSpace> const values("consumer::values", 20, n);
  std::vector<double> design;
  for (int i = 0; i < n; ++i) {
    design.insert(design.end(), {1, i % 2 == 0 ? 1.0 : 0.0, 0.25 * (i * i % 7)});
    for (int g = 0; g < 20; ++g) values(g, i) = (g * 7919 + i * i * 104'729) % 1009 / 7.0;
  }
  auto const data =
      Kokkos::create_mirror_view_and_copy(Kokkos::DefaultExecutionSpace::memory_space(), values);
  riffle::LinearModel const model(design, n, 3, {0, 1, 0});
  auto const result = riffle::permutation_tests(exec, model, data);
  for (int g = 0; g < 20; ++g) {
    std::printf("%a %.17g %.17g\n", result.statistic(g), result.p(g), result.p_step_down(g));
  }
}
