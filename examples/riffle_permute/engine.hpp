#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "settings.hpp"
#include "task.hpp"

namespace example::permute {

/// The device and the versions that the test ran with.
struct BackEnd {
  std::string execution_space;
  std::string device;
  int concurrency = 0;
  std::string kokkos_version;
  std::string riffle_version;
};

/// The number of distinct arrangements (2^64 - 1 also stands for any larger number), and whether all are evaluated.
struct Plan {
  std::uint64_t arrangements = 0;
  bool is_exact = false;
  std::uint64_t total = 0;  // number of replicates to evaluate
};

/// The content of riffle::PermutationCounts, for the files of the program that do not include Riffle.
struct Counts {
  std::uint64_t done = 0;
  std::vector<std::uint64_t> extreme;
  std::vector<std::uint64_t> step_down;
  std::vector<double> maxima;
};

/// Lower and upper limits of confidence intervals, by variable.
struct Intervals {
  std::vector<double> lower;
  std::vector<double> upper;
};

/// Results by variable, in the order of the data. Statistics and p-values of variables that were not tested are NaN.
struct Outcome {
  std::vector<VariableStatus> status;
  std::vector<double> statistic;
  std::vector<double> p;
  std::vector<double> p_single_step;
  std::vector<double> p_step_down;
  std::vector<double> p_false_discovery;
  std::vector<double> p_single_step_min_p;  // min-P values and intervals are empty unless requested
  std::vector<double> p_step_down_min_p;
  Intervals interval_p;
  Intervals interval_single_step;
  Intervals interval_step_down;
  Intervals interval_single_step_min_p;
  Intervals interval_step_down_min_p;
  std::vector<std::uint64_t> extreme;
  // enumerated arrangements whose statistic equals the observed one to within rounding
  std::vector<std::uint64_t> uncertain;
  std::uint64_t replicates = 0;
  std::uint64_t resumed = 0;  // how many of these replicates come from an earlier run
  bool stopped = false;
  double seconds = 0;
  Counts counts;
  BackEnd back_end;
};

struct Callbacks {
  std::function<void(std::uint64_t done, std::uint64_t total)> progress;
  std::function<bool()> stop;
};

/// Counts arrangements. Throws InputError if the blocks or the linear model are invalid.
Plan plan_of(Task const& task, Settings const& settings);

/// Runs the tests between Kokkos::initialize, which gets `kokkos_arguments`, and Kokkos::finalize. May be called once in a
/// process. Only engine.cpp and linear_model.cpp use Kokkos and Riffle's algorithms.
Outcome run(Task const& task, Settings const& settings, Plan const& plan,
            std::optional<Counts> const& resume, Callbacks callbacks,
            std::vector<std::string> kokkos_arguments);

/// Prints Kokkos's own help and ends the program.
void print_kokkos_help();

}  // namespace example::permute
