// The number of arrangements of permutation schemes, and their errors.

#include <riffle/monte_carlo/permutation_scheme.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "support/permutation_groups.hpp"
#include "support/thrown_message.hpp"

namespace riffle::test::permutation_scheme_counts_test {
namespace {

using Blocks = std::vector<int>;

constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();

/// Returns k blocks of `size` adjacent observations each.
Blocks neighbours(std::size_t k, std::size_t size) {
  Blocks blocks;
  for (std::size_t i = 0; i < k * size; ++i) blocks.push_back(static_cast<int>(i / size));
  return blocks;
}

/// Returns block names from 1 on, which can be negated.
Blocks named_from_1(Blocks blocks) {
  for (int& block : blocks) ++block;
  return blocks;
}
Blocks negative(Blocks blocks) {
  for (int& block : blocks) block = -block - 1;
  return blocks;
}

TEST(PermutationSchemeCountsTest, MatchBruteForce) {
  for (auto const& of : scheme_cases()) {
    EXPECT_EQ(of.scheme.arrangements(), all_arrangements(of).size()) << of.name;
    EXPECT_EQ(of.scheme.size(), static_cast<std::uint64_t>(of.n)) << of.name;
    EXPECT_EQ(of.scheme.permutes(), group_of(of.n, of.swaps).size() > 1) << of.name;
    EXPECT_EQ(of.scheme.flips_signs(), !of.sign_unit.empty()) << of.name;
  }
}

// All types of six observations, in schemes in which units can be interchangeable in several ways.
TEST(PermutationSchemeCountsTest, MatchBruteForceWithEqualValues) {
  Blocks const blocks{0, 1, 1, 0, 2, 2};
  std::vector<PlaceSwap> const wholes{{{0, 3}, {1, 2}}, {{0, 3}, {4, 5}}};
  auto const inside = all_swaps_of({0, 3}) + all_swaps_of({1, 2}) + all_swaps_of({4, 5});
  for (int code = 0; code < 729; ++code) {
    Blocks types;
    for (int i = 0, rest = code; i < 6; ++i, rest /= 3) types.push_back(rest % 3);
    for (SchemeCase const& of : {
             SchemeCase{"whole", PermutationScheme::whole_blocks(blocks), 6, wholes, {}, types},
             SchemeCase{"within_and_whole",
                        PermutationScheme::within_and_whole_blocks(blocks),
                        6,
                        wholes + inside,
                        {},
                        types},
         }) {
      ASSERT_EQ(of.scheme.with_equal_observations(types).arrangements(),
                all_arrangements(of).size())
          << of.name << " " << code;
    }
  }
}

TEST(PermutationSchemeCountsTest, MatchBruteForceWithEqualValuesInNestedBlocks) {
  for (int code = 0; code < 256; ++code) {
    auto const of = twins_of_types(code);
    ASSERT_EQ(of.scheme.arrangements(), all_arrangements(of).size()) << of.name;
  }
}

// library(permute) of R, 0.9.7: numPerms(n, how(...)) with the arguments in each comment.
TEST(PermutationSchemeCountsTest, MatchPermute) {
  // numPerms(20, how())
  EXPECT_EQ(PermutationScheme::free(20).arrangements(), 2432902008176640000u);
  // blocks = factor(c(1,1,2,2,2,3,3,3,3))
  EXPECT_EQ(PermutationScheme::within_blocks({1, 1, 2, 2, 2, 3, 3, 3, 3}).arrangements(), 288u);
  // blocks = gl(4,2)
  EXPECT_EQ(PermutationScheme::pairs(neighbours(4, 2)).arrangements(), 16u);
  // plots = Plots(strata = gl(4,2), type = "free"), within = Within(type = "none")
  EXPECT_EQ(PermutationScheme::whole_blocks(neighbours(4, 2)).arrangements(), 24u);
  // plots = Plots(strata = gl(3,3), type = "free"), within = Within(type = "free")
  EXPECT_EQ(PermutationScheme::within_and_whole_blocks(neighbours(3, 3)).arrangements(), 1296u);
  // blocks = gl(2,6), plots = Plots(strata = gl(6,2), type = "free"), within = Within(type = "none")
  EXPECT_EQ(PermutationScheme::nested({named_from_1(neighbours(2, 6)), negative(neighbours(6, 2))})
                .arrangements(),
            36u);
  // likewise with within = Within(type = "free")
  EXPECT_EQ(
      PermutationScheme::nested({named_from_1(neighbours(2, 6)), named_from_1(neighbours(6, 2))})
          .arrangements(),
      2304u);
}

TEST(PermutationSchemeCountsTest, SaturateAt64Bits) {
  EXPECT_EQ(PermutationScheme::free(20).arrangements(), 2432902008176640000u);
  EXPECT_EQ(PermutationScheme::free(21).arrangements(), most);
  EXPECT_EQ(PermutationScheme::free(100000).arrangements(), most);
  EXPECT_EQ(PermutationScheme::sign_flips(63).arrangements(), std::uint64_t{1} << 63);
  EXPECT_EQ(PermutationScheme::sign_flips(64).arrangements(), most);
  EXPECT_EQ(PermutationScheme::sign_flips(1000).arrangements(), most);
  EXPECT_EQ(PermutationScheme::pairs(neighbours(63, 2)).arrangements(), std::uint64_t{1} << 63);
  EXPECT_EQ(PermutationScheme::pairs(neighbours(64, 2)).arrangements(), most);
  // 20! 2^2 is below 2^64; 20! 2^3 is not.
  Blocks signs(20, 0);
  signs[0] = 1;
  auto const two = PermutationScheme::free(20).with_block_sign_flips(signs);
  EXPECT_EQ(two.arrangements(), 4 * 2432902008176640000u);
  signs[1] = 2;
  EXPECT_EQ(two.with_block_sign_flips(signs).arrangements(), most);
}

TEST(PermutationSchemeCountsTest, OfTwoSamplesAreBinomial) {
  auto const count = [](std::size_t n_1, std::size_t n_2) {
    Blocks types(n_1 + n_2, 0);
    for (std::size_t i = 0; i < n_2; ++i) types[2 * i < n_1 ? 2 * i : n_1 + i] = 1;
    return PermutationScheme::free(types.size()).with_equal_observations(types).arrangements();
  };
  EXPECT_EQ(count(10, 10), 184756u);
  EXPECT_EQ(count(33, 33), 7219428434016265740u);  // math.comb(66, 33)
  EXPECT_EQ(count(34, 34), most);                  // math.comb(68, 34) is 28453041475240576740
  EXPECT_EQ(count(99999, 1), 100000u);
  EXPECT_EQ(count(99999, 2), 5000050000u);
}

TEST(PermutationSchemeCountsTest, CopiesShareTheirData) {
  auto const plain = PermutationScheme::free(4);
  auto const copy = plain;
  auto const flipped = copy.with_sign_flips();
  EXPECT_EQ(&plain.layout(), &copy.layout());
  EXPECT_EQ(plain.arrangements(), 24u);
  EXPECT_FALSE(plain.flips_signs());
  EXPECT_EQ(flipped.arrangements(), 384u);
  // New sign flips replace the first ones.
  EXPECT_EQ(flipped.with_block_sign_flips({1, 1, 2, 2}).arrangements(), 96u);
}

TEST(PermutationSchemeCountsTest, ZeroAndOneObservationsHaveOneArrangement) {
  for (Blocks const& blocks : {Blocks{}, Blocks{17}}) {
    for (PermutationScheme const& scheme :
         {PermutationScheme::free(blocks.size()), PermutationScheme::within_blocks(blocks),
          PermutationScheme::whole_blocks(blocks),
          PermutationScheme::within_and_whole_blocks(blocks), PermutationScheme::nested({blocks}),
          PermutationScheme::free(blocks.size()).with_equal_observations(blocks)}) {
      EXPECT_EQ(scheme.size(), blocks.size());
      EXPECT_EQ(scheme.arrangements(), 1u);
      EXPECT_FALSE(scheme.permutes());
    }
    EXPECT_EQ(PermutationScheme::sign_flips(blocks.size()).arrangements(), 1u << blocks.size());
  }
  EXPECT_EQ(PermutationScheme::nested({}).size(), 0u);
  EXPECT_EQ(PermutationScheme::pairs({}).arrangements(), 1u);
}

TEST(PermutationSchemeCountsTest, NestedBlocksOfOneLevelAreBlocks) {
  Blocks const blocks{3, 1, 3, 1, 1};
  EXPECT_EQ(PermutationScheme::nested({blocks}).arrangements(), 12u);
  EXPECT_EQ(PermutationScheme::nested({{-3, 1, -3, 1, 1}}).arrangements(), 6u);
  EXPECT_EQ(PermutationScheme::nested({{-3, -1, -3, -1, -1}}).arrangements(), 1u);
  // With names of observations in the last level, as in PALM's files.
  EXPECT_EQ(PermutationScheme::nested({blocks, {1, 2, 3, 4, 5}}).arrangements(), 12u);
  EXPECT_EQ(PermutationScheme::nested({blocks, {-1, 2, 3, -4, 5}}).arrangements(), 12u);
}

TEST(PermutationSchemeErrorsTest, NameTheBlock) {
  EXPECT_EQ(thrown_message([] {
              PermutationScheme::whole_blocks({5, 5, -3, 5, -3});
            }),
            "riffle::PermutationScheme::whole_blocks: block 5 has 3 observations and block -3 has "
            "2: must be "
            "equal, as blocks are exchanged as wholes");
  EXPECT_EQ(thrown_message([] {
              PermutationScheme::within_and_whole_blocks({5, 6, 6});
            }),
            "riffle::PermutationScheme::within_and_whole_blocks: block 5 has 1 observations and "
            "block 6 has "
            "2: must be equal, as blocks are exchanged as wholes");
  EXPECT_EQ(thrown_message([] {
              PermutationScheme::pairs({1, 2, 1, 4, 2, 2});
            }),
            "riffle::PermutationScheme::pairs: pair 2 has 3 observations: must have 2");
  EXPECT_EQ(thrown_message([] { PermutationScheme::pairs({1}); }),
            "riffle::PermutationScheme::pairs: pair 1 has 1 observations: must have 2");
}

TEST(PermutationSchemeErrorsTest, NameTheLevel) {
  EXPECT_EQ(thrown_message([] {
              PermutationScheme::nested({{1, 1}, {1, 1, 1}});
            }),
            "riffle::PermutationScheme::nested: level 1 has 3 observations and level 0 has 2: must "
            "be equal");
  EXPECT_EQ(thrown_message([] {
              PermutationScheme::nested({{1, 1}, {1, 0}});
            }),
            "riffle::PermutationScheme::nested: level 1, observation 1: block 0 has no sign that "
            "could be "
            "changed");
  EXPECT_EQ(thrown_message([] {
              PermutationScheme::nested({{1, 1}, {std::numeric_limits<int>::min(), 1}});
            }),
            "riffle::PermutationScheme::nested: level 1, observation 0: block -2147483648 has no "
            "sign that "
            "could be changed");
  EXPECT_EQ(thrown_message([] {
              PermutationScheme::nested({{1, 1, 1, 1}, {2, 3, -2, 3}});
            }),
            "riffle::PermutationScheme::nested: level 1, block 2: observation 2 has another sign "
            "than those "
            "before it: a block must have one sign");
  EXPECT_EQ(thrown_message([] {
              PermutationScheme::nested({{4, 4, 4, 4, 4}, {2, 3, 2, 3, 3}});
            }),
            "riffle::PermutationScheme::nested: level 0, block 4: its members 2 of 2 observations "
            "and 3 of "
            "3 must have the same structure, as they are exchanged as wholes");
  // The numbers of observations are equal, but only the twins of one pair can be swapped.
  EXPECT_EQ(thrown_message([] {
              PermutationScheme::nested({{4, 4, 4, 4}, {2, 2, -3, -3}});
            }),
            "riffle::PermutationScheme::nested: level 0, block 4: its members 2 of 2 observations "
            "and 3 of "
            "2 must have the same structure, as they are exchanged as wholes");
  EXPECT_EQ(PermutationScheme::nested({{-4, -4, -4, -4}, {2, 2, -3, -3}}).arrangements(), 2u);
  // A name identifies a block inside its outer block: both have their own block 1, with its own sign.
  EXPECT_EQ(PermutationScheme::nested({{1, 1, 2, 2}, {1, 1, -1, -1}}).arrangements(), 2u);
}

TEST(PermutationSchemeErrorsTest, NameTheSizes) {
  EXPECT_EQ(thrown_message([] { PermutationScheme::free(std::uint64_t{1} << 31); }),
            "riffle::PermutationScheme::free: n = 2147483648 observations: must be less than 2^31");
  EXPECT_EQ(thrown_message([] { PermutationScheme::sign_flips(~std::uint64_t{0}); }),
            "riffle::PermutationScheme::sign_flips: n = 18446744073709551615 observations: must be "
            "less than "
            "2^31");
  EXPECT_EQ(thrown_message([] {
              PermutationScheme::free(3).with_block_sign_flips({1, 2});
            }),
            "riffle::PermutationScheme::with_block_sign_flips: block_of.size() = 2: must be the "
            "number of "
            "observations, 3");
  EXPECT_EQ(thrown_message([] {
              PermutationScheme::free(3).with_equal_observations({1, 2, 3, 4});
            }),
            "riffle::PermutationScheme::with_equal_observations: type_of.size() = 4: must be the "
            "number of "
            "observations, 3");
}

// The product of permutations and signs would count some arrangements twice.
TEST(PermutationSchemeErrorsTest, RejectsSignsWithinEqualObservations) {
  std::string const parted =
      "permutations part observations whose signs change together: must not, where observations of "
      "one type are alike";
  auto const free = PermutationScheme::free(4);
  EXPECT_EQ(thrown_message([&] {
              free.with_block_sign_flips({1, 1, 2, 2}).with_equal_observations({0, 0, 0, 0});
            }),
            "riffle::PermutationScheme::with_equal_observations: " + parted);
  EXPECT_EQ(thrown_message([&] {
              free.with_equal_observations({0, 0, 0, 0}).with_block_sign_flips({1, 1, 2, 2});
            }),
            "riffle::PermutationScheme::with_block_sign_flips: " + parted);
  // One sign unit of all observations stays together, and so do sign units that move as wholes.
  EXPECT_EQ(
      free.with_block_sign_flips({1, 1, 1, 1}).with_equal_observations({0, 0, 0, 0}).arrangements(),
      2u);
  // A sign unit that overlaps two blocks that move as wholes is split by permutations.
  EXPECT_NE(thrown_message([] {
              PermutationScheme::whole_blocks({0, 0, 1, 1})
                  .with_block_sign_flips({0, 1, 1, 2})
                  .with_equal_observations({0, 0, 0, 0});
            }),
            "nothing was thrown");
  EXPECT_EQ(PermutationScheme::whole_blocks({0, 0, 1, 1})
                .with_block_sign_flips({0, 1, 0, 1})
                .with_equal_observations({0, 0, 0, 0})
                .arrangements(),
            4u);
  EXPECT_EQ(PermutationScheme::whole_blocks({0, 0, 1, 1})
                .with_block_sign_flips({0, 1, 2, 3})
                .with_equal_observations({0, 0, 0, 0})
                .arrangements(),
            16u);
}

}  // namespace
}  // namespace riffle::test::permutation_scheme_counts_test
