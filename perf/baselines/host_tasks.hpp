#pragma once

#include <Kokkos_Core.hpp>

#include <cstdint>

#include "support/exec.hpp"

namespace perf {

/// Runs task(0), ..., task(count - 1) on the threads of the CPU. A thread takes the next task when it is free.
template <class Task>
void for_each_task(char const* label, std::uint64_t count, Task const& task) {
  if (count == 1) return task(0);  // do not wake the other threads for one task
  using Policy = Kokkos::RangePolicy<Host, Kokkos::Schedule<Kokkos::Dynamic>,
                                     Kokkos::IndexType<std::uint64_t>>;
  Kokkos::parallel_for(label, Policy(Host(), 0, count, Kokkos::ChunkSize(1)), task);
}

}  // namespace perf
