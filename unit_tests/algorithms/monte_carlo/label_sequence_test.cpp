// Assignments one after the other, beside std::next_permutation and the assignment of each rank.

#include <Kokkos_Core.hpp>
#include <riffle/monte_carlo/detail/label_sequence.hpp>
#include <riffle/monte_carlo/detail/label_walk.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace riffle::test::label_sequence_test {

/// A sum that says which item is in which group.
struct Sum {
  std::uint64_t weights = 0;
  friend bool operator==(Sum const&, Sum const&) = default;
};

KOKKOS_INLINE_FUNCTION std::uint64_t weight(std::uint32_t i, int group) {
  return (i * 7919u + 1) * static_cast<std::uint64_t>(group * group + 3) * 1000003u;
}

struct Add {
  KOKKOS_FUNCTION void operator()(Sum& to, std::uint32_t i, int group) const {
    to.weights += weight(i, group);
  }
};
struct Remove {
  KOKKOS_FUNCTION void operator()(Sum& from, std::uint32_t i, int group) const {
    from.weights -= weight(i, group);
  }
};
struct AddTo {
  Sum* to;

  KOKKOS_FUNCTION void operator()(std::uint32_t i, int group) const { Add()(*to, i, group); }
};

namespace {

using detail::GroupSizes;
using detail::LabelSequence;
using Sizes = std::vector<std::uint32_t>;

GroupSizes<20> make_groups(Sizes const& sizes) {
  GroupSizes<20> groups;
  groups.count = static_cast<int>(sizes.size());
  for (int g = 0; g < groups.count; ++g) groups.size[g] = sizes[static_cast<std::size_t>(g)];
  return groups;
}

std::vector<int> first_labels(Sizes const& sizes) {
  std::vector<int> labels;
  for (std::size_t g = 0; g < sizes.size(); ++g) {
    labels.insert(labels.end(), sizes[g], static_cast<int>(g));
  }
  return labels;
}

TEST(LabelSequenceTest, IsThatOfNextPermutation) {
  for (Sizes const& sizes : {Sizes{1}, Sizes{5}, Sizes{1, 1}, Sizes{3, 2}, Sizes{1, 6}, Sizes{4, 4},
                             Sizes{2, 3, 2}, Sizes{1, 1, 1, 1, 1, 1}, Sizes{2, 1, 3, 1}}) {
    auto expected = first_labels(sizes);
    auto found = expected;
    auto const items = static_cast<std::uint32_t>(expected.size());
    LabelSequence labels(items);
    for (std::uint32_t i = 0; i < items; ++i) labels.set(i, expected[i]);
    for (bool goes_on = true; goes_on;) {
      goes_on = std::next_permutation(expected.begin(), expected.end());
      labels.advance(
          [&](std::uint32_t i, int group) {
            ASSERT_EQ(found[i], group);
            found[i] = -1;
          },
          [&](std::uint32_t i, int group) {
            ASSERT_EQ(found[i], -1);
            found[i] = group;
          });
      ASSERT_EQ(found, expected);
    }
    EXPECT_EQ(found, first_labels(sizes)) << "the last one is followed by the first";
  }
}

template <int Width>
void expect_ranked_sums(Sizes const& sizes) {
  auto const groups = make_groups(sizes);
  std::uint64_t const assignments = detail::count_assignments(groups, 1u << 20);
  ASSERT_GT(assignments, 0u);
  for (std::uint64_t first = 0; first < assignments; first += Width) {
    Sum sums[Width];
    detail::sum_ranked_labels(groups, assignments, first, sums, Add(), Remove());
    for (std::uint64_t w = 0; w < Width && first + w < assignments; ++w) {
      Sum expected;
      detail::walk_ranked_labels(groups, assignments, first + w, AddTo{&expected});
      ASSERT_EQ(sums[w], expected) << first + w;
    }
  }
}

TEST(LabelSequenceTest, SumsAreThoseOfEachRank) {
  for (Sizes const& sizes : {Sizes{1}, Sizes{1, 1}, Sizes{5, 5}, Sizes{1, 63}, Sizes{62, 2},
                             Sizes{3, 2, 3}, Sizes{1, 1, 1, 1, 1, 1, 1}, Sizes{2, 1, 3, 1}}) {
    expect_ranked_sums<8>(sizes);
    expect_ranked_sums<1>(sizes);
  }
}

// Of which a sequence does not keep the labels.
TEST(LabelSequenceTest, SumsOfMoreItemsAreThoseOfEachRankToo) {
  for (Sizes const& sizes : {Sizes{1, 64}, Sizes{70, 2}, Sizes{200, 1, 1}}) {
    expect_ranked_sums<8>(sizes);
  }
}

TEST(LabelSequenceTest, BehindTheLastRankSumsAreOfSomeAssignment) {
  auto const groups = make_groups({2, 1});
  Sum sums[8];
  detail::sum_ranked_labels(groups, 3, 8, sums, Add(), Remove());
  Sum first;
  for (std::uint32_t i = 0; i < 3; ++i) AddTo{&first}(i, i < 2 ? 0 : 1);
  EXPECT_EQ(sums[0], first);
}

}  // namespace
}  // namespace riffle::test::label_sequence_test
