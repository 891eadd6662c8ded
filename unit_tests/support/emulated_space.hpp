#pragma once

// An execution space for emulated GPUs, for functions that read a team member's execution_space.

#include <Kokkos_Core.hpp>

#include <riffle/backend/backend.hpp>

#include "support/emulated_gpu.hpp"

namespace riffle::test {

/// An execution space whose threads are lanes of a GPU.
struct EmulatedSpace {};

/// A member of an emulated team, with the type execution_space that team functions require.
struct GpuMember : EmulatedMember {
  using execution_space = EmulatedSpace;
  explicit GpuMember(EmulatedMember const& member) : EmulatedMember(member) {}
};

}  // namespace riffle::test

template <>
inline constexpr bool riffle::backend::is_cpu<riffle::test::EmulatedSpace> = false;
