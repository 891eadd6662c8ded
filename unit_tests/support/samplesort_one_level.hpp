#pragma once

// Samplesort of one level on an emulated GPU.

#include <Kokkos_Core.hpp>
#include <riffle/order.hpp>
#include <riffle/primitives/scope.hpp>
#include <riffle/sort/detail/gpu/samplesort/one_level.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "support/emulated_gpu.hpp"

namespace riffle::test {

namespace ss = detail::sort::samplesort;
namespace one_level = ss::one_level;

/// Memory with arbitrary bytes, as left by earlier users.
template <class T>
std::vector<T> used_memory(std::size_t n) {
  std::vector<T> memory(n);
  std::memset(static_cast<void*>(memory.data()), 0xA5, n * sizeof(T));
  return memory;
}

/// Sorts n >= 16 elements.
template <class In, class Out>
void samplesort_one_level_emulated(In const& in, Out const& out, std::uint64_t n) {
  using Element = typename In::Element;
  auto const launch = [](char const*, int teams, auto const& kernel) {
    EmulatedGpu(3, 5).run(teams, kernel.threads, kernel.scratch_bytes, kernel);
  };
  detail::ArrayMemory counted(nullptr);
  one_level::PartArrays<Element>(counted, n);
  auto bytes = used_memory<std::byte>(counted.used());
  detail::ArrayMemory memory(bytes.data());
  one_level::sort_in_passes(in, out, one_level::PartArrays<Element>(memory, n), launch);
}

}  // namespace riffle::test
