#pragma once

// Sizes of messages, samples and batches. docs/performance.md and perf/notes/mpi.md have the
// measurements; sizes of which they say nothing were not compared with others.

#include <cstddef>
#include <cstdint>

#include <riffle/backend/backend.hpp>

namespace riffle::detail::mpi {

// --- transfers ---

/// The maximal number of bytes of a staging buffer in host memory. Pinning memory takes as long as
/// sending the same number of bytes, so that a larger buffer does not pay.
inline constexpr std::uint64_t max_stage_bytes = std::uint64_t{1} << 26;

/// Each rank's share begins at a multiple of this number of items, of any size, because NCCL copies
/// 16 bytes at a time only between addresses that are multiples of 16, and otherwise one byte at a
/// time. Shares of fewer than min_granules granules are not aligned, because the gaps would be
/// too large a part of them.
inline constexpr std::uint64_t share_granule = 16;
inline constexpr std::uint64_t min_granules = 16;

/// The maximal number of list entries in one reduction: MPI counts in int.
inline constexpr std::size_t max_reduction_length = std::size_t{1} << 24;

// --- sorts ---

/// A round of the search for cuts takes sample_bytes of samples, and at least min_samples of
/// each run, so that brackets shrink by a factor of at least 4.
inline constexpr std::uint64_t sample_bytes = std::uint64_t{1} << 16;
inline constexpr std::uint64_t min_samples = 16;
inline constexpr std::uint64_t max_useful_samples = 1024;

// --- shuffles ---

/// A batch of this size keeps a link busy for much longer than it takes to start a transfer.
/// max_batches() is the fastest number of batches by the number of ranks.
inline constexpr std::uint64_t batch_bytes = std::uint64_t{1} << 29;
constexpr std::uint64_t max_batches(std::uint64_t ranks) { return ranks == 2 ? 4 : 2; }

/// The number of threads of a GPU's team, and of images that each thread computes at a time.
inline constexpr int chunk_threads = 256;
inline constexpr std::uint64_t images_per_thread = 4;

/// The maximal number of places of a chunk of a leaf. On a GPU it is small, so that the parts of a
/// leaf that the running teams read fit in the cache.
template <class Exec>
inline constexpr std::uint64_t chunk_places = backend::is_cpu<Exec>
                                                  ? 4096
                                                  : (images_per_thread* chunk_threads);

/// Leaves of up to this number of bytes are packed by loads of whole lines: the leaf then fits in
/// half of the second-level cache.
inline constexpr std::uint64_t max_cached_leaf_bytes = std::uint64_t{18} << 20;

/// On a CPU a node is cut into node_chunks_per_thread chunks for each thread, of at least
/// min_node_chunk places: the 256 counters of a chunk are then small compared with its places,
/// and a chunk's count fits in 32 bits.
inline constexpr std::uint64_t node_chunks_per_thread = 16;
inline constexpr std::uint64_t min_node_chunk = 4096;
inline constexpr std::uint64_t max_node_chunk = std::uint64_t{1} << 20;

/// The number of chunks of a node that one thread sums, one after the other.
template <class Exec>
inline constexpr std::uint64_t chunks_per_sum = backend::is_cpu<Exec> ? 512 : 64;

}  // namespace riffle::detail::mpi
