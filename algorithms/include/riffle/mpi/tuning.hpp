#pragma once

// Message, sample and batch sizes. The measurements are in docs/performance.md and
// perf/notes/mpi.md. A size that they do not mention was not compared with other sizes.

#include <cstddef>
#include <cstdint>

#include <riffle/backend/backend.hpp>

namespace riffle::detail::mpi {

// --- transfers ---

/// The maximum number of bytes in a staging buffer in host memory. A larger buffer is not worth its
/// cost, because pinning n bytes takes as long as sending n bytes.
inline constexpr std::uint64_t max_stage_bytes = std::uint64_t{1} << 26;

/// The share of each rank begins at a multiple of share_granule items. The reason is that NCCL
/// copies 16 bytes at a time only between addresses that are multiples of 16; otherwise it copies
/// one byte at a time. For any item size, the byte offset of a multiple of 16 items is a multiple
/// of 16. Shares of fewer than min_granules granules are not aligned, because the gaps would be too
/// large compared with the shares.
inline constexpr std::uint64_t share_granule = 16;
inline constexpr std::uint64_t min_granules = 16;

/// The maximum number of list entries in one reduction, because MPI counts them in an int.
inline constexpr std::size_t max_reduction_length = std::size_t{1} << 24;

// --- sorts ---

/// In each round of the search for cuts, a rank sends sample_bytes bytes of samples in total, but
/// at least min_samples samples per run, so that brackets shrink by a factor of at least 4.
inline constexpr std::uint64_t sample_bytes = std::uint64_t{1} << 16;
inline constexpr std::uint64_t min_samples = 16;
inline constexpr std::uint64_t max_useful_samples = 1024;

// --- shuffles ---

/// A batch has batch_bytes bytes, so that sending it takes much longer than starting a transfer.
/// max_batches(ranks) is the number of batches that was fastest for this number of ranks.
inline constexpr std::uint64_t batch_bytes = std::uint64_t{1} << 29;
constexpr std::uint64_t max_batches(std::uint64_t ranks) { return ranks == 2 ? 4 : 2; }

/// The number of threads per GPU team, and the number of values of the bijection that a thread
/// evaluates at a time.
inline constexpr int chunk_threads = 256;
inline constexpr std::uint64_t images_per_thread = 4;

/// The maximum number of places in a chunk of a leaf. On a GPU it is small, because teams that run
/// at the same time then read only parts of leaves that fit in the cache together.
template <class Exec>
inline constexpr std::uint64_t chunk_places = backend::is_cpu<Exec>
                                                  ? 4096
                                                  : (images_per_thread* chunk_threads);

/// If a leaf has at most this number of bytes, its elements are loaded as whole cache lines when
/// they are packed. Such a leaf fits in half of the L2 cache.
inline constexpr std::uint64_t max_cached_leaf_bytes = std::uint64_t{18} << 20;

/// On a CPU a node is cut into node_chunks_per_thread chunks per thread. A chunk has at least
/// min_node_chunk places, so that its 256 counters take little memory compared with its places. A
/// chunk has at most max_node_chunk places, so that 32-bit counters suffice.
inline constexpr std::uint64_t node_chunks_per_thread = 16;
inline constexpr std::uint64_t min_node_chunk = 4096;
inline constexpr std::uint64_t max_node_chunk = std::uint64_t{1} << 20;

/// The number of a node's chunks that one thread sums sequentially.
template <class Exec>
inline constexpr std::uint64_t chunks_per_sum = backend::is_cpu<Exec> ? 512 : 64;

}  // namespace riffle::detail::mpi
