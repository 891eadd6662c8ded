#include <Kokkos_Core.hpp>
#include <riffle/random/random_permutation.hpp>
#include <riffle/uniformity.hpp>
#include <riffle/uniformity/detail/avalanche.hpp>
#include <riffle/uniformity/detail/measures.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/uniformity_samples.hpp"

namespace riffle::test::uniformity_pair_measures_test {
namespace {

using namespace detail::uniformity;
using oracle::Permutation;

std::int64_t matches(Permutation const& a, Permutation const& b) {
  std::int64_t count = 0;
  for (std::size_t i = 0; i < a.size(); ++i) count += a[i] == b[i] ? 1 : 0;
  return count;
}

/// The parity of a composed with the inverse of b.
std::int64_t parity_of_quotient(Permutation const& a, Permutation const& b) {
  Permutation quotient(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) quotient[oracle::image(b, i)] = a[i];
  return oracle::parity(quotient);
}

template <class Exec>
class UniformityPairMeasures : public ::testing::Test {};
TYPED_TEST_SUITE(UniformityPairMeasures, ExecutionSpaces, SpaceNames);

TYPED_TEST(UniformityPairMeasures, MatchTheOracle) {
  for (std::size_t const n : {2, 3, 5, 64, 65, 200}) {
    auto samples = random_permutations(20, n);
    samples[1] = samples[0];
    expect_measures<TypeParam, MatchMeasure, QuotientSignMeasure>(samples, [&](std::size_t r) {
      return std::vector{matches(samples[r], samples[r + 1]),
                         parity_of_quotient(samples[r], samples[r + 1])};
    });
  }
}

TYPED_TEST(UniformityPairMeasures, AcceptATrueShuffleAndFindFaults) {
  expect_test<TypeParam, ScalarTest<QuotientSignMeasure>>(20, Order::equal_signs);
}

template <class Exec, class Measure, class Sampler>
double p_of_avalanche(Sampler const& sampler, std::uint64_t n) {
  Avalanche<Sampler> const avalanche{sampler};
  return uniformity::test(Exec(), ScalarTest<Measure>{}, avalanche, n, 4000).p_value;
}

TYPED_TEST(UniformityPairMeasures, AvalancheFindsBitsThatDoNotCount) {
  OrderedSampler const faulty{Order::low_bits_only};
  EXPECT_GT((p_of_avalanche<TypeParam, MatchMeasure>(OrderedSampler{}, 20)), 0.001);
  EXPECT_GT((p_of_avalanche<TypeParam, QuotientSignMeasure>(OrderedSampler{}, 20)), 0.001);
  EXPECT_LT((p_of_avalanche<TypeParam, MatchMeasure>(faulty, 20)), 1e-6);
  EXPECT_LT((p_of_avalanche<TypeParam, QuotientSignMeasure>(faulty, 20)), 1e-6);
}

struct RiffleSampler {
  KOKKOS_FUNCTION auto operator()(std::uint64_t n, std::uint64_t r) const {
    return RandomPermutation(n, 1, r);
  }
};

TYPED_TEST(UniformityPairMeasures, AvalancheTakesAFunctionToo) {
  static_assert(!writes_rows<Avalanche<RiffleSampler>>);
  static_assert(writes_rows<Avalanche<OrderedSampler>>);
  EXPECT_GT((p_of_avalanche<TypeParam, MatchMeasure>(RiffleSampler{}, 20)), 0.001);
}

TEST(UniformityAvalanche, DiffersInEachBitInTurn) {
  for (std::uint64_t p = 0; p < 1000; ++p) {
    std::uint64_t const a = Avalanche<OrderedSampler>::replicate(2 * p);
    std::uint64_t const b = Avalanche<OrderedSampler>::replicate(2 * p + 1);
    ASSERT_EQ(a ^ b, std::uint64_t{1} << p % 64);
    ASSERT_EQ(a & b, a);
  }
}

// The quotients are independent if the pairs are edges of a forest: each new pair must connect two trees.
TEST(UniformityAvalanche, HasIndependentQuotients) {
  std::map<std::uint64_t, std::uint64_t> parents;
  auto const root = [&](std::uint64_t x) {
    while (parents.try_emplace(x, x).first->second != x) x = parents[x];
    return x;
  };
  for (std::uint64_t p = 0; p < 50000; ++p) {
    std::uint64_t const a = root(Avalanche<OrderedSampler>::replicate(2 * p));
    std::uint64_t const b = root(Avalanche<OrderedSampler>::replicate(2 * p + 1));
    ASSERT_NE(a, b) << "pair " << p;
    parents[a] = b;
  }
}

}  // namespace
}  // namespace riffle::test::uniformity_pair_measures_test
