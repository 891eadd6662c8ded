#include <Kokkos_Core.hpp>
#include <riffle/sort/argsort.hpp>

#include <cstdint>

void call(Kokkos::View<double*> data, Kokkos::View<std::uint32_t*> order) {
  riffle::argsort(Kokkos::DefaultExecutionSpace(), data, order);
}
