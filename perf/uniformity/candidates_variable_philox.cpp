#include <bit>
#include <string>
#include <vector>

#include "uniformity/make_candidate.hpp"
#include "uniformity/variable_philox_sampler.hpp"

namespace perf::quality {
namespace {

constexpr int published_rounds = 24;
constexpr int bits_of_16 = 4;

template <int... Rounds>
std::vector<int> as_vector(RoundsList<Rounds...>) {
  return {Rounds...};
}

Candidate variable_philox(std::string const& name, int min_bits, bool walks) {
  Candidate kind = make_candidate(name, [=](Draw const& draw) {
    return VariablePhiloxSampler{draw.seed, draw.rounds, min_bits, walks};
  });
  kind.rounds = kind.figure_rounds = as_vector(VariablePhiloxRounds{});
  kind.usual_rounds = [](std::uint64_t) { return published_rounds; };
  return kind;
}

Candidate as_published() { return variable_philox("variable-philox", 1, false); }

// If no value is beyond n, neither cycle walking nor compaction is needed.
Candidate walked() {
  Candidate walked = variable_philox("variable-philox-walked", 1, true);
  walked.twin = [](Draw const& draw) {
    return std::has_single_bit(draw.n) ? "variable-philox" : std::string();
  };
  return walked;
}

Candidate on_16_points() {
  Candidate padded = variable_philox("variable-philox-16", bits_of_16, false);
  padded.twin = [](Draw const& draw) {
    return draw.n > 1u << (bits_of_16 - 1) ? "variable-philox" : std::string();
  };
  return padded;
}

}  // namespace

std::vector<Candidate> variable_philox_candidates() {
  return {as_published(), walked(), on_16_points()};
}

}  // namespace perf::quality
