// Partitions compared with the standard library's stable partition.

#include <Kokkos_Core.hpp>
#include <riffle/partition.hpp>
#include <riffle/workspace.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/thrown_message.hpp"
#include "support/tool_checks.hpp"
#include "support/unsorted_data.hpp"
#include "support/views.hpp"

namespace riffle::test::partition_test {
namespace {

/// Sizes around the tiles of a scan.
std::vector<std::size_t> sizes() { return {0, 1, 2, 4095, 4096, 4097, 100'003}; }

struct IsBelow {
  std::int32_t limit;

  KOKKOS_FUNCTION bool operator()(std::int32_t x) const { return x < limit; }
};

template <class Exec>
class PartitionTest : public ::testing::Test {
 protected:
  Exec exec;
  riffle::Workspace<Exec> workspace{exec};
};
TYPED_TEST_SUITE(PartitionTest, ExecutionSpaces, SpaceNames);

TYPED_TEST(PartitionTest, CopiesAndInPlace) {
  for (std::size_t const n : sizes()) {
    auto const values = random_values<std::int32_t>(n);
    for (std::int32_t const limit : {0, INT32_MIN, INT32_MAX, -2'000'000'000}) {
      auto expected = values;
      auto const border = std::stable_partition(expected.begin(), expected.end(), IsBelow{limit});
      auto const count = static_cast<std::uint64_t>(border - expected.begin());
      auto const in = to_view<TypeParam>(values);
      auto const out = zeros<TypeParam, std::int32_t>(n);
      EXPECT_EQ(
          riffle::partition_copy(Context(this->exec, this->workspace), in, out, IsBelow{limit}),
          count);
      this->exec.fence();
      EXPECT_TRUE(to_vector(out) == expected) << n << " " << limit;
      EXPECT_TRUE(to_vector(in) == values);
      EXPECT_EQ(riffle::partition(Context(this->exec, this->workspace), in, IsBelow{limit}), count);
      this->exec.fence();
      EXPECT_TRUE(to_vector(in) == expected) << n << " " << limit;
    }
  }
}

TYPED_TEST(PartitionTest, StridedViews) {
  std::size_t const n = 10'000;
  auto const values = random_values<std::int32_t>(n);
  Kokkos::View<std::int32_t* [3], Kokkos::LayoutRight, typename TypeParam::memory_space> const
      matrix("matrix", n);
  auto const column = Kokkos::subview(matrix, Kokkos::ALL, 1);
  fill(column, values);
  riffle::partition(this->exec, column, IsBelow{7});
  this->exec.fence();
  auto expected = values;
  std::stable_partition(expected.begin(), expected.end(), IsBelow{7});
  EXPECT_EQ(to_vector(column), expected);
  EXPECT_EQ(to_vector(Kokkos::subview(matrix, Kokkos::ALL, 0)), std::vector<std::int32_t>(n));
  EXPECT_EQ(to_vector(Kokkos::subview(matrix, Kokkos::ALL, 2)), std::vector<std::int32_t>(n));
}

/// True for all elements in the first `fickle` calls, false afterwards.
template <class Exec>
struct ChangesItsMind {
  Kokkos::View<std::uint64_t, typename Exec::memory_space> asked;
  std::uint64_t fickle;

  KOKKOS_FUNCTION bool operator()(std::int32_t) const {
    return Kokkos::atomic_fetch_add(&asked(), std::uint64_t{1}) < fickle;
  }
};

// Predicates whose results change are not allowed. The values are then unspecified, but nothing
// after them is written.
TYPED_TEST(PartitionTest, InconsistentPredicatesStayInTheirViews) {
  std::size_t const n = 10'000;
  auto const in = to_view<TypeParam>(random_values<std::int32_t>(n));
  auto const memory = to_view<TypeParam>(std::vector<std::int32_t>(3 * n, -7));
  auto const out = Kokkos::subview(memory, std::pair<std::size_t, std::size_t>(n, 2 * n));
  for (std::uint64_t const fickle : {n, n / 2, n + n / 2}) {
    ChangesItsMind<TypeParam> const predicate{
        Kokkos::View<std::uint64_t, typename TypeParam::memory_space>("asked"), fickle};
    riffle::partition_copy(this->exec, in, out, predicate);
    this->exec.fence();
    auto const all = to_vector(memory);
    EXPECT_EQ(std::count(all.begin(), all.begin() + n, -7), n) << fickle;
    EXPECT_EQ(std::count(all.end() - n, all.end(), -7), n) << fickle;
  }
}

TYPED_TEST(PartitionTest, LabelsAndInstance) {
  TypeParam const instance = Kokkos::Experimental::partition_space(TypeParam(), 1, 1)[1];
  auto const view = to_view<TypeParam>(random_values<std::int32_t>(40'000));
  Kokkos::fence();
  expect_labels_and_instance(instance,
                             [&](auto const& on) { riffle::partition(on, view, IsBelow{0}); });
}

TYPED_TEST(PartitionTest, ReusesItsWorkspace) {
  auto const in = to_view<TypeParam>(random_values<std::int32_t>(40'000));
  riffle::partition(Context(this->exec, this->workspace), in, IsBelow{0});
  std::size_t const bytes = this->workspace.bytes();
  riffle::partition(Context(this->exec, this->workspace), in, IsBelow{7});
  EXPECT_EQ(this->workspace.bytes(), bytes);
}

// A thread's stack cannot hold a tile of these.
struct LargeItem {
  std::int32_t number;
  std::byte payload[4092];
};

struct IsOdd {
  KOKKOS_FUNCTION bool operator()(LargeItem const& item) const { return item.number % 2 != 0; }
};

TEST(Partition, LargeItems) {
  using View = Kokkos::View<LargeItem*, Kokkos::HostSpace>;
  View const in("in", 10'000);
  View const out("out", 10'000);
  for (std::int32_t i = 0; i < 10'000; ++i) in(i).number = i;
  auto const odd = riffle::partition_copy(Kokkos::DefaultHostExecutionSpace(), in, out, IsOdd{});
  EXPECT_EQ(odd, 5000u);
  for (std::int32_t i = 0; i < 5000; ++i) {
    ASSERT_EQ(out(i).number, 2 * i + 1);
    ASSERT_EQ(out(5000 + i).number, 2 * i);
  }
}

TYPED_TEST(PartitionTest, RejectsInvalidArguments) {
  auto const in = zeros<TypeParam, std::int32_t>(400);
  auto const out = zeros<TypeParam, std::int32_t>(300);
  EXPECT_EQ(thrown_message([&] { riffle::partition_copy(this->exec, in, out, IsBelow{0}); }),
            "riffle::partition_copy: in.extent(0) = 400 and out.extent(0) = 300: must be equal");
  auto const first = Kokkos::subview(in, std::pair<int, int>(0, 300));
  auto const last = Kokkos::subview(in, std::pair<int, int>(100, 400));
  EXPECT_NE(thrown_message([&] {
              riffle::partition_copy(this->exec, first, last, IsBelow{0});
            }).find("overlap"),
            std::string::npos);
}

}  // namespace
}  // namespace riffle::test::partition_test
