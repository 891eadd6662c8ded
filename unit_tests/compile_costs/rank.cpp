#include <Kokkos_Core.hpp>
#include <riffle/rank.hpp>

void call(Kokkos::View<double*> sorted, Kokkos::View<double*> ranks) {
  riffle::rank(Kokkos::DefaultExecutionSpace(), sorted, ranks);
}
