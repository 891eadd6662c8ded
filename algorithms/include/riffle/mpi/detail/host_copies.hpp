#pragma once

// Copies of short lists between the host and kernel-accessible memory.

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <vector>

#include <riffle/context.hpp>
#include <riffle/primitives/scope.hpp>

namespace riffle::detail::mpi {

/// Copies the values to memory that kernels can read.
template <class T, class Exec>
void copy_to_kernels(Context<Exec> const& context, std::vector<T> const& values, T* to) {
  using Memory = typename Exec::memory_space;
  using Unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;
  Kokkos::deep_copy(
      context.exec(), Kokkos::View<T*, Memory, Unmanaged>(to, values.size()),
      Kokkos::View<T const*, Kokkos::HostSpace, Unmanaged>(values.data(), values.size()));
  context.exec().fence("riffle::mpi: a list is with the kernels");
}

/// Copies the values to memory that is allocated from a scope. Returns the address of the copy.
template <class T, class Exec>
T* to_kernels(Context<Exec> const& context, Scope<Exec>& scope, std::vector<T> const& values) {
  T* const to = scope.template take<T>(values.size());
  copy_to_kernels(context, values, to);
  return to;
}

/// Copies an array from kernel-accessible memory to the host.
template <class T, class Exec>
std::vector<T> to_host(Context<Exec> const& context, T const* from, std::uint64_t count) {
  std::vector<T> values(count);
  using Memory = typename Exec::memory_space;
  using Unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;
  Kokkos::deep_copy(context.exec(),
                    Kokkos::View<T*, Kokkos::HostSpace, Unmanaged>(values.data(), count),
                    Kokkos::View<T const*, Memory, Unmanaged>(from, count));
  context.exec().fence("riffle::mpi: the host reads");
  return values;
}

}  // namespace riffle::detail::mpi
