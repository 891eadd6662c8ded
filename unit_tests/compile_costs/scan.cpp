#include <Kokkos_Core.hpp>
#include <riffle/scan.hpp>

void call(Kokkos::View<double*> in, Kokkos::View<double*> out) {
  riffle::inclusive_scan(Kokkos::DefaultExecutionSpace(), in, out);
}
