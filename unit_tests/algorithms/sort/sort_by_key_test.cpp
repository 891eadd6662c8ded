// sort_by_key compared with the standard library's stable sort.

#include <Kokkos_Core.hpp>
#include <riffle/backend/backend.hpp>
#include <riffle/sort/sort_by_key.hpp>
#include <riffle/workspace.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/matrices.hpp"
#include "support/thrown_message.hpp"
#include "support/tool_checks.hpp"
#include "support/unsorted_data.hpp"
#include "support/views.hpp"

namespace riffle::test::sort_by_key_test {
namespace {

/// values[order[0]], values[order[1]], ...
template <class T>
std::vector<T> in_order(std::vector<T> const& values, std::vector<std::size_t> const& order) {
  std::vector<T> ordered;
  for (std::size_t const i : order) ordered.push_back(values[i]);
  return ordered;
}

/// Values with their signs. Pairs are equal if the bits of the values are equal, or if both are
/// NaNs of one sign.
template <class T>
std::vector<std::pair<T, bool>> with_signs(std::vector<T> const& values) {
  std::vector<std::pair<T, bool>> pairs;
  for (T const x : values) {
    if constexpr (std::is_floating_point_v<T>) {
      pairs.emplace_back(std::isnan(x) ? T(7) : x, std::signbit(x));
    } else {
      pairs.emplace_back(x, false);
    }
  }
  return pairs;
}

template <class Exec>
class SortByKeyTest : public ::testing::Test {
 protected:
  /// Each value is the index of its key before the sort.
  template <class Value, class T, class Order, class Before>
  void expect_sorted(std::vector<T> const& keys, Order const& order, Before const& is_before) {
    auto const key_view = to_view<Exec>(keys);
    auto const values = to_view<Exec>(iota<Value>(keys.size()));
    riffle::sort_by_key(Context(exec, workspace), key_view, values, order);
    exec.fence();
    auto const expected = sorted_order_oracle(keys, order, is_before);
    EXPECT_EQ(to_vector(values), std::vector<Value>(expected.begin(), expected.end()));
    EXPECT_EQ(with_signs(to_vector(key_view)), with_signs(in_order(keys, expected)));
  }

  Exec exec;
  riffle::Workspace<Exec> workspace{exec};
};
// Doubles in one order, integers in the other: values are moved in the same way for both.
TYPED_TEST_SUITE(SortByKeyTest, ExecutionSpaces, SpaceNames);

TYPED_TEST(SortByKeyTest, Doubles) {
  for (std::size_t const n : {0, 1, 2, 17, 1000, 4096, 4097, 16'384, 16'385, 40'000}) {
    this->template expect_sorted<std::int32_t>(random_values<double>(n), Descending{},
                                               std::greater<double>{});
    this->template expect_sorted<std::int32_t>(special_values<double>(n), Descending{},
                                               std::greater<double>{});
  }
}

TYPED_TEST(SortByKeyTest, Integers) {
  for (unsigned const count : {1, 2, 1000}) {
    this->template expect_sorted<double>(few_values<std::uint32_t>(150'000, count), Ascending{},
                                         std::less<std::uint32_t>{});
  }
}

TYPED_TEST(SortByKeyTest, ManyWithAndWithoutNaNs) {
  bool const is_on_gpu = !backend::is_cpu<TypeParam>;
  std::size_t const n = is_on_gpu ? (std::size_t{1} << 21) + 3 : 70'003;
  auto keys = few_values<double>(n, 1'000'000);
  for (std::size_t i = 0; i < keys.size(); i += 10) keys[i] = -0.0;
  this->template expect_sorted<std::int32_t>(keys, Descending{}, std::greater<double>{});
  keys[n / 2] = std::nan("");
  this->template expect_sorted<std::int32_t>(keys, Descending{}, std::greater<double>{});
  // On a GPU by CUB.
  this->template expect_sorted<double>(special_values<double>(n), Descending{},
                                       std::greater<double>{});
}

struct LastDigit {
  KOKKOS_FUNCTION bool operator()(int a, int b) const { return a % 10 < b % 10; }
};

TYPED_TEST(SortByKeyTest, UserComparison) {
  for (std::size_t const n : {3, 5000, 100'003}) {
    this->template expect_sorted<std::int32_t>(few_values<int>(n, 1000), LastDigit{}, LastDigit{});
  }
}

struct Wide {
  std::int64_t x[3];
  friend bool operator==(Wide const&, Wide const&) = default;
};

// A column of a matrix as keys; values, rows, and values that are too large to be moved with the
// keys.
TYPED_TEST(SortByKeyTest, PacksOfViews) {
  using Space = typename TypeParam::memory_space;
  for (std::size_t const n : {0, 1, 1000, 40'000}) {
    auto const keys = random_values<float>(n);
    std::vector<Wide> wide(n);
    for (std::size_t i = 0; i < n; ++i) wide[i].x[2] = static_cast<std::int64_t>(i);
    Kokkos::View<float* [2], Kokkos::LayoutRight, Space> const matrix("matrix", n);
    auto const column = Kokkos::subview(matrix, Kokkos::ALL, 1);
    fill(column, keys);
    Kokkos::View<int**, Kokkos::LayoutLeft, Space> const rows("rows", n, 3);
    fill(Kokkos::subview(rows, Kokkos::ALL, 2), iota<int>(n));
    auto const wide_view = to_view<TypeParam>(wide);
    auto const narrow = to_view<TypeParam>(random_values<std::int8_t>(n));
    riffle::sort_by_key(Context(this->exec, this->workspace), column,
                        riffle::pack(rows, wide_view, narrow));
    this->exec.fence();
    auto const order = order_oracle(keys, std::less<float>{});
    EXPECT_EQ(to_vector(column), in_order(keys, order));
    EXPECT_EQ(to_vector(Kokkos::subview(rows, Kokkos::ALL, 2)),
              std::vector<int>(order.begin(), order.end()));
    EXPECT_EQ(to_vector(Kokkos::subview(rows, Kokkos::ALL, 0)), std::vector<int>(n));
    EXPECT_EQ(to_vector(wide_view), in_order(wide, order));
    EXPECT_EQ(to_vector(narrow), in_order(random_values<std::int8_t>(n), order));
    EXPECT_EQ(to_vector(Kokkos::subview(matrix, Kokkos::ALL, 0)), std::vector<float>(n));
  }
}

// Keys and values are two columns of one matrix; its other columns do not change.
TYPED_TEST(SortByKeyTest, StridedViews) {
  for (std::size_t const n : {1000, 40'000}) {
    auto const keys = random_values<std::uint32_t>(n);
    Kokkos::View<std::uint32_t* [3], Kokkos::LayoutRight, typename TypeParam::memory_space> const
        matrix("matrix", n);
    auto const column = [&](int j) { return Kokkos::subview(matrix, Kokkos::ALL, j); };
    fill(column(0), keys);
    fill(column(2), iota<std::uint32_t>(n));
    riffle::sort_by_key(this->exec, column(0), riffle::pack(column(2)));
    this->exec.fence();
    auto const order = order_oracle(keys, std::less<std::uint32_t>{});
    EXPECT_EQ(to_vector(column(0)), in_order(keys, order));
    EXPECT_EQ(to_vector(column(1)), std::vector<std::uint32_t>(n));
    EXPECT_EQ(to_vector(column(2)), std::vector<std::uint32_t>(order.begin(), order.end()));
  }
}

TYPED_TEST(SortByKeyTest, ReusesItsWorkspace) {
  this->template expect_sorted<double>(random_values<std::uint32_t>(40'000), Ascending{},
                                       std::less<std::uint32_t>{});
  std::size_t const bytes = this->workspace.bytes();
  this->template expect_sorted<double>(random_values<std::uint32_t>(39'000, 2), Ascending{},
                                       std::less<std::uint32_t>{});
  EXPECT_EQ(this->workspace.bytes(), bytes);
}

TYPED_TEST(SortByKeyTest, LabelsAndInstance) {
  TypeParam const instance = Kokkos::Experimental::partition_space(TypeParam(), 1, 1)[1];
  auto const keys = to_view<TypeParam>(few_values<int>(40'000, 1000));
  auto const values = to_view<TypeParam>(iota<std::int32_t>(40'000));
  Kokkos::fence();
  expect_labels_and_instance(
      instance, [&](auto const& on) { riffle::sort_by_key(on, keys, values, LastDigit{}); });
}

TYPED_TEST(SortByKeyTest, RejectsInvalidArguments) {
  auto const keys = zeros<TypeParam, int>(300);
  auto const values = zeros<TypeParam, int>(400);
  EXPECT_EQ(thrown_message([&] { riffle::sort_by_key(this->exec, keys, values, LastDigit{}); }),
            "riffle::sort_by_key: keys.extent(0) = 300 and values.extent(0) = 400: must be equal");
  auto const first = Kokkos::subview(values, std::pair<int, int>(0, 300));
  auto const last = Kokkos::subview(values, std::pair<int, int>(100, 400));
  EXPECT_NE(thrown_message([&] {
              riffle::sort_by_key(this->exec, first, last, LastDigit{});
            }).find("overlap"),
            std::string::npos);
}

}  // namespace
}  // namespace riffle::test::sort_by_key_test
