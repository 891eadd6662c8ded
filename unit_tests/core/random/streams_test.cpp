// Streams of a seed: values, collisions, and the independence of related pairs. full/shuffle/stream_pairs_test.cpp has
// the statistics of many pairs.

#include <Kokkos_Core.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>

#include <riffle/random/streams.hpp>

#include "support/stream_pairs.hpp"
#include "support/uniformity_checks.hpp"

namespace streams_test {
namespace {

using riffle::seed_of_stream;
using riffle::SeedAndStream;
using riffle::test::Related;

constexpr std::uint64_t last = ~std::uint64_t{0};

static_assert(seed_of_stream(1906, 0) == 1906);
static_assert(SeedAndStream(7).stream == 0);
static_assert(std::uint64_t{SeedAndStream(7, 9)} == seed_of_stream(7, 9));

// From a model in Python integers.
TEST(Streams, GoldenSeeds) {
  EXPECT_EQ(seed_of_stream(0, 1), 0xDF741DD31960DE1Bu);
  EXPECT_EQ(seed_of_stream(1, 1), 0x79E2490BF8005EBEu);
  EXPECT_EQ(seed_of_stream(1, 2), 0xC4ADDD6BFAC2BAEAu);
  EXPECT_EQ(seed_of_stream(2, 1), 0x3BBBEF23E0DFB2EEu);
  EXPECT_EQ(seed_of_stream(1906, last), 0xDCAE914A681F5E22u);
  EXPECT_EQ(seed_of_stream(last, 7), 0x88C2709BAFFF445Cu);
  EXPECT_EQ(seed_of_stream(0x123456789ABCDEF0u, std::uint64_t{1} << 32), 0x1F99E048816A33EEu);
}

TEST(Streams, Stream0IsTheSeed) {
  for (std::uint64_t const seed : {std::uint64_t{0}, std::uint64_t{5}, last})
    EXPECT_EQ(seed_of_stream(seed, 0), seed);
}

TEST(Streams, PairsHaveDifferentSeeds) {
  std::set<std::uint64_t> seeds;
  for (std::uint64_t seed = 0; seed < 64; ++seed)
    for (std::uint64_t stream = 0; stream < 64; ++stream)
      seeds.insert(seed_of_stream(seed, stream));
  EXPECT_EQ(seeds.size(), 64u * 64u);
}

/// The largest |z| of the checks, for relative permutations of pairs of a family.
template <class Source>
double worst_z(Related related) {
  riffle::test::RelativeSampler<Source> const sampler{related};
  auto const of_size = [&](std::uint64_t n) {
    return [=](std::uint64_t r) { return sampler(n, r); };
  };
  return std::max({std::abs(riffle::test::arrangements_z(4, 1200, of_size(4))),
                   std::abs(riffle::test::sign_z(200, of_size(21))),
                   std::abs(riffle::test::positions_z(21, 200, of_size(21))),
                   std::abs(riffle::test::distances_z(21, 1000, of_size(21))),
                   std::abs(riffle::test::agreements_z(21, 100, of_size(21)))});
}

TEST(Streams, RelatedPairsAreIndependent) {
  for (Related const related : riffle::test::all_relations) {
    EXPECT_LT(worst_z<riffle::test::ByStream>(related), 4) << name_of(related);
    EXPECT_LT(worst_z<riffle::test::BySeedOfStream>(related), 4) << name_of(related);
  }
}

TEST(Streams, FaultySourcesAreFound) {
  EXPECT_GT(worst_z<riffle::test::WithoutStream>(Related::streams), 10);
  EXPECT_GT(worst_z<riffle::test::WithoutStream>(Related::first_stream), 10);
  EXPECT_GT(worst_z<riffle::test::BySum>(Related::swapped), 10);
  EXPECT_GT(worst_z<riffle::test::BySum>(Related::diagonal), 10);
}

}  // namespace
}  // namespace streams_test
