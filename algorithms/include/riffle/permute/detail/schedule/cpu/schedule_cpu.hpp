#pragma once

// Builds and applies a pass of a plan on a CPU; one thread processes each tile. The versions for teams are in
// gpu/build_schedule_gpu.hpp and gpu/move_tiles.hpp.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

#include <riffle/backend/backend.hpp>
#include <riffle/permute/detail/schedule/plan.hpp>
#include <riffle/primitives/source_sink.hpp>

namespace riffle::detail::schedule {

/// Returns, for one tile, the number of elements in each bucket. Host only.
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

  /// Replaces each bucket's count by the first position of the bucket's run. Writes the heads and offsets of the tile.
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

// --- moving elements ---
//
// A thread prefetches the memory of its tile sequentially. It then gathers from the tile (forward) or scatters to it
// (backward).

/// Calls use(first, end, place) for each run in a tile: the run has positions first, ..., end - 1 in the tile, and
/// indices place, place + 1, ... in the array. Host only.
template <class Memory, class Use>
void for_each_run(Pass<Memory> const& pass, std::uint64_t tile, Use const& use) {
  std::uint32_t const count = pass.tiles.size_of(tile);
  if (!pass.has_runs()) {
    use(std::uint32_t{0}, count, pass.tiles.begin(tile));
    return;
  }
  std::uint64_t const* offset = pass.offsets.data() + tile * pass.runs_per_tile;
  Heads const* const heads = pass.heads.data() + tile * pass.heads_per_tile();
  std::uint32_t begin = 0;
  auto const end_run_at = [&](std::uint32_t end) {
    if (end > begin) use(begin, end, begin + *offset++);
    begin = end;
  };
  for (std::uint32_t w = 0; w * backend::width < count; ++w) {
    for (std::uint32_t mask = heads[w].mask; mask != 0; mask &= mask - 1) {
      end_run_at(w * backend::width + static_cast<std::uint32_t>(backend::lowest_one(mask)));
    }
  }
  end_run_at(count);
}

/// Calls use(at), where at(k) is element begin + k of `elements`. If the elements are contiguous, at(k) is a simple
/// pointer access.
template <class Elements, class Use>
void with_elements(Elements const& elements, std::uint64_t begin, Use const& use) {
  if constexpr (AddressableSource<Elements>) {
    if (elements.is_contiguous()) {
      auto* const address = elements.address(begin);
      use([address](std::uint64_t k) -> auto& { return address[k]; });
      return;
    }
  }
  use([&elements, begin](std::uint64_t k) -> decltype(auto) { return elements.at(begin + k); });
}

template <class Elements>
void prefetch_elements(Elements const& elements, std::uint64_t begin, std::uint32_t count) {
  if constexpr (AddressableSource<Elements>) {
    if (!elements.is_contiguous()) return;
    auto const* const first = reinterpret_cast<std::byte const*>(elements.address(begin));
    auto const* const end = reinterpret_cast<std::byte const*>(elements.address(begin + count));
    for (auto const* line = first; line < end; line += backend::cache_line)
      backend::prefetch_line(line);
  }
}

template <class Source, class Sink, class Memory>
class MoveTileByThread {
 public:
  MoveTileByThread(Pass<Memory> const& pass, Source const& source, Sink const& sink,
                   bool is_forward)
      : pass_(pass), source_(source), sink_(sink), is_forward_(is_forward) {}

  KOKKOS_FUNCTION void operator()([[maybe_unused]] std::uint64_t tile) const {
    KOKKOS_IF_ON_HOST((is_forward_ ? move_forward(tile) : move_backward(tile);))
  }

 private:
  void move_forward(std::uint64_t tile) const {
    std::uint64_t const begin = pass_.tiles.begin(tile);
    std::uint16_t const* const order = pass_.order.data() + begin;
    prefetch_elements(source_, begin, pass_.tiles.size_of(tile));
    with_elements(source_, begin, [&](auto const& from) {
      for_each_run(pass_, tile, [&](std::uint32_t first, std::uint32_t end, std::uint64_t place) {
        with_elements(sink_, place, [&](auto const& to) {
          for (std::uint32_t k = first; k < end; ++k) to(k - first) = from(order[k]);
        });
      });
    });
  }

  void move_backward(std::uint64_t tile) const {
    std::uint64_t const begin = pass_.tiles.begin(tile);
    std::uint16_t const* const order = pass_.order.data() + begin;
    prefetch_elements(sink_, begin, pass_.tiles.size_of(tile));
    with_elements(sink_, begin, [&](auto const& to) {
      for_each_run(pass_, tile, [&](std::uint32_t first, std::uint32_t end, std::uint64_t place) {
        with_elements(source_, place, [&](auto const& from) {
          for (std::uint32_t k = first; k < end; ++k) to(order[k]) = from(k - first);
        });
      });
    });
  }

  Pass<Memory> pass_;
  Source source_;
  Sink sink_;
  bool is_forward_;
};

}  // namespace riffle::detail::schedule
