#pragma once

// A generator of permutations under test, by its name: what differs between samplers is behind functions,
// each compiled in a file of its own.

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <riffle/uniformity/uniformity_battery.hpp>

namespace perf::quality {

/// What is drawn.
struct Draw {
  std::uint64_t n;
  std::uint64_t samples;
  std::uint64_t seed;
  int rounds = 0;  // 0: the generator has none to choose
};

using ToldShare = std::function<void(double)>;  // of the work, from 0 to 1

struct Candidate {
  using TestResult = riffle::uniformity::TestResult;

  std::string name;
  std::function<riffle::uniformity::BatteryResult(Draw const&, ToldShare const&)> battery;
  std::function<TestResult(Draw const&)> arrangements;
  std::function<TestResult(Draw const&)> mallows;

  std::vector<int> rounds = {};         // all that it can have; none where there is no choice
  std::vector<int> figure_rounds = {};  // those that figures show
  std::function<int(std::uint64_t n)> usual_rounds = [](std::uint64_t) { return 0; };

  /// The name of a former candidate whose permutations are the same; empty where there is none.
  std::function<std::string(Draw const&)> twin = [](Draw const&) { return std::string(); };
};

/// Those that this build has, in the order of tables.
std::vector<Candidate> const& all_candidates();

/// Throws std::out_of_range where none has the name.
Candidate const& candidate(std::string_view name);

std::vector<Candidate> riffle_candidates();
std::vector<Candidate> variable_philox_candidates();
std::vector<Candidate> other_candidates();

}  // namespace perf::quality
