// sort and sort_copy compared bit by bit with the standard library's stable sort.

#include <Kokkos_Core.hpp>
#include <riffle/backend/backend.hpp>
#include <riffle/sort.hpp>
#include <riffle/workspace.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/matrices.hpp"
#include "support/thrown_message.hpp"
#include "support/tool_checks.hpp"
#include "support/unsorted_data.hpp"
#include "support/views.hpp"

namespace riffle::test::sort_test {
namespace {

/// Sizes around the bounds of insertion sorts, of one bucket, and of several threads.
std::vector<std::size_t> sizes() {
  return {0, 1, 2, 3, 16, 17, 100, 4096, 4097, 16384, 16385, 40'000};
}

template <class T, class Order, class Before>
std::vector<T> sorted_oracle(std::vector<T> const& values, Order const& order,
                             Before const& is_before) {
  std::vector<T> sorted;
  for (std::size_t const i : sorted_order_oracle(values, order, is_before)) {
    sorted.push_back(values[i]);
  }
  return sorted;
}

/// Values with zeros of both signs, and NaNs that all have different bits.
std::vector<double> special_values_of_different_bits(std::size_t n) {
  auto values = special_values<double>(n);
  for (std::size_t i = 0; i < n; ++i) {
    if (values[i] == values[i]) continue;
    std::uint64_t const sign = std::signbit(values[i]) ? std::uint64_t{1} << 63 : 0;
    values[i] = std::bit_cast<double>(sign | 0x7FF8'0000'0000'0000u | i);
  }
  return values;
}

template <class Exec>
class SortTest : public ::testing::Test {
 protected:
  template <class T, class Order, class Before>
  void expect_sorted(std::vector<T> const& values, Order const& order, Before const& is_before) {
    auto const view = to_view<Exec>(values);
    riffle::sort(Context(exec, workspace), view, order);
    exec.fence();
    EXPECT_TRUE(are_same_bits(to_vector(view), sorted_oracle(values, order, is_before)))
        << "n = " << values.size();
  }

  template <class T>
  void expect_both_orders(std::vector<T> const& values) {
    expect_sorted(values, Ascending{}, std::less<T>{});
    expect_sorted(values, Descending{}, std::greater<T>{});
  }

  Exec exec;
  riffle::Workspace<Exec> workspace{exec};
};
TYPED_TEST_SUITE(SortTest, ExecutionSpaces, SpaceNames);

TYPED_TEST(SortTest, Doubles) {
  for (std::size_t const n : sizes()) {
    this->expect_both_orders(random_values<double>(n));
    this->expect_both_orders(few_values<double>(n, 5));
    this->expect_both_orders(special_values_of_different_bits(n));
  }
}

TYPED_TEST(SortTest, Integers) {
  // Each type in one order: the other order changes codes as it does for doubles.
  this->expect_sorted(random_values<std::int8_t>(5000), Descending{}, std::greater<std::int8_t>{});
  for (std::size_t const n : sizes()) {
    this->expect_sorted(random_values<std::uint64_t>(n), Ascending{}, std::less<std::uint64_t>{});
  }
}

TYPED_TEST(SortTest, AllEqual) {
  for (std::size_t const n : sizes()) this->expect_both_orders(std::vector<double>(n, 2.5));
}

TYPED_TEST(SortTest, SortedAndReversed) {
  std::vector<double> values(150'000);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i) - 70'000;
  this->expect_both_orders(values);
}

// Sorted values are not changed. One pair is out of order: within the chunk that a thread tests,
// and between two chunks.
TYPED_TEST(SortTest, NearlySorted) {
  std::size_t const n = std::size_t{1} << 17;
  for (std::size_t const place : {std::size_t{1}, n / 8 - 1, n / 8, n / 8 + 1, n / 2, n - 1}) {
    std::vector<double> values(n);
    for (std::size_t i = 0; i < n; ++i) values[i] = static_cast<double>(i / 2 * 2);
    values[place] = values[place - 1] - 1;
    this->expect_both_orders(values);
  }
}

// All threads distribute buckets of more than 2^17 values again, in the memory of the values.
TYPED_TEST(SortTest, OverfullBucketsAndTies) {
  this->expect_both_orders(few_values<double>(400'000, 2));
  this->expect_both_orders(concentrated_values<double>(400'000));
  // Values on both sides of one value that is the majority.
  auto values = concentrated_values<double>(700'000);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = i % 9 < 5 ? 1000.5 : values[i];
  this->expect_both_orders(values);
  values[123'456] = std::numeric_limits<double>::infinity();
  values[77'777] = -std::numeric_limits<double>::max();
  this->expect_both_orders(values);
}

TYPED_TEST(SortTest, ManyWithAndWithoutNaNs) {
  bool const is_on_gpu = !backend::is_cpu<TypeParam>;
  auto values = random_values<double>(is_on_gpu ? (std::size_t{1} << 21) + 3 : 300'003);
  for (std::size_t i = 0; i < values.size(); i += 5) values[i] = i % 2 == 0 ? 0.0 : -0.0;
  this->expect_sorted(values, Descending{}, std::greater<double>{});
  values[values.size() / 2] = -std::numeric_limits<double>::quiet_NaN();
  this->expect_sorted(values, Ascending{}, std::less<double>{});
}

/// On a GPU CUB sorts this number of floats, by codes.
TYPED_TEST(SortTest, CopiesOfManyFloats) {
  bool const is_on_gpu = !backend::is_cpu<TypeParam>;
  auto values = random_values<float>(is_on_gpu ? (std::size_t{1} << 21) + 3 : 100'003);
  for (std::size_t i = 0; i < values.size(); i += 5) values[i] = i % 2 == 0 ? 0.0f : -0.0f;
  auto const expect_copies = [&] {
    auto const in = to_view<TypeParam>(values);
    auto const out = to_view<TypeParam>(std::vector<float>(values.size(), -7));
    Context const context(this->exec, this->workspace);
    riffle::sort_copy(context, in, out, Ascending{});
    this->exec.fence();
    EXPECT_TRUE(
        are_same_bits(to_vector(out), sorted_oracle(values, Ascending{}, std::less<float>{})));
    riffle::sort_copy(context, in, out, Descending{});
    this->exec.fence();
    EXPECT_TRUE(
        are_same_bits(to_vector(out), sorted_oracle(values, Descending{}, std::greater<float>{})));
  };
  expect_copies();
  // NaNs of one bit pattern, with and without a sign; some with other bits.
  float const nan = std::numeric_limits<float>::quiet_NaN();
  for (float const x : {nan, -nan}) {
    for (std::size_t i = 3; i < values.size(); i += 100) values[i] = x;
    expect_copies();
  }
  for (std::size_t i = 3; i < values.size(); i += 300) values[i] = std::nanf("77");
  expect_copies();
  for (auto& value : values) value = nan;
  expect_copies();
}

/// Two tied elements differ in their tags.
struct Tagged {
  std::int32_t key;
  std::int32_t tag;
};

struct ByKey {
  KOKKOS_FUNCTION bool operator()(Tagged const& a, Tagged const& b) const { return a.key < b.key; }
};

struct IsGreater {
  KOKKOS_FUNCTION bool operator()(double a, double b) const { return a > b; }
};

TYPED_TEST(SortTest, UserComparison) {
  for (std::size_t const n : {std::size_t{0}, std::size_t{1}, std::size_t{5000},
                              std::size_t{16'385}, std::size_t{100'003}}) {
    auto const keys = few_values<std::int32_t>(n, 1000);
    std::vector<Tagged> values(n);
    for (std::size_t i = 0; i < n; ++i) values[i] = {keys[i], static_cast<std::int32_t>(i)};
    auto const view = to_view<TypeParam>(values);
    riffle::sort(Context(this->exec, this->workspace), view, ByKey{});
    this->exec.fence();
    std::stable_sort(values.begin(), values.end(), ByKey{});
    EXPECT_TRUE(are_same_bits(to_vector(view), values)) << n;
  }
}

template <class Exec, class T>
auto column_of(std::vector<T> const& values) {
  Kokkos::View<T* [3], Kokkos::LayoutRight, typename Exec::memory_space> const matrix(
      "matrix", values.size());
  auto const column = Kokkos::subview(matrix, Kokkos::ALL, 1);
  fill(column, values);
  return std::pair(matrix, column);
}

// The gaps between the elements are not written.
TYPED_TEST(SortTest, StridedViews) {
  for (std::size_t const n : {1000, 40'000}) {
    auto const values = random_values<double>(n);
    auto const [matrix, column] = column_of<TypeParam>(values);
    riffle::sort(this->exec, column);
    this->exec.fence();
    EXPECT_EQ(to_vector(column), sorted_oracle(values, Ascending{}, std::less<double>{}));
    riffle::sort(this->exec, column, IsGreater{});
    this->exec.fence();
    EXPECT_EQ(to_vector(column), sorted_oracle(values, Descending{}, std::greater<double>{}));
    EXPECT_EQ(to_vector(Kokkos::subview(matrix, Kokkos::ALL, 0)), std::vector<double>(n));
    EXPECT_EQ(to_vector(Kokkos::subview(matrix, Kokkos::ALL, 2)), std::vector<double>(n));
  }
}

TYPED_TEST(SortTest, CopiesLeaveTheInput) {
  for (std::size_t const n : {0, 1000, 40'000}) {
    auto const values = random_values<float>(n);
    auto const in = to_view<TypeParam>(values);
    auto const out = to_view<TypeParam>(std::vector<float>(n, -7));
    riffle::sort_copy(Context(this->exec, this->workspace),
                      Kokkos::View<float const*, typename TypeParam::memory_space>(in), out,
                      Descending{});
    this->exec.fence();
    EXPECT_EQ(to_vector(out), sorted_oracle(values, Descending{}, std::greater<float>{}));
    EXPECT_EQ(to_vector(in), values);
  }
}

// Once the workspace has grown, calls allocate nothing.
TYPED_TEST(SortTest, ReusesItsWorkspace) {
  this->expect_both_orders(random_values<double>(40'000));
  std::size_t const bytes = this->workspace.bytes();
  this->expect_both_orders(random_values<double>(39'000, 2));
  EXPECT_EQ(this->workspace.bytes(), bytes);
}

TYPED_TEST(SortTest, LabelsAndInstance) {
  TypeParam const instance = Kokkos::Experimental::partition_space(TypeParam(), 1, 1)[1];
  auto const view = to_view<TypeParam>(random_values<double>(40'000));
  Kokkos::fence();
  expect_labels_and_instance(instance, [&](auto const& on) { riffle::sort(on, view); });
}

TYPED_TEST(SortTest, RejectsInvalidArguments) {
  auto const in = zeros<TypeParam, double>(400);
  auto const out = zeros<TypeParam, double>(300);
  EXPECT_EQ(thrown_message([&] { riffle::sort_copy(this->exec, in, out); }),
            "riffle::sort_copy: in.extent(0) = 400 and out.extent(0) = 300: must be equal");
  auto const first = Kokkos::subview(in, std::pair<int, int>(0, 300));
  auto const last = Kokkos::subview(in, std::pair<int, int>(100, 400));
  EXPECT_NE(thrown_message([&] { riffle::sort_copy(this->exec, first, last); }).find("overlap"),
            std::string::npos);
}

}  // namespace
}  // namespace riffle::test::sort_test
