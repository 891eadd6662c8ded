#pragma once

// Tuning constants of shuffles. perf/notes/shuffle.md contains the measurements, on an NVIDIA H200 and on two
// CPU cores. The constants that define the permutation are not tuned; they are in detail/bucket_definition.hpp.

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace riffle::detail::bucket_shuffle {

/// The default shuffle is BucketShuffle for at least this number of elements, on every back end. On a GPU,
/// BucketShuffle is faster than a gather for this number of 8-byte values and more. Changing the number changes the
/// default permutation.
inline constexpr std::uint64_t min_in_buckets_by_default = std::uint64_t{1} << 23;

/// The maximum size, in bytes, of values that are moved by the passes. Larger values are gathered as rows, because
/// moving them twice costs more than shuffling indices and gathering once.
inline constexpr std::size_t max_moved_bytes = 16;

// --- GPUs ---

/// Teams that count, riffle or gather have team_threads threads, one per digit. The other constants are the numbers of
/// such teams per multiprocessor. Larger values are riffled by fewer teams, for two reasons. First, more teams would
/// evict each other's lines from the L1 cache: the line at the end of one tile's run is read again at the start of the
/// next tile's run. Second, a thread needs 64 registers for its sixteen elements of 16 bytes.
inline constexpr int team_threads = 256;
inline constexpr int teams_that_count = 8;
inline constexpr int teams_that_gather = 4;
constexpr int teams_that_riffle(std::size_t bytes, bool is_staged) {
  return bytes > 8 && is_staged ? 2 : bytes == 8 ? 3 : 4;
}

/// For leaves that many teams permute together (ManyTeams): the number of threads per team, and of teams per
/// multiprocessor.
inline constexpr int threads_of_many_teams = 256;
constexpr int many_teams_per_processor(std::size_t bytes) { return bytes <= 8 ? 6 : 4; }

/// For leaves that one team permutes (OneTeam): the number of threads, and the maximum sizes in bytes of a leaf and of
/// an element. The L1 cache has 256 KiB. A leaf that is an eighth larger takes no longer with one team than with many
/// teams; a leaf twice as large as the cache takes 1.7 times as long. Elements of more than 8 bytes are excluded
/// because a sector holds at most two of them, too few for cache hits.
inline constexpr int threads_of_one_team = 1024;
inline constexpr std::size_t max_leaf_bytes_of_one_team = std::size_t{288} << 10;
inline constexpr std::size_t max_element_bytes_of_one_team = 8;

/// The number of values of a leaf's bijection that a thread evaluates at a time.
inline constexpr int images_of_thread = 4;

/// For the copy that precedes a shuffle in place: the number of threads per team, of teams per multiprocessor, and of
/// elements per team.
inline constexpr int threads_of_copy = 256;
inline constexpr int teams_of_copy = 4;
inline constexpr std::uint64_t elements_of_copy = 4096;

/// The number of tiles per chunk, for `tiles` tiles in total and a GPU with `processors` multiprocessors. Larger chunks
/// need fewer counts, but there must be enough chunks to keep all teams busy.
inline std::uint64_t tiles_of_chunk(std::uint64_t tiles, std::uint64_t processors) {
  auto const parts = [](std::uint64_t count, std::uint64_t size) {
    return (count + size - 1) / size;
  };
  // Up to four tiles per chunk, as long as each multiprocessor receives eight chunks, and the busiest multiprocessor
  // receives at most 1/32 more tiles than with one tile per chunk.
  auto const most = [&](std::uint64_t per_chunk) {
    return parts(parts(tiles, per_chunk), processors) * per_chunk;
  };
  std::uint64_t few = std::clamp<std::uint64_t>(parts(tiles, processors * 8), 1, 4);
  while (most(few) - most(1) > most(1) / 32) --few;
  // Up to sixteen tiles, if each multiprocessor still receives 32 chunks.
  std::uint64_t const many = std::min<std::uint64_t>(tiles / (processors * 32), 16);
  return std::max(few, many);
}

// --- CPUs ---

/// The minimum size of a chunk of the root's places, and the number of chunks per thread. Each thread processes several
/// chunks, so that no thread waits long for the last chunk.
inline constexpr std::uint64_t min_chunk_places = std::uint64_t{1} << 14;
inline constexpr std::uint64_t chunks_per_thread = 16;

/// The maximum number of the root's children per task, and the minimum number of tasks per thread.
inline constexpr std::uint64_t max_children_per_task = 16;
inline constexpr std::uint64_t tasks_per_thread = 4;

/// A thread evaluates a leaf's bijection in blocks. images_of_block is the number of values per block.
/// images_prefetched is the distance, in values, between the element that is loaded and the element that is prefetched.
/// vectors_side_by_side is the number of vectors that are evaluated together; `width` is the number of words in a
/// vector.
inline constexpr std::uint32_t images_of_block = 512;
inline constexpr std::uint32_t images_prefetched = 64;
constexpr int vectors_side_by_side(int width) { return width > 8 ? 4 : 8; }
/// The number of vectors that are evaluated together when values outside the leaf are evaluated again. It is small
/// because there are few such values.
inline constexpr int few_side_by_side = 2;

}  // namespace riffle::detail::bucket_shuffle
