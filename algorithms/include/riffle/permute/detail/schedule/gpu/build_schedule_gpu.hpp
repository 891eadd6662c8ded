#pragma once

// Builds a pass of a plan on a GPU: each team fills the arrays of one tile from the destinations of its elements.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

#include <riffle/backend/backend.hpp>
#include <riffle/permute/detail/schedule/gpu/tile_kernel.hpp>
#include <riffle/permute/detail/schedule/plan.hpp>
#include <riffle/primitives/team_sum.hpp>

namespace riffle::detail::schedule {

/// Counts, for each tile, the elements in each bucket.
template <class Destinations, class Memory>
struct CountBuckets {
  static constexpr int threads = GpuTile::threads;
  static constexpr int teams_per_processor = 2;
  static constexpr std::size_t scratch_bytes = GpuTile::max_buckets * sizeof(std::uint32_t) + 16;

  Tiles tiles;
  Level level;
  Destinations destinations;
  Kokkos::View<std::uint64_t*, Memory> counts;

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    auto const tile = static_cast<std::uint64_t>(team.league_rank());
    int const thread = team.team_rank();
    auto const buckets = static_cast<int>(level.buckets());
    auto* const table = static_cast<std::uint32_t*>(
        team.team_scratch(0).get_shmem_aligned(GpuTile::max_buckets * sizeof(std::uint32_t), 16));
    for (int b = thread; b < buckets; b += threads) table[b] = 0;
    team.team_barrier();
    std::uint32_t const count = tiles.size_of(tile);
    for (auto k = static_cast<std::uint32_t>(thread); k < count; k += threads) {
      std::uint64_t const to = destinations(tiles.begin(tile) + k) >> tiles.bits;
      backend::add_in_scratch(&table[level.bucket(to)], 1);
    }
    team.team_barrier();
    for (int b = thread; b < buckets; b += threads) {
      counts(level.place_of_count(tile, static_cast<std::uint64_t>(b))) = table[b];
    }
  }
};

/// Writes the positions, heads and offsets of a tile, and moves the destinations of its elements to the buckets.
/// `scanned` contains the exclusive prefix sums of the counts.
template <class Destinations, class Moved, class Memory>
class PlaceBuckets {
 public:
  static constexpr int threads = GpuTile::threads;
  static constexpr int teams_per_processor = 1;

 private:
  static constexpr int words = GpuTile::size / backend::width;
  static_assert(words <= threads && GpuTile::max_buckets <= threads);

  struct State {
    std::uint64_t offsets[GpuTile::max_buckets];
    std::uint32_t begins[GpuTile::warps][GpuTile::max_buckets];
    std::uint32_t masks[words];
    std::uint32_t sums[3][GpuTile::warps];
  };

 public:
  static constexpr std::size_t scratch_bytes = sizeof(State) + 16;

  PlaceBuckets(Level const& level, Destinations const& destinations,
               Kokkos::View<std::uint64_t*, Memory> const& scanned, Pass<Memory> const& pass,
               Moved const& moved)
      : level_(level), destinations_(destinations), scanned_(scanned), pass_(pass), moved_(moved) {}

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    auto const tile = static_cast<std::uint64_t>(team.league_rank());
    int const thread = team.team_rank();
    auto& state = *static_cast<State*>(team.team_scratch(0).get_shmem_aligned(sizeof(State), 16));
    clear(state, thread);
    team.team_barrier();
    Places places;
    count_in_warps(state, tile, thread, places);
    team.team_barrier();
    begin_runs(team, state, tile);
    team.team_barrier();
    write_heads(team, state, tile);
    write_positions(state, tile, thread, places);
  }

 private:
  /// bucket[j] is the bucket of the thread's element j, and rank[j] the number of earlier elements of the warp in the
  /// same bucket.
  struct Places {
    std::uint16_t bucket[GpuTile::per_thread];
    std::uint16_t rank[GpuTile::per_thread];
  };

  // Returns the index, within the tile, of the thread's element j. Each warp processes consecutive elements; therefore
  // ranks are stable.
  KOKKOS_FUNCTION static std::uint32_t element(int thread, int j) {
    int const warp = thread / backend::width;
    int const lane = thread % backend::width;
    return static_cast<std::uint32_t>((warp * GpuTile::per_thread + j) * backend::width + lane);
  }

  KOKKOS_FUNCTION void clear(State& state, int thread) const {
    for (auto& of_warp : state.begins) of_warp[thread] = 0;
    if (thread < words) state.masks[thread] = 0;
  }

  KOKKOS_FUNCTION void count_in_warps(State& state, std::uint64_t tile, int thread,
                                      Places& places) const {
    std::uint32_t const count = pass_.tiles.size_of(tile);
    auto* const counts = state.begins[thread / backend::width];
    std::uint32_t const below = (1u << thread % backend::width) - 1;
    RIFFLE_UNROLL
    for (int j = 0; j < GpuTile::per_thread; ++j) {
      std::uint32_t const i = element(thread, j);
      bool const exists = i < count;
      std::uint32_t bucket = 0;
      if (exists) {
        bucket = level_.bucket(destinations_(pass_.tiles.begin(tile) + i) >> pass_.tiles.bits);
      }
      std::uint32_t const alike = lanes_with(bucket, exists);
      std::uint32_t const before = counts[bucket];
      backend::synchronize();
      bool const is_first = exists && (alike & below) == 0;
      if (is_first)
        counts[bucket] = before + static_cast<std::uint32_t>(backend::count_ones(alike));
      backend::synchronize();
      places.bucket[j] = static_cast<std::uint16_t>(bucket);
      places.rank[j] = static_cast<std::uint16_t>(
          before + static_cast<std::uint32_t>(backend::count_ones(alike & below)));
    }
  }

  /// The set of lanes whose element exists and is in `bucket`.
  KOKKOS_FUNCTION std::uint32_t lanes_with(std::uint32_t bucket, bool exists) const {
    std::uint32_t alike = backend::ballot(exists);
    for (int bit = 0; bit < level_.bucket_bits; ++bit) {
      bool const is_set = (bucket >> bit & 1u) != 0;
      std::uint32_t const set = backend::ballot(is_set);
      alike &= is_set ? set : ~set;
    }
    return alike;
  }

  /// Thread b computes, for the run of bucket b, the first position and the offset.
  template <class Member>
  KOKKOS_FUNCTION void begin_runs(Member const& team, State& state, std::uint64_t tile) const {
    int const b = team.team_rank();
    std::uint32_t before_warp[GpuTile::warps];
    std::uint32_t total = 0;
    RIFFLE_UNROLL
    for (int w = 0; w < GpuTile::warps; ++w) {
      before_warp[w] = total;
      total += state.begins[w][b];
    }
    std::uint32_t const begin = exclusive_team_sum(team, state.sums[0], total);
    std::uint32_t const run = exclusive_team_sum(team, state.sums[1], std::uint32_t{total > 0});
    RIFFLE_UNROLL
    for (int w = 0; w < GpuTile::warps; ++w) state.begins[w][b] = begin + before_warp[w];
    std::uint64_t const first = tile * pass_.runs_per_tile;
    if (total > 0) {
      auto const bucket = static_cast<std::uint64_t>(b);
      std::uint64_t const offset = scanned_(level_.place_of_count(tile, bucket)) - begin;
      state.offsets[b] = offset;
      pass_.offsets(first + run) = offset;
      backend::add_in_scratch(&state.masks[begin / backend::width], 1u << begin % backend::width);
    }
    // Threads also read the offsets after the tile's last run, without using them, so these are initialised.
    std::uint32_t const runs = value_of_last_thread(team, state, run + (total > 0 ? 1 : 0));
    auto const place = static_cast<std::uint64_t>(b);
    if (place >= runs && place < pass_.runs_per_tile) pass_.offsets(first + place) = 0;
  }

  /// Returns the value of the last thread to all threads.
  template <class Member>
  KOKKOS_FUNCTION static std::uint32_t value_of_last_thread(Member const& team, State& state,
                                                            std::uint32_t value) {
    if (team.team_rank() == threads - 1) state.sums[2][0] = value;
    team.team_barrier();
    std::uint32_t const runs = state.sums[2][0];
    team.team_barrier();
    return runs;
  }

  template <class Member>
  KOKKOS_FUNCTION void write_heads(Member const& team, State& state, std::uint64_t tile) const {
    int const word = team.team_rank();
    std::uint32_t const mask = word < words ? state.masks[word] : 0;
    std::uint32_t const before = exclusive_team_sum(
        team, state.sums[2], static_cast<std::uint32_t>(backend::count_ones(mask)));
    if (word < words) {
      pass_.heads(tile * pass_.heads_per_tile() + static_cast<std::uint64_t>(word)) = {mask,
                                                                                       before};
    }
  }

  KOKKOS_FUNCTION void write_positions(State const& state, std::uint64_t tile, int thread,
                                       Places const& places) const {
    std::uint32_t const count = pass_.tiles.size_of(tile);
    auto const* const begins = state.begins[thread / backend::width];
    RIFFLE_UNROLL
    for (int j = 0; j < GpuTile::per_thread; ++j) {
      std::uint32_t const i = element(thread, j);
      if (i >= count) continue;
      std::uint32_t const bucket = places.bucket[j];
      std::uint32_t const position = begins[bucket] + places.rank[j];
      std::uint64_t const place = pass_.tiles.begin(tile) + i;
      pass_.order(place) = static_cast<std::uint16_t>(position);
      moved_(state.offsets[bucket] + position) =
          static_cast<typename Moved::value_type>(destinations_(place));
    }
  }

  Level level_;
  Destinations destinations_;
  Kokkos::View<std::uint64_t*, Memory> scanned_;
  Pass<Memory> pass_;
  Moved moved_;
};

}  // namespace riffle::detail::schedule
