#pragma once

// How many teams a multiprocessor of a GPU has at a time.

#include <Kokkos_Core.hpp>

#include <cstddef>

namespace riffle::backend {

/// What a multiprocessor has room for, from "CUDA C++ Programming Guide", technical specifications per compute
/// capability.
struct Processor {
  int threads;
  std::size_t scratch_bytes;

  /// The number of teams at a time: `wanted`, or as many as there is room for, and at least one. Each takes `bytes` of
  /// scratch memory and what CUDA (1 KiB) or Kokkos (8 bytes a thread and some) takes beside.
  constexpr int teams(int wanted, int team_size, std::size_t bytes) const {
    int const by_threads = threads / team_size;
    std::size_t const of_kokkos = 8 * static_cast<std::size_t>(team_size) + 64;
    std::size_t const beside = of_kokkos > 1024 ? of_kokkos : 1024;
    int const by_scratch = static_cast<int>(scratch_bytes / (bytes + beside));
    int const possible = by_threads < by_scratch ? by_threads : by_scratch;
    return possible < 1 ? 1 : possible < wanted ? possible : wanted;
  }
};

/// A multiprocessor of the architecture that Kokkos was built for; the smallest of all where that is not known here.
/// Without a GPU it is the largest of all.
inline constexpr Processor processor =
#if !defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ARCH_HOPPER90) || \
    defined(KOKKOS_ARCH_BLACKWELL100)
    {2048, std::size_t{228} << 10};
#elif defined(KOKKOS_ARCH_AMPERE80)
    {2048, std::size_t{164} << 10};
#elif defined(KOKKOS_ARCH_AMPERE87)
    {1536, std::size_t{164} << 10};
#elif defined(KOKKOS_ARCH_AMPERE86) || defined(KOKKOS_ARCH_ADA89) || \
    defined(KOKKOS_ARCH_BLACKWELL120)
    {1536, std::size_t{100} << 10};
#elif defined(KOKKOS_ARCH_VOLTA70) || defined(KOKKOS_ARCH_VOLTA72)
    {2048, std::size_t{96} << 10};
#else
    {1024, std::size_t{64} << 10};
#endif

/// Allots registers for `teams` teams at a time, or for as many as a multiprocessor has room for: Kokkos refuses to
/// launch a kernel that promises more.
template <int team_size, int teams, std::size_t scratch_bytes>
using TeamBounds =
    Kokkos::LaunchBounds<team_size, processor.teams(teams, team_size, scratch_bytes)>;

}  // namespace riffle::backend
