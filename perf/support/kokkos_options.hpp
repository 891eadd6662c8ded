#pragma once

// The options with which Kokkos and this program were built; some, such as nvcc's relaxed constexpr, change the machine code.

#include <Kokkos_Core.hpp>

#include <sstream>
#include <string>

namespace perf {

/// The names of all enabled options, as Kokkos prints them.
inline std::string kokkos_options() {
  std::stringstream configuration;
  Kokkos::print_configuration(configuration, true);
  std::string options;
  for (std::string line; std::getline(configuration, line);) {
    auto const begin = line.find("KOKKOS_ENABLE_");
    auto const end = line.find(": yes");
    if (begin == std::string::npos || end == std::string::npos) continue;
    options += (options.empty() ? "" : " ") + line.substr(begin + 14, end - begin - 14);
  }
  return options;
}

/// Whether nvcc was called with --expt-relaxed-constexpr, which users of Riffle do not need.
inline constexpr bool has_relaxed_constexpr =
#ifdef __CUDACC_RELAXED_CONSTEXPR__
    true;
#else
    false;
#endif

}  // namespace perf
