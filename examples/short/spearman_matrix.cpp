// Spearman's correlations of all pairs of columns. One call ranks the columns of a matrix, with the mean rank for ties; the ranks
// are then correlated. Use it if values are not normally distributed, or if only their order matters. For one pair with a
// p-value, use permutation_test with SpearmanCorrelation.

#include <Kokkos_Core.hpp>
#include <riffle/rank/rank_unsorted_rows.hpp>

#include <cstdio>

int main(int argc, char** argv) {
  Kokkos::ScopeGuard guard(argc, argv);
  Kokkos::DefaultExecutionSpace exec;
  int const n = 1000;
  int const variables = 3;
  Kokkos::View<double*[3]> data("data", n), ranks("ranks", n);
  Kokkos::parallel_for(
      "data", Kokkos::RangePolicy(exec, 0, n), KOKKOS_LAMBDA(int i) {
        double const t = (i - 0.3 * n) / n;
        data(i, 0) = t;
        data(i, 1) = t * t * t;        // the same order
        data(i, 2) = i * 389 % n / 5;  // nearly none, and ties
      });

  riffle::rank_unsorted_columns(exec, data, ranks, riffle::ties::Fractional{});

  Kokkos::View<double[3][3]> correlation("correlation");
  Kokkos::parallel_for(
      "correlate", Kokkos::RangePolicy(exec, 0, variables * variables), KOKKOS_LAMBDA(int pair) {
        int const a = pair / variables, b = pair % variables;
        double const mean = (n + 1) / 2.0;  // of all ranks
        double ab = 0, aa = 0, bb = 0;
        for (int i = 0; i < n; ++i) {
          double const of_a = ranks(i, a) - mean, of_b = ranks(i, b) - mean;
          ab += of_a * of_b;
          aa += of_a * of_a;
          bb += of_b * of_b;
        }
        correlation(a, b) = ab / Kokkos::sqrt(aa * bb);
      });

  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), correlation);
  for (int a = 0; a < variables; ++a) {
    std::printf("%7.4f %7.4f %7.4f\n", host(a, 0), host(a, 1), host(a, 2));
  }
}
