// Random and enumerated arrangements in Views, on every execution space.

#include <Kokkos_Core.hpp>
#include <riffle/context.hpp>
#include <riffle/monte_carlo/permutation_scheme.hpp>
#include <riffle/monte_carlo/permutation_scheme_views.hpp>
#include <riffle/workspace.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <type_traits>
#include <vector>

#include "support/chi_square.hpp"
#include "support/execution_spaces.hpp"
#include "support/matrices.hpp"
#include "support/permutation_groups.hpp"
#include "support/thrown_message.hpp"
#include "support/tool_checks.hpp"

namespace riffle::test::permutation_scheme_views_test {
namespace {

using Blocks = std::vector<int>;
using Rows = std::vector<Places>;

template <class Exec>
using Matrix = Kokkos::View<int**, Kokkos::LayoutRight, typename Exec::memory_space>;

template <class Exec>
Matrix<Exec> matrix_for(PermutationScheme const& scheme, std::size_t rows) {
  return Matrix<Exec>("matrix", rows, scheme.size());
}

template <class Exec>
Rows random_permutations(PermutationScheme const& scheme, std::uint64_t seed, std::uint64_t first,
                         std::size_t rows) {
  auto const permutations = matrix_for<Exec>(scheme, rows);
  fill_permutations(Exec(), scheme, seed, first, permutations);
  return to_rows(permutations);
}

template <class Exec>
Rows random_signs(PermutationScheme const& scheme, std::uint64_t seed, std::uint64_t first,
                  std::size_t rows) {
  auto const signs = matrix_for<Exec>(scheme, rows);
  fill_signs(Exec(), scheme, seed, first, signs);
  return to_rows(signs);
}

Places identity(int n) {
  Places images(static_cast<std::size_t>(n));
  std::iota(images.begin(), images.end(), 0);
  return images;
}

/// Returns 1 for each sign that changes.
std::string changes(Places const& signs) {
  std::string text;
  for (int const sign : signs) text += sign == 1 ? '0' : sign == -1 ? '1' : '?';
  return text;
}

template <class Exec>
class PermutationSchemeViewsTest : public ::testing::Test {};
TYPED_TEST_SUITE(PermutationSchemeViewsTest, ExecutionSpaces, SpaceNames);

// From a model in Python with integers, of Philox, the words that draws share, and the swaps.
TYPED_TEST(PermutationSchemeViewsTest, GoldenPermutations) {
  auto const drawn = [](PermutationScheme const& scheme, std::uint64_t seed,
                        std::uint64_t replicate) {
    return random_permutations<TypeParam>(scheme, seed, replicate, 1)[0];
  };
  EXPECT_EQ(drawn(PermutationScheme::free(5), 1, 0), (Places{4, 3, 0, 2, 1}));
  EXPECT_EQ(drawn(PermutationScheme::free(5), 1, 1), (Places{1, 2, 4, 3, 0}));
  EXPECT_EQ(drawn(PermutationScheme::within_blocks({8, 4, 4, 8, 8, 4, 4, 4, 4}), 7, 2),
            (Places{3, 5, 7, 0, 4, 8, 6, 2, 1}));
  Blocks const blocks{2, 1, 2, 1, 0, 0};
  EXPECT_EQ(drawn(PermutationScheme::whole_blocks(blocks), 7, 2), (Places{1, 0, 3, 2, 4, 5}));
  EXPECT_EQ(drawn(PermutationScheme::within_and_whole_blocks(blocks), 123456789012345,
                  std::uint64_t{1} << 40),
            (Places{5, 2, 4, 0, 1, 3}));
  // In both, a word is rejected and drawn again: one in the first block, and word 11.
  EXPECT_EQ(drawn(PermutationScheme::free(14), 12398, 0),
            (Places{2, 9, 12, 10, 0, 6, 1, 7, 3, 5, 4, 13, 8, 11}));
  EXPECT_EQ(
      drawn(PermutationScheme::free(60), 85, 1),
      (Places{1,  36, 38, 22, 31, 48, 37, 0,  19, 21, 5,  23, 29, 43, 54, 24, 33, 42, 12, 49,
              20, 57, 28, 25, 44, 7,  39, 8,  58, 47, 41, 18, 32, 13, 11, 46, 6,  10, 45, 30,
              17, 56, 50, 55, 27, 4,  9,  35, 2,  26, 15, 53, 14, 40, 34, 52, 3,  51, 16, 59}));
  // So many observations that some words decide one draw, some two and some more.
  auto const longer = drawn(PermutationScheme::free(5000), 3, 9);
  EXPECT_EQ(Places(longer.begin(), longer.begin() + 4), (Places{2611, 4843, 4969, 1231}));
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < longer.size(); ++i) sum += static_cast<std::int64_t>(i) * longer[i];
  EXPECT_EQ(sum, 31050431762);
}

TYPED_TEST(PermutationSchemeViewsTest, GoldenSigns) {
  auto const drawn = [](std::uint64_t n, std::uint64_t replicate) {
    return changes(random_signs<TypeParam>(PermutationScheme::sign_flips(n), 5, replicate, 1)[0]);
  };
  EXPECT_EQ(drawn(10, 6), "0111010111");
  EXPECT_EQ(drawn(40, 7), "0111110101001110110011011100110011010000");
  EXPECT_EQ(drawn(200, 7),
            "00110100111001010100111111010110000001101110000011000010110010101101010100001101"
            "00011000101111010111100101110001011100110111111111110101111111101010111110001101"
            "1111011011110100011101011100101001011001");
}

// Replicates do not depend on whether they are written alone, in parts, or with signs.
TYPED_TEST(PermutationSchemeViewsTest, ReplicatesAreFunctionsOfTheirNumbers) {
  auto const scheme =
      PermutationScheme::within_and_whole_blocks({0, 0, 0, 1, 1, 1, 2, 2, 2}).with_sign_flips();
  auto const permutations = matrix_for<TypeParam>(scheme, 50);
  auto const signs = matrix_for<TypeParam>(scheme, 50);
  fill_arrangements(TypeParam(), scheme, 11, 100, permutations, signs);
  auto const all = to_rows(permutations);
  auto const all_signs = to_rows(signs);
  EXPECT_EQ(random_permutations<TypeParam>(scheme, 11, 100, 50), all);
  EXPECT_EQ(random_signs<TypeParam>(scheme, 11, 100, 50), all_signs);
  for (std::size_t k = 0; k < 50; ++k) {
    EXPECT_EQ(random_permutations<TypeParam>(scheme, 11, 100 + k, 1)[0], all[k]);
    EXPECT_EQ(random_signs<TypeParam>(scheme, 11, 100 + k, 1)[0], all_signs[k]);
  }
  EXPECT_NE(random_permutations<TypeParam>(scheme, 12, 100, 50), all);
  EXPECT_NE(random_signs<TypeParam>(scheme, 12, 100, 50), all_signs);
}

TYPED_TEST(PermutationSchemeViewsTest, RandomPermutationsAreInTheGroup) {
  for (auto const& of : scheme_cases()) {
    auto const group = group_of(of.n, of.swaps);
    for (auto const& row : random_permutations<TypeParam>(of.scheme, 5, 0, 40)) {
      ASSERT_EQ(group.count(row), 1u) << of.name;
    }
    for (auto const& row : random_signs<TypeParam>(of.scheme, 5, 0, 40)) {
      bool found = false;
      for (unsigned choice = 0; choice < 1u << sign_units(of); ++choice) {
        found = found || row == signs_of_choice(of, choice);
      }
      ASSERT_TRUE(found) << of.name;
    }
  }
}

TYPED_TEST(PermutationSchemeViewsTest, EnumerationsHaveEachArrangementOnce) {
  auto cases = scheme_cases();
  for (int code = 0; code < 256; code += 5) cases.push_back(twins_of_types(code));
  for (auto const& of : cases) {
    auto const count = static_cast<std::size_t>(of.scheme.arrangements());
    auto const permutations = matrix_for<TypeParam>(of.scheme, count);
    auto const signs = matrix_for<TypeParam>(of.scheme, count);
    enumerate_arrangements(TypeParam(), of.scheme, 0, permutations, signs);
    auto const rows = to_rows(permutations);
    auto const rows_of_signs = to_rows(signs);
    auto const group = group_of(of.n, of.swaps);
    std::set<Arrangement> found;
    for (std::size_t k = 0; k < count; ++k) {
      ASSERT_EQ(group.count(rows[k]), 1u) << of.name << " " << k;
      found.insert(arrangement_of(of, rows[k], rows_of_signs[k]));
    }
    EXPECT_EQ(found, all_arrangements(of)) << of.name;
    EXPECT_EQ(rows[0], identity(of.n)) << of.name;
    EXPECT_EQ(rows_of_signs[0], Places(static_cast<std::size_t>(of.n), 1)) << of.name;
    // In parts, and permutations and signs alone.
    std::size_t const first = count / 3;
    auto const part = matrix_for<TypeParam>(of.scheme, count - first);
    enumerate_permutations(TypeParam(), of.scheme, first, part);
    EXPECT_EQ(to_rows(part), Rows(rows.begin() + static_cast<std::ptrdiff_t>(first), rows.end()));
    enumerate_signs(TypeParam(), of.scheme, first, part);
    EXPECT_EQ(to_rows(part), Rows(rows_of_signs.begin() + static_cast<std::ptrdiff_t>(first),
                                  rows_of_signs.end()));
  }
}

// R, library(permute) 0.9.7: allPerms(5, how(blocks = factor(c(1,2,1,2,2)), observed = TRUE)) - 1 and
// allPerms(6, how(plots = Plots(strata = factor(c(1,2,1,2,3,3)), type = "free"), within = Within(type = "none"),
// observed = TRUE)) - 1.
TYPED_TEST(PermutationSchemeViewsTest, EnumerationsMatchPermute) {
  auto const enumerated = [](PermutationScheme const& scheme) {
    auto const permutations =
        matrix_for<TypeParam>(scheme, static_cast<std::size_t>(scheme.arrangements()));
    enumerate_permutations(TypeParam(), scheme, 0, permutations);
    auto rows = to_rows(permutations);
    std::sort(rows.begin(), rows.end());
    return rows;
  };
  EXPECT_EQ(enumerated(PermutationScheme::within_blocks({1, 2, 1, 2, 2})), (Rows{{0, 1, 2, 3, 4},
                                                                                 {0, 1, 2, 4, 3},
                                                                                 {0, 3, 2, 1, 4},
                                                                                 {0, 3, 2, 4, 1},
                                                                                 {0, 4, 2, 1, 3},
                                                                                 {0, 4, 2, 3, 1},
                                                                                 {2, 1, 0, 3, 4},
                                                                                 {2, 1, 0, 4, 3},
                                                                                 {2, 3, 0, 1, 4},
                                                                                 {2, 3, 0, 4, 1},
                                                                                 {2, 4, 0, 1, 3},
                                                                                 {2, 4, 0, 3, 1}}));
  EXPECT_EQ(enumerated(PermutationScheme::whole_blocks({1, 2, 1, 2, 3, 3})),
            (Rows{{0, 1, 2, 3, 4, 5},
                  {0, 4, 2, 5, 1, 3},
                  {1, 0, 3, 2, 4, 5},
                  {1, 4, 3, 5, 0, 2},
                  {4, 0, 5, 2, 1, 3},
                  {4, 1, 5, 3, 0, 2}}));
}

// Ranks far beyond any enumeration: two samples of 33, 7219428434016265740 arrangements.
TYPED_TEST(PermutationSchemeViewsTest, LargeRanksAreDistinctArrangements) {
  Blocks types(66);
  for (std::size_t i = 0; i < 66; ++i) types[i] = i % 2 == 0 ? 7 : 3;
  auto const scheme = PermutationScheme::free(66).with_equal_observations(types);
  std::set<std::set<int>> first_samples;
  std::uint64_t const count = scheme.arrangements();
  for (std::uint64_t const first : {std::uint64_t{0}, count / 2 - 50, count - 100}) {
    auto const permutations = matrix_for<TypeParam>(scheme, 100);
    enumerate_permutations(TypeParam(), scheme, first, permutations);
    for (auto const& row : to_rows(permutations)) {
      auto sorted = row;
      std::sort(sorted.begin(), sorted.end());
      ASSERT_EQ(sorted, identity(66));
      std::set<int> sample;
      for (std::size_t i = 0; i < 66; i += 2) sample.insert(row[i]);
      first_samples.insert(sample);
    }
  }
  EXPECT_EQ(first_samples.size(), 300u);
}

TYPED_TEST(PermutationSchemeViewsTest, AllArrangementsAreEquallyLikely) {
  struct Uniform {
    PermutationScheme scheme;
    std::size_t permutations;
    double largest_chi_square;  // R: qchisq(1e-4, permutations - 1, lower = FALSE)
  };
  std::vector<Blocks> const nested{
      {1, 1, 1, 1, 1, 1, 1, 1}, {1, 1, 1, 1, 2, 2, 2, 2}, {-1, -1, -2, -2, -3, -3, -4, -4}};
  for (auto const& [scheme, permutations, largest] : {
           Uniform{PermutationScheme::free(4), 24, 57.08},
           Uniform{PermutationScheme::free(5), 120, 185.09},
           Uniform{PermutationScheme::within_blocks({1, 2, 1, 2, 2, 1}), 36, 74.93},
           Uniform{PermutationScheme::whole_blocks({1, 2, 1, 2, 3, 3, 4, 4}), 24, 57.08},
           Uniform{PermutationScheme::within_and_whole_blocks({1, 2, 1, 2, 3, 3}), 48, 91.84},
           Uniform{PermutationScheme::pairs({1, 2, 1, 3, 3, 2, 4, 4}), 16, 44.26},
           Uniform{PermutationScheme::nested(nested), 8, 29.88},
       }) {
    for (std::uint64_t const seed : {1, 2}) {
      std::map<Places, std::uint64_t> found;
      for (auto const& row :
           random_permutations<TypeParam>(scheme, seed, 1000, 300 * permutations)) {
        ++found[row];
      }
      ASSERT_EQ(found.size(), permutations);
      std::vector<std::uint64_t> counts;
      for (auto const& [row, count] : found) counts.push_back(count);
      EXPECT_LT(chi_square(counts), largest);
    }
  }
}

// Each choice of signs occurs with each permutation: 6 permutations times 16 choices.
TYPED_TEST(PermutationSchemeViewsTest, SignsAreIndependentOfPermutations) {
  auto const scheme =
      PermutationScheme::within_blocks({1, 1, 1, 2}).with_block_sign_flips({1, 2, 3, 4});
  auto const permutations = matrix_for<TypeParam>(scheme, 30000);
  auto const signs = matrix_for<TypeParam>(scheme, 30000);
  fill_arrangements(TypeParam(), scheme, 77, 0, permutations, signs);
  auto const rows = to_rows(permutations);
  auto const rows_of_signs = to_rows(signs);
  std::map<std::pair<Places, Places>, std::uint64_t> found;
  for (std::size_t k = 0; k < rows.size(); ++k) ++found[{rows[k], rows_of_signs[k]}];
  ASSERT_EQ(found.size(), 96u);
  std::vector<std::uint64_t> counts;
  for (auto const& [pair, count] : found) counts.push_back(count);
  EXPECT_LT(chi_square(counts), 154.99);  // R: qchisq(1e-4, 95, lower = FALSE)
}

TYPED_TEST(PermutationSchemeViewsTest, SignsOfManyUnitsAreIndependent) {
  // Two units have equal signs in half of the replicates, in whichever words they are.
  auto const rows = random_signs<TypeParam>(PermutationScheme::sign_flips(300), 9, 0, 1000);
  for (std::size_t const a : {0, 31, 32, 127, 128}) {
    for (std::size_t const b : {1, 33, 95, 129, 299}) {
      int agree = 0;
      for (auto const& row : rows) agree += row[a] == row[b];
      EXPECT_NEAR(agree, 500, 4 * 16) << a << " " << b;
    }
  }
  int changed = 0;
  for (auto const& row : rows) changed += static_cast<int>(std::count(row.begin(), row.end(), -1));
  EXPECT_NEAR(changed, 150000, 4 * 274);
}

TYPED_TEST(PermutationSchemeViewsTest, BlocksOfSignsChangeTogether) {
  Blocks const blocks{5, 9, 5, 9, 5, 7};
  bool differed = false;
  for (auto const& row : random_signs<TypeParam>(
           PermutationScheme::free(6).with_block_sign_flips(blocks), 3, 0, 100)) {
    EXPECT_TRUE(row[0] == row[2] && row[0] == row[4] && row[1] == row[3]);
    differed = differed || (row[0] != row[1] && row[1] != row[5]);
  }
  EXPECT_TRUE(differed);
}

template <class Exec, class Index, class Sign, class Layout>
void expect_same_in_views() {
  auto const scheme = PermutationScheme::pairs({0, 1, 0, 1, 2, 3, 3, 2}).with_sign_flips();
  auto const permutations = make_matrix<Exec, Index, Layout>(20, 8);
  auto const signs = make_matrix<Exec, Sign, Layout>(20, 8);
  fill_arrangements(Exec(), scheme, 4, 30, permutations, signs);
  auto const expected = random_permutations<Exec>(scheme, 4, 30, 20);
  auto const expected_signs = random_signs<Exec>(scheme, 4, 30, 20);
  auto const rows = to_rows(permutations);
  auto const rows_of_signs = to_rows(signs);
  for (std::size_t k = 0; k < 20; ++k) {
    EXPECT_EQ(Places(rows[k].begin(), rows[k].end()), expected[k]);
    EXPECT_EQ(Places(rows_of_signs[k].begin(), rows_of_signs[k].end()), expected_signs[k]);
  }
}

TYPED_TEST(PermutationSchemeViewsTest, AcceptsAnyIntegersAndLayouts) {
  expect_same_in_views<TypeParam, std::uint8_t, std::int8_t, Kokkos::LayoutRight>();
  expect_same_in_views<TypeParam, std::int16_t, float, Kokkos::LayoutLeft>();
  expect_same_in_views<TypeParam, std::uint64_t, double, Kokkos::LayoutStride>();
}

TYPED_TEST(PermutationSchemeViewsTest, NoReplicatesAndNoObservations) {
  for (std::uint64_t const n : {0, 1}) {
    for (std::size_t const rows : {0, 1}) {
      auto const scheme = PermutationScheme::free(n).with_sign_flips();
      auto const permutations = matrix_for<TypeParam>(scheme, rows);
      auto const signs = matrix_for<TypeParam>(scheme, rows);
      fill_arrangements(TypeParam(), scheme, 1, 2, permutations, signs);
      enumerate_arrangements(TypeParam(), scheme, 0, permutations, signs);
      EXPECT_EQ(to_rows(permutations), Rows(rows, identity(static_cast<int>(n))));
      EXPECT_EQ(to_rows(signs), Rows(rows, Places(n, 1)));
    }
  }
  auto const scheme = PermutationScheme::within_blocks({1, 1, 1});
  auto const none = matrix_for<TypeParam>(scheme, 0);
  fill_arrangements(TypeParam(), scheme, 1, 2, none, matrix_for<TypeParam>(scheme, 0));
  enumerate_permutations(TypeParam(), scheme, 6, none);
}

TYPED_TEST(PermutationSchemeViewsTest, RejectsViewsThatDoNotFit) {
  TypeParam const exec;
  auto const scheme = PermutationScheme::free(3);
  auto const narrow = matrix_for<TypeParam>(PermutationScheme::free(2), 5);
  auto const fits = matrix_for<TypeParam>(scheme, 5);
  EXPECT_EQ(thrown_message([&] { fill_permutations(exec, scheme, 1, 0, narrow); }),
            "riffle::fill_permutations: permutations.extent(1) = 2: must be the number of "
            "observations, 3");
  EXPECT_EQ(thrown_message([&] { fill_signs(exec, scheme, 1, 0, narrow); }),
            "riffle::fill_signs: signs.extent(1) = 2: must be the number of observations, 3");
  EXPECT_EQ(
      thrown_message([&] { fill_arrangements(exec, scheme, 1, 0, fits, narrow); }),
      "riffle::fill_arrangements: signs.extent(1) = 2: must be the number of observations, 3");
  EXPECT_EQ(
      thrown_message(
          [&] { fill_arrangements(exec, scheme, 1, 0, fits, matrix_for<TypeParam>(scheme, 4)); }),
      "riffle::fill_arrangements: permutations.extent(0) = 5 and signs.extent(0) = 4: must be "
      "equal");
  EXPECT_EQ(
      thrown_message([&] { fill_arrangements(exec, scheme, 1, 0, fits, fits); }),
      "riffle::fill_arrangements: permutations (\"matrix\") and signs (\"matrix\") overlap: must "
      "share no element");
  Kokkos::View<std::int8_t**, TypeParam> const bytes("bytes", 1, 129);
  EXPECT_EQ(
      thrown_message([&] { fill_permutations(exec, PermutationScheme::free(129), 1, 0, bytes); }),
      "riffle::fill_permutations: n = 129: the value type of permutations holds no index "
      "above 127");
}

TYPED_TEST(PermutationSchemeViewsTest, RejectsInvalidRanks) {
  TypeParam const exec;
  auto const scheme = PermutationScheme::free(3);
  auto const rows = matrix_for<TypeParam>(scheme, 5);
  EXPECT_EQ(thrown_message([&] { enumerate_permutations(exec, scheme, 2, rows); }),
            "riffle::enumerate_permutations: first_rank = 2 and 5 rows: must be at most the number "
            "of arrangements, 6");
  EXPECT_EQ(
      thrown_message([&] { enumerate_signs(exec, scheme, ~std::uint64_t{0}, rows); }),
      "riffle::enumerate_signs: first_rank = 18446744073709551615 and 5 rows: must be at most "
      "the number of arrangements, 6");
  auto const many = PermutationScheme::free(21);
  EXPECT_EQ(thrown_message([&] {
              enumerate_arrangements(exec, many, 0, matrix_for<TypeParam>(many, 1),
                                     matrix_for<TypeParam>(many, 1));
            }),
            "riffle::enumerate_arrangements: scheme has 2^64 - 1 arrangements or more: too many to "
            "be enumerated");
}

TYPED_TEST(PermutationSchemeViewsTest, RunsOnTheInstanceUnderItsLabels) {
  TypeParam const exec;
  auto const scheme =
      PermutationScheme::free(6).with_equal_observations({0, 1, 0, 1, 1, 1}).with_sign_flips();
  auto const permutations = matrix_for<TypeParam>(scheme, 100);
  auto const signs = matrix_for<TypeParam>(scheme, 100);
  auto const call = [&](auto const& exec_or_context) {
    fill_arrangements(exec_or_context, scheme, 1, 0, permutations, signs);
    enumerate_arrangements(exec_or_context, scheme, 0, permutations, signs);
  };
  expect_labels_and_instance(exec, call);
  Workspace<TypeParam> workspace(exec);
  expect_labels_and_instance(exec, call, workspace);
  call(Context(exec, workspace));
  KernelLog const log;
  call(Context(exec, workspace));
  EXPECT_TRUE(KernelLog::allocations().empty());
  for (auto const& name : fences_of([&] { call(Context(exec, workspace)); })) {
    EXPECT_TRUE(name.rfind("riffle::", 0) == 0 || name.find("Tool") != std::string::npos) << name;
  }
}

}  // namespace
}  // namespace riffle::test::permutation_scheme_views_test
