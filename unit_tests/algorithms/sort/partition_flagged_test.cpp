// Partitions of rows by flags, compared with the standard library's stable partition of their numbers.

#include <Kokkos_Core.hpp>
#include <riffle/partition.hpp>
#include <riffle/view_pack.hpp>
#include <riffle/workspace.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/matrices.hpp"
#include "support/thrown_message.hpp"
#include "support/tool_checks.hpp"
#include "support/unsorted_data.hpp"
#include "support/views.hpp"

namespace riffle::test::partition_flagged_test {
namespace {

/// A pack of an array and of rows of three values. Row i starts with 10 numbers[i].
template <class Exec>
struct Rows {
  Kokkos::View<std::int32_t*, typename Exec::memory_space> numbers;
  decltype(make_matrix<Exec, double, Kokkos::LayoutLeft>(0, 3)) rows;

  explicit Rows(std::vector<std::int32_t> const& values)
      : numbers(to_view<Exec>(values)),
        rows(make_matrix<Exec, double, Kokkos::LayoutLeft>(values.size(), 3)) {
    std::vector<double> all;
    for (auto const value : values)
      for (int c = 0; c < 3; ++c) all.push_back(10.0 * value + c);
    fill(rows, all);
  }

  auto pack() const { return riffle::pack(numbers, rows); }

  void expect(std::vector<std::int32_t> const& expected, std::string const& what) const {
    EXPECT_TRUE(to_vector(numbers) == expected) << what << ", n = " << expected.size();
    EXPECT_TRUE(to_rows(rows) == to_rows(Rows(expected).rows))
        << what << ", n = " << expected.size();
  }
};

struct HasDigit {
  std::int32_t divisor;
  std::int32_t rest;

  KOKKOS_FUNCTION bool operator()(std::int32_t x) const { return x % divisor == rest; }
};

template <class View>
struct FlagOf {
  View numbers;
  HasDigit has_digit;

  KOKKOS_FUNCTION bool operator()(std::uint64_t i) const { return has_digit(numbers(i)); }
};

template <class Exec>
class PartitionFlaggedTest : public ::testing::Test {
 protected:
  Exec exec;
  riffle::Workspace<Exec> workspace{exec};
};
TYPED_TEST_SUITE(PartitionFlaggedTest, ExecutionSpaces, SpaceNames);

TYPED_TEST(PartitionFlaggedTest, RowsOfAPack) {
  for (std::size_t const n : {0, 1, 2, 4096, 4097, 50'003}) {
    auto const values = iota<std::int32_t>(n);
    // Some rows, no row, all rows.
    for (HasDigit const has_digit : {HasDigit{3, 1}, HasDigit{1, 1}, HasDigit{1, 0}}) {
      auto expected = values;
      auto const border = std::stable_partition(expected.begin(), expected.end(), has_digit);
      auto const count = static_cast<std::uint64_t>(border - expected.begin());
      std::vector<std::uint8_t> flags(n);
      for (std::size_t i = 0; i < n; ++i) flags[i] = has_digit(values[i]) ? 4 : 0;
      Context const context(this->exec, this->workspace);
      Rows<TypeParam> const in(values);
      Rows<TypeParam> const out(std::vector<std::int32_t>(n, -7));
      EXPECT_EQ(
          riffle::partition_copy_flagged(context, in.pack(), out.pack(), to_view<TypeParam>(flags)),
          count);
      out.expect(expected, "copy");
      in.expect(values, "input");
      EXPECT_EQ(riffle::partition_flagged(context, in.pack(), to_view<TypeParam>(flags)), count);
      in.expect(expected, "in place");
    }
  }
}

TYPED_TEST(PartitionFlaggedTest, FlagsMayReadTheRowsThatMove) {
  std::size_t const n = 10'000;
  auto const values = random_values<std::int32_t>(n);
  auto expected = values;
  std::stable_partition(expected.begin(), expected.end(), HasDigit{5, 2});
  Rows<TypeParam> const by_function(values);
  riffle::partition_flagged(
      this->exec, by_function.pack(),
      FlagOf<decltype(by_function.numbers)>{by_function.numbers, HasDigit{5, 2}});
  this->exec.fence();
  by_function.expect(expected, "function");

  std::vector<std::int32_t> flags(n);
  for (std::size_t i = 0; i < n; ++i) flags[i] = i % 7 == 3 ? static_cast<std::int32_t>(i) : 0;
  Rows<TypeParam> const by_own_flags(flags);
  riffle::partition_flagged(this->exec, by_own_flags.pack(), by_own_flags.numbers);
  this->exec.fence();
  std::stable_partition(flags.begin(), flags.end(), [](std::int32_t x) { return x != 0; });
  by_own_flags.expect(flags, "flags that move");
}

/// True in the first `fickle` calls, false afterwards.
template <class Exec>
struct ChangesItsMind {
  Kokkos::View<std::uint64_t, typename Exec::memory_space> asked;
  std::uint64_t fickle;

  KOKKOS_FUNCTION bool operator()(std::uint64_t) const {
    return Kokkos::atomic_fetch_add(&asked(), std::uint64_t{1}) < fickle;
  }
};

TYPED_TEST(PartitionFlaggedTest, InconsistentFlagsStayInTheirViews) {
  std::size_t const n = 10'000;
  auto const in = to_view<TypeParam>(random_values<std::int32_t>(n));
  auto const memory = to_view<TypeParam>(std::vector<std::int32_t>(3 * n, -7));
  auto const out = Kokkos::subview(memory, std::pair<std::size_t, std::size_t>(n, 2 * n));
  auto const dirt = to_view<TypeParam>(std::vector<std::int32_t>(n, -1));
  for (std::uint64_t const fickle : {n, n / 2, n + n / 2}) {
    // Leaves large numbers in the memory of the workspace.
    riffle::partition(Context(this->exec, this->workspace), dirt, HasDigit{1, 0});
    ChangesItsMind<TypeParam> const flags{
        Kokkos::View<std::uint64_t, typename TypeParam::memory_space>("asked"), fickle};
    riffle::partition_copy_flagged(Context(this->exec, this->workspace), in, out, flags);
    this->exec.fence();
    auto const all = to_vector(memory);
    EXPECT_EQ(std::count(all.begin(), all.begin() + n, -7), n) << fickle;
    EXPECT_EQ(std::count(all.end() - n, all.end(), -7), n) << fickle;
  }
}

TYPED_TEST(PartitionFlaggedTest, LabelsAndInstance) {
  TypeParam const instance = Kokkos::Experimental::partition_space(TypeParam(), 1, 1)[1];
  Rows<TypeParam> const rows(iota<std::int32_t>(40'000));
  Kokkos::fence();
  expect_labels_and_instance(
      instance, [&](auto const& on) { riffle::partition_flagged(on, rows.pack(), rows.numbers); });
}

TYPED_TEST(PartitionFlaggedTest, RejectsInvalidArguments) {
  Rows<TypeParam> const in(iota<std::int32_t>(400));
  Rows<TypeParam> const out(iota<std::int32_t>(300));
  auto const flags = zeros<TypeParam, std::uint8_t>(399);
  EXPECT_EQ(
      thrown_message([&] { riffle::partition_copy_flagged(this->exec, in.rows, out.rows, flags); }),
      "riffle::partition_copy_flagged: in.extent(0) = 400 and out.extent(0) = 300: must be equal");
  EXPECT_EQ(thrown_message([&] { riffle::partition_flagged(this->exec, in.rows, flags); }),
            "riffle::partition_flagged: flags.extent(0) = 399 and data.extent(0) = 400: must be "
            "equal");
  EXPECT_NE(thrown_message([&] {
              riffle::partition_copy_flagged(this->exec, in.numbers, in.numbers, in.numbers);
            }).find("overlap"),
            std::string::npos);
  EXPECT_NE(thrown_message([&] {
              riffle::partition_flagged(this->exec, riffle::pack(in.numbers, in.numbers),
                                        in.numbers);
            }).find("overlap"),
            std::string::npos);
  in.expect(iota<std::int32_t>(400), "unchanged");
}

}  // namespace
}  // namespace riffle::test::partition_flagged_test
