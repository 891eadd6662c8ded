// Weighted samples compared with sorts of all keys, and their probabilities with the probabilities of successive draws.

#include <Kokkos_Core.hpp>
#include <riffle/weighted_sample.hpp>
#include <riffle/workspace.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/thrown_message.hpp"
#include "support/tool_checks.hpp"
#include "support/unsorted_data.hpp"
#include "support/views.hpp"

namespace riffle::test::weighted_sample_test {
namespace {

namespace select = detail::select;

struct PointerTo {
  double const* weights;

  KOKKOS_FUNCTION double operator()(std::uint64_t i) const { return weights[i]; }
};

/// The elements in ascending order of keys; elements of weight 0 are last.
std::vector<std::int64_t> order_of(std::vector<double> const& weights, std::uint64_t seed,
                                   std::uint64_t stream) {
  select::WeightCodes<PointerTo> const codes{{weights.data()}, seed, stream};
  std::vector<std::pair<std::uint64_t, std::int64_t>> keys;
  for (std::size_t i = 0; i < weights.size(); ++i)
    keys.emplace_back(codes(i), static_cast<std::int64_t>(i));
  std::sort(keys.begin(), keys.end());
  std::vector<std::int64_t> order;
  for (auto const& key : keys) order.push_back(key.second);
  return order;
}

/// Random words, with the numbers of leading ones and of zeros after them that are given.
std::vector<std::uint64_t> words() {
  std::vector<std::uint64_t> result{0, 1, 2, ~std::uint64_t{0}, ~std::uint64_t{1}};
  for (std::uint64_t const word : random_values<std::uint64_t>(2000)) {
    result.push_back(word);
    int const shift = static_cast<int>(word % 64);
    result.push_back(word >> shift);
    result.push_back(~(word >> shift));
  }
  return result;
}

// long double has 64 bits on x86, so its error is 2^-64, too.
TEST(WeightedSampleArithmetic, Logarithm) {
  if (std::numeric_limits<long double>::digits < 64) GTEST_SKIP() << "long double is too short";
  auto inputs = words();
  for (std::uint64_t j = 0; j < 4; ++j) {
    for (std::uint64_t const offset : {0u, 1u, 2u}) inputs.push_back((j << 62) + offset);
    inputs.push_back((j << 62) - 1);
  }
  for (std::uint64_t const input : inputs) {
    std::uint64_t const d = input >> 1 | 1;
    long double const exact = -std::log1p(-std::ldexp(static_cast<long double>(d), -64));
    auto const found = static_cast<long double>(select::minus_log(d));
    EXPECT_LE(std::abs(found - std::ldexp(exact, 64)), 5) << d;
    EXPECT_GE(select::minus_log(d), d) << "WeightCodes assumes this";
  }
}

TEST(WeightedSampleArithmetic, ExponentialNumbers) {
  for (std::uint64_t const word : words()) {
    // The middle of the numbers with these bits. 1 - v is exact in a long double for large v.
    auto const v = std::ldexp(static_cast<long double>(word | 1), -64);
    auto const rest = std::ldexp(static_cast<long double>(~word | 1), -64);
    long double const exact = v < 0.5 ? -std::log1p(-v) : -std::log(rest);
    // The number of random bits after the leading ones limits the precision.
    int const ones = 64 - detail::bit_width(~word | 1);
    long double const error = std::ldexp(1.0L, ones - 62) + exact * 0x1p-52L;
    EXPECT_LE(std::abs(select::exponential_of(word) - exact), error) << word;
  }
}

/// The code of weight w is the quotient e / w, as a double where it has one.
TEST(WeightedSampleArithmetic, Codes) {
  constexpr std::uint64_t one = std::uint64_t{1} << 52;
  double const infinity = std::numeric_limits<double>::infinity();
  std::vector<double> const weights{1,        3,       0.7,       1e-300,   1e300,
                                    2.3e-308, 1.7e308, 2.2e-308,  5e-324,   -0.0,
                                    0,        -0.5,    -0x1p1000, infinity, -infinity};
  select::WeightCodes<PointerTo> codes{{weights.data()}, 0, 0};
  for (codes.seed = 0; codes.seed < 300; ++codes.seed) {
    for (std::uint64_t i = 0; i < weights.size(); ++i) {
      double const weight = weights[i];
      std::uint64_t const code = codes(i);
      ASSERT_EQ(code == codes.of_zero, std::abs(weight) < 0x1p-1022) << weight;
      ASSERT_EQ(codes.is_invalid(code), weight <= -0x1p-1022 || weight == infinity) << weight;
      if (code == codes.of_zero || codes.is_invalid(code)) {
        EXPECT_EQ(codes.invalid(code) == weight, codes.is_invalid(code));
        EXPECT_EQ(codes.up_to(code).bound, 0);
        continue;
      }
      auto const block = detail::random_block(codes.seed, 0, detail::Purpose::weights, i);
      double const e = select::exponential_of(std::uint64_t{block[0]} << 32 | block[1]);
      int exponent = 0;
      double const quotient = e / std::frexp(weight, &exponent);
      EXPECT_EQ(code, Kokkos::bit_cast<std::uint64_t>(quotient) +
                          static_cast<std::uint64_t>(1024 - exponent) * one);
      // The bound rejects no element of this code, and most elements of twice the key.
      detail::select::CodedIndex<std::uint64_t> const threshold(code, i + 1);
      EXPECT_TRUE(codes.up_to(code).may_be_below(threshold, weight, i));
      EXPECT_TRUE(exponent < -800 || exponent > 800 || block[0] >> 31 != 0 ||
                  !codes.up_to(code - one).may_be_below(threshold, weight, i));
    }
  }
}

// Two of five elements are drawn one after the other: element i with probability w(i) / sum, then j with probability
// w(j) / (sum - w(i)).
TEST(WeightedSampleArithmetic, ProbabilitiesOfPairs) {
  std::vector<double> const weights{1, 0.25, 3, 0.5, 8};
  double const sum = 12.75;
  int const draws = 20'000;
  std::vector<int> counts(25);
  for (int stream = 0; stream < draws; ++stream) {
    auto const order = order_of(weights, 2006, static_cast<std::uint64_t>(stream));
    ++counts[static_cast<std::size_t>(order[0] * 5 + order[1])];
  }
  double chi_square = 0;
  for (std::size_t i = 0; i < 5; ++i) {
    for (std::size_t j = 0; j < 5; ++j) {
      if (i == j) continue;
      double const expected = draws * weights[i] / sum * weights[j] / (sum - weights[i]);
      chi_square += std::pow(counts[i * 5 + j] - expected, 2) / expected;
    }
  }
  EXPECT_LT(chi_square, 50);  // 19 degrees of freedom: exceeded with probability 1.3e-4
}

template <class Exec>
class WeightedSampleTest : public ::testing::Test {
 protected:
  Exec exec;
  riffle::Workspace<Exec> workspace{exec};
};
TYPED_TEST_SUITE(WeightedSampleTest, ExecutionSpaces, SpaceNames);

/// Weights of many magnitudes, of which some are 0.
std::vector<double> mixed_weights(std::size_t n) {
  std::vector<double> weights;
  for (auto const value : random_values<std::int32_t>(n)) {
    auto const exponent = static_cast<int>(static_cast<std::uint32_t>(value) % 60);
    weights.push_back(exponent == 0 ? -0.0
                                    : std::ldexp(1 + std::abs(value * 0x1p-32), exponent - 55));
  }
  return weights;
}

TYPED_TEST(WeightedSampleTest, IsTheSmallestKeys) {
  Context const context(this->exec, this->workspace);
  // One of two threads, if there are two.
  auto const part = Kokkos::Experimental::partition_space(TypeParam(), 1, 1)[1];
  for (std::size_t const n : {1u, 8000u, 8193u, 60'001u}) {
    auto weights = mixed_weights(n);
    weights[0] = 1;
    auto const in = to_view<TypeParam>(weights);
    auto const order = order_of(weights, 7, 3);
    for (std::size_t const k : {std::size_t{0}, std::size_t{1}, n / 100, n / 2}) {
      auto const expected =
          std::vector<std::int64_t>(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(k));
      auto const out = zeros<TypeParam, std::int64_t>(k);
      Kokkos::fence();
      riffle::weighted_sample(context, in, out, 7, 3);
      EXPECT_TRUE(to_vector(out) == expected) << n << " " << k;
      auto const again = zeros<TypeParam, std::int64_t>(k);
      Kokkos::fence();
      riffle::weighted_sample(part, in, again, 7, 3);
      EXPECT_TRUE(to_vector(again) == expected) << n << " " << k;
    }
  }
}

/// Keys of extreme weights do not fit into a double.
TYPED_TEST(WeightedSampleTest, ExtremeWeights) {
  std::size_t const n = 20'000, k = 50;
  for (double const scale : {2.3e-308, 1e-300, 1e300}) {
    std::vector<double> weights;
    for (std::size_t i = 0; i < n; ++i) weights.push_back(scale * static_cast<double>(1 + i % 7));
    auto order = order_of(weights, 1, 0);
    order.resize(k);
    auto const out = zeros<TypeParam, std::int64_t>(k);
    riffle::weighted_sample(this->exec, to_view<TypeParam>(weights), out, 1);
    EXPECT_EQ(to_vector(out), order) << scale;
  }
}

/// Nearly all weights are 0.
TYPED_TEST(WeightedSampleTest, FewPositiveWeights) {
  std::vector<std::int32_t> weights(50'000);
  for (std::size_t i = 1; i < weights.size(); i += 1000) weights[i] = 3;
  auto const in = to_view<TypeParam>(weights);
  auto const out = zeros<TypeParam, std::int32_t>(50);
  riffle::weighted_sample(this->exec, in, out, 5);
  auto found = to_vector(out);
  std::sort(found.begin(), found.end());
  for (std::size_t k = 0; k < 50; ++k) EXPECT_EQ(found[k], static_cast<std::int32_t>(1000 * k + 1));
  auto const more = zeros<TypeParam, std::int32_t>(51);
  EXPECT_EQ(thrown_message([&] { riffle::weighted_sample(this->exec, in, more, 5); }),
            "riffle::weighted_sample: out.extent(0) = 51: must not exceed the number of positive "
            "weights");
  EXPECT_EQ(to_vector(more), std::vector<std::int32_t>(51));
}

// Invalid weights are found in small and large inputs, and if most weights are invalid.
TYPED_TEST(WeightedSampleTest, InvalidWeights) {
  auto const out = zeros<TypeParam, std::int32_t>(20);
  for (std::size_t const n : {100u, 50'000u}) {
    for (std::size_t const step : {1u, 3u, 77'777u}) {
      std::vector<double> weights(n, 1);
      for (std::size_t i = 77; i < n; i += step) weights[i] = -2.5;
      auto const in = to_view<TypeParam>(weights);
      EXPECT_EQ(thrown_message([&] { riffle::weighted_sample(this->exec, in, out, 5); }),
                "riffle::weighted_sample: weights(77) = -2.5: must be finite and not negative");
    }
  }
}

TYPED_TEST(WeightedSampleTest, GoldenValues) {
  std::vector<double> weights;
  for (int i = 0; i < 100; ++i) weights.push_back(1 + i % 10);
  auto const out = zeros<TypeParam, std::int32_t>(8);
  riffle::weighted_sample(this->exec, to_view<TypeParam>(weights), out, 2026, 1);
  EXPECT_EQ(to_vector(out), (std::vector<std::int32_t>{81, 57, 29, 62, 5, 13, 58, 31}));
}

TYPED_TEST(WeightedSampleTest, LabelsAndInstance) {
  TypeParam const instance = Kokkos::Experimental::partition_space(TypeParam(), 1, 1)[1];
  auto const weights = to_view<TypeParam>(std::vector<double>(20'000, 1));
  auto const out = zeros<TypeParam, std::int32_t>(10);
  Kokkos::fence();
  expect_labels_and_instance(instance,
                             [&](auto const& on) { riffle::weighted_sample(on, weights, out, 1); });
}

TYPED_TEST(WeightedSampleTest, RejectsInvalidArguments) {
  auto const weights = to_view<TypeParam>(std::vector<float>(200, 1));
  auto const out = to_view<TypeParam>(std::vector<std::int32_t>(3, -7));
  auto const message_of = [&](float value) {
    std::vector<float> invalid(200, 1);
    invalid[150] = value;
    return thrown_message(
        [&] { riffle::weighted_sample(this->exec, to_view<TypeParam>(invalid), out, 1); });
  };
  constexpr float infinity = std::numeric_limits<float>::infinity();
  std::string const start = "riffle::weighted_sample: weights(150) = ";
  std::string const end = ": must be finite and not negative";
  EXPECT_EQ(message_of(-0.5), start + "-0.5" + end);
  EXPECT_EQ(message_of(infinity), start + "inf" + end);
  EXPECT_EQ(message_of(-infinity), start + "-inf" + end);
  EXPECT_EQ(message_of(std::numeric_limits<float>::quiet_NaN()), start + "nan" + end);
  EXPECT_EQ(to_vector(out), std::vector<std::int32_t>(3, -7));
  EXPECT_EQ(thrown_message([&] {
              riffle::weighted_sample(this->exec, weights, zeros<TypeParam, std::int32_t>(201), 1);
            }),
            "riffle::weighted_sample: out.extent(0) = 201: must not exceed n = 200");
  EXPECT_EQ(thrown_message([&] {
              riffle::weighted_sample(this->exec, weights, zeros<TypeParam, std::int8_t>(3), 1);
            }),
            "riffle::weighted_sample: n = 200: the value type of out holds no index above 127");
  auto const numbers = to_view<TypeParam>(std::vector<std::int32_t>(200, 1));
  auto const part = Kokkos::subview(numbers, std::pair(10, 14));
  EXPECT_NE(thrown_message([&] {
              riffle::weighted_sample(this->exec, numbers, part, 1);
            }).find("overlap"),
            std::string::npos);
}

}  // namespace
}  // namespace riffle::test::weighted_sample_test
