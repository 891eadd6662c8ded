#pragma once

// A generator of permutations under test, selected by name. Functions hide the types of samplers, which are compiled in one file
// each.

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <riffle/uniformity/uniformity_battery.hpp>

namespace perf::quality {

/// The parameters of a sample.
struct Draw {
  std::uint64_t n;
  std::uint64_t samples;
  std::uint64_t seed;
  int rounds = 0;  // 0: the generator has a fixed number of rounds
};

using ReportShare = std::function<void(double)>;  // called with the share of work done, from 0 to 1

struct Candidate {
  using TestResult = riffle::uniformity::TestResult;

  std::string name;
  std::function<riffle::uniformity::BatteryResult(Draw const&, ReportShare const&)> battery;
  std::function<TestResult(Draw const&)> arrangements;
  std::function<TestResult(Draw const&)> mallows;

  std::vector<int> rounds = {};         // possible numbers of rounds; empty if fixed
  std::vector<int> figure_rounds = {};  // numbers of rounds in figures
  std::function<int(std::uint64_t n)> usual_rounds = [](std::uint64_t) { return 0; };

  /// The name of an earlier candidate with the same permutations, or empty.
  std::function<std::string(Draw const&)> twin = [](Draw const&) { return std::string(); };
};

/// The candidates of this build, in the order of tables.
std::vector<Candidate> const& all_candidates();

/// Throws std::out_of_range for an unknown name.
Candidate const& candidate(std::string_view name);

std::vector<Candidate> riffle_candidates();
std::vector<Candidate> variable_philox_candidates();
std::vector<Candidate> other_candidates();

}  // namespace perf::quality
