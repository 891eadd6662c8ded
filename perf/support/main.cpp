#include <Kokkos_Core.hpp>

#include <benchmark/benchmark.h>

#include <iostream>
#include <string>

#include <riffle/version.hpp>

#include "support/device.hpp"

namespace {

std::string kokkos_version() {
  return std::to_string(KOKKOS_VERSION / 10000) + "." + std::to_string(KOKKOS_VERSION / 100 % 100) +
         "." + std::to_string(KOKKOS_VERSION % 100);
}

void describe_run() {
  using perf::Exec;
  benchmark::AddCustomContext("riffle_version", RIFFLE_VERSION_STRING);
  benchmark::AddCustomContext("riffle_commit", RIFFLE_COMMIT);
  benchmark::AddCustomContext("riffle_commit_date", RIFFLE_COMMIT_DATE);
  benchmark::AddCustomContext("kokkos_version", kokkos_version());
  benchmark::AddCustomContext("compiler", __VERSION__);
  benchmark::AddCustomContext("execution_space", Exec::name());
  benchmark::AddCustomContext("concurrency", std::to_string(Exec().concurrency()));
  perf::describe_hardware();
}

}  // namespace

int main(int argc, char** argv) {
#ifndef NDEBUG
  std::cerr << "perf: this is not a Release build, so its figures would mean nothing\n";
  return 1;
#endif
  Kokkos::ScopeGuard const guard(argc, argv);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  describe_run();
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}
