// Sorts of segments, rows and columns, compared with the standard library's stable sort of each.

#include <Kokkos_Core.hpp>
#include <riffle/segmented_sort.hpp>
#include <riffle/workspace.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <string>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/number_order.hpp"
#include "support/segment_lengths.hpp"
#include "support/thrown_message.hpp"
#include "support/tool_checks.hpp"
#include "support/unsorted_data.hpp"
#include "support/views.hpp"

namespace riffle::test::segmented_sort_test {
namespace {

template <class Exec>
class SegmentedSortTest : public ::testing::Test {
 protected:
  /// Sorts and argsorts segments of `values`, and compares both with `is_before`.
  template <class T, class Order, class Before>
  void expect_sorted(std::vector<T> const& values, std::vector<std::int32_t> const& offsets,
                     Order const& order, Before const& is_before) {
    auto const expected = order_of_segments(
        offsets, [&](std::size_t i, std::size_t j) { return is_before(values[i], values[j]); });
    auto const view = to_view<Exec>(values);
    auto const offsets_view = to_view<Exec>(offsets);
    auto const indices = zeros<Exec, std::int64_t>(values.size());
    riffle::argsort_segments(Context(exec, workspace), view, offsets_view, indices, order);
    exec.fence();
    auto const found = to_vector(indices);
    EXPECT_TRUE(std::equal(found.begin(), found.end(), expected.begin(), expected.end()));
    riffle::sort_segments(Context(exec, workspace), view, offsets_view, order);
    exec.fence();
    EXPECT_TRUE(are_same_bits(to_vector(view), gathered(values, expected)));
  }

  Exec exec;
  riffle::Workspace<Exec> workspace{exec};
};
TYPED_TEST_SUITE(SegmentedSortTest, ExecutionSpaces, SpaceNames);

TYPED_TEST(SegmentedSortTest, Integers) {
  auto const expect_all_sorted = [&](std::size_t n, std::initializer_list<std::size_t> means) {
    auto const values = random_values<std::int32_t>(n);
    for (std::size_t const mean : means) {
      SCOPED_TRACE("n = " + std::to_string(n) + ", mean length " + std::to_string(mean));
      this->expect_sorted(values, offsets_of_segments(n, mean), Ascending(), std::less<>());
    }
  };
  for (std::size_t const n : {0, 1, 2, 17, 4079, 4080, 4081, 4352}) {
    expect_all_sorted(n, {0, 1, 3, 20, 300});
  }
  // On a CPU, all threads sort the segments of more than 65536 values.
  expect_all_sorted(150'000, {0, 20, 5000});
}

// Zeros of both signs, infinities and NaNs; ties are frequent.
TYPED_TEST(SegmentedSortTest, FloatingPointNumbers) {
  auto const random = random_values<std::uint32_t>(50'000, 5);
  std::vector<double> values(random.size());
  double const nan = std::numeric_limits<double>::quiet_NaN();
  double const special[] = {nan,
                            -nan,
                            0.0,
                            -0.0,
                            std::numeric_limits<double>::infinity(),
                            -std::numeric_limits<double>::infinity()};
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = random[i] % 4 == 0 ? special[random[i] / 4 % 6] : std::ldexp(random[i] % 100, -3);
  }
  for (std::size_t const mean : {0, 12, 700}) {
    this->expect_sorted(values, offsets_of_segments(values.size(), mean), Descending(),
                        [](double a, double b) { return is_sorted_before<Descending>(a, b); });
  }
}

/// 24 bytes.
struct Particle {
  std::int64_t cell;
  double position[2];
};

struct ByCell {
  KOKKOS_FUNCTION bool operator()(Particle const& a, Particle const& b) const {
    return a.cell < b.cell;
  }
};

TYPED_TEST(SegmentedSortTest, ByAnOrderOfTheCaller) {
  auto const random = random_values<std::uint32_t>(45'001, 6);
  std::vector<Particle> values(random.size());
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = {random[i] % 50, {static_cast<double>(i), 0}};
  for (std::size_t const mean : {0, 9, 2000}) {
    this->expect_sorted(values, offsets_of_segments(values.size(), mean), ByCell(), ByCell());
  }
}

TYPED_TEST(SegmentedSortTest, ManyEmptySegments) {
  std::vector<std::int32_t> offsets(40'000, 0);
  offsets.resize(80'000, 2500);
  offsets.resize(100'000, 2501);
  offsets.push_back(6000);
  auto const random = random_values<std::uint32_t>(6000);
  this->expect_sorted(std::vector<std::uint16_t>(random.begin(), random.end()), offsets,
                      Ascending(), std::less<>());
}

// Elements that are not contiguous, and 64-bit offsets.
TYPED_TEST(SegmentedSortTest, StridedView) {
  std::size_t const n = 20'000;
  auto const values = random_values<float>(2 * n);
  Kokkos::View<float**, Kokkos::LayoutRight, typename TypeParam::memory_space> const both("both", n,
                                                                                          2);
  fill(both, values);
  auto const column = Kokkos::subview(both, Kokkos::ALL, 1);
  auto const before = to_vector(column);
  auto const first = to_vector(Kokkos::subview(both, Kokkos::ALL, 0));
  auto const offsets = offsets_of_segments(n, 900);
  auto const expected = order_of_segments(offsets, [&](std::size_t i, std::size_t j) {
    return is_sorted_before<Ascending>(before[i], before[j]);
  });
  riffle::sort_segments(
      this->exec, column,
      to_view<TypeParam>(std::vector<std::uint64_t>(offsets.begin(), offsets.end())));
  this->exec.fence();
  EXPECT_TRUE(are_same_bits(to_vector(column), gathered(before, expected)));
  EXPECT_TRUE(are_same_bits(to_vector(Kokkos::subview(both, Kokkos::ALL, 0)), first));
}

template <class Layout, class Exec, class SortLines, class ArgsortLines>
void expect_sorted_lines(Exec const& exec, bool are_rows, std::size_t lines, std::size_t length,
                         SortLines const& sort, ArgsortLines const& argsort) {
  auto const rows = are_rows ? lines : length;
  auto const columns = are_rows ? length : lines;
  Kokkos::View<std::int32_t**, Layout, typename Exec::memory_space> const matrix("m", rows,
                                                                                 columns);
  Kokkos::View<std::int16_t**, Layout, typename Exec::memory_space> const indices("i", rows,
                                                                                  columns);
  auto const random = random_values<std::int32_t>(lines * length);
  auto const host = Kokkos::create_mirror_view(matrix);
  auto const host_indices = Kokkos::create_mirror_view(indices);
  auto const line = [&](auto const& view, std::size_t l, std::size_t k) -> auto& {
    return are_rows ? view(l, k) : view(k, l);
  };
  for (std::size_t i = 0; i < random.size(); ++i) {
    line(host, i / length, i % length) = random[i] % 1000;
  }
  Kokkos::deep_copy(matrix, host);
  argsort(matrix, indices);
  sort(matrix);
  exec.fence();
  Kokkos::deep_copy(host_indices, indices);
  Kokkos::deep_copy(host, matrix);
  for (std::size_t l = 0; l < lines; ++l) {
    std::vector<std::int32_t> values(length);
    for (std::size_t k = 0; k < length; ++k) values[k] = random[l * length + k] % 1000;
    auto const order = stable_order<Ascending>(values);
    for (std::size_t k = 0; k < length; ++k) {
      ASSERT_EQ(line(host, l, k), values[order[k]]) << l << ", " << k;
      ASSERT_EQ(line(host_indices, l, k), static_cast<std::int16_t>(order[k])) << l << ", " << k;
    }
  }
}

TYPED_TEST(SegmentedSortTest, RowsAndColumns) {
  auto const& exec = this->exec;
  auto const rows = [&]<class Layout>(Layout, std::size_t lines, std::size_t length) {
    expect_sorted_lines<Layout>(
        exec, true, lines, length, [&](auto const& m) { riffle::sort_rows(exec, m); },
        [&](auto const& m, auto const& i) { riffle::argsort_rows(exec, m, i); });
  };
  auto const columns = [&]<class Layout>(Layout, std::size_t lines, std::size_t length) {
    expect_sorted_lines<Layout>(
        exec, false, lines, length, [&](auto const& m) { riffle::sort_columns(exec, m); },
        [&](auto const& m, auto const& i) { riffle::argsort_columns(exec, m, i); });
  };
  for (std::size_t const length : {1, 2, 30, 33, 500, 9000}) {
    std::size_t const lines = 18'000 / length;
    rows(Kokkos::LayoutRight(), lines, length);
    columns(Kokkos::LayoutRight(), lines, length);
  }
  rows(Kokkos::LayoutLeft(), 70, 300);
  columns(Kokkos::LayoutLeft(), 70, 300);
  rows(Kokkos::LayoutRight(), 0, 5);
  rows(Kokkos::LayoutRight(), 5, 0);
}

// A row is long enough for all threads of a CPU.
TYPED_TEST(SegmentedSortTest, LongRows) {
  Kokkos::View<std::uint64_t**, Kokkos::LayoutRight, typename TypeParam::memory_space> const m(
      "m", 2, 70'000);
  auto const values = random_values<std::uint64_t>(m.size());
  fill(m, values);
  riffle::sort_rows(this->exec, m, Descending());
  this->exec.fence();
  auto expected = values;
  std::sort(expected.begin(), expected.begin() + 70'000, std::greater<>());
  std::sort(expected.begin() + 70'000, expected.end(), std::greater<>());
  Kokkos::View<std::uint64_t*, typename TypeParam::memory_space, Kokkos::MemoryUnmanaged> const all(
      m.data(), m.size());
  EXPECT_TRUE(to_vector(all) == expected);
}

// Offsets that are not ascending, or exceed the elements: values are unspecified, but others are not touched.
TYPED_TEST(SegmentedSortTest, InvalidOffsetsTouchNoOtherMemory) {
  std::size_t const n = 20'000;
  auto const all = to_view<TypeParam>(std::vector<std::int32_t>(n + 2000, -5));
  auto const values = Kokkos::subview(all, Kokkos::pair<std::size_t, std::size_t>(1000, n + 1000));
  auto random = random_values<std::int32_t>(200);
  random.front() = 3;
  riffle::sort_segments(this->exec, values, to_view<TypeParam>(random));
  for (auto& offset : random) offset = static_cast<std::int32_t>((offset & 0x7FFFFFFF) % (n + 900));
  riffle::sort_segments(this->exec, values, to_view<TypeParam>(random));
  this->exec.fence();
  auto const found = to_vector(all);
  EXPECT_TRUE(std::all_of(found.begin(), found.begin() + 1000, [](auto x) { return x == -5; }));
  EXPECT_TRUE(std::all_of(found.end() - 1000, found.end(), [](auto x) { return x == -5; }));
}

TYPED_TEST(SegmentedSortTest, LabelsAndInstance) {
  auto const values = to_view<TypeParam>(random_values<std::int32_t>(50'000));
  auto const offsets = to_view<TypeParam>(offsets_of_segments(50'000, 6000));
  auto const call = [&](auto const& where) { riffle::sort_segments(where, values, offsets); };
  expect_labels_and_instance(this->exec, call, this->workspace);
}

TYPED_TEST(SegmentedSortTest, RejectsInvalidArguments) {
  auto const values = zeros<TypeParam, std::int32_t>(400);
  auto const none = zeros<TypeParam, std::int32_t>(0);
  EXPECT_EQ(thrown_message([&] { riffle::sort_segments(this->exec, values, none); }),
            "riffle::sort_segments: offsets.extent(0) = 0 and values.extent(0) = 400: there must "
            "be one offset more than there are segments");
  EXPECT_NE(
      thrown_message([&] { riffle::sort_segments(this->exec, values, values); }).find("overlap"),
      std::string::npos);
  auto const offsets = zeros<TypeParam, std::int32_t>(2);
  EXPECT_EQ(
      thrown_message([&] { riffle::argsort_segments(this->exec, values, offsets, none); }),
      "riffle::argsort_segments: data.extent(0) = 400 and indices.extent(0) = 0: must be equal");
  EXPECT_EQ(thrown_message([&] {
              riffle::argsort_segments(this->exec, values, offsets,
                                       zeros<TypeParam, std::int8_t>(400));
            }),
            "riffle::argsort_segments: n = 400: the value type of indices holds no index above "
            "127");
  EXPECT_NE(thrown_message([&] {
              riffle::argsort_segments(this->exec, values, offsets, values);
            }).find("overlap"),
            std::string::npos);
  Kokkos::View<float**, typename TypeParam::memory_space> const a("a", 3, 4);
  Kokkos::View<int**, typename TypeParam::memory_space> const b("b", 3, 5);
  EXPECT_EQ(thrown_message([&] { riffle::argsort_rows(this->exec, a, b); }),
            "riffle::argsort_rows: data.extent(1) = 4 and indices.extent(1) = 5: must be equal");
}

}  // namespace
}  // namespace riffle::test::segmented_sort_test
