#pragma once

// A GPU's execution space that is emulated, for functions that ask a team's member for its own.

#include <Kokkos_Core.hpp>

#include <riffle/backend/backend.hpp>

#include "support/emulated_gpu.hpp"

namespace riffle::test {

/// Stands for a GPU, whose threads are lanes.
struct EmulatedSpace {};

/// A thread of a GPU's team that is emulated, as team functions ask for it.
struct GpuMember : EmulatedMember {
  using execution_space = EmulatedSpace;
  explicit GpuMember(EmulatedMember const& member) : EmulatedMember(member) {}
};

}  // namespace riffle::test

template <>
inline constexpr bool riffle::backend::is_cpu<riffle::test::EmulatedSpace> = false;
