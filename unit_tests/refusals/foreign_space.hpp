#pragma once

// A Kokkos with an execution space that Riffle has no kernels for, as HIP, SYCL or OpenMPTarget would be.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <string>

namespace riffle::test {

/// Each number is another space. Its memory is the host's, so that nothing but the kernels is missing.
template <int number>
struct Foreign {
  using execution_space = Foreign;
  using memory_space = Kokkos::HostSpace;
  using device_type = Kokkos::Device<Foreign, memory_space>;
  using size_type = std::size_t;
  using array_layout = Kokkos::LayoutRight;
  using scratch_memory_space = Kokkos::ScratchMemorySpace<Foreign>;

  static char const* name() { return "Foreign"; }
  static int concurrency() { return 1; }
  void fence(std::string const& = "") const {}
};

/// A thread of such a space's team, which is alone.
template <int number>
struct ForeignMember {
  using execution_space = Foreign<number>;

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
