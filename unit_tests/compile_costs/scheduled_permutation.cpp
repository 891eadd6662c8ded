#include <Kokkos_Core.hpp>
#include <riffle/permute/scheduled_permutation.hpp>

#include <cstdint>

void call(Kokkos::View<std::uint32_t*> p, Kokkos::View<double*> in, Kokkos::View<double*> out) {
  Kokkos::DefaultExecutionSpace const exec;
  riffle::ScheduledPermutation<Kokkos::DefaultExecutionSpace> const permutation(exec, p);
  permutation(exec, in, out);
}
