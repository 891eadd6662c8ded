#include <Kokkos_Core.hpp>

#include <benchmark/benchmark.h>

#include <iostream>

#include "support/context.hpp"

int main(int argc, char** argv) {
#ifndef NDEBUG
  std::cerr << "perf: this is not a Release build, so its times are meaningless\n";
  return 1;
#endif
  Kokkos::ScopeGuard const guard(argc, argv);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  for (auto const& [name, value] : perf::run_context()) benchmark::AddCustomContext(name, value);
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}
