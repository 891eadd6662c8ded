#include <Kokkos_Core.hpp>
#include <riffle/sort.hpp>

void call(Kokkos::View<double*> values) { riffle::sort(Kokkos::DefaultExecutionSpace(), values); }
