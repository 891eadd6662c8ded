#include <Kokkos_Core.hpp>
#include <riffle/rank/rank_unsorted.hpp>

void call(Kokkos::View<double*> data, Kokkos::View<double*> ranks) {
  riffle::rank_unsorted(Kokkos::DefaultExecutionSpace(), data, ranks);
}
