#pragma once

// Last pass: a node's places take what its children give.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

#include <riffle/shuffle/detail/bucket/gpu/level.hpp>
#include <riffle/shuffle/detail/bucket/gpu/team_riffle.hpp>

namespace riffle::detail::bucket_shuffle {

/// Writes to `out` what the places of a level's nodes take from the elements of `from`, with a team per chunk.
template <class From, class Out, class Index>
class RiffleTiles {
  using Riffle = TeamRiffle<From, Out, Index>;

 public:
  static constexpr int threads = Riffle::threads;
  static constexpr int teams_per_processor = Riffle::teams_per_processor;
  static constexpr std::size_t scratch_bytes = Riffle::scratch_bytes;

  RiffleTiles(Level<Index> const& level, From const& from, Out const& out)
      : level_(level), riffle_(level.seed, from, out) {}

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    auto const digit = static_cast<std::uint64_t>(team.team_rank());
    Chunk const chunk = level_.chunk(team.league_rank());
    riffle_(team, chunk, level_.counts[chunk.column + digit * level_.chunks]);
  }

 private:
  Level<Index> level_;
  Riffle riffle_;
};

}  // namespace riffle::detail::bucket_shuffle
