#pragma once

// The result of the battery for one generator and one n, over all master seeds.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <riffle/uniformity/uniformity_battery.hpp>

#include "uniformity/candidate.hpp"
#include "uniformity/json_file.hpp"

namespace perf::quality {

/// The default number of samples. All pairs of 65536 or more points take too long for a million samples.
std::uint64_t samples_for(std::uint64_t n, std::uint64_t asked);

struct BatteryRun {
  std::vector<std::uint64_t> seeds;
  std::vector<std::size_t> seed_of_row;       // index of the seed
  riffle::uniformity::BatteryResult battery;  // results of all seeds, adjusted together
  double seconds = 0;
};

/// Draws draw.samples samples under each seed, which replaces draw.seed.
BatteryRun run_battery(Candidate const& candidate, Draw draw,
                       std::vector<std::uint64_t> const& seeds, ReportShare const& report_share);

/// Writes all rows.
Json rows_as_json(BatteryRun const& run);

/// The row with the strongest evidence against uniformity.
Json worst_as_json(BatteryRun const& run);

}  // namespace perf::quality
