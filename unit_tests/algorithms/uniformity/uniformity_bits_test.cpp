#include <riffle/uniformity/detail/bit_test.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <riffle/uniformity.hpp>

#include "support/execution_spaces.hpp"
#include "support/lehmer_sampler.hpp"
#include "support/uniformity_oracle.hpp"
#include "support/workers.hpp"

namespace riffle::test::uniformity_bits_test {
namespace {

using namespace detail::uniformity;
using Exec = Kokkos::DefaultExecutionSpace;
using Bits = std::vector<int>;

/// Which digits give bits, and these bits, by their definition.
std::pair<std::vector<bool>, Bits> bits_of(oracle::Permutation const& sigma) {
  std::vector<bool> gives;
  Bits bits;
  for (std::size_t i = 0; i + 1 < sigma.size() && i < 64; ++i) {
    auto const width = static_cast<int>(std::floor(std::log2(sigma.size() - i)));
    std::int64_t const digit = oracle::lehmer_digit(sigma, i);
    gives.push_back(digit < std::int64_t{1} << width);
    for (int b = 0; gives.back() && b < width; ++b)
      bits.push_back(static_cast<int>(digit >> b & 1));
  }
  return {gives, bits};
}

TEST(UniformityBits, NumberMatchesEnumeration) {
  for (std::size_t n = 0; n <= 7; ++n)
    oracle::expect_exact(bit_count_distribution(n), n, [](oracle::Permutation const& sigma) {
      return std::ssize(bits_of(sigma).second);
    });
}

TEST(UniformityBits, NumberHasProbabilities) {
  for (std::uint64_t const n : {65, 1000, 1 << 20}) {
    auto const bits = bit_count_distribution(n);
    EXPECT_NEAR(bits.upper_tail(0), 1, 1e-12);
    double mean = 0;
    for (std::uint64_t i = 0; i < 64; ++i) {
      double const width = std::floor(std::log2(static_cast<double>(n - i)));
      mean += width * std::exp2(width) / static_cast<double>(n - i);
    }
    EXPECT_NEAR(bits.mean(), mean, 1e-10 * mean);
  }
}

// The null hypothesis of all three tests: whichever digits give bits, all values of the bits are equally likely.
TEST(UniformityBits, AreFairWhicheverDigitsGiveThem) {
  for (std::size_t n = 2; n <= 7; ++n) {
    std::map<std::vector<bool>, std::map<Bits, int>> counts;
    oracle::visit_all(n, [&](oracle::Permutation const& sigma) {
      auto const [gives, bits] = bits_of(sigma);
      ++counts[gives][bits];
    });
    for (auto const& [gives, strings] : counts) {
      EXPECT_EQ(strings.size(), std::size_t{1} << strings.begin()->first.size());
      for (auto const& [bits, count] : strings) EXPECT_EQ(count, strings.begin()->second);
    }
  }
}

/// The expected counts of the three observers.
struct Expected {
  std::vector<std::uint64_t> ones = std::vector<std::uint64_t>(2);
  std::vector<std::uint64_t> changes = std::vector<std::uint64_t>(2);
  std::vector<std::uint64_t> bytes = std::vector<std::uint64_t>(256);

  void add(Bits const& bits) {
    for (std::size_t i = 0; i < bits.size(); ++i) {
      ones[0] += static_cast<std::uint64_t>(bits[i]);
      ++ones[1];
      if (i == 0) continue;
      changes[0] += bits[i] != bits[i - 1] ? 1 : 0;
      ++changes[1];
    }
    for (std::size_t i = 0; i + 8 <= bits.size(); i += 8) {
      std::size_t byte = 0;
      for (std::size_t b = 0; b < 8; ++b) byte |= static_cast<std::size_t>(bits[i + b]) << b;
      ++bytes[byte];
    }
  }
};

template <class Exec>
class UniformityBitsInKernels : public ::testing::Test {};
TYPED_TEST_SUITE(UniformityBitsInKernels, ExecutionSpaces, SpaceNames);

template <class Exec>
struct Observers {
  Exec exec;
  BitObserver<Exec, OneReader> ones{exec};
  BitObserver<Exec, ChangeReader> changes{exec};
  BitObserver<Exec, ByteReader> bytes{exec};

  void expect(Expected const& expected, std::uint64_t n) const {
    EXPECT_EQ(counts_of<Exec>(exec, ones.counters), expected.ones) << "n = " << n;
    EXPECT_EQ(counts_of<Exec>(exec, changes.counters), expected.changes) << "n = " << n;
    EXPECT_EQ(counts_of<Exec>(exec, bytes.counters), expected.bytes) << "n = " << n;
  }
};

TYPED_TEST(UniformityBitsInKernels, MatchTheLehmerCode) {
  FisherYates const sampler{4};
  for (std::uint64_t const n : {2, 3, 9, 64, 65, 300}) {
    Draws const draws{n, 50};
    Expected expected;
    for (std::uint64_t r = 0; r < draws.samples; ++r) {
      auto const sigma = permutation_of(sampler, n, r);
      expected.add(bits_of({sigma.begin(), sigma.end()}).second);
    }
    Observers<TypeParam> const found;
    observe_draws(Context(found.exec, "test"), "test", draws, sampler,
                  observer_list(found.ones, found.changes, found.bytes));
    found.expect(expected, n);
    Observers<TypeParam> const by_teams;
    observe_by_teams<TypeParam>(draws, sampler, by_teams.ones, by_teams.changes, by_teams.bytes);
    by_teams.expect(expected, n);
  }
}

template <class Test, class Sampler>
double p_of(Test const& test, Sampler const& sampler, std::uint64_t n, std::uint64_t samples) {
  return uniformity::test(Exec(), test, sampler, n, samples).p_value;
}

TEST(UniformityBits, AcceptsUniformPermutations) {
  for (std::uint64_t const n : {5, 33, 500}) {
    FisherYates const sampler{n};
    std::vector<double> p{p_of(BitCountTest{}, sampler, n, 3000),
                          p_of(BitTransitionTest{}, sampler, n, 3000)};
    if (n > 5) p.push_back(p_of(ByteTest{}, sampler, n, 3000));
    for (double const value : p) {
      EXPECT_GT(value, 0.001) << "n = " << n;
      EXPECT_LT(value, 0.999) << "n = " << n;
    }
  }
}

/// One digit in 16 is made even.
struct EvenDigits {
  KOKKOS_FUNCTION std::uint64_t operator()(std::uint64_t, std::uint64_t digit,
                                           std::uint64_t chance) const {
    return chance % 16 == 0 ? digit & ~std::uint64_t{1} : digit;
  }
};

/// In one digit of 16, bit 1 is a copy of bit 0: the bits are fair, but change less often. For even sizes.
struct StickyDigits {
  KOKKOS_FUNCTION std::uint64_t operator()(std::uint64_t size, std::uint64_t digit,
                                           std::uint64_t chance) const {
    std::uint64_t const alike = (digit & ~std::uint64_t{2}) | (digit & 1) << 1;
    return chance % 16 == 0 && alike < size ? alike : digit;
  }
};

/// Bytes with an even number of ones: all pairs of bits are fair, but half of the byte values do not occur.
struct EvenBytes {
  KOKKOS_FUNCTION std::uint64_t operator()(std::uint64_t, std::uint64_t digit,
                                           std::uint64_t) const {
    return digit < 256 ? digit ^ (ones_of(digit) & 1) : digit;
  }
};

TEST(UniformityBits, RejectsUnequalBits) {
  EXPECT_LT(p_of(BitCountTest{}, LehmerSampler<EvenDigits>{}, 100, 2000), 1e-6);
}

TEST(UniformityBits, RejectsStickyBits) {
  EXPECT_LT(p_of(BitTransitionTest{}, LehmerSampler<StickyDigits>{}, 100, 2000), 1e-6);
}

// With 319 points all 64 digits have eight bits.
TEST(UniformityBits, RejectsUnequalBytes) {
  LehmerSampler<EvenBytes> const sampler;
  EXPECT_LT(p_of(ByteTest{}, sampler, 319, 500), 1e-6);
  EXPECT_GT(p_of(BitCountTest{}, sampler, 319, 500), 1e-3);
  EXPECT_GT(p_of(BitTransitionTest{}, sampler, 319, 500), 1e-3);
}

/// All digits are the largest, and give bits only if they are one less than a power of two.
struct Reversed {
  KOKKOS_FUNCTION void operator()(std::uint64_t n, std::uint64_t, Row const& row) const {
    for (std::uint64_t i = 0; i < n; ++i) row[i] = static_cast<std::uint32_t>(n - 1 - i);
  }
};

TEST(UniformityBits, RejectsTheReversal) {
  EXPECT_LT(p_of(BitCountTest{}, Reversed{}, 1000, 100), 1e-6);
  EXPECT_LT(p_of(BitTransitionTest{}, Reversed{}, 1000, 100), 1e-6);
  EXPECT_LT(p_of(ByteTest{}, Reversed{}, 1000, 100), 1e-6);
}

TEST(UniformityBits, UsesTheExactDistribution) {
  auto const count = BitCountTest{}.plan(5, 100).evaluate({40, 100});
  EXPECT_EQ(count.null, "binomial, 1/2 of 100");
  EXPECT_EQ(count.statistic, 40);
  EXPECT_NEAR(count.p_value, 0.05688793, 1e-8);  // 2 P(X <= 40)
  auto const bytes = ByteTest{}.plan(100, 1000).evaluate(std::vector<std::uint64_t>(256, 10));
  EXPECT_EQ(bytes.null, "chi-square, 255 df");
  EXPECT_EQ(bytes.statistic, 0);
  EXPECT_EQ(bytes.p_value, 1);
}

TEST(UniformityBits, RejectsInvalidArguments) {
  EXPECT_EQ(BitCountTest{}.plan(1, 100).refusal, "n must be at least 2");
  EXPECT_EQ(BitCountTest{}.plan(2, 99).refusal,
            "samples must be more: 99 bits are expected, fewer than 100");
  EXPECT_EQ(BitCountTest{}.plan(2, 100).refusal, "");
  EXPECT_EQ(BitTransitionTest{}.plan(2, 1000).refusal,
            "n must be larger: there are no changes of bits");
  EXPECT_EQ(ByteTest{}.plan(5, 1000000).refusal, "n must be larger: there are no bytes");
  EXPECT_EQ(ByteTest{}.plan(319, 40).refusal, "");
}

}  // namespace
}  // namespace riffle::test::uniformity_bits_test
