#pragma once

// A GPU's part of a rank's places: a team counts and riffles those of a tile, as on one device
// (riffle/shuffle/bucket_tiles.hpp), of which the rank may own a part.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

#include <riffle/kernel/launch.hpp>
#include <riffle/lanes/lanes.hpp>
#include <riffle/mpi/detail/shuffle/place_chunk.hpp>
#include <riffle/random/philox.hpp>
#include <riffle/shuffle/bucket_tiles.hpp>

namespace riffle::detail::mpi {

/// The sixteen places of a thread in the tile of a chunk.
class PlacesOfThread {
 public:
  KOKKOS_FUNCTION PlacesOfThread(std::uint64_t seed, PlaceChunk const& chunk, int thread)
      : chunk_(chunk) {
    constexpr std::uint64_t size = bucket_shuffle::tile_places;
    std::uint64_t const tile = chunk.first / size * size;
    first_ = tile + bucket_shuffle::first_place(thread);
    digits_ = bucket_shuffle::digit_block(
        seed, chunk.node,
        tile / bucket_shuffle::digits_per_block + static_cast<std::uint64_t>(thread));
  }

  static constexpr int count = bucket_shuffle::digits_per_block;
  KOKKOS_FUNCTION std::uint64_t place(int k) const {
    return first_ + static_cast<std::uint64_t>(k * count);
  }
  KOKKOS_FUNCTION bool is_owned(int k) const {
    return place(k) >= chunk_.first && place(k) < chunk_.last;
  }
  KOKKOS_FUNCTION int digit(int k) const { return bucket_shuffle::digit(digits_, k); }

 private:
  PlaceChunk const& chunk_;
  std::uint64_t first_;
  Philox4x32::Block digits_;
};

/// What CountChunk does.
struct CountTile {
  static constexpr int threads = bucket_shuffle::team_threads;
  static constexpr int teams_per_processor = 4;
  struct State {
    std::uint32_t counts[bucket_shuffle::buckets];
  };
  static constexpr std::size_t scratch_bytes = team_state_bytes<State>;
  static_assert(threads == bucket_shuffle::buckets);

  std::uint64_t seed;
  PlaceChunk const* chunks;
  std::uint64_t* counts;

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    State& state = team_state<State>(team);
    int const thread = team.team_rank();
    auto const c = static_cast<std::uint64_t>(team.league_rank());
    PlaceChunk const chunk = chunks[c];
    state.counts[thread] = 0;
    team.team_barrier();
    PlacesOfThread const own(seed, chunk, thread);
    RIFFLE_UNROLL
    for (int k = 0; k < PlacesOfThread::count; ++k) {
      if (own.is_owned(k)) lanes::add_in_scratch(&state.counts[own.digit(k)], 1);
    }
    team.team_barrier();
    counts[c * threads + static_cast<std::uint64_t>(thread)] = state.counts[thread];
  }
};

/// What RiffleChunk does.
template <class Move>
struct RiffleTile {
  using TileRanks = bucket_shuffle::TileRanks;
  static constexpr int threads = bucket_shuffle::team_threads;
  static constexpr int teams_per_processor = 4;
  struct State {
    std::uint32_t table[TileRanks::words];
    std::uint32_t sums[threads / lanes::width];
    /// From a place of the tile, sorted by digits, to one of the level below.
    std::uint64_t offsets[bucket_shuffle::buckets];
  };
  static constexpr std::size_t scratch_bytes = team_state_bytes<State>;

  std::uint64_t seed;
  PlaceChunk const* chunks;
  std::uint64_t const* before;
  std::uint64_t const* children_at;
  Move move;

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    State& state = team_state<State>(team);
    int const thread = team.team_rank();
    auto const c = static_cast<std::uint64_t>(team.league_rank());
    PlaceChunk const chunk = chunks[c];
    TileRanks const ranks(state.table, state.sums, thread);
    ranks.clear();
    PlacesOfThread const own(seed, chunk, thread);
    team.team_barrier();
    std::uint32_t in_unit[PlacesOfThread::count];
    RIFFLE_UNROLL
    for (int k = 0; k < PlacesOfThread::count; ++k) {
      in_unit[k] = ranks.rank(own.digit(k), own.is_owned(k));
    }
    team.team_barrier();
    std::uint32_t total = 0;
    std::uint32_t const begin = ranks.scan(team, total);
    auto const digit = static_cast<std::uint64_t>(thread);
    state.offsets[thread] =
        children_at[chunk.children + digit] + before[c * threads + digit] - begin;
    team.team_barrier();
    RIFFLE_UNROLL
    for (int k = 0; k < PlacesOfThread::count; ++k) {
      if (!own.is_owned(k)) continue;
      int const of_place = own.digit(k);
      move(chunk.at + (own.place(k) - chunk.first),
           state.offsets[of_place] + ranks.position(of_place, in_unit[k]));
    }
  }
};

}  // namespace riffle::detail::mpi
