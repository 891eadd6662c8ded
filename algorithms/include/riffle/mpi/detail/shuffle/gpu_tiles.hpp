#pragma once

// A GPU's part of a rank's places: a team counts and riffles those of a chunk, as on one device
// (riffle/shuffle/bucket_tiles.hpp).

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

#include <riffle/backend/backend.hpp>
#include <riffle/mpi/detail/shuffle/place_chunk.hpp>
#include <riffle/primitives/launch.hpp>
#include <riffle/shuffle/bucket_tiles.hpp>

namespace riffle::detail::mpi {

/// How many of a rank's places a team has: whole tiles.
template <class Exec>
std::uint64_t places_of_team(Exec const& exec, std::uint64_t places) {
  constexpr std::uint64_t tile = bucket_shuffle::tile_places;
  return tile * bucket_shuffle::tiles_of_chunk(places / tile, backend::processors(exec));
}

/// The chunk as teams take it. Where the elements of its node begin may be before those of all: the numbers wrap round.
KOKKOS_INLINE_FUNCTION bucket_shuffle::Chunk for_team(PlaceChunk const& chunk) {
  return {chunk.node, chunk.at - chunk.first, chunk.first, chunk.last, 0};
}

/// What CountChunk does.
struct CountByTeam {
  static constexpr int threads = bucket_shuffle::team_threads;
  static constexpr int teams_per_processor = 8;
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
    state.counts[thread] = 0;
    team.team_barrier();
    bucket_shuffle::count_chunk(seed, for_team(chunks[c]), thread, state.counts);
    team.team_barrier();
    counts[c * threads + static_cast<std::uint64_t>(thread)] = state.counts[thread];
  }
};

/// What RiffleChunk does: `move.to` takes from `move.from`.
template <class Move>
class RiffleByTeam {
  using Riffle =
      bucket_shuffle::TeamRiffle<decltype(Move::from), decltype(Move::to), std::uint64_t>;

 public:
  static constexpr int threads = Riffle::threads;
  static constexpr int teams_per_processor = Riffle::teams_per_processor;
  static constexpr std::size_t scratch_bytes = Riffle::scratch_bytes;

  RiffleByTeam(std::uint64_t seed, PlaceChunk const* chunks, std::uint64_t const* before,
               std::uint64_t const* children_at, Move const& move)
      : riffle_(seed, move.from, move.to),
        chunks_(chunks),
        before_(before),
        children_at_(children_at) {}

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    auto const digit = static_cast<std::uint64_t>(team.team_rank());
    auto const c = static_cast<std::uint64_t>(team.league_rank());
    PlaceChunk const chunk = chunks_[c];
    riffle_(team, for_team(chunk),
            children_at_[chunk.children + digit] + before_[c * threads + digit]);
  }

 private:
  Riffle riffle_;
  PlaceChunk const* chunks_;
  std::uint64_t const* before_;
  std::uint64_t const* children_at_;
};

}  // namespace riffle::detail::mpi
