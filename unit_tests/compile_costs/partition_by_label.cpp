#include <Kokkos_Core.hpp>
#include <riffle/partition.hpp>

#include <cstdint>

void call(Kokkos::View<double*> in, Kokkos::View<std::uint32_t*> labels, Kokkos::View<double*> out,
          Kokkos::View<std::uint32_t*> offsets) {
  riffle::partition_by_label(Kokkos::DefaultExecutionSpace(), in, labels, out, offsets);
}
