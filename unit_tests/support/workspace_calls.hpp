#pragma once

// Calls that use a workspace, by name, and a check that a second call with the same workspace does not allocate.

#include <Kokkos_Core.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <riffle/backend/backend.hpp>
#include <riffle/workspace.hpp>

#include "support/heap_bytes.hpp"
#include "support/kernel_log.hpp"

namespace riffle::test {

template <class Exec>
struct WorkspaceCall {
  std::string name;
  std::function<void(Workspace<Exec>&)> call;
};

template <class Exec>
using WorkspaceCalls = std::vector<WorkspaceCall<Exec>>;

/// Sizes around those at which algorithms change: of teams, tiles, chunks and the work of one thread; and a larger one.
template <class Exec>
std::vector<std::size_t> sizes_for_workspaces() {
  std::vector<std::size_t> sizes = {0, 1, 2, 3, 31, 33, 1000};
  for (std::size_t const edge : {4096, 8192, 16384, 32768, 65536}) {
    for (std::size_t const size : {edge - 1, edge, edge + 1}) sizes.push_back(size);
  }
  // Above 2^16 the only change on a host is BucketShuffle's at 2^20.
  sizes.push_back((std::size_t{1} << (backend::is_cpu<Exec> ? 17 : 20)) + 1);
  return sizes;
}

/// The names of the allocations of `call`, including Kokkos's own scratch memory.
template <class Exec, class Call>
std::vector<std::string> allocations_of(Exec const& exec, Call const& call) {
  exec.fence();
  KernelLog const log;
  call();
  exec.fence();
  return KernelLog::allocations();
}

/// On CPUs the bound of a call's allocations on the heap for any size: names, and lists of a few numbers.
inline constexpr std::uint64_t most_heap_bytes = 65536;

/// Makes each call twice with one workspace and the same data, which `prepare` writes, and expects no allocation in the second.
template <class Exec>
void expect_no_allocations(Exec const& exec, WorkspaceCalls<Exec> const& calls,
                           std::function<void()> const& prepare,
                           std::uint64_t most_heap = most_heap_bytes) {
  for (auto const& [name, call] : calls) {
    SCOPED_TRACE(name);
    Workspace<Exec> workspace(exec);
    prepare();
    call(workspace);
    prepare();
    std::uint64_t const heap_before = heap_bytes;
    EXPECT_EQ(allocations_of(exec, [&] { call(workspace); }), std::vector<std::string>()) << name;
    // Includes the allocations of the log itself.
    if constexpr (backend::is_cpu<Exec>) {
      EXPECT_LE(heap_bytes - heap_before, most_heap) << name;
    }
  }
}

}  // namespace riffle::test
