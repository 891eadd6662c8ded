// Samplesort of two levels for numbers, on an emulated GPU and on every GPU, compared bit by bit
// with the standard library's stable sort.

#include <Kokkos_Core.hpp>
#include <riffle/backend/backend.hpp>
#include <riffle/sort.hpp>
#include <riffle/sort/detail/gpu/samplesort/two_levels.hpp>
#include <riffle/workspace.hpp>

#include <gtest/gtest.h>

#include <algorithm>
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

namespace riffle::test::samplesort_two_levels_test {
namespace {

using ss::Index;

// --- the division of arrays ---

template <class Word>
void expect_is_divided(std::uint64_t n) {
  two_levels::BucketDivision<Word> const division(n);
  std::uint64_t const parts = std::uint64_t{division.buckets()} * division.parts();
  EXPECT_LE(n, parts * two_levels::part_size<Word>) << n;
  EXPECT_LE(division.sample_size(), n) << n;
  EXPECT_LE(std::uint64_t{division.tiles()} * two_levels::tile_size<Word>, n + n / 8 + (1 << 24))
      << n;
}

TEST(SamplesortDivision, Divisions) {
  for (int e = 20; e <= 30; ++e) {
    for (int d = -1; d <= (e < 30 ? 1 : 0); ++d) {
      std::uint64_t const n = (std::uint64_t{1} << e) + static_cast<std::uint64_t>(d);
      expect_is_divided<std::uint64_t>(n);
      expect_is_divided<std::uint32_t>(n);
    }
  }
}

/// The tiles of all buckets fit in the arrays. They take the most space if the sample is divided
/// evenly among buckets.
TEST(SamplesortDivision, TilesOfAllBucketsFit) {
  two_levels::BucketDivision<std::uint64_t> const division(std::uint64_t{1} << 28);
  std::uint64_t even = 0;
  for (Index b = 0; b < division.buckets(); ++b) {
    even += division.tiles_for(division.sample_size() / division.buckets());
  }
  EXPECT_LE(even, division.tiles());
  EXPECT_GE(even * two_levels::tile_size<std::uint64_t>, division.size);
}

// --- on an emulated GPU ---

template <class T, class Order>
Found sort_emulated(std::vector<T>& values, int depth) {
  using Word = detail::RadixWord<T>;
  auto const words = ss::words_of<Order>(HostView<T>(values.data(), values.size()));
  return samplesort_two_levels_emulated(ss::NumbersIn<Word>{words}, ss::NumbersOut<Word>{words},
                                        values.size(), depth);
}

/// Returns the number of overfull parts.
template <class T, class Order = Ascending>
Index expect_sorts_emulated(std::vector<T> values, int depth) {
  auto const expected = sorted_oracle(values, Order{});
  Found const found = sort_emulated<T, Order>(values, depth);
  EXPECT_EQ(found.overfull_buckets, 0u);
  EXPECT_TRUE(are_same_bits(values, expected)) << values.size() << " values, depth " << depth;
  return found.overfull_parts;
}

// Emulation is slow, so sizes are small. The sample has 16 elements per part, drawn without
// repetition.

TEST(SamplesortTwoLevelsOnEmulatedGpu, UniformAndInOrder) {
  auto values = uniform_values<std::int64_t>(20'000);
  expect_sorts_emulated(values, 10);
  std::sort(values.begin(), values.end());
  expect_sorts_emulated<std::int64_t, Descending>(values, 9);
}

/// Buckets of 16 parts: most of them by interpolation, but not where values are clustered.
TEST(SamplesortTwoLevelsOnEmulatedGpu, PartsByInterpolation) {
  auto values = uniform_values<std::int64_t>(70'000);
  for (std::size_t i = 0; i < values.size(); i += 8) values[i] = values[i] % 1'000'000;
  expect_sorts_emulated(values, 12);
}

/// Some buckets have only equal values; others have values equal to their splitter and further
/// values, up to twice the average size.
TEST(SamplesortTwoLevelsOnEmulatedGpu, Ties) {
  expect_sorts_emulated(few_signed_values<std::int64_t>(17'000, 1), 9);
  expect_sorts_emulated(few_signed_values<std::int64_t>(17'000, 300), 9);
  expect_sorts_emulated(zipf_values<double>(17'000), 9);
}

// Nearly all values are the least of the type, whose code is 0.
TEST(SamplesortTwoLevelsOnEmulatedGpu, NearlyAllKeysAreTheLeast) {
  std::vector<std::int64_t> values(5000, std::numeric_limits<std::int64_t>::min());
  values[100] = 3;
  values[2000] = 2;
  values[4900] = 1;
  expect_sorts_emulated(values, 8);
}

TEST(SamplesortTwoLevelsOnEmulatedGpu, ZerosAndNaNsOfAnyBits) {
  auto values = uniform_values<double>(17'000);
  for (std::size_t i = 0; i < values.size(); i += 3) values[i] = i % 2 == 0 ? 0.0 : -0.0;
  for (std::size_t i = 0; i < values.size(); i += 7) {
    auto const payload = std::to_string(i);
    values[i] = i % 2 == 0 ? std::nan(payload.c_str()) : -std::nan(payload.c_str());
  }
  expect_sorts_emulated(values, 9);
  expect_sorts_emulated<double, Descending>(values, 9);
}

/// The values of the sample are spread, and all others are in one bucket, which becomes overfull:
/// nothing is written.
TEST(SamplesortTwoLevelsOnEmulatedGpu, UnluckySample) {
  std::uint64_t const n = 40'000;
  two_levels::BucketDivision<std::uint64_t> const division(n, 9);
  ss::Sample const sample(division.size, division.sample_size());
  std::vector<std::int64_t> values(n);
  for (std::size_t i = 0; i < n; ++i) values[i] = -static_cast<std::int64_t>(i);
  for (Index j = 0; j < division.sample_size(); ++j) values[sample.index(j)] = j + 1;
  auto const before = values;
  EXPECT_EQ((sort_emulated<std::int64_t, Ascending>(values, 9).overfull_buckets), 1u);
  EXPECT_EQ(values, before);
}

TEST(SamplesortTwoLevelsOnEmulatedGpu, PartsLargerThanScratchMemory) {
  // Most of the other values are between the first two of the sample.
  std::uint64_t const n = 12'000;
  two_levels::BucketDivision<std::uint64_t> const division(n, 9);
  ss::Sample const sample(division.size, division.sample_size());
  std::vector<std::int64_t> values(n);
  for (std::size_t i = 0; i < n; ++i) values[i] = 2 + static_cast<std::int64_t>(i * 7919 % 3001);
  for (Index j = 0; j < division.sample_size(); ++j) {
    values[sample.index(j)] = j == 0 ? 0 : 5000 + static_cast<std::int64_t>(j);
  }
  EXPECT_EQ(expect_sorts_emulated(values, 9), 1u);
}

// --- on every GPU ---

template <class Exec>
class SamplesortTwoLevelsTest : public ::testing::Test {
 protected:
  /// Without a GPU, fewer values, which the public sort sorts in its own way.
  static constexpr std::size_t reduced(std::size_t n) { return backend::is_cpu<Exec> ? n / 64 : n; }

  template <class T, class Order = Ascending>
  void expect_sorts(std::vector<T> const& values) {
    auto const view = to_view<Exec>(values);
    if constexpr (backend::is_cpu<Exec>) {
      riffle::sort(Context(exec_, workspace_), view, Order{});
    } else {
      Context const context(exec_, "test", workspace_);
      EXPECT_TRUE(two_levels::sort_numbers<Order>(context, view, view));
    }
    exec_.fence();
    EXPECT_TRUE(are_same_bits(to_vector(view), sorted_oracle(values, Order{})))
        << values.size() << " values";
  }

  Exec exec_;
  Workspace<Exec> workspace_;
};

TYPED_TEST_SUITE(SamplesortTwoLevelsTest, ExecutionSpaces, SpaceNames);

TYPED_TEST(SamplesortTwoLevelsTest, EveryKindOfData) {
  for (auto const& values : every_kind_of_data<double>(this->reduced((1u << 22) + 4321))) {
    this->expect_sorts(values);
  }
  for (auto const& values : every_kind_of_data<std::int64_t>(this->reduced((1u << 20) - 1))) {
    this->template expect_sorts<std::int64_t, Descending>(values);
  }
}

TYPED_TEST(SamplesortTwoLevelsTest, ZerosAndNaNsOfAnyBits) {
  auto values = uniform_values<double>(this->reduced(1u << 22));
  for (std::size_t i = 0; i < values.size(); i += 7) values[i] = i % 2 == 0 ? 0.0 : -0.0;
  for (std::size_t i = 0; i < values.size(); i += 5) {
    values[i] = std::nan(std::to_string(i).c_str());
  }
  this->expect_sorts(values);
}

}  // namespace
}  // namespace riffle::test::samplesort_two_levels_test
