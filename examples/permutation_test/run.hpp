#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "options.hpp"
#include "samples.hpp"

namespace example {

/// Where the test ran and by what.
struct BackEnd {
  std::string execution_space;
  int concurrency = 0;
  std::string kokkos_version;
  std::string riffle_version;
};

/// What the test found.
struct Outcome {
  double statistic = 0;
  double p_value = 0;
  double lower = 0;  // of the interval for p
  double upper = 0;
  bool exact = false;           // all arrangements are enumerated
  std::uint64_t uncertain = 0;  // of them, those that rounding does not tell from the data's
  std::uint64_t replicates = 0;
  double seconds = 0;
  BackEnd back_end;
  std::vector<double> null_distribution;  // empty where no histogram was asked for

  double replicates_per_second() const {
    return static_cast<double>(replicates) / (seconds > 0 ? seconds : 1e-9);
  }
};

/// Called with how many replicates are done, and of how many.
using Progress = std::function<void(std::uint64_t done, std::uint64_t total)>;

/// Runs the test between Kokkos::initialize, which gets `kokkos_arguments`, and Kokkos::finalize.
/// To be called once in a process. This is the one file of the program that needs Kokkos and
/// Riffle.
Outcome run(Samples const& samples, Options const& options,
            std::vector<std::string> kokkos_arguments, Progress progress);

/// Lets Kokkos print its own help, and ends the program.
void print_kokkos_help();

}  // namespace example
