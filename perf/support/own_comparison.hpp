#pragma once

#include <Kokkos_Core.hpp>

namespace perf {

/// The order of numbers as a user-defined comparison, which sorts by digits cannot use.
struct OwnComparison {
  KOKKOS_FUNCTION bool operator()(double a, double b) const { return a < b; }
};

}  // namespace perf
