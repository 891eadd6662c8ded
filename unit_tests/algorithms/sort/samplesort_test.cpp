// The samplesort of two levels and the public sort on all back ends, compared bit by bit with the
// standard library's stable sort.

#include <Kokkos_Core.hpp>
#include <riffle/backend/backend.hpp>
#include <riffle/sort.hpp>
#include <riffle/sort/detail/gpu/samplesort/two_levels.hpp>
#include <riffle/workspace.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/samplesort_two_levels.hpp"
#include "support/unsorted_data.hpp"
#include "support/views.hpp"

namespace riffle::test::samplesort_test {
namespace {

// --- on every back end ---

KOKKOS_INLINE_FUNCTION std::uint64_t mixed(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xBF58'476D'1CE4'E5B9u;
  x = (x ^ (x >> 27)) * 0x94D0'49BB'1331'11EBu;
  return x ^ (x >> 31);
}

template <class View>
struct FillMixed {
  View view;

  KOKKOS_FUNCTION void operator()(std::uint64_t i) const {
    view(i) = static_cast<std::int64_t>(mixed(i + 1));
  }
};

template <class View>
struct CountDescents {
  View view;

  KOKKOS_FUNCTION void operator()(std::uint64_t i, std::uint64_t& count) const {
    if (i > 0 && view(i) < view(i - 1)) ++count;
  }
};

/// A hash of the values that does not depend on their order.
template <class View>
struct AddMixed {
  View view;

  KOKKOS_FUNCTION void operator()(std::uint64_t i, std::uint64_t& sum) const {
    sum += mixed(static_cast<std::uint64_t>(view(i)));
  }
};

/// The number of elements: n on a GPU, a part of it on a host, for which no size of this file is a
/// bound.
template <class Exec>
constexpr std::size_t reduced(std::size_t n) {
  return backend::is_cpu<Exec> ? n / 16 : n;
}

/// Calls the samplesort as the public function does, but also for few elements.
template <class Order, class Exec, class Values>
void samplesort_two_levels(Exec const& exec, Values const& values, Workspace<Exec>& workspace) {
  if constexpr (backend::is_cpu<Exec>) {
    riffle::sort(Context(exec, workspace), values, Order{});
  } else {
    Context const context(exec, "test", workspace);
    if (two_levels::sort_numbers<Order>(context, values, values)) return;
    riffle::sort(context, values, Order{});
  }
}

template <class Exec>
class SamplesortTest : public ::testing::Test {
 protected:
  template <class T, class Order = Ascending>
  void expect_sorts(std::vector<T> const& values) {
    auto const view = to_view<Exec>(values);
    samplesort_two_levels<Order>(exec_, view, workspace_);
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

TYPED_TEST_SUITE(SamplesortTest, ExecutionSpaces, SpaceNames);

TYPED_TEST(SamplesortTest, Sizes) {
  for (std::size_t const n : {1u << 17, (1u << 18) + 1, (1u << 19) - 1, 1u << 20}) {
    this->expect_sorts(uniform_values<double>(reduced<TypeParam>(n)));
  }
}

TYPED_TEST(SamplesortTest, EveryKindOfData) {
  for (auto const& values : every_kind_of_data<double>(300'001)) this->expect_sorts(values);
}

TYPED_TEST(SamplesortTest, OneHugeBucket) {
  for (std::size_t const n : {1u << 20, 3u << 20}) {
    this->expect_sorts(unlucky_values<std::int64_t>(reduced<TypeParam>(n), 4096, false));
  }
}

TYPED_TEST(SamplesortTest, Descending) {
  this->template expect_sorts<std::int64_t, Descending>(uniform_values<std::int64_t>(200'000));
}

TYPED_TEST(SamplesortTest, ZerosAndNaNsOfAnyBits) {
  auto values = uniform_values<double>(150'000);
  for (std::size_t i = 0; i < values.size(); i += 7) values[i] = i % 2 == 0 ? 0.0 : -0.0;
  this->expect_sorts(values);
  for (std::size_t i = 0; i < values.size(); i += 999) values[i] = std::nan("1");
  this->expect_sorts(values);
}

/// For all data that it can sort, the samplesort does not leave the work to another sort.
TYPED_TEST(SamplesortTest, AcceptsSizesWithinItsLimits) {
  if constexpr (!backend::is_cpu<TypeParam>) {
    auto const is_sorted = [&](auto const& values) {
      auto const view = to_view<TypeParam>(values);
      return two_levels::sort_numbers<Ascending>(Context(this->exec_, "test", this->workspace_),
                                                 view, view);
    };
    for (auto const& values : every_kind_of_data<double>(300'001)) {
      EXPECT_TRUE(is_sorted(values));
    }
  }
}

/// The values of the sample are spread, and all others are in one bucket, which becomes overfull:
/// another algorithm sorts them.
TYPED_TEST(SamplesortTest, UnluckySample) {
  two_levels::BucketDivision<std::uint64_t> const division(two_levels::min_elements);
  ss::Sample const sample(division.size, division.sample_size());
  std::vector<std::int64_t> values(division.size);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = -static_cast<std::int64_t>(i);
  for (ss::Index j = 0; j < sample.size(); ++j) values[sample.index(j)] = j + 1;
  this->expect_public_sorts(values);
}

TYPED_TEST(SamplesortTest, GreatestAndLeast) {
  auto integers = uniform_values<std::int64_t>(reduced<TypeParam>(two_levels::min_elements));
  using Limits = std::numeric_limits<std::int64_t>;
  std::int64_t const extremes[] = {
      Limits::max(), Limits::min(), Limits::max() - 1, Limits::min() + 1, -1, 0};
  for (std::size_t i = 0; i < integers.size(); i += 5) integers[i] = extremes[i % 6];
  this->expect_public_sorts(integers);
  auto numbers = uniform_values<double>(reduced<TypeParam>(two_levels::min_elements));
  double const infinity = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < numbers.size(); i += 7)
    numbers[i] = i % 2 == 0 ? infinity : -infinity;
  numbers[1] = std::numeric_limits<double>::denorm_min();
  this->expect_public_sorts(numbers);
}

TYPED_TEST(SamplesortTest, CopiesOfViewsWithGaps) {
  std::uint64_t const n = reduced<TypeParam>(two_levels::min_elements + 12'345);
  auto const values = uniform_values<double>(n);
  Kokkos::View<double* [2], Kokkos::LayoutRight, TypeParam> const in("in", n);
  Kokkos::View<double* [3], Kokkos::LayoutRight, TypeParam> const out("out", n);
  auto const column = Kokkos::subview(in, Kokkos::ALL, 1);
  auto const to = Kokkos::subview(out, Kokkos::ALL, 2);
  fill(column, values);
  Kokkos::View<double const*, Kokkos::LayoutStride, TypeParam> const from = column;
  sort_copy(Context(this->exec_, this->workspace_), from, to);
  this->exec_.fence();
  EXPECT_TRUE(are_same_bits(to_vector(to), sorted_oracle(values, Ascending{})));
  EXPECT_TRUE(are_same_bits(to_vector(from), values));
}

TYPED_TEST(SamplesortTest, SizesAroundTheBoundOfOneLevel) {
  // Only a GPU has this bound.
  if constexpr (!backend::is_cpu<TypeParam>) {
    for (std::uint64_t const n :
         {two_levels::min_elements - 1, two_levels::min_elements, 3 * two_levels::min_elements}) {
      this->expect_public_sorts(uniform_values<double>(n));
    }
  }
}

/// Only on a GPU: the sample is so large that it is sorted with two levels itself.
TYPED_TEST(SamplesortTest, SampleOfASample) {
  if constexpr (!backend::is_cpu<TypeParam>) {
    std::uint64_t const n = (std::uint64_t{1} << 26) + 12'345;
    ASSERT_GT(two_levels::BucketDivision<std::uint64_t>(n).sample_size(), two_levels::min_elements);
    using View = Kokkos::View<std::int64_t*, TypeParam>;
    View const values("values", n);
    Kokkos::RangePolicy<TypeParam> const all(this->exec_, 0, n);
    Kokkos::parallel_for(all, FillMixed<View>{values});
    std::uint64_t before = 0;
    Kokkos::parallel_reduce(all, AddMixed<View>{values}, before);
    EXPECT_TRUE(two_levels::sort_numbers<Ascending>(Context(this->exec_, "test", this->workspace_),
                                                    values, values));
    std::uint64_t descents = 0;
    std::uint64_t after = 0;
    Kokkos::parallel_reduce(all, CountDescents<View>{values}, descents);
    Kokkos::parallel_reduce(all, AddMixed<View>{values}, after);
    EXPECT_EQ(descents, 0u);
    EXPECT_EQ(after, before);
  }
}

}  // namespace
}  // namespace riffle::test::samplesort_test
