#pragma once

// What permutation tests of many variables bring to the host before a result is made of it.

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <vector>

namespace riffle::detail::variables {

/// The maxima of replicates on the host.
struct HostMaxima {
  std::vector<double> comparands;
  Kokkos::View<double*, Kokkos::HostSpace> statistics;
  /// Whether comparands are there; else there is memory for them, at least.
  bool has_comparands = false;
};

/// The counts of arrangements by the minimum of p-values, by place in an order from the least to the most significant.
struct MinPCounts {
  std::vector<std::uint64_t> step_down;
  std::vector<std::uint64_t> single_step;
  std::vector<std::uint32_t> bounds;  // the ranks of the observed arrangement
};

}  // namespace riffle::detail::variables
