#pragma once

// The battery of one generator at one n, under all master seeds.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <riffle/uniformity/uniformity_battery.hpp>

#include "uniformity/candidate.hpp"
#include "uniformity/json_file.hpp"

namespace perf::quality {

/// Samples where the user names no number: all pairs of 65536 points or more cost too much for a million.
std::uint64_t samples_for(std::uint64_t n, std::uint64_t asked);

struct Verdict {
  std::vector<std::uint64_t> seeds;
  std::vector<std::size_t> seed_of_row;       // as an index
  riffle::uniformity::BatteryResult battery;  // of all seeds, adjusted together
  double seconds = 0;
};

/// Draws draw.samples under each seed in the place of draw.seed.
Verdict judge(Candidate const& candidate, Draw draw, std::vector<std::uint64_t> const& seeds,
              ToldShare const& told);

/// Every row.
Json rows_as_json(Verdict const& verdict);

/// The row that is most against uniformity.
Json worst_as_json(Verdict const& verdict);

}  // namespace perf::quality
