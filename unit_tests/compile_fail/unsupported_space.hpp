#pragma once

// An execution space that Riffle has no kernels for, as Kokkos::HIP, SYCL or OpenMPTarget.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <string>

namespace riffle::test {

/// Each number is another space. Its memory is the host's, so that missing kernels are the only reason not to compile.
template <int number>
struct UnsupportedSpace {
  using execution_space = UnsupportedSpace;
  using memory_space = Kokkos::HostSpace;
  using device_type = Kokkos::Device<UnsupportedSpace, memory_space>;
  using size_type = std::size_t;
  using array_layout = Kokkos::LayoutRight;
  using scratch_memory_space = Kokkos::ScratchMemorySpace<UnsupportedSpace>;

  static char const* name() { return "UnsupportedSpace"; }
  static int concurrency() { return 1; }
  void fence(std::string const& = "") const {}
};

/// The member of a team of one thread.
template <int number>
struct UnsupportedMember {
  using execution_space = UnsupportedSpace<number>;

  struct Scratch {
    void* get_shmem_aligned(std::size_t, std::ptrdiff_t) const { return nullptr; }
  };

  KOKKOS_FUNCTION int team_rank() const { return 0; }
  KOKKOS_FUNCTION int team_size() const { return 1; }
  KOKKOS_FUNCTION int league_rank() const { return 0; }
  KOKKOS_FUNCTION void team_barrier() const {}
  KOKKOS_FUNCTION Scratch team_scratch(int) const { return {}; }
};

}  // namespace riffle::test
