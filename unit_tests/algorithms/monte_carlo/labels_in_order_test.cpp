// All assignments in order, by heads and lists of tails, compared with std::next_permutation and with the assignment of
// each rank.

#include <Kokkos_Core.hpp>
#include <riffle/monte_carlo/detail/label_walk.hpp>
#include <riffle/monte_carlo/detail/labels_in_order.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace riffle::test::labels_in_order_test {
namespace {

constexpr int capacity = 40;
using Groups = detail::GroupSizes<capacity>;
using Sizes = std::vector<std::uint32_t>;

KOKKOS_FUNCTION std::uint64_t weight(std::uint32_t i, int group) {
  return (i * 7919u + 1) * static_cast<std::uint64_t>(group * group + 3) * 1000003u;
}

/// Sums that determine the group of each item, and the number of added items.
struct Weights {
  struct Sums {
    std::uint64_t weights = 0;
    std::uint64_t items = 0;
    friend bool operator==(Sums const&, Sums const&) = default;
  };

  KOKKOS_FUNCTION void add(Sums& sums, std::uint32_t i, int group) const {
    sums.weights += weight(i, group);
    ++sums.items;
  }
  void remove(Sums& sums, std::uint32_t i, int group) const {
    sums.weights -= weight(i, group);
    --sums.items;
  }
  void merge(Sums& sums, Sums const& others) const {
    sums.weights += others.weights;
    sums.items += others.items;
  }
  // Exact: the result has 50 bits.
  double test_statistic(Sums const& sums) const {
    return static_cast<double>(sums.weights % (std::uint64_t{1} << 44) * 64 + sums.items % 64);
  }
};

/// Adds items to sums. A lambda here would be a function of the host alone, and nvcc refuses it in a function of both.
struct Add {
  KOKKOS_FUNCTION void operator()(Weights::Sums& sums, std::uint32_t i, int group) const {
    Weights().add(sums, i, group);
  }
};

struct AddTo {
  Weights::Sums& sums;

  KOKKOS_FUNCTION void operator()(std::uint32_t i, int group) const { Add()(sums, i, group); }
};

Groups make_groups(Sizes const& sizes) {
  Groups groups;
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

Weights::Sums sums_of(std::vector<int> const& labels, std::size_t first, std::size_t last) {
  Weights::Sums sums;
  for (std::size_t i = first; i < last; ++i) {
    Weights().add(sums, static_cast<std::uint32_t>(i), labels[i]);
  }
  return sums;
}

/// One and several groups, also empty ones, more groups than keys of lists have space for, and more items than lists
/// have.
std::vector<Sizes> all_sizes() {
  Sizes many(18, 0);
  many[0] = many[3] = many[17] = 2;
  return {{1},
          {5},
          {1, 1},
          {5, 5},
          {1, 6},
          {0, 3, 0, 2},
          {8, 8},
          {2, 3, 2},
          {3, 2, 3},
          {4, 4, 4},
          {2, 1, 3, 1},
          {1, 70},
          {20, 2},
          {200, 1, 1},
          {255, 1},
          {256, 1},
          many,
          Sizes(16, 1),
          Sizes(17, 1),
          {30, 30, 0, 1},
          {1, 1, 1, 1, 1, 1, 1}};
}

std::uint64_t count_of(Sizes const& sizes) {
  std::uint64_t const limit = 1u << 20;
  return detail::count_assignments(make_groups(sizes), limit);
}

/// Returns the test statistics of all assignments in order, by the standard library.
std::vector<double> test_statistics_of(Sizes const& sizes) {
  std::vector<double> test_statistics;
  auto labels = first_labels(sizes);
  do {
    test_statistics.push_back(Weights().test_statistic(sums_of(labels, 0, labels.size())));
  } while (std::next_permutation(labels.begin(), labels.end()));
  return test_statistics;
}

void expect_windows(Sizes const& sizes, std::uint64_t width) {
  std::uint64_t const assignments = count_of(sizes);
  detail::LabelsInOrder const order(make_groups(sizes), assignments, Weights());
  auto const expected = test_statistics_of(sizes);
  ASSERT_EQ(expected.size(), assignments);
  std::vector<double> found(assignments + 1, -1.0);
  for (std::uint64_t first = 0; first < assignments; first += width) {
    order.enumerate(first, std::min(width, assignments - first), found.data() + first);
  }
  EXPECT_EQ(found.back(), -1.0) << "written behind the last one";
  found.pop_back();
  EXPECT_EQ(found, expected) << sizes.size() << " groups, " << width << " at a time";
}

TEST(LabelsInOrderTest, StatisticsMatchNextPermutation) {
  for (auto const& sizes : all_sizes()) {
    if (count_of(sizes) == 0) continue;
    for (std::uint64_t const width : {1, 7, 256, 1 << 20}) {
      if (width > 1 || count_of(sizes) < 5000) expect_windows(sizes, width);
    }
  }
}

TEST(LabelsInOrderTest, MatchTheirRanksForLargeN) {
  // 16 groups, which fit in keys of lists, and 17.
  for (std::size_t const singles : {16, 17}) {
    auto const groups = make_groups(Sizes(singles, 1));
    std::uint64_t const assignments = detail::count_assignments(groups, ~std::uint64_t{0});
    ASSERT_GT(assignments, 0u);
    detail::LabelsInOrder const order(groups, assignments, Weights());
    for (std::uint64_t const first : {std::uint64_t{0}, assignments / 3, assignments - 100}) {
      double found[100];
      order.enumerate(first, 100, found);
      for (std::uint64_t w = 0; w < 100; ++w) {
        Weights::Sums sums;
        detail::walk_ranked_labels(groups, assignments, first + w, AddTo{sums});
        ASSERT_EQ(found[w], Weights().test_statistic(sums)) << first + w;
      }
    }
  }
}

template <int Width>
void expect_ranked_sums(Sizes const& sizes) {
  auto const groups = make_groups(sizes);
  std::uint64_t const assignments = count_of(sizes);
  ASSERT_GT(assignments, 0u);
  for (std::uint64_t first = 0; first < assignments; first += Width) {
    Weights::Sums sums[Width];
    detail::sum_ranked_labels(groups, assignments, first, sums, Add());
    for (std::uint64_t w = 0; w < Width && first + w < assignments; ++w) {
      Weights::Sums expected;
      detail::walk_ranked_labels(groups, assignments, first + w, AddTo{expected});
      ASSERT_EQ(sums[w], expected) << first + w;
    }
  }
}

TEST(RankedLabelsTest, SumsMatchEachRank) {
  for (Sizes const& sizes : {Sizes{1}, Sizes{1, 1}, Sizes{5, 5}, Sizes{1, 63}, Sizes{62, 2},
                             Sizes{3, 2, 3}, Sizes{1, 1, 1, 1, 1, 1, 1}, Sizes{2, 1, 3, 1},
                             Sizes{1, 64}, Sizes{70, 2}, Sizes{200, 1, 1}}) {
    expect_ranked_sums<8>(sizes);
    expect_ranked_sums<1>(sizes);
  }
}

TEST(RankedLabelsTest, SumsBeyondTheLastRankAreOfSomeAssignment) {
  Weights::Sums sums[8];
  detail::sum_ranked_labels(make_groups({2, 1}), 3, 8, sums, Add());
  EXPECT_EQ(sums[0], sums_of({0, 0, 1}, 0, 3));
}

TEST(LabelTailsTest, AreAllAssignmentsOfTheLastItemsInOrder) {
  for (auto const& sizes : all_sizes()) {
    auto const groups = make_groups(sizes);
    detail::LabelTails<capacity, Weights> const tails(groups, ~std::uint64_t{0}, Weights());
    auto labels = first_labels(sizes);
    std::size_t const first = labels.size() - tails.places();
    // The divisions of the last items of the first assignment, and of the last one.
    for (bool const is_first : {true, false}) {
      if (!is_first) std::reverse(labels.begin(), labels.end());
      Groups left = make_groups(Sizes(sizes.size(), 0));
      for (std::size_t i = first; i < labels.size(); ++i) ++left.size[labels[i]];
      auto const begin = labels.begin() + static_cast<std::ptrdiff_t>(first);
      std::sort(begin, labels.end());
      auto const& list = tails.of(left);
      std::size_t k = 0;
      do {
        ASSERT_LT(k, list.size());
        EXPECT_EQ(list[k++], sums_of(labels, first, labels.size()));
      } while (std::next_permutation(begin, labels.end()));
      EXPECT_EQ(k, list.size());
    }
  }
}

TEST(LabelTailsTest, AreFewForFewAssignments) {
  auto const places = [](std::uint64_t assignments) {
    return detail::LabelTails<capacity, Weights>(make_groups({40, 40}), assignments, Weights())
        .places();
  };
  EXPECT_EQ(places(1), 0u);
  EXPECT_EQ(places(256), 4u);
  EXPECT_EQ(places(~std::uint64_t{0}), 12u);
}

TEST(LabelHeadTest, WrapsAroundAfterTheLastRank) {
  Sizes const sizes{2, 0, 3, 1};
  auto const groups = make_groups(sizes);
  Weights const weights;
  std::uint64_t const assignments = count_of(sizes);
  detail::LabelTails<capacity, Weights> const none(groups, 1, weights);
  detail::LabelHead<capacity, Weights> const first(groups, assignments, 0, none, weights);
  detail::LabelHead<capacity, Weights> head(groups, assignments, assignments - 1, none, weights);
  EXPECT_NE(head.sums(), first.sums());
  head.advance();
  EXPECT_EQ(head.sums(), first.sums());
}

}  // namespace
}  // namespace riffle::test::labels_in_order_test
