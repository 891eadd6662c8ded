#pragma once

// The hardware on which results were measured.

#include <Kokkos_Core.hpp>

#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "support/exec.hpp"

#ifdef KOKKOS_ENABLE_CUDA
#include <cuda_runtime.h>
#endif

namespace perf {

/// Names and values that describe the device.
using Context = std::vector<std::pair<std::string, std::string>>;

/// The name of the processor from /proc/cpuinfo.
inline std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  std::string line;
  while (std::getline(file, line)) {
    auto const colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown processor";
}

#ifdef KOKKOS_ENABLE_CUDA
inline std::string cuda_version(int number) {
  return std::to_string(number / 1000) + "." + std::to_string(number % 1000 / 10);
}

inline void describe_device(Kokkos::Cuda const& exec, Context& context) {
  int runtime = 0;
  int driver = 0;
  cudaRuntimeGetVersion(&runtime);
  cudaDriverGetVersion(&driver);
  context.emplace_back("device", exec.cuda_device_prop().name);
  context.emplace_back("cuda_runtime_version", cuda_version(runtime));
  context.emplace_back("cuda_driver_version", cuda_version(driver));
}
#elif defined(KOKKOS_ENABLE_HIP)
inline void describe_device(Kokkos::HIP const& exec, Context& context) {
  int runtime = 0;
  static_cast<void>(hipRuntimeGetVersion(&runtime));
  context.emplace_back("device", exec.hip_device_prop().name);
  context.emplace_back("hip_runtime_version", std::to_string(runtime));
}
#endif

/// On a CPU the device is the processor.
template <class Space>
void describe_device(Space const&, Context& context) {
  context.emplace_back("device", processor_name());
}

/// Adds the device, and the versions of its driver and compiler.
inline void describe_hardware(Context& context) {
  context.emplace_back("processor", processor_name());
  describe_device(Exec(), context);
}

}  // namespace perf
