// The assumptions of BucketShuffle's quality: digits are independent and follow the multinomial distribution, and permutations
// have no dependence at borders of places and of parts. Each test must also reject digits and leaves with known faults.

#include <Kokkos_Core.hpp>
#include <riffle/shuffle.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <ostream>
#include <string>
#include <vector>

#include "support/bucket_shuffle_oracle.hpp"
#include "support/digit_findings.hpp"
#include "support/split_findings.hpp"
#include "support/views.hpp"

namespace riffle::test::bucket_shuffle_quality_test {
namespace {

namespace bucket_shuffle = riffle::detail::bucket_shuffle;

// --- digits ---

/// The digits as all back ends draw them.
DigitList true_digits(std::uint64_t seed, std::uint64_t node, std::uint32_t n) {
  DigitList digits(n);
  for (std::uint32_t i = 0; i < n; ++i) {
    std::uint32_t const place = i % bucket_shuffle::places_per_unit;
    auto const block = bucket_shuffle::digit_block(seed, node, i / 256 * 16 + place % 16);
    digits[i] =
        static_cast<std::uint8_t>(bucket_shuffle::digit(block, static_cast<int>(place / 16)));
  }
  return digits;
}

struct DigitFault {
  std::string name;
  DigitSource source;
  std::string caught_by;
};

void PrintTo(DigitFault const& fault, std::ostream* out) { *out << fault.name; }

/// The digits after change(digits).
template <class Change>
DigitSource changed(Change const& change) {
  return [=](std::uint64_t seed, std::uint64_t node, std::uint32_t n) {
    auto digits = true_digits(seed, node, n);
    change(digits);
    return digits;
  };
}

/// One in 32 of the pairs at this distance has equal digits.
void repeat_at_distance(std::size_t distance, DigitList& digits) {
  for (std::size_t block = 0; block < digits.size(); block += 64 * distance) {
    for (std::size_t i = block; i < block + distance && i + distance < digits.size(); ++i)
      digits[i + distance] = digits[i];
  }
}

DigitFault repeated(std::size_t distance) {
  std::string const number = std::to_string(distance);
  return {"Repeated" + number,
          changed([=](DigitList& digits) { repeat_at_distance(distance, digits); }),
          "pairs " + number + " apart"};
}

/// One bit is always 0.
void stick(DigitList& digits) {
  for (auto& digit : digits) digit &= 0xEF;
}

/// Each unit of 256 places has each digit once, so that counts are too even.
void stratify(DigitList& digits) {
  for (std::size_t unit = 0; unit + 256 <= digits.size(); unit += 256) {
    auto const first = digits.begin() + static_cast<std::ptrdiff_t>(unit);
    std::vector<std::uint8_t> order(256);
    std::iota(order.begin(), order.end(), std::uint8_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::uint8_t a, std::uint8_t b) { return first[a] < first[b]; });
    std::copy(order.begin(), order.end(), first);
  }
}

std::vector<DigitFault> digit_faults() {
  std::vector<DigitFault> faults{
      {"StuckBit", changed(stick), "counts"},
      {"TooEven", changed(stratify), "counts"},
      {"OneStreamForAllNodes", [](auto seed, auto, auto n) { return true_digits(seed, 1, n); },
       "a node and its child"},
      {"OneStreamForTwoNodes",
       [](auto seed, auto node, auto n) { return true_digits(seed, node / 2, n); },
       "neighbouring nodes"},
      {"OneStreamForTwoSeeds",
       [](auto seed, auto node, auto n) { return true_digits((seed + 1) / 2, node, n); },
       "neighbouring seeds"}};
  for (auto const distance : distances()) faults.push_back(repeated(distance));
  return faults;
}

TEST(BucketShuffleDigits, AreIndependentAndUniform) {
  auto const findings = findings_of_digits(true_digits);
  EXPECT_TRUE(passes(findings)) << table(findings);
}

class FaultyDigits : public ::testing::TestWithParam<DigitFault> {};

TEST_P(FaultyDigits, AreCaught) {
  auto const findings = findings_of_digits(GetParam().source);
  EXPECT_FALSE(passes(findings));
  EXPECT_TRUE(rejects(findings, GetParam().caught_by)) << table(findings);
}

INSTANTIATE_TEST_SUITE_P(BucketShuffle, FaultyDigits, ::testing::ValuesIn(digit_faults()),
                         [](auto const& fault) { return fault.param.name; });

// --- permutations made of digits and leaves ---

constexpr std::uint32_t points = bucket_shuffle_fewest_split + 3 * 4096 + 77;
constexpr std::array<std::uint64_t, 4> seeds{1, 2, 0x243F6A8885A308D3u, ~std::uint64_t{0}};

using LeafImages = BucketShuffleOracle::Images;
/// leaf(oracle, size, k) is the permutation of part k.
using LeafSource =
    std::function<LeafImages(BucketShuffleOracle const&, std::uint32_t, std::size_t)>;

/// The library's permutation.
Split true_split(std::uint64_t seed) {
  Kokkos::View<std::uint32_t*> const out("out", points);
  riffle::random_permutation(Kokkos::DefaultExecutionSpace(), out, seed, riffle::BucketShuffle{});
  auto const digits = BucketShuffleOracle(seed).digits(points, 1);
  return {to_vector(out), digits, BucketShuffleOracle::part_bounds(digits)};
}

/// The permutation made of the given digits and leaves.
Split make_split(std::uint64_t seed, DigitSource const& source, LeafSource const& leaf) {
  BucketShuffleOracle const oracle(seed);
  auto const digits = source(seed, 1, points);
  auto const bounds = BucketShuffleOracle::part_bounds(digits);
  std::vector<LeafImages> leaves;
  for (std::size_t k = 0; k < 256; ++k)
    leaves.push_back(leaf(oracle, bounds[k + 1] - bounds[k], k));
  std::array<std::size_t, 256> taken{};
  LeafImages images;
  for (auto const k : digits) images.push_back(bounds[k] + leaves[k][taken[k]++]);
  return {images, digits, bounds};
}

template <class MakeSplit>
std::vector<Finding> findings_of(MakeSplit const& make) {
  std::vector<Split> splits;
  for (auto const seed : seeds) splits.push_back(make(seed));
  return findings_of_splits(splits);
}

LeafImages true_leaf(BucketShuffleOracle const& oracle, std::uint32_t size, std::size_t k) {
  return oracle.leaf(size, 256 + k);
}

TEST(BucketShuffleSplits, AreIndependent) {
  auto const findings = findings_of(true_split);
  EXPECT_TRUE(passes(findings)) << table(findings);
}

// Shows that the faulty permutations below differ from the library's by their fault only.
TEST(BucketShuffleSplits, AreMadeOfDigitsAndLeaves) {
  EXPECT_TRUE(make_split(1, true_digits, true_leaf).images == true_split(1).images);
}

struct SplitFault {
  std::string name;
  DigitSource digits;
  LeafSource leaf;
  std::string caught_by;
};

void PrintTo(SplitFault const& fault, std::ostream* out) { *out << fault.name; }

LeafImages identity_leaf(BucketShuffleOracle const&, std::uint32_t size, std::size_t) {
  return iota<std::uint32_t>(size);
}

LeafImages leaf_of_two_rounds(BucketShuffleOracle const&, std::uint32_t size, std::size_t k) {
  riffle::MixedRadixFeistel const network(size, 1, k, 2);
  LeafImages images(size);
  for (std::uint32_t i = 0; i < size; ++i) images[i] = static_cast<std::uint32_t>(network(i));
  return images;
}

/// The first place of each `period` places has the digit of the place before it.
DigitSource repeated_across_borders(std::size_t period) {
  return changed([=](DigitList& digits) {
    for (std::size_t i = period; i < digits.size(); i += period) digits[i] = digits[i - 1];
  });
}

SplitFault repeated_in_split(std::size_t distance) {
  auto const fault = repeated(distance);
  return {fault.name, fault.source, true_leaf, "images " + std::to_string(distance) + " apart"};
}

std::vector<SplitFault> split_faults() {
  return {{"RepeatedAcrossUnits", repeated_across_borders(256), true_leaf, "images across units"},
          {"RepeatedAcrossTiles", repeated_across_borders(4096), true_leaf, "images across tiles"},
          repeated_in_split(1),
          repeated_in_split(16),
          repeated_in_split(256),
          repeated_in_split(4096),
          {"UnshuffledLeaves", true_digits, identity_leaf, "places across parts"},
          {"OrderedLeaves", true_digits, identity_leaf, "serial correlation within leaves"},
          {"LeavesOfTwoRounds", true_digits, leaf_of_two_rounds, "successions within leaves"},
          {"OneKeyForAllLeaves", true_digits,
           [](auto const& oracle, auto size, auto) { return oracle.leaf(size, 256); },
           "matches of neighbouring leaves"}};
}

class FaultySplits : public ::testing::TestWithParam<SplitFault> {};

TEST_P(FaultySplits, AreCaught) {
  auto const& [name, digits, leaf, caught_by] = GetParam();
  auto const findings =
      findings_of([&](std::uint64_t seed) { return make_split(seed, digits, leaf); });
  EXPECT_FALSE(passes(findings));
  EXPECT_TRUE(rejects(findings, caught_by)) << table(findings);
}

INSTANTIATE_TEST_SUITE_P(BucketShuffle, FaultySplits, ::testing::ValuesIn(split_faults()),
                         [](auto const& fault) { return fault.param.name; });

// --- the null distribution of sums of products, compared with all permutations ---

Moments moments_by_enumeration(std::size_t n, IndexPairs const& pairs) {
  auto sigma = iota<std::uint32_t>(n);
  double count = 0, sum = 0, squares = 0;
  do {
    double const x = sum_of_products(sigma, pairs);
    ++count;
    sum += x;
    squares += x * x;
  } while (std::next_permutation(sigma.begin(), sigma.end()));
  double const mean = sum / count;
  return {mean, squares / count - mean * mean};
}

TEST(SumOfProducts, HasTheMomentsOfAllPermutations) {
  for (std::size_t const n : {4, 5, 6, 7}) {
    for (std::size_t count = 1; count <= n / 2; ++count) {
      IndexPairs pairs;
      for (std::size_t m = 0; m < count; ++m) pairs.emplace_back(2 * m, 2 * m + 1);
      auto const expected = moments_by_enumeration(n, pairs);
      auto const moments = moments_of_products(n, count);
      EXPECT_NEAR(moments.mean, expected.mean, 1e-9) << n << ", " << count;
      EXPECT_NEAR(moments.variance, expected.variance, 1e-9 * (1 + expected.variance))
          << n << ", " << count;
    }
  }
}

}  // namespace
}  // namespace riffle::test::bucket_shuffle_quality_test
