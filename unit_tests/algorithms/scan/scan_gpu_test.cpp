// The kernels of scans on a GPU, on an emulated GPU: so they are tested also on machines without a
// GPU, and in schedules that a GPU would not have.

#include <Kokkos_Core.hpp>
#include <riffle/monoid.hpp>
#include <riffle/published/bijective_shuffle/detail/two_pass.hpp>
#include <riffle/scan.hpp>
#include <riffle/scan/detail/gpu/by_look_back.hpp>
#include <riffle/scan/detail/gpu/flags.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <vector>

#include "support/emulated_scan.hpp"
#include "support/monoids.hpp"
#include "support/scan_oracle.hpp"
#include "support/type_names.hpp"

namespace riffle::test::scan_gpu_test {
namespace {

using detail::bundle_tiles;
using detail::FunctionSink;
using detail::FunctionSource;
using detail::scan::FlagScan;
using detail::scan::PipelinedFlagScan;

/// Launches with fewer teams than tiles, with one team per tile, and with more teams, of which some
/// run at a time.
std::vector<EmulatedLaunch> launches() { return {{1, 1, 1}, {3, 3, 2}, {5, 2, 3}}; }

std::vector<std::size_t> sizes() {
  return {1, tile_elements - 1, tile_elements + 1, 5 * tile_elements + 77};
}

// --- sums of values ---

template <class T>
class ScanOnEmulatedGpu : public ::testing::Test {};
using Numbers = ::testing::Types<std::int8_t, std::int32_t, std::int64_t>;
TYPED_TEST_SUITE(ScanOnEmulatedGpu, Numbers, TypeNames);

TYPED_TEST(ScanOnEmulatedGpu, SumsAtTheEdgesOfTiles) {
  auto const plus = [](TypeParam a, TypeParam b) { return static_cast<TypeParam>(a + b); };
  for (auto const& launch : launches()) {
    for (std::size_t const n : sizes()) {
      auto const values = summable_numbers<TypeParam>(n);
      Sum<TypeParam> const op;
      EXPECT_TRUE(same(emulated_scan<ValuesByLookBack, false>(launch, values, op, TypeParam(5)),
                       exclusive_oracle(values, plus, TypeParam(5))));
    }
  }
}

TEST(ScanOnEmulatedGpu, SumsOfValuesSmallerThanTheElements) {
  for (auto const& launch : launches()) {
    for (std::size_t const n : sizes()) {
      auto values = summable_numbers<std::int32_t>(n);
      std::vector<std::int32_t> expected;
      std::int16_t sum = 0;
      for (auto const value : values) {
        expected.push_back(sum = static_cast<std::int16_t>(sum + value));
      }
      detail::ViewSource<Elements<std::int32_t>> const source(elements(values));
      detail::ViewSink<Elements<std::int32_t>> const sink(elements(values));
      run_emulated<ValuesByLookBack, true>(launch, n, source, sink, Sum<std::int16_t>{},
                                           std::int16_t{0});
      EXPECT_TRUE(same(values, expected));
    }
  }
}

// Tiles of chunks, which have more elements than the tile tree's.
template <class Op>
void expect_packed_scans(Op const& op) {
  using T = typename Op::value_type;
  using View = Elements<T>;
  using Tiles = PackedByLookBack<detail::ViewSource<View>, detail::ViewSink<View>, Op, true>;
  std::size_t const tile = Tiles::tile_size;
  for (auto const& launch : launches()) {
    for (std::size_t const n : {std::size_t{1}, tile - 1, tile, tile + 1, 5 * tile + 77}) {
      auto const values = summable_numbers<T>(n);
      EXPECT_TRUE(same(emulated_scan<PackedByLookBack, true>(launch, values, op, op.identity()),
                       inclusive_oracle(values, op)));
      EXPECT_TRUE(same(emulated_scan<PackedByLookBack, false>(launch, values, op, T(9)),
                       exclusive_oracle(values, op, T(9))));
    }
  }
}

TEST(PackedOnEmulatedGpu, SumsAtTheEdgesOfTiles) {
  expect_packed_scans(Sum<std::int8_t>{});
  expect_packed_scans(Sum<std::uint16_t>{});
}

TEST(PackedOnEmulatedGpu, OtherOperationsAtTheEdgesOfTiles) {
  expect_packed_scans(Min<std::int16_t>{});
  expect_packed_scans(Max<std::uint8_t>{});
}

TEST(PackedOnEmulatedGpu, LooksBackBeyondItsBundle) {
  using View = Elements<std::int8_t>;
  using Source = detail::ViewSource<View>;
  using Tiles = PackedByLookBack<Source, detail::ViewSink<View>, Sum<std::int8_t>, true>;
  std::size_t const n = (2 * bundle_tiles + 3) * Tiles::tile_size + 5;
  auto values = summable_numbers<std::int8_t>(n);
  std::vector<std::int8_t> result(n);
  run_emulated<PackedByLookBack, true>({7, 7, 11}, n, Source(elements(values)),
                                       detail::ViewSink<View>(elements(result)), Sum<std::int8_t>{},
                                       0, 2);
  EXPECT_TRUE(same(result, inclusive_oracle(values, Sum<std::int8_t>{})));
}

// Values that wait in scratch memory, and values that are too large for it.
template <class Op>
class OperationsOnEmulatedGpu : public ::testing::Test {};
using Operations = ::testing::Types<Compose, ComposeAffine, KeepTail, MultiplyMatrices>;
TYPED_TEST_SUITE(OperationsOnEmulatedGpu, Operations, TypeNames);

TYPED_TEST(OperationsOnEmulatedGpu, CombineInOrder) {
  for (auto const& launch : launches()) {
    std::size_t const n = 5 * tile_elements + 77;
    auto const values = random_values(TypeParam{}, n, n);
    EXPECT_TRUE(same(
        emulated_scan<ValuesByLookBack, true>(launch, values, TypeParam{}, TypeParam::identity()),
        inclusive_oracle(values, TypeParam{})));
    auto const init = values[1];
    EXPECT_TRUE(same(emulated_scan<ValuesByLookBack, false>(launch, values, TypeParam{}, init),
                     exclusive_oracle(values, TypeParam{}, init)));
  }
}

// The first NaN propagates through all lanes and tiles.
TEST(ScanOnEmulatedGpu, NansPropagateInMinima) {
  std::size_t const n = 3 * tile_elements + 77;
  for (std::size_t const first : {std::size_t{0}, std::size_t{37}, tile_elements + 5, n}) {
    std::vector<float> values(n);
    for (std::size_t i = 0; i < n; ++i) {
      values[i] = i == first || i == first + 300 ? NAN : static_cast<float>(n - i);
    }
    auto const found = emulated_scan<ValuesByLookBack, true>({3, 3, 2}, values, Min<float>{},
                                                             Min<float>::identity());
    for (std::size_t i = 0; i < n; ++i) {
      ASSERT_EQ(std::isnan(found[i]), i >= first) << i;
      if (i < first) {
        ASSERT_EQ(found[i], values[i]) << i;  // they fall
      }
    }
  }
}

TEST(ScanOnEmulatedGpu, AddsInTheOrderOfTheTileTree) {
  for (auto const& launch : launches()) {
    expect_bits_of_cpu<ValuesByLookBack, float>(launch, 4 * tile_elements + 77);
    expect_bits_of_cpu<ValuesByLookBack, double>(launch, 4 * tile_elements + 77);
  }
}

// Several bundles of tiles, among messages of earlier launches.
TEST(ScanOnEmulatedGpu, LooksBackBeyondItsBundle) {
  std::size_t const n = 2 * bundle_elements + 3 * tile_elements + 5;
  auto values = summable_numbers<std::int32_t>(n);
  std::vector<std::int32_t> result(n);
  detail::ViewSource<Elements<std::int32_t>> const source(elements(values));
  detail::ViewSink<Elements<std::int32_t>> const sink(elements(result));
  run_emulated<ValuesByLookBack, true>({7, 7, 11}, n, source, sink, Sum<std::int32_t>{}, 0, 2);
  EXPECT_TRUE(same(result, inclusive_oracle(values, std::plus<>{})));
}

// --- functions, and scans by Count ---

/// Element i, and whether it counts.
struct Number {
  std::uint32_t number;

  KOKKOS_FUNCTION explicit operator bool() const { return number % 3 != 0; }
};

struct NumberOf {
  KOKKOS_FUNCTION Number operator()(std::uint64_t i) const {
    return {static_cast<std::uint32_t>(i * 2654435761u >> 7)};
  }
};

std::vector<std::uint32_t> kept_numbers(std::uint64_t n) {
  std::vector<std::uint32_t> result;
  for (std::uint64_t i = 0; i < n; ++i) {
    if (NumberOf{}(i)) result.push_back(NumberOf{}(i).number);
  }
  return result;
}

struct Keep {
  Elements<std::uint32_t> out;

  KOKKOS_FUNCTION void operator()(std::uint64_t, std::uint32_t place, Number const& number) const {
    if (number) out(place) = number.number;
  }
};

/// As Keep, with separate loads and stores.
struct LoadAndKeep : Keep {
  KOKKOS_FUNCTION std::uint32_t load(Number const& number) const { return number.number; }
  KOKKOS_FUNCTION void store(std::uint32_t place, std::uint32_t number) const {
    out(place) = number;
  }
};

template <template <class, class, class, bool> class Kernel, class KeepNumbers>
void expect_compacted(EmulatedLaunch const& launch, std::uint64_t n) {
  auto const expected = kept_numbers(n);
  std::vector<std::uint32_t> result(expected.size());
  KeepNumbers keep;
  keep.out = elements(result);
  detail::FunctionSink<KeepNumbers, true> const sink{keep};
  run_emulated<Kernel, false>(launch, n, detail::FunctionSource<NumberOf>{}, sink,
                              Count<std::uint32_t>{}, 0u, 2);
  EXPECT_TRUE(same(result, expected)) << n;
}

TEST(CountOnEmulatedGpu, CompactsByATeamForEachTile) {
  for (std::size_t const n : sizes()) {
    int const tiles = static_cast<int>((n + tile_elements - 1) / tile_elements);
    expect_compacted<FlagScan, LoadAndKeep>({tiles, 3, n}, n);
    expect_compacted<FlagScan, Keep>({tiles, 3, n}, n);
  }
  expect_compacted<FlagScan, LoadAndKeep>({bundle_tiles + 4, 5, 5},
                                          bundle_elements + 3 * tile_elements + 5);
}

TEST(CountOnEmulatedGpu, CompactsByTeamsThatStay) {
  for (auto const& launch : launches()) {
    for (std::size_t const n : sizes()) {
      expect_compacted<PipelinedFlagScan, LoadAndKeep>(launch, n);
    }
  }
  expect_compacted<PipelinedFlagScan, Keep>({2, 2, 4}, 5 * tile_elements + 77);
  expect_compacted<PipelinedFlagScan, LoadAndKeep>({7, 7, 5},
                                                   bundle_elements + 3 * tile_elements + 5);
}

// The two passes of Bijective1, which have the launches of scans.
TEST(CountOnEmulatedGpu, CompactsInTwoPasses) {
  std::uint64_t const n = 2 * tile_elements + 77;
  constexpr int tiles = 3;
  auto const expected = kept_numbers(n);
  std::vector<std::uint32_t> result(expected.size());
  std::vector<std::uint32_t> counts(tiles);
  using Source = detail::FunctionSource<NumberOf>;
  using Sink = detail::FunctionSink<Keep, true>;
  using Counts = Elements<std::uint32_t>;
  detail::TwoPass<Source, Sink, Counts> const pass{n, {}, {{elements(result)}}, elements(counts)};
  detail::CountKept<Source, Sink, Counts> const count{pass};
  EmulatedGpu(2, 1).run(tiles, count.threads, count.scratch_bytes, count);
  EXPECT_EQ(std::accumulate(counts.begin(), counts.end(), 0u), expected.size());
  std::exclusive_scan(counts.begin(), counts.end(), counts.begin(), 0u);
  detail::GatherTiles<Source, Sink, Counts> const gather{pass};
  EmulatedGpu(2, 2).run(tiles, gather.threads, gather.scratch_bytes, gather);
  EXPECT_TRUE(same(result, expected));
}

// From a View to a View: items are not stored.
TEST(CountOnEmulatedGpu, CountsBetweenViews) {
  auto values = summable_numbers<std::int8_t>(5 * tile_elements + 77);
  for (auto& value : values) value = value % 2;
  std::vector<std::uint32_t> counting(values.begin(), values.end());
  for (auto& value : counting) value = value != 0 ? 1 : 0;
  Count<std::uint32_t> const op;
  auto const expected = exclusive_oracle(counting, std::plus<>{}, 3u);
  EXPECT_TRUE(same(emulated_scan<FlagScan, false>({6, 2, 4}, values, op, 3u), expected));
  EXPECT_TRUE(same(emulated_scan<PipelinedFlagScan, false>({2, 2, 4}, values, op, 3u), expected));
}

}  // namespace
}  // namespace riffle::test::scan_gpu_test
