// argsort compared with the standard library's stable sort.

#include <Kokkos_Core.hpp>
#include <riffle/sort/argsort.hpp>
#include <riffle/workspace.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <random>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/matrices.hpp"
#include "support/thrown_message.hpp"
#include "support/unsorted_data.hpp"
#include "support/views.hpp"

namespace riffle::test::argsort_test {
namespace {

/// Sizes around the bounds of insertion sorts, of one bucket, and of several threads.
std::vector<std::size_t> sizes() {
  return {0, 1, 2, 3, 16, 17, 100, 4096, 4097, 8192, 8193, 16384, 16385, 40'000};
}

template <class Exec>
class ArgsortTest : public ::testing::Test {
 protected:
  template <class T, class Order, class Before>
  void expect_order(std::vector<T> const& data, Order const& order, Before const& is_before) {
    auto const indices = to_view<Exec>(std::vector<int>(data.size(), -7));
    riffle::argsort(Context(exec, workspace), to_view<Exec>(data), indices, order);
    exec.fence();
    auto const expected = sorted_order_oracle(data, order, is_before);
    auto const actual = to_vector(indices);
    EXPECT_TRUE(std::equal(actual.begin(), actual.end(), expected.begin(), expected.end(),
                           [](int a, std::size_t b) { return static_cast<std::size_t>(a) == b; }))
        << "n = " << data.size();
  }

  template <class T>
  void expect_ascending(std::vector<T> const& data) {
    expect_order(data, Ascending{}, std::less<T>{});
  }

  template <class T>
  void expect_both_orders(std::vector<T> const& data) {
    expect_ascending(data);
    expect_order(data, Descending{}, std::greater<T>{});
  }

  Exec exec;
  riffle::Workspace<Exec> workspace{exec};
};
TYPED_TEST_SUITE(ArgsortTest, ExecutionSpaces, SpaceNames);

TYPED_TEST(ArgsortTest, Doubles) {
  for (std::size_t const n : sizes()) {
    this->expect_both_orders(random_values<double>(n));
    this->expect_both_orders(few_values<double>(n, 5));
    this->expect_both_orders(special_values<double>(n));
  }
}

TYPED_TEST(ArgsortTest, Floats) {
  this->expect_ascending(random_values<float>(20'000));
  this->expect_ascending(special_values<float>(20'000));
}

TYPED_TEST(ArgsortTest, Integers) {
  this->expect_ascending(random_values<std::int8_t>(5000));
  auto const unsigned_values = random_values<std::uint64_t>(20'000);
  this->expect_order(unsigned_values, Descending{}, std::greater<std::uint64_t>{});
}

TYPED_TEST(ArgsortTest, AllEqual) {
  for (std::size_t const n : sizes()) this->expect_both_orders(std::vector<double>(n, 2.5));
}

// Values of many magnitudes, some of them outside of the sample's range.
TYPED_TEST(ArgsortTest, UnevenData) {
  auto values = random_values<double>(200'000);
  values[77'777] = std::numeric_limits<double>::infinity();
  values[99'999] = -std::numeric_limits<double>::max();
  this->expect_both_orders(values);
  std::mt19937_64 generator(1);
  std::normal_distribution<double> normal;
  for (auto& x : values) x = normal(generator);
  this->expect_both_orders(values);
}

TYPED_TEST(ArgsortTest, SortedAndReversed) {
  std::vector<double> values(150'000);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i) - 70'000;
  this->expect_both_orders(values);
}

// Ties that all threads write together: two values, or one value that is two thirds of the data and
// is the lowest, the highest, or between others.
TYPED_TEST(ArgsortTest, ManyTies) {
  std::size_t const n = 400'000;
  this->expect_both_orders(few_values<double>(n, 2));
  this->expect_ascending(few_values<std::int8_t>(n, 2));
  for (double const often : {-1.0, 0.5, 2.0}) {
    auto values = random_values<double>(n);
    for (std::size_t i = 0; i < n; ++i) values[i] = i % 3 == 0 ? values[i] : often;
    this->expect_both_orders(values);
  }
}

// All threads distribute the overfull bucket again; then again a bucket that consists of mostly one
// value.
TYPED_TEST(ArgsortTest, OverfullBucketsWithTies) {
  std::size_t const n = 700'000;
  auto values = concentrated_values<double>(n);
  for (std::size_t i = 0; i < n; ++i) values[i] = i % 9 < 5 ? 1000.5 : values[i];
  this->expect_both_orders(values);
}

// All threads distribute the overfull bucket again.
TYPED_TEST(ArgsortTest, OverfullBuckets) {
  this->expect_both_orders(concentrated_values<double>(300'000));
  auto equal = std::vector<double>(300'000, 7.0);
  equal[123'456] = -1;
  this->expect_both_orders(equal);
}

struct LastDigit {
  KOKKOS_FUNCTION bool operator()(int a, int b) const { return a % 10 < b % 10; }
};

// A merge sort.
TYPED_TEST(ArgsortTest, UserComparison) {
  for (std::size_t const n : sizes()) {
    this->expect_order(few_values<int>(n, 1000), LastDigit{}, LastDigit{});
  }
  this->expect_order(few_values<int>(100'003, 1000), LastDigit{}, LastDigit{});
}

TYPED_TEST(ArgsortTest, StridedViews) {
  using Matrix = Kokkos::View<double**, Kokkos::LayoutRight, TypeParam>;
  auto const values = random_values<double>(3000);
  Matrix const matrix("matrix", 1000, 3);
  fill(matrix, values);
  std::vector<double> column;
  for (std::size_t i = 0; i < 1000; ++i) column.push_back(values[3 * i + 1]);
  auto const indices = zeros<TypeParam, std::int64_t>(1000);
  riffle::argsort(this->exec, Kokkos::subview(matrix, Kokkos::ALL, 1), indices);
  this->exec.fence();
  auto const expected = order_oracle(column, std::less<double>{});
  EXPECT_EQ(to_vector(indices), (std::vector<std::int64_t>(expected.begin(), expected.end())));
}

// Once the workspace has grown, calls allocate nothing.
TYPED_TEST(ArgsortTest, ReusesItsWorkspace) {
  this->expect_both_orders(random_values<double>(40'000));
  std::size_t const bytes = this->workspace.bytes();
  this->expect_both_orders(random_values<double>(39'000, 2));
  EXPECT_EQ(this->workspace.bytes(), bytes);
}

TYPED_TEST(ArgsortTest, RejectsInvalidArguments) {
  auto const data = zeros<TypeParam, double>(300);
  EXPECT_EQ(thrown_message([&] { riffle::argsort(this->exec, data, zeros<TypeParam, int>(299)); }),
            "riffle::argsort: data.extent(0) = 300 and indices.extent(0) = 299: must be equal");
  EXPECT_EQ(thrown_message(
                [&] { riffle::argsort(this->exec, data, zeros<TypeParam, std::int8_t>(300)); }),
            "riffle::argsort: n = 300: the value type of indices holds no index above 127");
  auto const both = zeros<TypeParam, int>(400);
  decltype(both) first = Kokkos::subview(both, std::pair<int, int>(0, 300));
  decltype(both) last = Kokkos::subview(both, std::pair<int, int>(100, 400));
  EXPECT_NE(thrown_message([&] {
              riffle::argsort(this->exec, first, last, LastDigit{});
            }).find("overlap"),
            std::string::npos);
}

}  // namespace
}  // namespace riffle::test::argsort_test
