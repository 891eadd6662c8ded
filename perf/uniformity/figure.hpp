#pragma once

// Data of a figure in section 5 of
//   R. Mitchell, D. Stokes, E. Frank, G. Holmes, "Bandwidth-optimal random shuffling for GPUs",
//   ACM Trans. Parallel Comput. 9 (2022), doi 10.1145/3505287
// a test statistic by the number of rounds, and the critical values.

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
  /// Critical values by name, the smallest first: a statistic with at least this absolute value is rejected.
  std::vector<std::pair<std::string, double>> thresholds;
  std::function<Candidate::TestResult(Candidate const&, Draw const&)> measure;
};

/// Figures 7 to 9 for each n, and figure 6 if the number of samples is enough for n! cells.
std::vector<Figure> make_figures(std::vector<std::uint64_t> const& ns, std::uint64_t samples,
                                 double alpha);

}  // namespace perf::quality
