#pragma once

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/context.hpp>

namespace riffle::detail {

/// A policy for begin, ..., end - 1 on the caller's instance, counted in 64 bits.
template <class Exec>
auto range(Exec const& exec, std::uint64_t begin, std::uint64_t end) {
  return Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::uint64_t>>(exec, begin, end);
}

/// Calls f(i) for i < n, each by the thread that is free next.
template <class Exec, class Function>
void for_each_dynamic(Context<Exec> const& context, std::uint64_t n, Function const& f) {
  using Policy = Kokkos::RangePolicy<Exec, Kokkos::Schedule<Kokkos::Dynamic>,
                                     Kokkos::IndexType<std::uint64_t>>;
  Kokkos::parallel_for(context.label(), Policy(context.exec(), 0, n, Kokkos::ChunkSize(1)), f);
}

}  // namespace riffle::detail
