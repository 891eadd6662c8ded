#pragma once

#include <cstdint>
#include <fstream>
#include <limits>
#include <string>

#include "support/exec.hpp"

namespace perf {

/// Bytes of host memory that are available without swapping, as estimated by Linux.
inline std::uint64_t available_host_bytes() {
  std::ifstream file("/proc/meminfo");
  std::string word;
  while (file >> word) {
    std::uint64_t kibibytes = 0;
    if (word == "MemAvailable:" && file >> kibibytes) return kibibytes * 1024;
  }
  return std::numeric_limits<std::uint64_t>::max();
}

/// Whether a row may try to allocate this number of bytes. A host that overcommits memory would kill the program; on a device
/// the allocation fails, and the row is skipped.
inline bool may_fit(std::uint64_t bytes) {
  return !runs_on_host || bytes < available_host_bytes() / 5 * 4;
}

}  // namespace perf
