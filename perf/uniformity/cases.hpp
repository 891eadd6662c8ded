#pragma once

#include <string>
#include <vector>

#include "uniformity/candidate.hpp"
#include "uniformity/options.hpp"

namespace perf::quality {

/// One line of the battery's table.
struct Case {
  Candidate const* candidate;
  Draw draw;  // but for the seed
  std::string
      twin;  // the generator whose line, of the same n, says the same; empty where none does
};

/// Of every n with every generator that is chosen. Throws std::invalid_argument where a generator cannot
/// have the rounds asked for.
std::vector<Case> make_cases(Options const& options);

/// Generators by name: those asked for, or all.
std::vector<std::string> chosen_generators(Options const& options);

/// For how long it runs, in units of its own.
double work_of(Draw const& draw);

bool contains(std::vector<std::string> const& names, std::string const& name);

/// "lcg, n = 5" or "feistel, n = 5, 24 rounds"
std::string label(Candidate const& candidate, Draw const& draw);

}  // namespace perf::quality
