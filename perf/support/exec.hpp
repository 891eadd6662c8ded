#pragma once

// The execution space of the benchmarks.

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <exception>
#include <stdexcept>
#include <string>

namespace perf {

using Exec = Kokkos::DefaultExecutionSpace;
using Host = Kokkos::DefaultHostExecutionSpace;

/// Whether rows that run only on a CPU are included.
inline constexpr bool runs_on_host =
    Kokkos::SpaceAccessibility<Exec, Kokkos::HostSpace>::accessible;

/// 0, ..., n - 1 in 64 bits.
inline auto range(Exec const& exec, std::uint64_t n) {
  return Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::uint64_t>>(exec, 0, n);
}

/// Kokkos's exception for this has no type of its own.
struct OutOfMemory : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A View that is not initialised, so that the row touches its pages first. Throws OutOfMemory.
template <class T>
Kokkos::View<T*, Exec> allocate(Exec const& exec, std::string const& label, std::uint64_t n) {
  try {
    return Kokkos::View<T*, Exec>(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, label), n);
  } catch (std::exception const& failure) {
    throw OutOfMemory(failure.what());
  }
}

}  // namespace perf
