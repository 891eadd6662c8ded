#pragma once

// The program's commands. Each prints a table, keeps options.json up to date as it goes, and returns the
// exit code.

#include "uniformity/json_file.hpp"
#include "uniformity/options.hpp"

namespace perf::quality {

/// The whole battery for each generator and n.
int run_battery(Options const& options, Json const& context);

/// Figures 6 to 9 of Mitchell et al. (2022).
int run_figures(Options const& options, Json const& context);

/// The fewest rounds with which the network passes the battery.
int run_fewest(Options const& options, Json const& context);

}  // namespace perf::quality
