// The kernel of dense ranks on a GPU, run on an emulated GPU.

#include <Kokkos_Core.hpp>
#include <riffle/monoid.hpp>
#include <riffle/order.hpp>
#include <riffle/primitives/look_back.hpp>
#include <riffle/primitives/source_sink.hpp>
#include <riffle/rank/detail/gpu/dense_pipeline.hpp>
#include <riffle/rank/detail/ranker.hpp>
#include <riffle/rank/ties.hpp>
#include <riffle/scan/dispatch.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "support/emulated_scan.hpp"
#include "support/matrices.hpp"
#include "support/rank_oracle.hpp"
#include "support/views.hpp"

namespace riffle::test::dense_pipeline_test {
namespace {

namespace rank = detail::rank;

using Host = Kokkos::DefaultHostExecutionSpace;
using Pair = Kokkos::pair<std::size_t, std::size_t>;

constexpr std::size_t tile = 16'384;  // elements of any size
constexpr std::size_t batch = 8'192;  // of 4 bytes
constexpr std::size_t warp = 512;     // of 4 bytes, that a warp reads at a time

/// Ranks as rank_dense does, several times with the same messages.
template <class Index = std::uint32_t, class In, class Out, class Order = Ascending>
void rank_by_emulated_gpu(EmulatedLaunch const& launch, In const& in, Out const& out,
                          Order const& order = {}, int times = 1) {
  using Rank = typename Out::value_type;
  using Source = detail::ViewSource<In>;
  using Sink = rank::DenseRankSink<Rank, detail::ViewSink<Out>>;
  using Kernel = rank::DensePipeline<Index, Source, Order, Sink>;
  using LookBack = detail::LookBack<Sum<Index>>;
  static_assert(Kernel::tile_size == tile);
  std::size_t const n = in.extent(0);
  Sink const sink(detail::ViewSink<Out>(out), rank::DenseRanker<Rank>(1, n, nullptr));
  std::uint64_t const tiles = detail::scan::tile_count<Kernel>(n);
  std::vector<std::uint64_t> messages(LookBack::words(tiles));
  LookBack const look_back(messages.data(), tiles, static_cast<std::uint64_t>(launch.teams),
                           Sum<Index>{}, Index{0});
  Kernel const kernel(n, Source(in), order, sink, look_back);
  for (int time = 0; time < times; ++time) {
    EmulatedGpu gpu(launch.resident, launch.seed + static_cast<std::uint64_t>(time));
    gpu.run(launch.teams, Kernel::threads, Kernel::scratch_bytes, kernel);
  }
}

template <class T>
void expect_ranks(EmulatedLaunch const& launch, std::vector<T> const& data, int times = 1) {
  auto const out = to_view<Host>(std::vector<std::int32_t>(data.size(), -7));
  rank_by_emulated_gpu(launch, to_view<Host>(data), out, Ascending{}, times);
  EXPECT_TRUE(same_ranks(to_vector(out), rank_oracle(data, ties::Dense{}))) << data.size();
}

TEST(DensePipeline, RanksFewElements) {
  for (std::size_t const n : {std::size_t{1}, std::size_t{2}, std::size_t{5}, std::size_t{129},
                              warp - 1, warp, warp + 1, batch - 1, batch, batch + 1}) {
    for (double const recurring : {0.0, 0.9, 1.0})
      expect_ranks({2, 2, n}, random_runs(n, recurring));
  }
}

TEST(DensePipeline, RanksNearTheEdgesOfTiles) {
  for (std::size_t const tiles : {1, 2, 3, 5}) {
    for (std::size_t const n : {tiles * tile - 1, tiles * tile, tiles * tile + 1}) {
      expect_ranks({2, 2, n}, random_runs(n, 0.99));
    }
  }
}

TEST(DensePipeline, FindsRunsThatEndNearQuadsLanesWarpsAndBatches) {
  for (std::size_t const edge : {std::size_t{4}, std::size_t{128}, warp, batch}) {
    SCOPED_TRACE(edge);
    for (auto const& data : runs_near(edge, 20'000 / edge)) expect_ranks({1, 1, edge}, data);
  }
}

TEST(DensePipeline, FindsRunsThatEndNearTiles) {
  for (auto const& data : runs_near(tile, 3)) expect_ranks({2, 2, 3}, data);
}

// Teams that get no tile, one, or many; few teams run at a time, or all of them.
TEST(DensePipeline, RanksByAnyNumberOfTeams) {
  auto const data = random_runs(6 * tile + 77, 0.5);
  for (int const teams : {1, 2, 5, 9}) {
    for (int const resident : {1, 2, teams}) expect_ranks({teams, resident, 4}, data);
  }
}

// More than one bundle of tiles, with distinct elements, so that counts are as large as possible; and launches that find
// the messages of earlier ones.
TEST(DensePipeline, RanksMoreThanABundleOfTilesRepeatedly) {
  std::size_t const n = (detail::bundle_tiles + 3) * tile + 5;
  expect_ranks({5, 4, 1}, random_runs(n, 0.0), 3);
}

TEST(DensePipeline, CountsIn64Bits) {
  auto const data = random_runs(2 * tile + 9, 0.3);
  auto const out = zeros<Host, std::int64_t>(data.size());
  rank_by_emulated_gpu<std::uint64_t>({2, 2, 1}, to_view<Host>(data), out);
  EXPECT_TRUE(same_ranks(to_vector(out), rank_oracle(data, ties::Dense{})));
}

// --- elements of other sizes, user-defined orders ---

template <class T>
class DensePipelineOf : public ::testing::Test {};
using Types = ::testing::Types<std::int8_t, std::int16_t, float, double>;
TYPED_TEST_SUITE(DensePipelineOf, Types);

TYPED_TEST(DensePipelineOf, RanksAllSizes) {
  for (std::size_t const n : {std::size_t{77}, tile + 1, 3 * tile + 130}) {
    std::vector<TypeParam> data(n);
    for (std::size_t i = 0; i < n; ++i) data[i] = static_cast<TypeParam>(i * 100 / n);
    auto const out = zeros<Host, double>(n);
    rank_by_emulated_gpu({2, 2, n}, to_view<Host>(data), out);
    EXPECT_TRUE(same_ranks(to_vector(out), rank_oracle(data, ties::Dense{})));
  }
}

struct Record {
  double payload;
  std::int32_t key;
};

/// An order with a member: it compares keys by thousands.
struct ByThousands {
  std::int32_t unit;

  KOKKOS_FUNCTION bool operator()(Record const& a, Record const& b) const {
    return a.key / unit < b.key / unit;
  }
};

TEST(DensePipeline, RanksStructsByAComparisonWithState) {
  std::size_t const n = 2 * tile + 3;
  std::vector<Record> records(n);
  std::vector<int> thousands(n);
  for (std::size_t i = 0; i < n; ++i) {
    auto const key = static_cast<std::int32_t>(7 * i);
    records[i] = {1.0 / static_cast<double>(i + 1), key};
    thousands[i] = key / 1000;
  }
  auto const out = zeros<Host, std::int32_t>(n);
  rank_by_emulated_gpu({2, 2, 8}, to_view<Host>(records), out, ByThousands{1000});
  EXPECT_TRUE(same_ranks(to_vector(out), rank_oracle(thousands, ties::Dense{})));
}

/// An order in which an element differs even from itself, as NaNs do as keys of groups.
struct AlwaysDiffers {
  KOKKOS_FUNCTION bool operator()(int, int) const { return true; }
};

TEST(DensePipeline, DoesNotCompareTheFirstElementWithItself) {
  std::size_t const n = tile + 40;
  auto const out = zeros<Host, std::int32_t>(n);
  rank_by_emulated_gpu({1, 1, 1}, zeros<Host, int>(n), out, AlwaysDiffers{});
  for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(out(i), static_cast<int>(i) + 1);
}

TEST(DensePipeline, TiesNaNsAndZeros) {
  double const nan = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> data{-1.0, -0.0, 0.0, 5.0};
  data.resize(tile + 9, nan);
  auto const out = zeros<Host, std::int32_t>(data.size());
  rank_by_emulated_gpu({2, 2, 1}, to_view<Host>(data), out);
  std::vector<std::int32_t> expected{1, 2, 2, 3};
  expected.resize(data.size(), 4);
  EXPECT_EQ(to_vector(out), expected);
}

// --- Views ---

// Views that cannot be read or written four elements at a time.
TEST(DensePipeline, RanksStridedAndUnalignedViews) {
  std::size_t const n = tile + 700;
  auto const data = random_runs(n, 0.9);
  auto const expected = rank_oracle(data, ties::Dense{});
  auto const in = make_strided<Host, int>(n);
  auto const out = make_strided<Host, std::int32_t>(n);
  fill(in, data);
  rank_by_emulated_gpu({2, 2, 5}, in, out);
  EXPECT_TRUE(same_ranks(to_vector(out), expected));

  auto const in_part = Kokkos::subview(zeros<Host, int>(n + 2), Pair(1, n + 1));
  auto const whole = to_view<Host>(std::vector<std::int32_t>(n + 2, -7));
  auto const out_part = Kokkos::subview(whole, Pair(1, n + 1));
  fill(in_part, data);
  rank_by_emulated_gpu({2, 2, 6}, in_part, out_part);
  EXPECT_TRUE(same_ranks(to_vector(out_part), expected));
  EXPECT_EQ(whole(0), -7);
  EXPECT_EQ(whole(n + 1), -7);
}

// For unsorted elements ranks are unspecified, but the kernel ends, and writes nothing outside of the View.
TEST(DensePipeline, EndsForUnsortedElements) {
  std::size_t const n = tile + 9;
  auto const in = zeros<Host, int>(n);
  for (std::size_t i = 0; i < n; ++i) in(i) = static_cast<int>(i % 3);
  auto const whole = to_view<Host>(std::vector<std::int32_t>(n + 200, -7));
  rank_by_emulated_gpu({2, 2, 6}, in, Kokkos::subview(whole, Pair(100, n + 100)));
  auto const ranks = to_vector(whole);
  EXPECT_EQ(std::count(ranks.begin(), ranks.begin() + 100, -7), 100);
  EXPECT_EQ(std::count(ranks.end() - 100, ranks.end(), -7), 100);
  EXPECT_EQ(std::count(ranks.begin() + 100, ranks.end() - 100, -7), 0);
}

}  // namespace
}  // namespace riffle::test::dense_pipeline_test
