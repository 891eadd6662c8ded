#pragma once

// Where the benchmarks run.

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <exception>
#include <stdexcept>
#include <string>

namespace perf {

using Exec = Kokkos::DefaultExecutionSpace;
using Host = Kokkos::DefaultHostExecutionSpace;

/// Whether the rows that are CPU code by nature have a place beside the others.
inline constexpr bool runs_on_host =
    Kokkos::SpaceAccessibility<Exec, Kokkos::HostSpace>::accessible;

/// 0, ..., n - 1 in 64 bits.
inline auto range(Exec const& exec, std::uint64_t n) {
  return Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::uint64_t>>(exec, 0, n);
}

/// Kokkos's own exception for this tells itself from no other.
struct OutOfMemory : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A View whose first touch is the row's own. Throws OutOfMemory.
template <class T>
Kokkos::View<T*, Exec> allocate(Exec const& exec, std::string const& label, std::uint64_t n) {
  try {
    return Kokkos::View<T*, Exec>(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, label), n);
  } catch (std::exception const& failure) {
    throw OutOfMemory(failure.what());
  }
}

}  // namespace perf
