// Tests of uniformity with invalid samplers and arguments; their results are functions of the samples.

#include <Kokkos_Core.hpp>
#include <riffle/random/random_permutation.hpp>
#include <riffle/uniformity.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/chi_square.hpp"
#include "support/execution_spaces.hpp"
#include "support/permutations.hpp"
#include "support/thrown_message.hpp"
#include "support/uniformity_checks.hpp"

namespace riffle::test::uniformity_test {
namespace {

using uniformity::Arrangements;
using uniformity::Inversions;
using uniformity::Matches;
using uniformity::SerialCorrelation;
using uniformity::Sign;

struct Uniform {
  KOKKOS_FUNCTION RandomPermutation operator()(std::uint64_t n, std::uint64_t r) const {
    return RandomPermutation(n, 17, r);
  }
};

/// The identity; if `is_wrong`, the image of `index` is `value`.
struct AllButOne {
  std::uint64_t index;
  std::uint64_t value;
  bool is_wrong;

  KOKKOS_FUNCTION std::uint64_t operator()(std::uint64_t i) const {
    return is_wrong && i == index ? value : i;
  }
};

/// The identity, except for one value of one replicate.
struct Wrong {
  std::uint64_t replicate;
  std::uint64_t index;
  std::uint64_t value;

  KOKKOS_FUNCTION AllButOne operator()(std::uint64_t, std::uint64_t r) const {
    return {index, value, r == replicate};
  }
};

/// The same sampler by rows.
struct WrongRows {
  Wrong wrong;

  template <class Row>
  KOKKOS_FUNCTION void operator()(std::uint64_t n, std::uint64_t r, Row const& row) const {
    for (std::uint64_t i = 0; i < n; ++i) row[i] = static_cast<std::uint32_t>(wrong(n, r)(i));
  }
};

template <class Exec>
class Uniformity : public ::testing::Test {
 protected:
  Exec const exec_{};

  template <class Sampler>
  std::string message_for(Sampler const& sampler, std::uint64_t n) const {
    return thrown_message<std::invalid_argument>(
        [&] { uniformity::test(exec_, Sign{}, sampler, n, 100); });
  }
};
TYPED_TEST_SUITE(Uniformity, ExecutionSpaces, SpaceNames);

TYPED_TEST(Uniformity, ReportsImagesOutOfRange) {
  for (std::uint64_t const n : {10, 40}) {
    EXPECT_EQ(this->message_for(Wrong{17, 5, n}, n),
              "riffle::uniformity::test: sampler: replicate 17 is no permutation of n = " +
                  std::to_string(n) + " points: index 5 has a value out of range");
  }
}

TYPED_TEST(Uniformity, ReportsTheFirstRepeatedImage) {
  for (std::uint64_t const n : {10, 40}) {
    EXPECT_EQ(this->message_for(WrongRows{{99, 2, 7}}, n),
              "riffle::uniformity::test: sampler: replicate 99 is no permutation of n = " +
                  std::to_string(n) + " points: index 7 repeats the value 7");
  }
}

TYPED_TEST(Uniformity, RejectsWithTheReason) {
  auto const message = [&](auto const& test, std::uint64_t n, std::uint64_t samples) {
    return thrown_message<std::invalid_argument>(
        [&] { uniformity::test(this->exec_, test, Uniform{}, n, samples); });
  };
  EXPECT_EQ(
      message(Arrangements{}, 9, 100),
      "riffle::uniformity::test: n = 9, samples = 100: arrangements: n must be at most 8, for "
      "n! cells");
  EXPECT_EQ(
      message(Arrangements{}, 5, 599),
      "riffle::uniformity::test: n = 5, samples = 599: arrangements: samples must be at least "
      "5 n! = 600");
  EXPECT_EQ(message(Sign{}, 1, 100),
            "riffle::uniformity::test: n = 1, samples = 100: sign: n must be at least 2");
  EXPECT_EQ(message(Sign{}, 5, static_cast<std::uint64_t>(std::int64_t{-1})),
            "riffle::uniformity::test: samples = -1: must be less than 2^63");
  EXPECT_EQ(message(Matches{}, 5, 1),
            "riffle::uniformity::test: n = 5, samples = 1: matches of pairs: samples must be at "
            "least 2");
  EXPECT_EQ(message(Sign{}, 5, 3),
            "riffle::uniformity::test: n = 5, samples = 3: sign: samples must be more: too few for "
            "two cells");
}

// All back ends, single threads and teams have the same counts, and therefore the same p-value.
TYPED_TEST(Uniformity, FindsTheSameOnEachBackEnd) {
  auto const statistic = [&](auto const& test, std::uint64_t n) {
    return uniformity::test(this->exec_, test, Uniform{}, n, 1000).statistic;
  };
  EXPECT_NEAR(statistic(Sign{}, 10), 0.196, 1e-9);
  EXPECT_NEAR(statistic(Sign{}, 50), 2.5, 1e-9);
  EXPECT_NEAR(statistic(Inversions{}, 10), 21.700873962, 1e-9);
  EXPECT_NEAR(statistic(Inversions{}, 50), 22.117500732, 1e-9);
  EXPECT_NEAR(statistic(SerialCorrelation{}, 10), 0.468634883, 1e-9);
  EXPECT_NEAR(statistic(SerialCorrelation{}, 50), 0.011199774, 1e-9);
}

TYPED_TEST(Uniformity, CountsEveryArrangement) {
  std::uint64_t const n = 5;
  std::uint64_t const samples = 1200;
  std::vector<std::uint64_t> counts(120);
  for (std::uint64_t r = 0; r < samples; ++r) ++counts[rank_of(arrangement(Uniform{}(n, r)))];
  auto const result = uniformity::test(this->exec_, Arrangements{}, Uniform{}, n, samples);
  EXPECT_NEAR(result.statistic, chi_square(counts), 1e-9);
  EXPECT_EQ(result.null, "chi-square, 119 df");
  auto const of_identity =
      uniformity::test(this->exec_, Arrangements{}, Wrong{samples, 0, 0}, n, samples);
  EXPECT_NEAR(of_identity.statistic, 119 * samples, 1e-6);
  EXPECT_LT(of_identity.p_value, 1e-300);
}

TYPED_TEST(Uniformity, SamplesAreFunctionsOfTheirNumbers) {
  // With an odd number of samples, the last one has no partner.
  std::uint64_t const samples = 1001;
  std::uint64_t odd = 0;
  for (std::uint64_t r = 0; r < samples; ++r) {
    bool is_odd = false;
    RandomPermutation const sigma = Uniform{}(6, r);
    for (std::uint64_t i = 0; i < 6; ++i) {
      for (std::uint64_t j = i + 1; j < 6; ++j) is_odd ^= sigma(i) > sigma(j);
    }
    odd += is_odd ? 1 : 0;
  }
  double const half = static_cast<double>(samples) / 2;
  double const expected =
      2 * (static_cast<double>(odd) - half) * (static_cast<double>(odd) - half) / half;
  auto const result = uniformity::test(this->exec_, Sign{}, Uniform{}, 6, samples);
  EXPECT_NEAR(result.statistic, expected, 1e-9);
  EXPECT_EQ(result.n, 6u);
  EXPECT_EQ(result.samples, samples);
  EXPECT_EQ(result.test, "sign");
  EXPECT_EQ(result.null, "chi-square, 1 df");
}

}  // namespace
}  // namespace riffle::test::uniformity_test
