#pragma once

// The sizes in which ranks send, sample and pack. Figures are of H200s (docs/performance.md, perf/notes/mpi.md) unless the text
// says otherwise; sizes without a figure were not measured against others.

#include <cstddef>
#include <cstdint>

#include <riffle/backend/backend.hpp>

namespace riffle::detail::mpi {

// --- transfers ---

/// The most bytes of a stage in host memory. Pinning takes as long as sending: a stage is no larger than what a bus moves
/// meanwhile.
inline constexpr std::uint64_t max_stage_bytes = std::uint64_t{1} << 26;

/// Shares begin at multiples of so many items, whatever their size. NCCL copies 16 bytes at a time from and to addresses
/// that are multiples of 16, and one byte at a time elsewhere: two devices then send 0.4 of what they can, four 0.5. Of
/// shares of fewer granules than least_granules, in which gaps would count, none begins at one.
inline constexpr std::uint64_t granule_of_shares = 16;
inline constexpr std::uint64_t least_granules = 16;

/// Lists of numbers are reduced so many at a time, since MPI counts in int.
inline constexpr std::size_t reduced_at_once = std::size_t{1} << 24;

// --- sorts ---

/// A round of the search for cuts takes so many bytes of samples, and enough of each run that brackets get smaller by a
/// factor of 4 at least.
inline constexpr std::uint64_t sample_bytes = std::uint64_t{1} << 16;
inline constexpr std::uint64_t fewest_samples = 16;
inline constexpr std::uint64_t most_useful_samples = 1024;

// --- shuffles ---

/// A batch of so many bytes keeps a link busy much longer than it takes to begin one. Four batches of two ranks and two of
/// four, where a batch has messages for three, were fastest.
inline constexpr std::uint64_t batch_bytes = std::uint64_t{1} << 29;
constexpr std::uint64_t most_batches(std::uint64_t ranks) { return ranks == 2 ? 4 : 2; }

/// The threads of a GPU's team, and how many images each works out side by side.
inline constexpr int chunk_threads = 256;
inline constexpr std::uint64_t images_per_thread = 4;

/// The places of a chunk of a leaf, at most. A GPU's are few: the teams that run at a time read a part of a leaf that a cache
/// holds.
template <class Exec>
inline constexpr std::uint64_t chunk_places = backend::is_cpu<Exec>
                                                  ? 4096
                                                  : (images_per_thread* chunk_threads);

/// Leaves of so many bytes are packed by loads of whole lines. An H100, whose halves of the second-level cache hold 25 MB
/// each, packs leaves of 32 MB faster without lines.
inline constexpr std::uint64_t held_bytes = std::uint64_t{18} << 20;

/// The places of a chunk of a node on a CPU: each thread has so many chunks, of so many places that a chunk's counts are
/// small compared with them, and of so few that they fit in 32 bits.
inline constexpr std::uint64_t node_chunks_per_thread = 16;
inline constexpr std::uint64_t least_node_chunk = 4096;
inline constexpr std::uint64_t most_node_chunk = std::uint64_t{1} << 20;

/// So many chunks of a node are summed by a thread, one after the other: a GPU's threads have few each.
template <class Exec>
inline constexpr std::uint64_t chunks_summed = backend::is_cpu<Exec> ? 512 : 64;

}  // namespace riffle::detail::mpi
