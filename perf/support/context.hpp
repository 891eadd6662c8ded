#pragma once

// The context of every result: the commit and options of Riffle, and the device. perf/CMakeLists.txt defines RIFFLE_COMMIT and
// RIFFLE_COMMIT_DATE.

#include <Kokkos_Core.hpp>

#include <string>

#include <riffle/version.hpp>

#include "support/device.hpp"
#include "support/kokkos_options.hpp"

namespace perf {

inline std::string kokkos_version() {
  return std::to_string(KOKKOS_VERSION / 10000) + "." + std::to_string(KOKKOS_VERSION / 100 % 100) +
         "." + std::to_string(KOKKOS_VERSION % 100);
}

/// Call this after Kokkos is initialized.
inline Context run_context() {
  Context context{{"riffle_version", RIFFLE_VERSION_STRING},
                  {"riffle_commit", RIFFLE_COMMIT},
                  {"riffle_commit_date", RIFFLE_COMMIT_DATE},
                  {"kokkos_version", kokkos_version()},
                  {"kokkos_options", kokkos_options()},
                  {"relaxed_constexpr", has_relaxed_constexpr ? "yes" : "no"},
                  {"compiler", __VERSION__},
                  {"execution_space", Exec::name()},
                  {"concurrency", std::to_string(Exec().concurrency())}};
  describe_hardware(context);
  return context;
}

}  // namespace perf
