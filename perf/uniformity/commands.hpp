#pragma once

// The commands of the program. Each prints a table, updates options.json after each line, and returns the exit code.

#include "uniformity/json_file.hpp"
#include "uniformity/options.hpp"

namespace perf::quality {

/// Runs the whole battery for each generator and n.
int run_battery(Options const& options, Json const& context);

/// Runs the battery on permutations from a file. Returns 1 if a test fails.
int run_audit(Options const& options, Json const& context);

/// Figures 6 to 9 of Mitchell et al. (2022).
int run_figures(Options const& options, Json const& context);

/// Finds the fewest rounds with which the network passes the battery.
int run_fewest(Options const& options, Json const& context);

}  // namespace perf::quality
