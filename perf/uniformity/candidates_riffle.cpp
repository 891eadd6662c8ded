#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include <riffle/random/lehmer.hpp>
#include <riffle/random/mixed_radix_feistel.hpp>
#include <riffle/shuffle/detail/bucket_definition.hpp>

#include "uniformity/bucket_shuffle_sampler.hpp"
#include "uniformity/generators.hpp"
#include "uniformity/make_candidate.hpp"

namespace perf::quality {
namespace {

using riffle::MixedRadixFeistel;

std::vector<int> all_rounds() {
  std::vector<int> rounds(MixedRadixFeistel::max_rounds);
  std::iota(rounds.begin(), rounds.end(), 1);
  return rounds;
}

std::vector<int> even_rounds() {
  std::vector<int> rounds;
  for (int r = 2; r <= MixedRadixFeistel::max_rounds; r += 2) rounds.push_back(r);
  return rounds;
}

// Riffle's permutations of more than max_ranked_size points use this network with its default rounds.
std::string twin_of_feistel(Draw const& draw) {
  bool const is_usual = draw.rounds == MixedRadixFeistel::default_rounds(draw.n);
  return draw.n > riffle::max_ranked_size && is_usual ? "riffle" : "";
}

Candidate feistel() {
  Candidate feistel = make_candidate("feistel", [](Draw const& draw) {
    return FeistelSampler{draw.seed, draw.rounds};
  });
  feistel.rounds = all_rounds();
  feistel.figure_rounds = even_rounds();
  feistel.usual_rounds = [](std::uint64_t n) { return MixedRadixFeistel::default_rounds(n); };
  feistel.twin = twin_of_feistel;
  return feistel;
}

Candidate bucket_shuffle() {
  Candidate candidate = make_candidate(
      "bucket-shuffle", [](Draw const& draw) { return BucketShuffleSampler{draw.seed}; });
  candidate.twin = [](Draw const& draw) {
    return draw.n < riffle::detail::bucket_shuffle::min_split ? "riffle" : std::string();
  };
  return candidate;
}

}  // namespace

std::vector<Candidate> riffle_candidates() {
  return {make_candidate("riffle", [](Draw const& draw) { return RiffleSampler{draw.seed}; }),
          bucket_shuffle(), feistel()};
}

}  // namespace perf::quality
