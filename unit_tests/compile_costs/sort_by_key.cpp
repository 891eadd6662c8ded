#include <Kokkos_Core.hpp>
#include <riffle/sort/sort_by_key.hpp>

void call(Kokkos::View<double*> keys, Kokkos::View<double*> values) {
  riffle::sort_by_key(Kokkos::DefaultExecutionSpace(), keys, values);
}
