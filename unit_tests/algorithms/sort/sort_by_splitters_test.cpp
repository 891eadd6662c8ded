// Numbers sorted by splitters: on an emulated GPU, and as the public sort on all back ends, against the standard
// library's stable sort, bit by bit.

#include <Kokkos_Core.hpp>
#include <riffle/backend/backend.hpp>
#include <riffle/sort.hpp>
#include <riffle/workspace.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/sort_by_splitters.hpp"
#include "support/views.hpp"

namespace riffle::test::sort_by_splitters_test {
namespace {

// --- on an emulated GPU ---

/// Returns how many parts were crowded.
template <class T, class Order = Ascending>
bs::Index expect_sorts_emulated(std::vector<T> values, int depth) {
  auto const expected = sorted_oracle(values, Order{});
  Outcome const outcome = sort_emulated<T, Order>(values, depth);
  EXPECT_EQ(outcome.verdict, Verdict::can_sort);
  EXPECT_TRUE(are_same_bits(values, expected)) << values.size() << " values, depth " << depth;
  return outcome.crowded;
}

// Emulation is slow: of all buckets two have keys.

TEST(SortBySplittersGpu, OneBucketOfManyTiles) {
  // Of four parts of some 2000 keys scratch memory does not hold all.
  EXPECT_GE(expect_sorts_emulated(unlucky_values<std::int64_t>(12'001, true), 2), 1u);
}

TEST(SortBySplittersGpu, CrowdedParts) {
  auto values = unlucky_values<std::int64_t>(7000, true);
  for (auto& value : values) {
    if (value >= 0)
      value = value / (std::int64_t{1} << 60) * (std::int64_t{1} << 60) + value % 4096;
  }
  EXPECT_GE(expect_sorts_emulated(values, 2), 2u);
}

TEST(SortBySplittersGpu, DescendingAndSmallNumbers) {
  auto values = unlucky_values<float>(10'000, true);
  for (std::size_t i = 0; i < values.size(); i += 3) values[i] = -1;
  // Scratch memory holds all parts; one has a wide gap above its numbers.
  EXPECT_LE((expect_sorts_emulated<float, Descending>(values, 2)), 1u);
}

// Nearly all are the least that there is, which ends all buckets but the last: that one has the others.
TEST(SortBySplittersGpu, NearlyAllAreTheLeast) {
  std::vector<std::int64_t> values(5000, std::numeric_limits<std::int64_t>::min());
  values[100] = 3;
  values[2000] = 2;
  values[4900] = 1;
  for (int const depth : {1, 2, 3}) expect_sorts_emulated(values, depth);
}

TEST(SortBySplittersGpu, WhatBitsDoNotTell) {
  auto values = uniform_values<double>(6000);
  for (std::size_t i = 0; i < values.size(); i += 3) values[i] = i % 2 == 0 ? 0.0 : -0.0;
  for (std::size_t i = 0; i < values.size(); i += 7) {
    auto const payload = std::to_string(i);
    values[i] = i % 2 == 0 ? std::nan(payload.c_str()) : -std::nan(payload.c_str());
  }
  expect_sorts_emulated(values, 1);
  expect_sorts_emulated<double, Descending>(values, 2);
}

// --- on every back end ---

/// A GPU is given many elements. A host, for which no size of this file is an edge, a part of them.
template <class Exec>
constexpr std::size_t reduced(std::size_t n) {
  return backend::is_cpu<Exec> ? n / 16 : n;
}

/// As the public function does, but of few elements, too.
template <class Order, class Exec, class Values>
void sort_by_splitters(Exec const& exec, Values const& values, Workspace<Exec>& workspace) {
  if constexpr (backend::is_cpu<Exec>) {
    riffle::sort(Context(exec, workspace), values, Order{});
  } else {
    Context const context(exec, "test", workspace);
    if (bs::sort_numbers<Order>(context, values, values) == Verdict::can_sort) return;
    riffle::sort(context, values, Order{});
  }
}

template <class Exec>
class SortBySplittersTest : public ::testing::Test {
 protected:
  template <class T, class Order = Ascending>
  void expect_sorts(std::vector<T> const& values) {
    auto const view = to_view<Exec>(values);
    sort_by_splitters<Order>(exec_, view, workspace_);
    exec_.fence();
    EXPECT_TRUE(are_same_bits(to_vector(view), sorted_oracle(values, Order{})))
        << values.size() << " values";
  }

  template <class T>
  void expect_public_sorts(std::vector<T> const& values) {
    auto const view = to_view<Exec>(values);
    riffle::sort(Context(exec_, workspace_), view);
    exec_.fence();
    EXPECT_TRUE(are_same_bits(to_vector(view), sorted_oracle(values, Ascending{})))
        << values.size() << " values";
  }

  Exec exec_;
  Workspace<Exec> workspace_;
};

TYPED_TEST_SUITE(SortBySplittersTest, ExecutionSpaces, SpaceNames);

TYPED_TEST(SortBySplittersTest, Sizes) {
  for (std::size_t const n : {1u << 17, (1u << 18) + 1, (1u << 19) - 1, 1u << 20}) {
    this->expect_sorts(uniform_values<double>(reduced<TypeParam>(n)));
  }
}

TYPED_TEST(SortBySplittersTest, EveryKindOfData) {
  for (auto const& values : all_data<double>(300'001)) this->expect_sorts(values);
}

TYPED_TEST(SortBySplittersTest, OneBucketHuge) {
  for (std::size_t const n : {1u << 20, 3u << 20}) {
    this->expect_sorts(unlucky_values<std::int64_t>(reduced<TypeParam>(n), false));
  }
}

TYPED_TEST(SortBySplittersTest, Descending) {
  this->template expect_sorts<std::int64_t, Descending>(uniform_values<std::int64_t>(200'000));
}

TYPED_TEST(SortBySplittersTest, WhatBitsDoNotTell) {
  auto values = uniform_values<double>(150'000);
  for (std::size_t i = 0; i < values.size(); i += 7) values[i] = i % 2 == 0 ? 0.0 : -0.0;
  this->expect_sorts(values);
  for (std::size_t i = 0; i < values.size(); i += 999) values[i] = std::nan("1");
  this->expect_sorts(values);
}

/// Of all that can be sorted so, nothing is left to other sorts.
TYPED_TEST(SortBySplittersTest, Verdicts) {
  if constexpr (!backend::is_cpu<TypeParam>) {
    auto const verdict = [&](auto const& values) {
      auto const view = to_view<TypeParam>(values);
      return bs::sort_numbers<Ascending>(Context(this->exec_, "test", this->workspace_), view,
                                         view);
    };
    for (auto const& values : all_data<double>(300'001)) {
      EXPECT_EQ(verdict(values), Verdict::can_sort);
    }
    EXPECT_EQ(verdict(unlucky_values<std::int64_t>(std::uint64_t{1} << 20, false)),
              Verdict::cannot_sort);
  }
}

TYPED_TEST(SortBySplittersTest, GreatestAndLeast) {
  auto integers = uniform_values<std::int64_t>(reduced<TypeParam>(bs::min_elements));
  using Limits = std::numeric_limits<std::int64_t>;
  std::int64_t const extremes[] = {
      Limits::max(), Limits::min(), Limits::max() - 1, Limits::min() + 1, -1, 0};
  for (std::size_t i = 0; i < integers.size(); i += 5) integers[i] = extremes[i % 6];
  this->expect_public_sorts(integers);
  auto numbers = uniform_values<double>(reduced<TypeParam>(bs::min_elements));
  double const infinity = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < numbers.size(); i += 7)
    numbers[i] = i % 2 == 0 ? infinity : -infinity;
  numbers[1] = std::numeric_limits<double>::denorm_min();
  this->expect_public_sorts(numbers);
}

TYPED_TEST(SortBySplittersTest, CopiesOfViewsWithGaps) {
  std::uint64_t const n = reduced<TypeParam>(bs::min_elements + 12'345);
  auto const values = uniform_values<double>(n);
  Kokkos::View<double* [2], Kokkos::LayoutRight, TypeParam> const in("in", n);
  Kokkos::View<double* [3], Kokkos::LayoutRight, TypeParam> const out("out", n);
  auto const column = Kokkos::subview(in, Kokkos::ALL, 1);
  auto const to = Kokkos::subview(out, Kokkos::ALL, 2);
  Kokkos::deep_copy(this->exec_, column, to_view<TypeParam>(values));
  Kokkos::View<double const*, Kokkos::LayoutStride, TypeParam> const from = column;
  sort_copy(Context(this->exec_, this->workspace_), from, to);
  this->exec_.fence();
  EXPECT_TRUE(are_same_bits(to_vector(to), sorted_oracle(values, Ascending{})));
  EXPECT_TRUE(are_same_bits(to_vector(from), values));
}

TYPED_TEST(SortBySplittersTest, AroundTheFewest) {
  // Where there is a GPU: others have no such size.
  if constexpr (!backend::is_cpu<TypeParam>) {
    for (std::uint64_t const n : {bs::min_elements - 1, bs::min_elements, 3 * bs::min_elements}) {
      this->expect_public_sorts(uniform_values<double>(n));
    }
  }
}

}  // namespace
}  // namespace riffle::test::sort_by_splitters_test
