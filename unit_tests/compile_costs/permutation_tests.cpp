#include <Kokkos_Core.hpp>
#include <riffle/monte_carlo/permutation_tests.hpp>

riffle::PermutationTestsResult call(Kokkos::View<double**> data, Kokkos::View<int*> labels) {
  return riffle::permutation_tests(Kokkos::DefaultExecutionSpace(), riffle::StudentT{}, data,
                                   labels);
}
