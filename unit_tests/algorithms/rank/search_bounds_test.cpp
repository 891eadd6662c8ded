// The search for run boundaries before a GPU ranks, on an emulated GPU. Tiles are small, so that runs extend over many of
// them.

#include <Kokkos_Core.hpp>
#include <riffle/order.hpp>
#include <riffle/primitives/source_sink.hpp>
#include <riffle/rank/detail/gpu/run_bounds.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "support/emulated_gpu.hpp"
#include "support/rank_oracle.hpp"
#include "support/views.hpp"

namespace riffle::test::search_bounds_test {
namespace {

namespace rank = detail::rank;

using Host = Kokkos::DefaultHostExecutionSpace;

constexpr std::uint64_t near_elements = rank::near_elements;

/// The bounds that a search writes for each tile; 0 on sides that are not searched.
struct Bounds {
  std::vector<std::uint32_t> starts;
  std::vector<std::uint32_t> ends;
};

template <bool Starts, bool Ends>
Bounds search(std::vector<int> const& data, std::uint64_t tile_size) {
  auto const in = to_view<Host>(data);
  using Source = detail::ViewSource<std::decay_t<decltype(in)>>;
  using Search = rank::SearchBounds<Starts, Ends, Source, Ascending, std::uint32_t>;
  std::uint64_t const n = data.size();
  std::uint64_t const tiles = (n + tile_size - 1) / tile_size;
  Bounds bounds{std::vector<std::uint32_t>(tiles), std::vector<std::uint32_t>(tiles)};
  Search const kernel(n, tile_size, Source(in), Ascending{},
                      {bounds.starts.data(), bounds.ends.data()});
  EmulatedGpu(2, n).run(static_cast<int>(kernel.teams()), Search::threads, Search::scratch_bytes,
                        kernel);
  return bounds;
}

/// Expects the bounds that are not near their tiles to be correct; the others are not used.
template <bool Starts, bool Ends>
void expect_bounds(std::vector<int> const& data, std::uint64_t tile_size) {
  Bounds const bounds = search<Starts, Ends>(data, tile_size);
  std::uint64_t const n = data.size();
  for (std::uint64_t tile = 0; tile < bounds.starts.size(); ++tile) {
    SCOPED_TRACE(tile);
    std::uint64_t const begin = tile * tile_size;
    std::uint64_t const behind = std::min(n, begin + tile_size);
    auto const first = std::equal_range(data.begin(), data.end(), data[begin]);
    auto const last = std::equal_range(data.begin(), data.end(), data[behind - 1]);
    auto const start = static_cast<std::uint64_t>(first.first - data.begin());
    auto const end = static_cast<std::uint64_t>(last.second - data.begin());
    if (Starts && begin - start >= near_elements) {
      EXPECT_EQ(bounds.starts[tile], start);
    }
    bool const is_seen = end - behind < near_elements && n - behind >= near_elements;
    if (Ends && !is_seen) {
      EXPECT_EQ(bounds.ends[tile], end);
    }
    EXPECT_LE(bounds.starts[tile], begin);
    EXPECT_LE(bounds.ends[tile], n);
  }
}

void expect_both(std::vector<int> const& data, std::uint64_t tile_size) {
  expect_bounds<true, true>(data, tile_size);
  expect_bounds<true, false>(data, tile_size);
  expect_bounds<false, true>(data, tile_size);
}

TEST(SearchBounds, RandomRuns) {
  for (double const recurring : {0.99, 0.999, 0.9999}) {
    for (std::uint64_t const tile_size : {256, 1024}) {
      expect_both(random_runs(12'011, recurring), tile_size);
    }
  }
}

// A team has 32 tiles.
TEST(SearchBounds, RunsLongerThanTheTilesOfATeam) {
  std::size_t const n = 256 * 100 + 77;
  expect_both(runs_that_end_at(n, {}), 256);
  for (std::size_t const tiles : {1, 32, 33, 100}) {
    for (std::size_t const shift : {0, 1, 129}) {
      expect_bounds<true, true>(runs_that_end_at(n, {300, 256 * tiles - shift}), 256);
    }
    expect_bounds<true, true>(runs_that_end_at(n, {256 * tiles + 1}), 256);
  }
}

TEST(SearchBounds, FewElementsAfterTheLastWholeTile) {
  for (std::size_t const n : {1, 255, 256, 257, 383, 384, 385, 513}) {
    expect_both(runs_that_end_at(n, {}), 256);
    if (n > 256) expect_both(runs_that_end_at(n, {256}), 256);
  }
}

// For unsorted elements bounds are unspecified, but on their side of the tile and in the View.
TEST(SearchBounds, UnsortedElements) {
  std::size_t const n = 256 * 70 + 30;
  for (unsigned const kind : {0, 1, 2, 3}) {
    std::vector<int> data(n);
    for (std::size_t i = 0; i < n; ++i) {
      auto const place = static_cast<unsigned>(i);
      data[i] = static_cast<int>(kind == 0   ? place * 2654435761u >> 31
                                 : kind == 1 ? (100'000 - place) / 1000
                                 : kind == 2 ? place % 2
                                             : place / 256 % 2);
    }
    Bounds const bounds = search<true, true>(data, 256);
    for (std::size_t tile = 0; tile < bounds.starts.size(); ++tile) {
      EXPECT_LE(bounds.starts[tile], 256 * tile);
      EXPECT_GE(bounds.ends[tile], std::min(n, 256 * (tile + 1)));
      EXPECT_LE(bounds.ends[tile], n);
    }
  }
}

}  // namespace
}  // namespace riffle::test::search_bounds_test
