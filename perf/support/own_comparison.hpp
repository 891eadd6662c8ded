#pragma once

#include <Kokkos_Core.hpp>

namespace perf {

/// The order of numbers, as a user's comparison, of which no sort by digits knows.
struct OwnComparison {
  KOKKOS_FUNCTION bool operator()(double a, double b) const { return a < b; }
};

}  // namespace perf
