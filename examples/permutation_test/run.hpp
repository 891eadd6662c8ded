#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "options.hpp"
#include "samples.hpp"

namespace example {

/// The back end and the versions that the test ran with.
struct BackEnd {
  std::string execution_space;
  int concurrency = 0;
  std::string kokkos_version;
  std::string riffle_version;
};

/// The result of the test.
struct Outcome {
  double statistic = 0;
  double p_value = 0;
  double lower = 0;  // confidence limits of p
  double upper = 0;
  bool exact = false;  // all arrangements were enumerated
  // arrangements whose statistic equals the observed one to within rounding
  std::uint64_t uncertain = 0;
  std::uint64_t replicates = 0;
  double seconds = 0;
  BackEnd back_end;
  std::vector<double> null_distribution;  // empty if no histogram was requested

  double replicates_per_second() const {
    return static_cast<double>(replicates) / (seconds > 0 ? seconds : 1e-9);
  }
};

/// Called with the number of replicates done and the total number.
using Progress = std::function<void(std::uint64_t done, std::uint64_t total)>;

/// Runs the test between Kokkos::initialize, which gets `kokkos_arguments`, and Kokkos::finalize. May be called once in a
/// process. Only run.cpp uses Kokkos and Riffle's algorithms.
Outcome run(Samples const& samples, Options const& options,
            std::vector<std::string> kokkos_arguments, Progress progress);

/// Prints Kokkos's own help and ends the program.
void print_kokkos_help();

}  // namespace example
