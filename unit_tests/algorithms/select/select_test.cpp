// Compaction compared with the standard library.

#include <Kokkos_Core.hpp>
#include <riffle/select.hpp>
#include <riffle/workspace.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/thrown_message.hpp"
#include "support/tool_checks.hpp"
#include "support/unsorted_data.hpp"
#include "support/views.hpp"

namespace riffle::test::select_test {
namespace {

/// Sizes around the tiles of a GPU and of a CPU.
std::vector<std::size_t> sizes() {
  return {0, 1, 2, 31, 4095, 4096, 4097, 16'383, 16'384, 16'385, 100'003};
}

struct IsBelow {
  std::int32_t limit;

  KOKKOS_FUNCTION bool operator()(std::int32_t x) const { return x < limit; }
};

template <class Exec>
class SelectTest : public ::testing::Test {
 protected:
  template <class T>
  using CountView = Kokkos::View<T, typename Exec::memory_space>;

  template <class View>
  static std::uint64_t value(View const& count) {
    typename View::value_type found;
    Kokkos::deep_copy(found, count);
    return static_cast<std::uint64_t>(found);
  }

  Exec exec;
  riffle::Workspace<Exec> workspace{exec};
  CountView<std::int32_t> count{"count"};
};
TYPED_TEST_SUITE(SelectTest, ExecutionSpaces, SpaceNames);

TYPED_TEST(SelectTest, CopyIf) {
  for (std::size_t const n : sizes()) {
    auto const values = random_values<std::int32_t>(n);
    for (std::int32_t const limit : {0, INT32_MIN, INT32_MAX, -2'000'000'000}) {
      std::vector<std::int32_t> expected;
      std::copy_if(values.begin(), values.end(), std::back_inserter(expected), IsBelow{limit});
      auto const kept = expected.size();
      expected.resize(n + 3, -7);
      auto const in = to_view<TypeParam>(values);
      auto const out = to_view<TypeParam>(std::vector<std::int32_t>(n + 3, -7));
      riffle::copy_if(Context(this->exec, this->workspace), in, out, IsBelow{limit}, this->count);
      this->exec.fence();
      EXPECT_EQ(this->value(this->count), kept);
      EXPECT_TRUE(to_vector(out) == expected) << n << " " << limit;
      EXPECT_EQ(riffle::copy_if(this->exec, in, out, IsBelow{limit}), kept);
      EXPECT_TRUE(to_vector(out) == expected) << n << " " << limit;
    }
  }
}

// The count can be read by the next kernels, and the next call can overwrite it.
TYPED_TEST(SelectTest, CountsOfSeveralCallsWithoutFences) {
  std::size_t const n = 50'000;
  auto const in = to_view<TypeParam>(random_values<std::int32_t>(n));
  auto const out = zeros<TypeParam, std::int32_t>(n);
  std::vector<typename TestFixture::template CountView<std::uint64_t>> counts;
  for (int k = 0; k < 4; ++k) {
    counts.emplace_back("count");
    riffle::copy_if(Context(this->exec, this->workspace), in, out, IsBelow{(k - 2) * 1'000'000'000},
                    counts.back());
  }
  this->exec.fence();
  for (int k = 0; k < 4; ++k) {
    auto const values = to_vector(in);
    EXPECT_EQ(this->value(counts[static_cast<std::size_t>(k)]),
              static_cast<std::uint64_t>(
                  std::count_if(values.begin(), values.end(), IsBelow{(k - 2) * 1'000'000'000})));
  }
}

struct EveryThird {
  KOKKOS_FUNCTION bool operator()(std::uint64_t i) const { return i % 3 == 1; }
};

TYPED_TEST(SelectTest, CopyFlaggedRowsOfAPack) {
  using Left = Kokkos::View<double* [5], Kokkos::LayoutLeft, typename TypeParam::memory_space>;
  using Right = Kokkos::View<float* [3], Kokkos::LayoutRight, typename TypeParam::memory_space>;
  for (std::size_t const n : sizes()) {
    auto const numbers = random_values<std::int32_t>(n);
    std::vector<std::uint8_t> flags(n);
    for (std::size_t i = 0; i < n; ++i) flags[i] = numbers[i] % 5 == 0 ? 4 : 0;
    Left const left("left", n), out_left("out_left", n);
    Right const right("right", n), out_right("out_right", n);
    for (std::size_t c = 0; c < 5; ++c) {
      std::vector<double> column(n);
      for (std::size_t i = 0; i < n; ++i)
        column[i] = static_cast<double>(numbers[i]) + 0.1 * static_cast<double>(c);
      fill(Kokkos::subview(left, Kokkos::ALL, c), column);
    }
    for (std::size_t c = 0; c < 3; ++c) {
      std::vector<float> column(n, static_cast<float>(c));
      fill(Kokkos::subview(right, Kokkos::ALL, c), column);
    }
    auto const kept = riffle::copy_flagged(this->exec, pack(left, right), pack(out_left, out_right),
                                           to_view<TypeParam>(flags));
    ASSERT_EQ(kept, static_cast<std::uint64_t>(
                        n - static_cast<std::size_t>(std::count(flags.begin(), flags.end(), 0))));
    for (std::size_t c = 0; c < 5; ++c) {
      std::vector<double> expected;
      for (std::size_t i = 0; i < n; ++i) {
        if (flags[i] != 0)
          expected.push_back(static_cast<double>(numbers[i]) + 0.1 * static_cast<double>(c));
      }
      expected.resize(n);
      EXPECT_TRUE(to_vector(Kokkos::subview(out_left, Kokkos::ALL, c)) == expected) << n;
    }
    auto const last = to_vector(Kokkos::subview(out_right, Kokkos::ALL, 2));
    EXPECT_EQ(static_cast<std::uint64_t>(std::count(last.begin(), last.end(), 2.0f)), kept);
  }
}

TYPED_TEST(SelectTest, FlagsOfAFunction) {
  std::size_t const n = 10'000;
  auto const values = random_values<double>(n);
  auto const in = to_view<TypeParam>(values);
  auto const out = zeros<TypeParam, double>(n);
  riffle::copy_flagged(this->exec, in, out, EveryThird{}, this->count);
  this->exec.fence();
  std::vector<double> expected;
  for (std::size_t i = 1; i < n; i += 3) expected.push_back(values[i]);
  EXPECT_EQ(this->value(this->count), expected.size());
  expected.resize(n);
  EXPECT_EQ(to_vector(out), expected);
}

/// Values with runs of random lengths, of `most` at most.
std::vector<std::int32_t> runs(std::size_t n, int most) {
  auto const random = random_values<std::int32_t>(n + 1);
  std::vector<std::int32_t> values;
  for (std::size_t k = 0; values.size() < n; ++k) {
    auto const length =
        1 + static_cast<std::size_t>(random[k] & INT32_MAX) % static_cast<std::size_t>(most);
    values.insert(values.end(), std::min(length, n - values.size()), random[k]);
  }
  return values;
}

TYPED_TEST(SelectTest, UniqueAndRunLengths) {
  for (std::size_t const n : sizes()) {
    for (int const most : {1, 2, 40, 10'000, 1 << 20}) {
      auto const values = runs(n, most);
      auto unique = values;
      unique.erase(std::unique(unique.begin(), unique.end()), unique.end());
      std::vector<std::int64_t> lengths;
      for (std::size_t i = 0; i < n; ++i) {
        if (i == 0 || values[i] != values[i - 1]) lengths.push_back(0);
        ++lengths.back();
      }
      auto const count = unique.size();
      unique.resize(n, -7);
      lengths.resize(n, -7);
      auto const in = to_view<TypeParam>(values);
      auto const out = to_view<TypeParam>(std::vector<std::int32_t>(n, -7));
      EXPECT_EQ(riffle::unique_copy(this->exec, in, out), count);
      EXPECT_TRUE(to_vector(out) == unique) << n << " " << most;
      auto const firsts = to_view<TypeParam>(std::vector<std::int32_t>(n, -7));
      auto const found = to_view<TypeParam>(std::vector<std::int64_t>(n, -7));
      riffle::run_length_encode(Context(this->exec, this->workspace), in, firsts, found,
                                this->count);
      this->exec.fence();
      EXPECT_EQ(this->value(this->count), count);
      EXPECT_TRUE(to_vector(firsts) == unique) << n << " " << most;
      EXPECT_TRUE(to_vector(found) == lengths) << n << " " << most;
    }
  }
}

struct HaveSameTens {
  KOKKOS_FUNCTION bool operator()(std::int32_t a, std::int32_t b) const { return a / 10 == b / 10; }
};

TYPED_TEST(SelectTest, RunsOfAUsersRelation) {
  std::vector<std::int32_t> const values{11, 19, 12, 20, 29, 3, 4, 11};
  auto const in = to_view<TypeParam>(values);
  auto const out = zeros<TypeParam, std::int32_t>(8);
  auto const lengths = zeros<TypeParam, std::int32_t>(8);
  EXPECT_EQ(riffle::unique_copy(this->exec, in, out, HaveSameTens{}), 4u);
  EXPECT_EQ(to_vector(out), (std::vector<std::int32_t>{11, 20, 3, 11, 0, 0, 0, 0}));
  EXPECT_EQ(riffle::run_length_encode(this->exec, in, out, lengths, HaveSameTens{}), 4u);
  EXPECT_EQ(to_vector(lengths), (std::vector<std::int32_t>{3, 2, 2, 1, 0, 0, 0, 0}));
}

TYPED_TEST(SelectTest, EachNanIsARun) {
  double const nan = std::numeric_limits<double>::quiet_NaN();
  auto const in = to_view<TypeParam>(std::vector<double>{1, 1, nan, nan, 0.0, -0.0});
  auto const out = zeros<TypeParam, double>(6);
  EXPECT_EQ(riffle::unique_copy(this->exec, in, out), 4u);
  auto const found = to_vector(out);
  EXPECT_EQ(found[0], 1);
  EXPECT_TRUE(std::isnan(found[1]) && std::isnan(found[2]));
  EXPECT_EQ(found[3], 0);
}

TYPED_TEST(SelectTest, StridedViews) {
  std::size_t const n = 10'000;
  auto const values = runs(n, 5);
  Kokkos::View<std::int32_t*[3], Kokkos::LayoutRight, typename TypeParam::memory_space> const
      matrix("matrix", n),
      results("results", n);
  auto const column = Kokkos::subview(matrix, Kokkos::ALL, 1);
  auto const out = Kokkos::subview(results, Kokkos::ALL, 2);
  fill(column, values);
  auto const count = riffle::unique_copy(this->exec, column, out);
  auto expected = values;
  expected.erase(std::unique(expected.begin(), expected.end()), expected.end());
  EXPECT_EQ(count, expected.size());
  expected.resize(n);
  EXPECT_EQ(to_vector(out), expected);
  EXPECT_EQ(to_vector(Kokkos::subview(results, Kokkos::ALL, 1)), std::vector<std::int32_t>(n));
}

TYPED_TEST(SelectTest, LabelsAndInstance) {
  TypeParam const instance = Kokkos::Experimental::partition_space(TypeParam(), 1, 1)[1];
  auto const in = to_view<TypeParam>(random_values<std::int32_t>(40'000));
  auto const out = zeros<TypeParam, std::int32_t>(40'000);
  Kokkos::fence();
  expect_labels_and_instance(
      instance, [&](auto const& on) { riffle::copy_if(on, in, out, IsBelow{0}, this->count); });
}

TYPED_TEST(SelectTest, RejectsInvalidArguments) {
  auto const in = zeros<TypeParam, std::int32_t>(400);
  auto const out = zeros<TypeParam, std::int32_t>(400);
  auto const small = zeros<TypeParam, std::int32_t>(300);
  auto const flags = zeros<TypeParam, std::uint8_t>(399);
  typename TestFixture::template CountView<std::int8_t> const narrow("narrow");
  EXPECT_EQ(thrown_message([&] { riffle::copy_if(this->exec, in, small, IsBelow{0}); }),
            "riffle::copy_if: out.extent(0) = 300: must be at least in.extent(0) = 400");
  EXPECT_EQ(
      thrown_message([&] { riffle::copy_if(this->exec, in, out, IsBelow{0}, narrow); }),
      "riffle::copy_if: in.extent(0) = 400: the value type of count holds no number above 127");
  EXPECT_EQ(thrown_message([&] { riffle::copy_flagged(this->exec, in, out, flags, this->count); }),
            "riffle::copy_flagged: flags.extent(0) = 399 and in.extent(0) = 400: must be equal");
  EXPECT_NE(thrown_message([&] { riffle::unique_copy(this->exec, in, in); }).find("overlap"),
            std::string::npos);
  auto const inside = Kokkos::subview(out, 7);
  EXPECT_NE(
      thrown_message([&] { riffle::unique_copy(this->exec, in, out, inside); }).find("overlap"),
      std::string::npos);
  EXPECT_EQ(thrown_message([&] {
              riffle::run_length_encode(this->exec, in, out, zeros<TypeParam, std::int8_t>(400),
                                        this->count);
            }),
            "riffle::run_length_encode: in.extent(0) = 400: the value type of lengths holds no "
            "number above 127");
}

}  // namespace
}  // namespace riffle::test::select_test
