// A kernel that calls `twice`. Unless that is marked for the device, the step of CI that compiles for CUDA must fail.

#include <Kokkos_Core.hpp>

namespace {

PLANTED int twice(int value) { return 2 * value; }

}  // namespace

void double_all(Kokkos::View<int*> const& values) {
  Kokkos::parallel_for(
      "double_all", values.extent(0), KOKKOS_LAMBDA(int i) { values(i) = twice(values(i)); });
}
