#pragma once

// Kokkos tools that record launches, allocations and fences.

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace riffle::test {

struct LoggedEvent {
  std::string name;
  std::uint32_t device;  // includes the instance: see Kokkos::Tools::Experimental::device_id
};

/// Logs every kernel and allocation during its lifetime. Not thread-safe.
class KernelLog {
 public:
  KernelLog() : previous_(Kokkos::Tools::Experimental::get_callbacks()) {
    kernels().clear();
    allocations().clear();
    namespace tools = Kokkos::Tools::Experimental;
    tools::set_begin_parallel_for_callback(log_kernel);
    tools::set_begin_parallel_reduce_callback(log_kernel);
    tools::set_begin_parallel_scan_callback(log_kernel);
    tools::set_allocate_data_callback(log_allocation);
  }
  ~KernelLog() { Kokkos::Tools::Experimental::set_callbacks(previous_); }
  KernelLog(KernelLog const&) = delete;
  KernelLog& operator=(KernelLog const&) = delete;

  static std::vector<LoggedEvent>& kernels() {
    static std::vector<LoggedEvent> events;
    return events;
  }
  static std::vector<std::string>& allocations() {
    static std::vector<std::string> names;
    return names;
  }

 private:
  static void log_kernel(char const* name, std::uint32_t device, std::uint64_t* id) {
    *id = 0;
    kernels().push_back({name, device});
  }
  // Kokkos's CUDA back end reports an allocation of scratch memory even for 0 bytes.
  static void log_allocation(Kokkos::Tools::SpaceHandle, char const* name, void const*,
                             std::uint64_t size) {
    if (size > 0) allocations().push_back(name);
  }

  Kokkos::Tools::Experimental::EventSet previous_;
};

/// Logs every fence during its lifetime. It is not part of KernelLog, since Kokkos adds fences if a tool listens to kernels.
class FenceLog {
 public:
  FenceLog() : previous_(Kokkos::Tools::Experimental::get_callbacks()) {
    fences().clear();
    Kokkos::Tools::Experimental::set_begin_fence_callback(log_fence);
  }
  ~FenceLog() { Kokkos::Tools::Experimental::set_callbacks(previous_); }
  FenceLog(FenceLog const&) = delete;
  FenceLog& operator=(FenceLog const&) = delete;

  static std::vector<LoggedEvent>& fences() {
    static std::vector<LoggedEvent> events;
    return events;
  }

 private:
  static void log_fence(char const* name, std::uint32_t device, std::uint64_t* id) {
    *id = 0;
    fences().push_back({name, device});
  }

  Kokkos::Tools::Experimental::EventSet previous_;
};

}  // namespace riffle::test
