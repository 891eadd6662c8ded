// A kernel that calls `twice`. It compiles for a GPU only if MARK_OF_TWICE is KOKKOS_FUNCTION.

#include <Kokkos_Core.hpp>

namespace {

MARK_OF_TWICE int twice(int value) { return 2 * value; }

}  // namespace

void double_all(Kokkos::View<int*> const& values) {
  Kokkos::parallel_for(
      "double_all", values.extent(0), KOKKOS_LAMBDA(int i) { values(i) = twice(values(i)); });
}
