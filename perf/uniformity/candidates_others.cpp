#include <vector>

#include "uniformity/generators.hpp"
#include "uniformity/make_candidate.hpp"
#include "uniformity/std_shuffle_sampler.hpp"

namespace perf::quality {
namespace {

// A template, so that it is not compiled for a device back end.
template <class Sampler>
void add_where_on_host(std::vector<Candidate>& candidates, char const* name) {
  if constexpr (runs_on_host) {
    candidates.push_back(make_candidate(name, [](Draw const& draw) { return Sampler{draw.seed}; }));
  }
}

}  // namespace

std::vector<Candidate> other_candidates() {
  std::vector<Candidate> candidates{
      make_candidate("lcg", [](Draw const& draw) { return LcgSampler{draw.seed}; }),
      make_candidate("fisher-yates",
                     [](Draw const& draw) { return FisherYatesSampler{draw.seed}; })};
  add_where_on_host<StdShuffleSampler>(candidates, "std-shuffle");
  return candidates;
}

}  // namespace perf::quality
