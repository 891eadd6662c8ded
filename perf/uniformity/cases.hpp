#pragma once

#include <string>
#include <vector>

#include "uniformity/candidate.hpp"
#include "uniformity/options.hpp"

namespace perf::quality {

/// One line of the table of the battery.
struct Case {
  Candidate const* candidate;
  Draw draw;         // without the seed
  std::string twin;  // generator with the same result for the same n; empty if there is none
};

/// One case for each n and each chosen generator. Throws std::invalid_argument if a generator does not support the requested
/// number of rounds.
std::vector<Case> make_cases(Options const& options);

/// The requested generators by name, or all of them.
std::vector<std::string> chosen_generators(Options const& options);

/// The expected run time, in arbitrary units.
double work_of(Draw const& draw);

bool contains(std::vector<std::string> const& names, std::string const& name);

/// "lcg, n = 5" or "feistel, n = 5, 24 rounds"
std::string label(Candidate const& candidate, Draw const& draw);

}  // namespace perf::quality
