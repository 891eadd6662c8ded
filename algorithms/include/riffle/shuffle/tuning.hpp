#pragma once

// Tuning constants of shuffles. perf/notes/shuffle.md has their measurements, on an NVIDIA H200 and on two cores. The
// numbers that define the permutation are not tuned (detail/bucket_definition.hpp).

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace riffle::detail::bucket_shuffle {

/// The default shuffle is BucketShuffle from this number of elements on, on every back end: a GPU is faster with it for
/// values of 8 bytes. A change would change the default permutation.
inline constexpr std::uint64_t min_in_buckets_by_default = std::uint64_t{1} << 23;

/// Larger values are gathered as rows: two passes over them cost more than a shuffle of indices and one gather.
inline constexpr std::size_t max_moved_bytes = 16;

// --- GPUs ---

/// The threads of a team that counts, riffles or gathers, and the number of such teams per multiprocessor. Fewer teams
/// riffle larger values: more would evict each other's lines from the first-level cache, which hold the ends of one
/// tile's runs and the beginnings of the next tile's; and a thread needs 64 registers for its elements of 16 bytes.
inline constexpr int team_threads = 256;
inline constexpr int teams_that_count = 8;
inline constexpr int teams_that_gather = 4;
constexpr int teams_that_riffle(std::size_t bytes, bool is_staged) {
  return bytes > 8 && is_staged ? 2 : bytes == 8 ? 3 : 4;
}

/// Leaves that many teams permute: threads of a team, and teams per multiprocessor.
inline constexpr int threads_of_many_teams = 256;
constexpr int many_teams_per_processor(std::size_t bytes) { return bytes <= 8 ? 6 : 4; }

/// A leaf that one team permutes: its threads, and the most bytes of the leaf and of an element. The first-level cache has
/// 256 KiB, and a leaf that is an eighth larger is as fast; a leaf of twice the size takes 1.7 times as long as with many
/// teams. A sector has at most two elements of more than 8 bytes, too few for hits.
inline constexpr int threads_of_one_team = 1024;
inline constexpr std::size_t max_leaf_bytes_of_one_team = std::size_t{288} << 10;
inline constexpr std::size_t max_element_bytes_of_one_team = 8;

/// The number of values of a leaf's bijection that a thread evaluates together.
inline constexpr int images_of_thread = 4;

/// The copy before a shuffle in place: threads of a team, teams per multiprocessor, elements of a team.
inline constexpr int threads_of_copy = 256;
inline constexpr int teams_of_copy = 4;
inline constexpr std::uint64_t elements_of_copy = 4096;

/// The number of tiles of a chunk, for `tiles` tiles in all and a GPU with `processors` multiprocessors: several, so that
/// counts are few, if there are still enough chunks to keep all teams busy.
inline std::uint64_t tiles_of_chunk(std::uint64_t tiles, std::uint64_t processors) {
  auto const parts = [](std::uint64_t count, std::uint64_t size) {
    return (count + size - 1) / size;
  };
  // Up to four, if multiprocessors have eight chunks each and the busiest one has at most 1/32 more tiles than with one
  // tile per chunk.
  auto const most = [&](std::uint64_t per_chunk) {
    return parts(parts(tiles, per_chunk), processors) * per_chunk;
  };
  std::uint64_t few = std::clamp<std::uint64_t>(parts(tiles, processors * 8), 1, 4);
  while (most(few) - most(1) > most(1) / 32) --few;
  // Up to sixteen, if multiprocessors have 32 chunks each.
  std::uint64_t const many = std::min<std::uint64_t>(tiles / (processors * 32), 16);
  return std::max(few, many);
}

// --- CPUs ---

/// The chunks of the root's places: each thread has several, so that no thread waits long for the last one.
inline constexpr std::uint64_t min_chunk_places = std::uint64_t{1} << 14;
inline constexpr std::uint64_t chunks_per_thread = 16;

/// The most children of the root in a task, and the fewest tasks of a thread.
inline constexpr std::uint64_t max_children_per_task = 16;
inline constexpr std::uint64_t tasks_per_thread = 4;

/// Values of a leaf's bijection: the number that is evaluated before they are used; the number after them that is
/// prefetched; and the number of vectors that are evaluated together, of up to 8 words or of more.
inline constexpr std::uint32_t images_of_block = 512;
inline constexpr std::uint32_t images_prefetched = 64;
constexpr int vectors_side_by_side(int width) { return width > 8 ? 4 : 8; }
/// The number of vectors that are evaluated together again, because their values were beyond the leaf; these are few.
inline constexpr int few_side_by_side = 2;

}  // namespace riffle::detail::bucket_shuffle
