#pragma once

// The leaves of BucketShuffle's tree, and the one permutation that has no tree, whose only leaf it is.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

#include <riffle/context.hpp>
#include <riffle/kernel/launch.hpp>
#include <riffle/lanes/lanes.hpp>
#include <riffle/random/random_permutation.hpp>
#include <riffle/shuffle/bucket_tree.hpp>

namespace riffle::detail::mpi {

/// The bijections of a tree's leaves.
struct TreeLeaves {
  std::uint64_t seed_of_leaves;
  bucket_shuffle::Node first;  // the number of the first leaf: there are as many leaves

  TreeLeaves(std::uint64_t seed, std::size_t leaves)
      : seed_of_leaves(bucket_shuffle::leaf_seed(seed)), first(leaves) {}

  KOKKOS_FUNCTION MixedRadixFeistel sigma(std::uint64_t leaf, std::uint64_t size) const {
    return bucket_shuffle::leaf(size, seed_of_leaves, first + leaf);
  }
};

/// RandomPermutation(n, seed).
struct OneLeaf {
  std::uint64_t seed;

  KOKKOS_FUNCTION RandomPermutation sigma(std::uint64_t, std::uint64_t n) const {
    return RandomPermutation(n, seed);
  }
};

/// Consecutive places of a leaf, which one thread evaluates.
struct LeafChunk {
  std::uint64_t leaf;
  std::uint64_t start;  // of the leaf's part of the input
  std::uint64_t size;   // of the leaf
  std::uint64_t first;
  std::uint64_t count;
  std::uint64_t at;  // of `first` in a buffer

  static constexpr std::uint64_t max_count = 4096;
};

/// Calls visit(t, i) for t < chunk.count, in order, where place first + t of the leaf takes element i of the input.
template <class Leaves, class Visit>
KOKKOS_INLINE_FUNCTION void visit_images(Leaves const& leaves, LeafChunk const& chunk,
                                         Visit const& visit) {
  auto const sigma = leaves.sigma(chunk.leaf, chunk.size);
  KOKKOS_IF_ON_HOST((constexpr std::uint64_t block = 512; std::uint64_t images[block];
                     for (std::uint64_t t = 0; t < chunk.count; t += block) {
                       std::uint64_t const left = chunk.count - t;
                       std::uint64_t const count = left < block ? left : block;
                       sigma.images_block(chunk.first + t, count, images);
                       for (std::uint64_t k = 0; k < count; ++k) {
                         visit(t + k, chunk.start + images[k]);
                       }
                     }))
  KOKKOS_IF_ON_DEVICE((for (std::uint64_t t = 0; t < chunk.count;
                            ++t) { visit(t, chunk.start + sigma(chunk.first + t)); }))
}

/// A team of a GPU for a chunk, whose threads have neighbouring places. The kernel's visit(chunk, t, i) is that of
/// visit_images, in any order.
template <class Kernel>
struct VisitByTeam {
  static constexpr int threads = 128;
  static constexpr int teams_per_processor = 8;
  static constexpr std::size_t scratch_bytes = 0;

  Kernel kernel;

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    LeafChunk const chunk = kernel.chunks[team.league_rank()];
    auto const sigma = kernel.leaves.sigma(chunk.leaf, chunk.size);
    for (auto t = static_cast<std::uint64_t>(team.team_rank()); t < chunk.count; t += threads) {
      kernel.visit(chunk, t, chunk.start + sigma(chunk.first + t));
    }
  }
};

/// All images of `count` chunks, whose places depend on no others.
template <class Exec, class Kernel>
void visit_all(Context<Exec> const& context, std::uint64_t count, Kernel const& kernel) {
  if constexpr (lanes::is_cpu<Exec>) {
    context.for_each(count, kernel);
  } else {
    launch_teams(context, count, VisitByTeam<Kernel>{kernel});
  }
}

/// Chunks of which a thread passes the places in order: on a GPU many short ones.
template <class Exec>
inline constexpr std::uint64_t ordered_count = lanes::is_cpu<Exec> ? LeafChunk::max_count : 64;

/// Appends chunks of places first, ..., first + count - 1 of a leaf to a list.
template <class Chunks>
void add_leaf_chunks(Chunks& chunks, LeafChunk const& places,
                     std::uint64_t max_count = LeafChunk::max_count) {
  for (std::uint64_t done = 0; done < places.count; done += max_count) {
    LeafChunk chunk = places;
    chunk.first += done;
    chunk.at += done;
    chunk.count = places.count - done < max_count ? places.count - done : max_count;
    chunks.push_back(chunk);
  }
}

}  // namespace riffle::detail::mpi
