#pragma once

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace riffle::detail {

/// begin, ..., end - 1 on the caller's instance, counted in 64 bits.
template <class Exec>
auto range(Exec const& exec, std::uint64_t begin, std::uint64_t end) {
  return Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::uint64_t>>(exec, begin, end);
}

/// begin, ..., end - 1, each by the thread that is free next.
template <class Exec>
auto dynamic_range(Exec const& exec, std::uint64_t begin, std::uint64_t end) {
  return Kokkos::RangePolicy<Exec, Kokkos::Schedule<Kokkos::Dynamic>,
                             Kokkos::IndexType<std::uint64_t>>(exec, begin, end,
                                                               Kokkos::ChunkSize(1));
}

}  // namespace riffle::detail
