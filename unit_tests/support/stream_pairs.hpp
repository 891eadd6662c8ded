#pragma once

// Pairs of permutations with related seeds and streams. If both are uniform and independent, the inverse of the one
// composed with the other is a uniform permutation.

#include <Kokkos_Core.hpp>
#include <riffle/random/random_permutation.hpp>
#include <riffle/random/streams.hpp>

#include <cstdint>
#include <ostream>

namespace riffle::test {

/// How the seeds and streams of a pair are related.
enum class Related { streams, seeds, swapped, diagonal, first_stream };
inline constexpr Related all_relations[] = {Related::streams, Related::seeds, Related::swapped,
                                            Related::diagonal, Related::first_stream};

inline char const* name_of(Related related) {
  switch (related) {
    case Related::streams: return "AdjacentStreams";
    case Related::seeds: return "AdjacentSeeds";
    case Related::swapped: return "Swapped";
    case Related::diagonal: return "Diagonal";
    default: return "FirstStream";
  }
}

struct RelatedPair {
  SeedAndStream a;
  SeedAndStream b;
};

inline void PrintTo(Related related, std::ostream* out) { *out << name_of(related); }

/// Pair r of a family.
KOKKOS_INLINE_FUNCTION RelatedPair related_pair(Related related, std::uint64_t r) {
  std::uint64_t const other = 2 * r + 5;
  switch (related) {
    case Related::streams: return {{1906, r}, {1906, r + 1}};
    case Related::seeds: return {{r, 3}, {r + 1, 3}};
    case Related::swapped: return {{r, other}, {other, r}};
    case Related::diagonal: return {{r + 1, other}, {r, other + 1}};
    default: return {{1906, 0}, {1906, r + 1}};
  }
}

/// RandomPermutation(n, seed, stream).
struct ByStream {
  KOKKOS_FUNCTION RandomPermutation operator()(std::uint64_t n, SeedAndStream random) const {
    return RandomPermutation(n, random.seed, random.stream);
  }
};

/// The stream has a seed of its own, as in BucketShuffle.
struct BySeedOfStream {
  KOKKOS_FUNCTION RandomPermutation operator()(std::uint64_t n, std::uint64_t seed) const {
    return RandomPermutation(n, seed);
  }
};

/// Faulty sources: the stream is ignored, or added to the seed.
struct WithoutStream {
  KOKKOS_FUNCTION RandomPermutation operator()(std::uint64_t n, SeedAndStream random) const {
    return RandomPermutation(n, random.seed);
  }
};
struct BySum {
  KOKKOS_FUNCTION RandomPermutation operator()(std::uint64_t n, SeedAndStream random) const {
    return RandomPermutation(n, random.seed + random.stream);
  }
};

/// The permutation i -> a^-1(b(i)).
struct RelativePermutation {
  RandomPermutation a;
  RandomPermutation b;

  KOKKOS_FUNCTION std::uint64_t size() const { return a.size(); }
  KOKKOS_FUNCTION std::uint64_t operator()(std::uint64_t i) const { return a.inverse(b(i)); }
};

/// Draws the relative permutations of a family of pairs, as a sampler of riffle::uniformity.
template <class Source>
struct RelativeSampler {
  Related related;

  KOKKOS_FUNCTION RelativePermutation operator()(std::uint64_t n, std::uint64_t r) const {
    auto const pair = related_pair(related, r);
    return {Source{}(n, pair.a), Source{}(n, pair.b)};
  }
};

}  // namespace riffle::test
