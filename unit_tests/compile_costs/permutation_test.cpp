#include <Kokkos_Core.hpp>
#include <riffle/monte_carlo/permutation_test.hpp>

double call(Kokkos::View<double*> x, Kokkos::View<double*> y) {
  return riffle::permutation_test(Kokkos::DefaultExecutionSpace(), riffle::DifferenceOfMeans{}, x,
                                  y)
      .p_value();
}
