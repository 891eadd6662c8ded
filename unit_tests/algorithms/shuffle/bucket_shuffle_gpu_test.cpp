// The kernels of BucketShuffle for a GPU, run on an emulated GPU: also on machines without a GPU, and with teams in
// orders that a GPU would not choose.

#include <Kokkos_Core.hpp>
#include <riffle/shuffle/detail/bucket_definition.hpp>
#include <riffle/shuffle/detail/gpu/digit_tiles.hpp>
#include <riffle/shuffle/detail/gpu/shuffle_on_gpu.hpp>
#include <riffle/shuffle/tuning.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "support/bucket_shuffle_oracle.hpp"
#include "support/emulated_scan.hpp"

namespace riffle::test::bucket_shuffle_gpu_test {
namespace {

namespace bucket_shuffle = detail::bucket_shuffle;

/// A tree of `depth` levels over n elements, and the number of teams that run at a time.
struct Case {
  std::uint32_t n;
  int depth;
  int resident = 3;
  std::uint64_t seed = 5;
};

/// A thread of a team without barriers.
struct LoneMember {
  int team;
  int thread;

  KOKKOS_FUNCTION int league_rank() const { return team; }
  KOKKOS_FUNCTION int team_rank() const { return thread; }
};

struct Launch {
  int resident;

  template <class Kernel>
  void operator()(char const*, int teams, Kernel const& kernel) const {
    if constexpr (Kernel::scratch_bytes == 0) {
      for (int team = 0; team < teams; ++team) {
        for (int thread = 0; thread < Kernel::threads; ++thread) kernel(LoneMember{team, thread});
      }
    } else {
      EmulatedGpu gpu(resident, static_cast<std::uint64_t>(teams));
      gpu.run(teams, Kernel::threads, Kernel::scratch_bytes, kernel);
    }
  }
};

template <class Index>
void scan_counts(Index* counts, std::uint64_t size) {
  std::exclusive_scan(counts, counts + size, counts, Index{0});
}

template <class Index, class Source, class T>
void permute(Case const& test, Source const& source, Elements<T> const& out, bool in_place) {
  bucket_shuffle::GpuLayout<T, Index> const layout(test.n, test.depth,
                                                   static_cast<std::uint64_t>(test.resident));
  std::vector<std::uint64_t> buffer(layout.bytes() / sizeof(std::uint64_t) + 1);
  Launch const launch{test.resident};
  bucket_shuffle::GpuPasses<Elements<T>, Index, Launch, decltype(&scan_counts<Index>)> const passes(
      layout, buffer.data(), test.n, test.seed, launch, &scan_counts<Index>);
  if (in_place) {
    passes.template run<true>(source, out);
  } else {
    passes.template run<false>(source, out);
  }
}

/// An element that tells its origin by one member and by all of them.
struct Pair {
  std::uint64_t first;
  std::uint64_t second;

  friend bool operator==(Pair const&, Pair const&) = default;
};

template <class T>
T value_of(std::uint32_t i) {
  if constexpr (std::is_same_v<T, Pair>) {
    return {i, ~std::uint64_t{i}};
  } else {
    return static_cast<T>(i * 2654435761u >> 3);
  }
}

template <class T>
std::vector<T> values(std::uint32_t n) {
  std::vector<T> result;
  for (std::uint32_t i = 0; i < n; ++i) result.push_back(value_of<T>(i));
  return result;
}

template <class T>
std::vector<T> expected(Case const& test) {
  std::vector<T> result;
  for (std::uint32_t const image : BucketShuffleOracle(test.seed).images(test.n, test.depth)) {
    result.push_back(value_of<T>(image));
  }
  return result;
}

template <class T, class Index>
void expect_permuted(Case const& test) {
  auto in = values<T>(test.n);
  std::vector<T> out(test.n);
  bucket_shuffle::ReadView<Elements<T>, T> const source{elements(in)};
  permute<Index>(test, source, elements(out), false);
  EXPECT_TRUE(out == expected<T>(test)) << "n = " << test.n << ", depth = " << test.depth;
}

constexpr std::uint32_t tile = bucket_shuffle::tile_places;

TEST(BucketShuffleOnEmulatedGpu, IsTheDefinition) {
  for (std::uint32_t const n : {1u, 2u, 3u, 255u, 256u, 257u, tile - 1, tile, tile + 1}) {
    expect_permuted<std::uint64_t, std::uint32_t>({n, 1});
  }
}

TEST(BucketShuffleOnEmulatedGpu, ChunksOfSeveralTiles) {
  expect_permuted<std::uint64_t, std::uint32_t>({20 * tile + 4001, 1, 1});
  expect_permuted<std::uint64_t, std::uint32_t>({7 * tile, 1, 2});
}

TEST(BucketShuffleOnEmulatedGpu, ElementsOfAnySize) {
  Case const test{2 * tile + 77, 1};
  expect_permuted<std::uint8_t, std::uint32_t>(test);
  expect_permuted<std::uint16_t, std::uint32_t>(test);
  expect_permuted<float, std::uint32_t>(test);
  expect_permuted<Pair, std::uint32_t>(test);
}

TEST(BucketShuffleOnEmulatedGpu, IndicesOfEightBytes) {
  expect_permuted<std::uint64_t, std::uint64_t>({2 * tile + 77, 1});
  expect_permuted<std::uint8_t, std::uint64_t>({tile + 1, 1});
}

TEST(BucketShuffleOnEmulatedGpu, OtherSeeds) {
  for (std::uint64_t const seed : {std::uint64_t{0}, ~std::uint64_t{0}}) {
    expect_permuted<std::uint32_t, std::uint32_t>({tile + 5, 1, 3, seed});
  }
}

TEST(BucketShuffleOnEmulatedGpu, TilesThatLackADigit) {
  for (std::uint64_t const seed : {30920u, 33612u, 49916u}) {
    expect_permuted<std::uint64_t, std::uint32_t>({tile, 1, 3, seed});
    expect_permuted<Pair, std::uint32_t>({tile, 1, 3, seed});
  }
}

TEST(BucketShuffleOnEmulatedGpu, InPlace) {
  Case const test{tile + 99, 1};
  auto data = values<std::uint64_t>(test.n);
  bucket_shuffle::ReadView<Elements<std::uint64_t>, std::uint64_t> const source{elements(data)};
  permute<std::uint32_t>(test, source, elements(data), true);
  EXPECT_TRUE(data == expected<std::uint64_t>(test));
}

TEST(BucketShuffleOnEmulatedGpu, ThePermutationItself) {
  Case const test{tile + 99, 1};
  std::vector<std::uint32_t> images(test.n);
  permute<std::uint32_t>(test, bucket_shuffle::IndexSource<std::uint32_t>{}, elements(images),
                         false);
  EXPECT_TRUE(images == BucketShuffleOracle(test.seed).images(test.n, test.depth));
}

// In a tile of random digits each digit has about sixteen places: almost never 0, and never hundreds.
TEST(BucketShuffleRuns, OfAnyLengths) {
  using bucket_shuffle::TileRuns;
  for (std::vector<std::uint32_t> const& sizes :
       {std::vector<std::uint32_t>{tile},
        {1, tile - 1},
        {31, 1, 32, 33, 64, 95, tile - 256},
        std::vector<std::uint32_t>(bucket_shuffle::buckets, tile / bucket_shuffle::buckets)}) {
    TileRuns::Entry entries[TileRuns::size];
    TileRuns const runs(entries);
    for (int thread = 0; thread < bucket_shuffle::team_threads; ++thread) runs.clear(thread);
    std::vector<std::uint32_t> expected;
    std::uint32_t number = 0;
    for (std::uint32_t const size : sizes) {
      runs.mark({number, static_cast<std::uint32_t>(expected.size()), size});
      expected.insert(expected.end(), size, number++);
    }
    ASSERT_EQ(expected.size(), tile);
    for (std::uint32_t place = 0; place < tile; ++place) EXPECT_EQ(runs(place), expected[place]);
  }
}

TEST(BucketShuffleChunks, KeepAllProcessorsBusy) {
  constexpr std::uint64_t processors = 132;
  EXPECT_EQ(bucket_shuffle::tiles_of_chunk(0, processors), 1u);
  for (std::uint64_t tiles = 1; tiles < 1u << 17; tiles += 1 + tiles / 16) {
    std::uint64_t const per_chunk = bucket_shuffle::tiles_of_chunk(tiles, processors);
    std::uint64_t const chunks = (tiles + per_chunk - 1) / per_chunk;
    std::uint64_t const most = (chunks + processors - 1) / processors * per_chunk;
    EXPECT_LE(static_cast<double>(most), 1.05 * static_cast<double>(tiles / processors) + 2);
    EXPECT_TRUE(per_chunk == 1 || chunks >= 4 * processors) << tiles;
  }
}

}  // namespace
}  // namespace riffle::test::bucket_shuffle_gpu_test
