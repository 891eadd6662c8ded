#pragma once

// First pass: how many places of each chunk have each digit. Reads nothing of the data.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

#include <riffle/shuffle/detail/bucket/definition.hpp>
#include <riffle/shuffle/detail/bucket/gpu/level.hpp>
#include <riffle/shuffle/detail/bucket/gpu/team_count.hpp>
#include <riffle/shuffle/detail/bucket/leaf_keys.hpp>
#include <riffle/shuffle/tuning.hpp>

namespace riffle::detail::bucket_shuffle {

/// Counts the digits of a chunk with a team per chunk. The first team of a node also draws the keys of its children,
/// where they are leaves: those of node s, keys[digit], begin at keys + s * buckets.
template <class Index>
struct CountDigits {
  static constexpr int threads = team_threads;
  static constexpr int teams_per_processor = teams_that_count;
  static constexpr std::size_t scratch_bytes = buckets * sizeof(std::uint32_t) + 128;

  Level<Index> level;
  LeafKeys* keys;  // null where the children are split
  std::uint64_t seed_of_leaves;

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    auto* const histogram = static_cast<std::uint32_t*>(
        team.team_scratch(0).get_shmem_aligned(buckets * sizeof(std::uint32_t), 128));
    int const thread = team.team_rank();
    histogram[thread] = 0;
    team.team_barrier();
    Chunk const chunk = level.chunk(team.league_rank());
    count_chunk(level.seed, chunk, thread, histogram);
    if (keys != nullptr && chunk.begin == 0) draw_keys(chunk.node, thread);
    team.team_barrier();
    level.counts[chunk.column + static_cast<std::uint64_t>(thread) * level.chunks] =
        static_cast<Index>(histogram[thread]);
  }

 private:
  KOKKOS_FUNCTION void draw_keys(Node node, int digit) const {
    std::uint64_t const index =
        (node - level.number(0)) * buckets + static_cast<std::uint64_t>(digit);
    keys[index] = leaf_keys(seed_of_leaves, child(node, digit));
  }
};

}  // namespace riffle::detail::bucket_shuffle
