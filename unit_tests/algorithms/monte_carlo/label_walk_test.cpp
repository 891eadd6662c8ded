#include <Kokkos_Core.hpp>
#include <riffle/monte_carlo/detail/label_walk.hpp>
#include <riffle/random/philox.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <numeric>
#include <vector>

#include "support/chi_square.hpp"
#include "support/execution_spaces.hpp"
#include "support/matrices.hpp"

namespace riffle::test::label_walk_test {
namespace {

using detail::GroupSizes;
using Labels = std::vector<int>;
using Sizes = std::vector<std::uint32_t>;

GroupSizes<8> make_groups(Sizes const& sizes) {
  GroupSizes<8> groups;
  groups.count = static_cast<int>(sizes.size());
  for (int g = 0; g < groups.count; ++g) groups.size[g] = sizes[static_cast<std::size_t>(g)];
  return groups;
}

/// Returns 0, 0, ..., 1, ...: the first arrangement in lexicographic order.
Labels sorted_labels(Sizes const& sizes) {
  Labels labels;
  for (std::size_t g = 0; g < sizes.size(); ++g)
    labels.insert(labels.end(), sizes[g], static_cast<int>(g));
  return labels;
}

/// Returns word `word` of block `index` of the stream of a replicate, computed by Philox alone.
std::uint32_t philox_word(std::uint64_t seed, std::uint64_t replicate, std::uint32_t purpose,
                          std::uint64_t index, std::uint32_t word) {
  Philox4x32 const philox(seed);
  return philox(
      {static_cast<std::uint32_t>(index), static_cast<std::uint32_t>(index >> 32) | purpose << 24,
       static_cast<std::uint32_t>(replicate), static_cast<std::uint32_t>(replicate >> 32)})[word];
}

struct Drawn {
  Labels labels;
  int redrawn = 0;
};

/// Draws the labels of a replicate from a bag of labels in order: each item takes the label at a uniform position. One
/// word gives the positions of several items, as the digits of one uniform number below the product of their bounds.
Drawn draw_from_bag(Sizes const& sizes, std::uint64_t seed, std::uint64_t replicate) {
  Labels bag = sorted_labels(sizes);
  Drawn drawn;
  double const n = static_cast<double>(bag.size());
  std::size_t const items_per_word = n <= 64 ? 4 : n <= 256 ? 3 : n <= 4096 ? 2 : 1;  // n^4 <= 2^24
  std::uint64_t const two_to_32 = std::uint64_t{1} << 32;
  for (std::uint64_t index = 0; !bag.empty(); ++index) {
    std::size_t const items = std::min(items_per_word, bag.size());
    std::uint64_t product = 1;
    for (std::size_t k = 0; k < items; ++k) product *= bag.size() - k;
    std::uint64_t word =
        philox_word(seed, replicate, 2, index / 4, static_cast<std::uint32_t>(index % 4));
    for (std::uint64_t attempt = 0; word * product % two_to_32 < two_to_32 % product; ++attempt) {
      word = philox_word(seed, replicate, 3, index << 16 | attempt, 0);
      ++drawn.redrawn;
    }
    std::uint64_t number = word * product / two_to_32;  // uniform below the product
    for (std::size_t k = 0; k < items; ++k) {
      product /= bag.size();
      auto const taken = bag.begin() + static_cast<std::ptrdiff_t>(number / product);
      number %= product;
      drawn.labels.push_back(*taken);
      bag.erase(taken);
    }
  }
  return drawn;
}

Labels random_labels(Sizes const& sizes, std::uint64_t seed, std::uint64_t replicate) {
  Labels labels;
  detail::walk_random_labels(make_groups(sizes), seed, replicate, [&](std::uint32_t i, int group) {
    EXPECT_EQ(i, labels.size());
    labels.push_back(group);
  });
  return labels;
}

Labels ranked_labels(Sizes const& sizes, std::uint64_t assignments, std::uint64_t rank) {
  Labels labels;
  detail::walk_ranked_labels(make_groups(sizes), assignments, rank,
                             [&](std::uint32_t i, int group) {
                               EXPECT_EQ(i, labels.size());
                               labels.push_back(group);
                             });
  return labels;
}

// The digits of word * bound / 2^32 are the numbers that a word decides.
TEST(AcceptWordTest, EveryNumberHasTheSameNumberOfWords) {
  std::uint64_t const two_to_32 = std::uint64_t{1} << 32;
  for (std::uint64_t const bound :
       {std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{3}, std::uint64_t{7}, std::uint64_t{10},
        std::uint64_t{1000}, std::uint64_t{65536}, std::uint64_t{1000003}, std::uint64_t{1} << 24,
        std::uint64_t{3} << 29, (std::uint64_t{1} << 31) - 1}) {
    std::uint64_t const each = two_to_32 / bound;
    std::uint64_t const step = std::max<std::uint64_t>(1, bound / 5000);
    int rejected = 0;
    for (std::uint64_t value = 0; value < bound; value += step) {
      // The words whose product with the bound has `value` as its upper half.
      std::uint64_t const first = (value * two_to_32 + bound - 1) / bound;
      std::uint64_t const end = ((value + 1) * two_to_32 + bound - 1) / bound;
      auto const is_kept = [&](std::uint64_t word) {
        return detail::accept_word(static_cast<std::uint32_t>(word),
                                   static_cast<std::uint32_t>(bound), 5, 6, 7) == word;
      };
      // At most the first of them is rejected.
      std::uint64_t const kept = end - first - (is_kept(first) ? 0 : 1);
      ASSERT_EQ(kept, each) << "bound " << bound << ", value " << value;
      rejected += !is_kept(first);
      if (end - first > 1) {
        ASSERT_TRUE(is_kept(first + 1));
        ASSERT_TRUE(is_kept(end - 1));
      }
    }
    EXPECT_EQ(rejected > 0, two_to_32 % bound != 0) << bound;
  }
}

TEST(AcceptWordTest, RejectedWordsAreDrawnAgainUniformly) {
  std::uint32_t constexpr bound = 3u << 29;
  std::uint32_t constexpr threshold = 1u << 30;  // 2^32 modulo bound: a quarter is rejected
  std::vector<std::uint64_t> counts(12);
  int twice = 0;
  for (std::uint64_t replicate = 0; replicate < 24000; ++replicate) {
    std::uint64_t const index = replicate % 17;
    std::uint32_t const word = detail::accept_word(0, bound, 99, replicate, index);
    ++counts[(std::uint64_t{word} * bound >> 32) / (bound / 12)];

    std::uint64_t attempt = 0;
    std::uint32_t expected = 0;
    do expected = philox_word(99, replicate, 3, index << 16 | attempt++, 0);
    while (expected * bound < threshold);
    ASSERT_EQ(word, expected);
    twice += attempt > 1;
  }
  EXPECT_LT(chi_square(counts), 37.37);  // scipy.stats.chi2.isf(1e-4, 11)
  EXPECT_GT(twice, 5000);
}

TEST(LabelsPerWordTest, AreAtMostFourWithSmallProduct) {
  EXPECT_EQ(detail::labels_per_word(1), 4u);
  EXPECT_EQ(detail::labels_per_word(64), 4u);
  EXPECT_EQ(detail::labels_per_word(65), 3u);
  EXPECT_EQ(detail::labels_per_word(256), 3u);
  EXPECT_EQ(detail::labels_per_word(257), 2u);
  EXPECT_EQ(detail::labels_per_word(4096), 2u);
  EXPECT_EQ(detail::labels_per_word(4097), 1u);
  EXPECT_EQ(detail::labels_per_word((1u << 31) - 1), 1u);
}

TEST(LabelWalkTest, DrawsAsFromABag) {
  for (Sizes const& sizes : std::vector<Sizes>{{1, 1},
                                               {1, 4},
                                               {4, 1},
                                               {2, 3},
                                               {10, 7},
                                               {2, 2, 2},
                                               {1, 2, 3, 4, 5, 6, 7, 8},
                                               {100, 1},
                                               {32, 32},
                                               {32, 33},
                                               {200, 56},
                                               {1, 256},
                                               {333, 444, 111},
                                               {2000, 2096},
                                               {2000, 2097}}) {
    for (std::uint64_t replicate : {std::uint64_t{0}, std::uint64_t{1}, ~std::uint64_t{0} >> 1}) {
      for (std::uint64_t seed : {std::uint64_t{0}, ~std::uint64_t{0}}) {
        EXPECT_EQ(random_labels(sizes, seed, replicate),
                  draw_from_bag(sizes, seed, replicate).labels);
      }
    }
  }
}

// Seeds whose first replicate has a word that is drawn again, for each number of labels per word.
TEST(LabelWalkTest, DrawsAsFromABagThroughRedraws) {
  struct Case {
    Sizes sizes;
    std::uint64_t seed;
  };
  for (auto const& [sizes, seed] :
       {Case{{40, 20}, 14}, Case{{100, 150}, 36}, Case{{50, 4000}, 0}, Case{{40000, 20000}, 2}}) {
    auto const expected = draw_from_bag(sizes, seed, 0);
    EXPECT_GT(expected.redrawn, 0);
    EXPECT_TRUE(random_labels(sizes, seed, 0) == expected.labels);
  }
}

// From a model in Python with integers.
TEST(LabelWalkTest, GoldenValues) {
  EXPECT_EQ(random_labels({2, 3}, 1, 0), (Labels{1, 1, 0, 0, 1}));
  EXPECT_EQ(random_labels({3, 4}, 9, 5), (Labels{1, 0, 1, 0, 1, 1, 0}));
  EXPECT_EQ(random_labels({2, 2, 2}, 7, 2), (Labels{0, 0, 1, 1, 2, 2}));
  EXPECT_EQ(random_labels({5, 1, 3, 4}, 123456789012345, std::uint64_t{1} << 40),
            (Labels{0, 3, 3, 0, 2, 3, 0, 3, 2, 0, 0, 1, 2}));
}

TEST(LabelWalkTest, AllAssignmentsAreEquallyLikely) {
  struct Case {
    Sizes sizes;
    std::size_t assignments;
    double largest_chi_square;  // scipy.stats.chi2.isf(1e-4, assignments - 1)
  };
  for (auto const& [sizes, assignments, largest] :
       {Case{{2, 3}, 10, 33.72}, Case{{3, 3}, 20, 50.80}, Case{{2, 2, 2}, 90, 147.36}}) {
    std::map<Labels, std::uint64_t> found;
    for (std::uint64_t replicate = 0; replicate < 45000; ++replicate)
      ++found[random_labels(sizes, 2024, replicate)];
    ASSERT_EQ(found.size(), assignments);
    std::vector<std::uint64_t> counts;
    for (auto const& [labels, count] : found) counts.push_back(count);
    EXPECT_LT(chi_square(counts), largest);
  }
}

TEST(RankedLabelsTest, EnumerateInLexicographicOrder) {
  for (Sizes const& sizes : std::vector<Sizes>{
           {1, 1}, {1, 5}, {5, 1}, {2, 3}, {6, 6}, {3}, {2, 2, 2}, {1, 1, 1, 1, 1}, {1, 2, 3, 2}}) {
    Labels expected = sorted_labels(sizes);
    std::uint64_t const count = detail::count_assignments(make_groups(sizes), 1000000);
    std::uint64_t rank = 0;
    do {
      ASSERT_LT(rank, count);
      ASSERT_EQ(ranked_labels(sizes, count, rank), expected) << rank;
      ++rank;
    } while (std::next_permutation(expected.begin(), expected.end()));
    EXPECT_EQ(rank, count);
  }
}

TEST(RankedLabelsTest, EnumerateLargeNumbers) {
  std::uint64_t constexpr count = 118264581564861424;  // math.comb(60, 30)
  std::vector<std::vector<std::uint64_t>> choose(61, std::vector<std::uint64_t>(61, 0));
  for (std::size_t n = 0; n <= 60; ++n) {
    choose[n][0] = 1;
    for (std::size_t k = 1; k <= n; ++k)
      choose[n][k] = choose[n - 1][k - 1] + (k < n ? choose[n - 1][k] : 0);
  }
  for (std::uint64_t const rank :
       {std::uint64_t{0}, std::uint64_t{1}, count / 3, count / 2, count - 2, count - 1}) {
    Labels const labels = ranked_labels({30, 30}, count, rank);
    EXPECT_EQ(std::accumulate(labels.begin(), labels.end(), 0), 30);
    std::uint64_t smaller = 0;
    std::size_t zeros = 30;
    for (std::size_t i = 0; i < labels.size(); ++i) {
      if (labels[i] == 0) {
        --zeros;
      } else if (zeros > 0) {
        smaller += choose[59 - i][zeros - 1];  // arrangements with a 0 here
      }
    }
    EXPECT_EQ(smaller, rank);
  }
}

TEST(CountAssignmentsTest, IsTheMultinomialCoefficient) {
  auto const count = [](Sizes const& sizes, std::uint64_t limit = ~std::uint64_t{0}) {
    return detail::count_assignments(make_groups(sizes), limit);
  };
  EXPECT_EQ(count({7}), 1u);
  EXPECT_EQ(count({1, 1}), 2u);
  EXPECT_EQ(count({2, 3}), 10u);
  EXPECT_EQ(count({10, 10}), 184756u);
  EXPECT_EQ(count({2, 2, 2}), 90u);
  EXPECT_EQ(count({5, 5, 5}), 756756u);
  EXPECT_EQ(count({1, 1, 1, 1, 1, 1, 1, 1}), 40320u);
  EXPECT_EQ(count({8, 1, 4, 2}), count({4, 8, 2, 1}));
  EXPECT_EQ(count({30, 30}), 118264581564861424u);
  EXPECT_EQ(count({1, (1u << 31) - 2}), (1u << 31) - 1u);
  EXPECT_EQ(count({(1u << 31) - 2, 1}), (1u << 31) - 1u);
}

TEST(CountAssignmentsTest, IsZeroBeyondTheLimit) {
  std::uint64_t constexpr no_limit = ~std::uint64_t{0};
  auto const count = [](Sizes const& sizes, std::uint64_t limit) {
    return detail::count_assignments(make_groups(sizes), limit);
  };
  EXPECT_EQ(count({2, 3}, 10), 10u);
  EXPECT_EQ(count({2, 3}, 9), 0u);
  EXPECT_EQ(count({5, 5, 5}, 756756), 756756u);
  EXPECT_EQ(count({5, 5, 5}, 756755), 0u);
  EXPECT_EQ(count({7}, 1), 1u);
  // math.comb(66, 33) fits in 64 bits, but walk_ranked_labels also needs 66 times this number to fit.
  EXPECT_EQ(count({33, 33}, no_limit), 0u);
  EXPECT_EQ(count({1u << 30, 1u << 30}, no_limit), 0u);
  EXPECT_EQ(count({100000000, 100000000, 100000000}, no_limit), 0u);
}

template <class Table>
struct WriteLabels {
  Table labels;
  GroupSizes<8> groups;
  std::uint64_t seed;
  std::uint64_t assignments;  // 0: random ones

  KOKKOS_FUNCTION void operator()(std::uint64_t r) const {
    auto const write = [&](std::uint32_t i, int group) { labels(r, i) = group; };
    if (assignments > 0) {
      detail::walk_ranked_labels(groups, assignments, r, write);
    } else {
      detail::walk_random_labels(groups, seed, r, write);
    }
  }
};

template <class Exec>
std::vector<Labels> labels_in_kernel(Sizes const& sizes, std::size_t replicates, std::uint64_t seed,
                                     std::uint64_t assignments) {
  auto const groups = make_groups(sizes);
  using Table = Kokkos::View<int**, Kokkos::LayoutRight, typename Exec::memory_space>;
  Table const table("labels", replicates, groups.total());
  Kokkos::parallel_for("write_labels", Kokkos::RangePolicy<Exec>(0, replicates),
                       WriteLabels<Table>{table, groups, seed, assignments});
  Kokkos::fence();
  return to_rows(table);
}

template <class Exec>
class LabelWalkKernelTest : public ::testing::Test {};
TYPED_TEST_SUITE(LabelWalkKernelTest, ExecutionSpaces, SpaceNames);

TYPED_TEST(LabelWalkKernelTest, RandomLabelsMatchTheHost) {
  for (Sizes const& sizes : std::vector<Sizes>{{3, 5}, {20, 1, 30}, {7, 6, 5, 4, 3, 2, 1, 8}}) {
    auto const rows = labels_in_kernel<TypeParam>(sizes, 100, 77, 0);
    for (std::size_t r = 0; r < rows.size(); ++r) EXPECT_EQ(rows[r], random_labels(sizes, 77, r));
  }
}

TYPED_TEST(LabelWalkKernelTest, RankedLabelsMatchTheHost) {
  for (Sizes const& sizes : std::vector<Sizes>{{3, 5}, {2, 1, 3}}) {
    auto const count = detail::count_assignments(make_groups(sizes), 1000);
    auto const rows = labels_in_kernel<TypeParam>(sizes, count, 0, count);
    for (std::size_t r = 0; r < rows.size(); ++r)
      EXPECT_EQ(rows[r], ranked_labels(sizes, count, r));
  }
}

}  // namespace
}  // namespace riffle::test::label_walk_test
