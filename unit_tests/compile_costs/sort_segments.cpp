#include <Kokkos_Core.hpp>
#include <riffle/segmented_sort.hpp>

void call(Kokkos::View<double*> values, Kokkos::View<int*> offsets) {
  riffle::sort_segments(Kokkos::DefaultExecutionSpace(), values, offsets);
}
