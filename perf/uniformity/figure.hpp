#pragma once

// What a figure of section 5 of
//   R. Mitchell, D. Stokes, E. Frank, G. Holmes, "Bandwidth-optimal random shuffling for GPUs",
//   ACM Trans. Parallel Comput. 9 (2022), doi 10.1145/3505287
// shows: a test's statistic against the number of rounds, and how much of it is accepted.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "uniformity/candidate.hpp"

namespace perf::quality {

struct Figure {
  std::string test;
  std::uint64_t n;
  std::uint64_t samples;
  /// By name, the tightest first: a statistic of at least so much, either way, is rejected.
  std::vector<std::pair<std::string, double>> thresholds;
  std::function<Candidate::TestResult(Candidate const&, Draw const&)> measure;
};

/// Figures 7 to 9 for each n, and 6 where so many samples are enough for n! cells.
std::vector<Figure> make_figures(std::vector<std::uint64_t> const& ns, std::uint64_t samples,
                                 double alpha);

}  // namespace perf::quality
