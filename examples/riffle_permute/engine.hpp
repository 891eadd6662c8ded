#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "settings.hpp"
#include "task.hpp"

namespace example::permute {

/// Where the test ran and by what.
struct BackEnd {
  std::string execution_space;
  std::string device;
  int concurrency = 0;
  std::string kokkos_version;
  std::string riffle_version;
};

/// How many arrangements there are (2^64 - 1: that many or more), and whether all are evaluated.
struct Plan {
  std::uint64_t arrangements = 0;
  bool is_exact = false;
  std::uint64_t total = 0;  // replicates to evaluate
};

/// riffle::PermutationCounts, for those parts of the program that know no Kokkos.
struct Counts {
  std::uint64_t done = 0;
  std::vector<std::uint64_t> extreme;
  std::vector<std::uint64_t> step_down;
  std::vector<double> maxima;
};

/// The ends of confidence intervals, by variable.
struct Intervals {
  std::vector<double> lower;
  std::vector<double> upper;
};

/// By variable, in the order of the data. Statistics and p-values of variables that are not tested are NaN.
struct Outcome {
  std::vector<VariableStatus> status;
  std::vector<double> statistic;
  std::vector<double> p;
  std::vector<double> p_single_step;
  std::vector<double> p_step_down;
  std::vector<double> p_false_discovery;
  std::vector<double> p_single_step_min_p;  // this and the next are empty unless asked for
  std::vector<double> p_step_down_min_p;
  Intervals of_p;  // these are empty unless asked for
  Intervals of_p_single_step;
  Intervals of_p_step_down;
  Intervals of_p_single_step_min_p;
  Intervals of_p_step_down_min_p;
  std::vector<std::uint64_t> extreme;
  std::vector<std::uint64_t>
      uncertain;  // of enumerated arrangements, those that rounding does not tell from the data's
  std::uint64_t replicates = 0;
  std::uint64_t resumed = 0;  // replicates of an earlier run among them
  bool stopped = false;
  double seconds = 0;
  Counts counts;
  BackEnd back_end;
};

struct Callbacks {
  std::function<void(std::uint64_t done, std::uint64_t total)> progress;
  std::function<bool()> stop;
};

/// Counts arrangements. Throws InputError where blocks or the linear model are not as they must be.
Plan plan_of(Task const& task, Settings const& settings);

/// Runs the tests between Kokkos::initialize, which gets `kokkos_arguments`, and Kokkos::finalize. To be called once in a
/// process. engine.cpp and linear_model.cpp are the files of the program that need Kokkos and Riffle.
Outcome run(Task const& task, Settings const& settings, Plan const& plan,
            std::optional<Counts> const& resume, Callbacks callbacks,
            std::vector<std::string> kokkos_arguments);

/// Lets Kokkos print its own help, and ends the program.
void print_kokkos_help();

}  // namespace example::permute
