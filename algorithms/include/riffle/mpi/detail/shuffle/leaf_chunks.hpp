#pragma once

// Consecutive places of leaves: lists of them, cut into chunks, each for a thread of a CPU or a team of a GPU.

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <vector>

#include <riffle/backend/backend.hpp>
#include <riffle/context.hpp>
#include <riffle/mpi/detail/host_copies.hpp>
#include <riffle/mpi/detail/partition.hpp>
#include <riffle/primitives/scope.hpp>

namespace riffle::detail::mpi {

/// Consecutive places of a leaf.
struct LeafChunk {
  std::uint64_t leaf;
  std::uint64_t start;  // of the leaf's part of the input
  std::uint64_t size;   // of the leaf
  std::uint64_t first;
  std::uint64_t count;
  std::uint64_t at;  // of `first` in a buffer

  /// Places done, done + 1, ..., at most `max_count` of them.
  KOKKOS_FUNCTION LeafChunk part(std::uint64_t done, std::uint64_t max_count) const {
    std::uint64_t const left = count - done;
    return {leaf, start, size, first + done, left < max_count ? left : max_count, at + done};
  }
};

/// The threads of a GPU's team, and how many images each works out side by side.
inline constexpr int chunk_threads = 256;
inline constexpr std::uint64_t images_per_thread = 4;

/// The places of a chunk, at most. A GPU's are few: the teams that run at a time read a part of a leaf that a cache holds.
template <class Exec>
inline constexpr std::uint64_t chunk_places = backend::is_cpu<Exec>
                                                  ? 4096
                                                  : (images_per_thread* chunk_threads);

/// How many chunks some places are cut into.
constexpr std::uint64_t count_chunks(std::uint64_t places, std::uint64_t max_places) {
  return (places + max_places - 1) / max_places;
}

/// The chunks of a list of places, for kernels: the list is short, and a chunk is found in it.
struct LeafChunks {
  std::uint64_t count;
  std::uint64_t max_places;  // of a chunk
  LeafChunk const* places;
  std::uint64_t const* chunks_before;  // of each of the list, and of its end
  std::uint64_t length;                // of the list

  /// The entry of the list that chunk c is of. Most have about as many chunks, so that a guess is often right.
  KOKKOS_FUNCTION std::uint64_t find(std::uint64_t c) const {
    std::uint64_t const guess = c * length / count;
    if (chunks_before[guess] <= c && c < chunks_before[guess + 1]) return guess;
    return static_cast<std::uint64_t>(owner_between(chunks_before, 0, static_cast<int>(length), c));
  }
  KOKKOS_FUNCTION LeafChunk chunk(std::uint64_t entry, std::uint64_t c) const {
    return places[entry].part((c - chunks_before[entry]) * max_places, max_places);
  }
  KOKKOS_FUNCTION LeafChunk operator[](std::uint64_t c) const { return chunk(find(c), c); }
};

/// A list in memory of a scope.
template <class Exec>
LeafChunks chunks_of(Context<Exec> const& context, Scope<Exec>& scope,
                     std::vector<LeafChunk> const& places) {
  constexpr std::uint64_t max_places = chunk_places<Exec>;
  std::vector<std::uint64_t> before(1, 0);
  before.reserve(places.size() + 1);
  for (auto const& each : places)
    before.push_back(before.back() + count_chunks(each.count, max_places));
  return {before.back(), max_places, to_kernels(context, scope, places),
          to_kernels(context, scope, before), places.size()};
}

}  // namespace riffle::detail::mpi
