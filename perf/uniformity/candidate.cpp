#include "uniformity/candidate.hpp"

#include <iterator>
#include <stdexcept>

namespace perf::quality {
namespace {

std::vector<Candidate> join(std::vector<Candidate> first, std::vector<Candidate> const& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

}  // namespace

std::vector<Candidate> const& all_candidates() {
  static auto const all =
      join(join(riffle_candidates(), variable_philox_candidates()), other_candidates());
  return all;
}

Candidate const& candidate(std::string_view name) {
  for (auto const& known : all_candidates()) {
    if (known.name == name) return known;
  }
  throw std::out_of_range("unknown generator " + std::string(name));
}

}  // namespace perf::quality
