#pragma once

#include <mpi.h>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "mpi/elements.hpp"

namespace perf {

/// 1 if this rank's first value is less than the last value of the rank before, otherwise 0. Collective.
inline std::uint64_t descents_between(Ranks const& ranks, Elements<double> const& sorted) {
  double ends[2] = {0, 0};
  Kokkos::deep_copy(ends[0], Kokkos::subview(sorted, 0));
  Kokkos::deep_copy(ends[1], Kokkos::subview(sorted, sorted.extent(0) - 1));
  std::vector<double> all(2 * static_cast<std::size_t>(ranks.size()));
  MPI_Allgather(ends, 2, MPI_DOUBLE, all.data(), 2, MPI_DOUBLE, ranks.all().get());
  if (ranks.rank() == 0) return 0;
  return ends[0] < all[2 * static_cast<std::size_t>(ranks.rank()) - 1] ? 1 : 0;
}

}  // namespace perf
