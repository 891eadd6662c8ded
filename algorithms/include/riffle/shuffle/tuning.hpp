#pragma once

// Sizes that shuffles were measured with: perf/notes/shuffle.md, on an NVIDIA H200 and on two cores. How the elements are
// split is a part of the definition of the permutation, and not tuned (detail/bucket_definition.hpp).

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace riffle::detail::bucket_shuffle {

/// The number of elements from which on the default shuffle is BucketShuffle, on each back end: from there on it is faster on
/// a GPU for values of 8 bytes. Another number would make another permutation.
inline constexpr std::uint64_t min_in_buckets_by_default = std::uint64_t{1} << 23;

/// Values of more bytes are gathered as rows: two passes over them cost more than one over indices and a gather.
inline constexpr std::size_t max_moved_bytes = 16;

// --- GPUs ---

/// The threads of a team that counts, riffles or gathers, and how many such teams run on a multiprocessor. Riffles of larger
/// values have fewer: more teams would evict each other's lines from the first-level cache, where runs of two tiles meet;
/// and a thread needs 64 registers for its elements of 16 bytes.
inline constexpr int team_threads = 256;
inline constexpr int teams_that_count = 8;
inline constexpr int teams_that_gather = 4;
constexpr int teams_that_riffle(std::size_t bytes, bool is_staged) {
  return bytes > 8 && is_staged ? 2 : bytes == 8 ? 3 : 4;
}

/// Leaves by many teams: their threads, and how many run on a multiprocessor.
inline constexpr int threads_of_many = 256;
constexpr int teams_of_many(std::size_t bytes) { return bytes <= 8 ? 6 : 4; }

/// A leaf by one team: its threads, and up to how many bytes. The first-level cache has 256 KiB: an eighth more loses nothing;
/// leaves of twice its size take 1.7 times as long as by many teams. A sector has but two larger elements, and so is read
/// again too seldom.
inline constexpr int threads_of_one = 1024;
inline constexpr std::size_t max_bytes_of_one = std::size_t{288} << 10;
inline constexpr std::size_t max_element_of_one = 8;

/// How many images of a leaf a thread evaluates side by side.
inline constexpr int images_of_thread = 4;

/// A copy in place: threads, teams on a multiprocessor, elements of a team.
inline constexpr int threads_of_copy = 256;
inline constexpr int teams_of_copy = 4;
inline constexpr std::uint64_t elements_of_copy = 4096;

/// How many of all tiles a chunk has, on a GPU with `processors` multiprocessors: several, which keeps counts few, if there are
/// chunks enough to keep all teams busy.
inline std::uint64_t tiles_of_chunk(std::uint64_t tiles, std::uint64_t processors) {
  auto const parts = [](std::uint64_t count, std::uint64_t size) {
    return (count + size - 1) / size;
  };
  // Up to four, where multiprocessors have eight chunks each and the busiest has next to none above its share.
  auto const most = [&](std::uint64_t per_chunk) {
    return parts(parts(tiles, per_chunk), processors) * per_chunk;
  };
  std::uint64_t few = std::clamp<std::uint64_t>(parts(tiles, processors * 8), 1, 4);
  while (most(few) - most(1) > most(1) / 32) --few;
  // More, where that leaves them 32.
  std::uint64_t const many = std::min<std::uint64_t>(tiles / (processors * 32), 16);
  return std::max(few, many);
}

// --- CPUs ---

/// The chunks of the root's places: a few for each thread, so that the last thread to end is soon waited for.
inline constexpr std::uint64_t min_chunk_places = std::uint64_t{1} << 14;
inline constexpr std::uint64_t chunks_per_thread = 16;

/// The most children of the root in a task, and how many tasks each thread has at least.
inline constexpr std::uint64_t max_children_per_task = 16;
inline constexpr std::uint64_t tasks_per_thread = 4;

/// Images of a leaf: how many are evaluated before they are used, how many after them are prefetched, and how many vectors
/// of up to 8 words, or of more, are evaluated side by side.
inline constexpr std::uint32_t images_of_block = 512;
inline constexpr std::uint32_t images_prefetched = 64;
constexpr int vectors_side_by_side(int width) { return width > 8 ? 4 : 8; }
/// The vectors of images that are evaluated again, which are few.
inline constexpr int few_side_by_side = 2;

}  // namespace riffle::detail::bucket_shuffle
