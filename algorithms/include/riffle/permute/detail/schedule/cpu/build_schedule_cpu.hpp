#pragma once

// How a CPU fills the arrays of a plan's pass: as in gpu/build_schedule_gpu.hpp, with a thread for each tile.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

#include <riffle/backend/backend.hpp>
#include <riffle/permute/detail/schedule/pass.hpp>

namespace riffle::detail::schedule {

/// The bucket counts of one tile. Host only.
template <class Destinations>
std::vector<std::uint32_t> bucket_counts(Tiles const& tiles, Level const& level,
                                         Destinations const& destinations, std::uint64_t tile) {
  std::vector<std::uint32_t> counts(level.buckets());
  std::uint64_t const begin = tiles.begin(tile);
  std::uint32_t const count = tiles.size_of(tile);
  for (std::uint32_t k = 0; k < count; ++k) {
    ++counts[level.bucket(destinations(begin + k) >> tiles.bits)];
  }
  return counts;
}

template <class Destinations, class Memory>
struct CountBucketsOfTile {
  Tiles tiles;
  Level level;
  Destinations destinations;
  Kokkos::View<std::uint64_t*, Memory> counts;

  KOKKOS_FUNCTION void operator()([[maybe_unused]] std::uint64_t tile) const {
    KOKKOS_IF_ON_HOST((count(tile);))
  }

 private:
  void count(std::uint64_t tile) const {
    auto const found = bucket_counts(tiles, level, destinations, tile);
    for (std::uint64_t b = 0; b < level.buckets(); ++b) {
      counts(level.place_of_count(tile, b)) = found[b];
    }
  }
};

template <class Destinations, class Moved, class Memory>
struct PlaceBucketsOfTile {
  Level level;
  Destinations destinations;
  Kokkos::View<std::uint64_t*, Memory> scanned;
  Pass<Memory> pass;
  Moved moved;

  KOKKOS_FUNCTION void operator()([[maybe_unused]] std::uint64_t tile) const {
    KOKKOS_IF_ON_HOST((place(tile);))
  }

 private:
  void place(std::uint64_t tile) const {
    Tiles const& tiles = pass.tiles;
    auto next = bucket_counts(tiles, level, destinations, tile);
    std::vector<std::uint64_t> offsets(level.buckets());
    begin_runs(tile, next, offsets);
    std::uint64_t const begin = tiles.begin(tile);
    std::uint32_t const count = tiles.size_of(tile);
    for (std::uint32_t k = 0; k < count; ++k) {
      auto const to = destinations(begin + k);
      std::uint32_t const bucket = level.bucket(static_cast<std::uint64_t>(to) >> tiles.bits);
      std::uint32_t const position = next[bucket]++;
      pass.order(begin + position) = static_cast<std::uint16_t>(k);
      moved(offsets[bucket] + position) = static_cast<typename Moved::value_type>(to);
    }
  }

  /// Turns counts into the places where runs begin, and writes heads and offsets.
  void begin_runs(std::uint64_t tile, std::vector<std::uint32_t>& counts,
                  std::vector<std::uint64_t>& offsets) const {
    std::vector<std::uint32_t> masks(pass.heads_per_tile());
    std::uint64_t const first = tile * pass.runs_per_tile;
    std::uint32_t begin = 0;
    std::uint64_t run = 0;
    for (std::uint64_t b = 0; b < level.buckets(); ++b) {
      std::uint32_t const count = counts[b];
      counts[b] = begin;
      if (count == 0) continue;
      offsets[b] = scanned(level.place_of_count(tile, b)) - begin;
      pass.offsets(first + run++) = offsets[b];
      masks[begin / backend::width] |= 1u << begin % backend::width;
      begin += count;
    }
    for (; run < pass.runs_per_tile; ++run) pass.offsets(first + run) = 0;
    std::uint32_t before = 0;
    for (std::size_t w = 0; w < masks.size(); ++w) {
      pass.heads(tile * pass.heads_per_tile() + w) = {masks[w], before};
      before += static_cast<std::uint32_t>(backend::count_ones(masks[w]));
    }
  }
};

}  // namespace riffle::detail::schedule
