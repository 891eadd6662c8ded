#pragma once

// Evaluates the bijections of leaves (of the BucketShuffle tree, place_tree.hpp) at given places. A
// place is an output position of a leaf. A list contains ranges of consecutive places, and each
// range is cut into chunks. A CPU thread or a GPU team processes a chunk.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

#include <riffle/backend/backend.hpp>
#include <riffle/context.hpp>
#include <riffle/mpi/detail/host_copies.hpp>
#include <riffle/mpi/detail/partition.hpp>
#include <riffle/mpi/detail/shuffle/place_tree.hpp>
#include <riffle/mpi/tuning.hpp>
#include <riffle/primitives/launch.hpp>
#include <riffle/primitives/scope.hpp>
#include <riffle/primitives/team_sum.hpp>
#include <riffle/random/random_permutation.hpp>
#include <riffle/random/streams.hpp>
#include <riffle/shuffle/tree_for_mpi.hpp>

namespace riffle::detail::mpi {

/// The places first, ..., first + count - 1 of a leaf.
struct LeafChunk {
  std::uint64_t leaf;
  std::uint64_t start;  // first element of the leaf's part of the input
  std::uint64_t size;   // number of places of the leaf
  std::uint64_t first;
  std::uint64_t count;
  std::uint64_t at;  // index of place `first` in a buffer

  /// Returns the places first + done, first + done + 1, ..., at most max_count of them.
  KOKKOS_FUNCTION LeafChunk part(std::uint64_t done, std::uint64_t max_count) const {
    std::uint64_t const left = count - done;
    return {leaf, start, size, first + done, left < max_count ? left : max_count, at + done};
  }
};

/// The number of chunks for `places` places, if a chunk has at most max_places places.
constexpr std::uint64_t count_chunks(std::uint64_t places, std::uint64_t max_places) {
  return (places + max_places - 1) / max_places;
}

/// A list of ranges of places, cut into chunks, for kernels. Chunks are numbered over the whole
/// list. find() searches for the list entry that contains a chunk; this is fast because the list is
/// short.
struct LeafChunks {
  std::uint64_t count;
  std::uint64_t max_places;  // largest number of places in a chunk
  LeafChunk const* places;
  std::uint64_t const* chunks_before;  // length + 1 prefix sums of the numbers of chunks
  std::uint64_t length;                // number of entries in the list

  /// Returns the list entry that contains chunk c. Most entries have about the same number of
  /// chunks, so the first guess is often right.
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

/// Copies a list to memory of `scope`, and returns a handle to the copy.
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

// --- leaves of the tree of BucketShuffle, or the only leaf of a permutation without a tree ---

/// A bijection that cannot be evaluated for several places at once.
template <class Sigma>
struct OneByOne {
  Sigma sigma;

  template <int count>
  KOKKOS_FUNCTION void replace_by_images(std::uint64_t (&x)[count]) const {
    for (int k = 0; k < count; ++k) x[k] = sigma(x[k]);
  }
};

/// Draws the keys of each leaf.
struct DrawLeafKeys {
  std::uint64_t seed_of_leaves;
  bucket_shuffle::Node first;
  bucket_shuffle::LeafKeys* keys;

  KOKKOS_FUNCTION void operator()(std::uint64_t leaf) const {
    keys[leaf] = bucket_shuffle::leaf_keys(seed_of_leaves, first + leaf);
  }
};

/// The bijections of a tree's leaves.
struct TreeLeaves {
  std::uint64_t seed_of_leaves;
  bucket_shuffle::Node first;  // index of the first leaf, which equals the number of leaves
  bucket_shuffle::LeafKeys const* keys;  // keys of the leaves, for GPUs

  /// Returns the leaves of the tree with seed `seed`. Stores their keys in memory of the scope.
  template <class Exec>
  static TreeLeaves make(Context<Exec> const& context, Scope<Exec>& scope, std::uint64_t seed,
                         OwnPlaces const& places) {
    std::uint64_t const leaves = places.nodes();
    TreeLeaves result{bucket_shuffle::leaf_seed(seed), leaves, nullptr};
    if constexpr (!backend::is_cpu<Exec>) {
      auto* const keys = scope.template take<bucket_shuffle::LeafKeys>(leaves);
      context.named("keys").for_each(leaves,
                                     DrawLeafKeys{result.seed_of_leaves, result.first, keys});
      result.keys = keys;
    }
    return result;
  }

  KOKKOS_FUNCTION MixedRadixFeistel sigma(std::uint64_t leaf, std::uint64_t size) const {
    return bucket_shuffle::leaf(size, seed_of_leaves, first + leaf);
  }

  /// Calls use(form). form.replace_by_images() replaces places of the leaf by the values that the
  /// leaf's bijection has at these places. For GPUs.
  template <class Use>
  KOKKOS_FUNCTION void with_form(std::uint64_t leaf, std::uint64_t size, Use const& use) const {
    if (size > 2 && size <= std::uint64_t{1} << 32) {
      use(bucket_shuffle::leaf_form<std::uint32_t>(size, keys[leaf]));
    } else {
      use(OneByOne<MixedRadixFeistel>{sigma(leaf, size)});
    }
  }
};

/// The only leaf of a permutation without a tree: RandomPermutation(n, seed, stream).
struct OneLeaf {
  RandomPermutation permutation;

  template <class Exec>
  static OneLeaf make(Context<Exec> const&, Scope<Exec>&, SeedAndStream random,
                      OwnPlaces const& places) {
    return {RandomPermutation(places.total[0], random.seed, random.stream)};
  }

  KOKKOS_FUNCTION RandomPermutation const& sigma(std::uint64_t, std::uint64_t) const {
    return permutation;
  }

  template <class Use>
  KOKKOS_FUNCTION void with_form(std::uint64_t, std::uint64_t, Use const& use) const {
    use(OneByOne<RandomPermutation>{permutation});
  }
};

// --- images ---
//
// An image is the value of a leaf's bijection at a place. Kernels visit the images of chunks in any
// order, or together with the rank of each image in its class.

/// Calls visit(t, i) for t = 0, ..., chunk.count - 1 in order. Element i of the input moves to
/// place first + t of the leaf. For CPUs.
template <class Leaves, class Visit>
KOKKOS_INLINE_FUNCTION void visit_images([[maybe_unused]] Leaves const& leaves,
                                         [[maybe_unused]] LeafChunk const& chunk,
                                         [[maybe_unused]] Visit const& visit) {
  KOKKOS_IF_ON_HOST(
      (leaves.sigma(chunk.leaf, chunk.size)
           .visit_blocks(chunk.first, chunk.count,
                         [&](std::uint64_t begin, std::size_t size, auto const* images) {
                           for (std::size_t k = 0; k < size; ++k) {
                             visit(begin - chunk.first + k, chunk.start + images[k]);
                           }
                         });))
}

/// Runs a kernel on all its chunks: on a CPU `kernel` itself with one thread per chunk, on a GPU
/// ByTeam<Kernel> with one team per chunk.
template <template <class> class ByTeam, class Exec, class Kernel>
void run_on_chunks(Context<Exec> const& context, Kernel const& kernel) {
  std::uint64_t const count = kernel.chunks.count;
  if (count == 0) return;
  if constexpr (backend::is_cpu<Exec>) {
    context.for_each(count, kernel);
  } else {
    launch_teams(context, count, ByTeam<Kernel>{kernel});
  }
}

/// The input elements that move to places t, t + stride, ... of a chunk. Places beyond the end of
/// the leaf are replaced by the leaf's last place.
template <std::uint64_t stride>
struct ImagesOfThread {
  static constexpr std::uint64_t count = images_per_thread;

  std::uint64_t elements[count];

  template <class Form>
  KOKKOS_FUNCTION ImagesOfThread(Form const& form, LeafChunk const& chunk, std::uint64_t t) {
    RIFFLE_UNROLL
    for (std::uint64_t k = 0; k < count; ++k) {
      std::uint64_t const place = chunk.first + t + k * stride;
      elements[k] = place < chunk.size ? place : chunk.size - 1;
    }
    form.replace_by_images(elements);
    RIFFLE_UNROLL
    for (std::uint64_t k = 0; k < count; ++k) elements[k] += chunk.start;
  }
};

/// Team kernel for GPUs that processes one chunk per team. Thread t calls kernel.take(chunk, t,
/// images) with the images for places t, t + threads, ... of the chunk, so neighbouring threads
/// process neighbouring places. An image is valid only if its place is less than chunk.count.
template <class Kernel>
struct TakeByTeam {
  static constexpr int threads = chunk_threads;
  static constexpr int teams_per_processor = 6;
  static constexpr std::size_t scratch_bytes = 0;

  Kernel kernel;

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    LeafChunk const chunk = kernel.chunks[static_cast<std::uint64_t>(team.league_rank())];
    auto const t = static_cast<std::uint64_t>(team.team_rank());
    if (t >= chunk.count) return;
    kernel.leaves.with_form(chunk.leaf, chunk.size, [&](auto const& form) {
      kernel.take(chunk, t, ImagesOfThread<threads>(form, chunk, t));
    });
  }
};

/// Visits all images of a kernel's chunks, each independently of the others.
template <class Exec, class Kernel>
void take_all(Context<Exec> const& context, Kernel const& kernel) {
  run_on_chunks<TakeByTeam>(context, kernel);
}

/// Team kernel for GPUs that processes one chunk per team. kernel.class_of(chunk, i) returns the
/// class of element i, which is less than kernel.classes(chunk), or -1 for elements that are not
/// counted. If Kernel::keeps_totals, the team calls keep_total(c, chunk, k, total) for each class k
/// in chunk c. Otherwise it calls put(c, chunk, t, i, k, before) for each image, where `before` is
/// the number of earlier images in the chunk that also have class k.
///
/// The team has a barrier after each class, because the next class reuses state.sums.
template <class Kernel>
struct RankByTeam {
  static constexpr int threads = chunk_threads;
  static constexpr int teams_per_processor = 4;
  struct State {
    std::uint32_t sums[threads / backend::width];
  };
  static constexpr std::size_t scratch_bytes = team_state_bytes<State>;
  using Images = ImagesOfThread<1>;
  static constexpr bool keeps_totals = requires { requires Kernel::keeps_totals; };

  Kernel kernel;

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    auto const c = static_cast<std::uint64_t>(team.league_rank());
    auto const chunk = kernel.chunks[c];
    std::uint64_t const t = static_cast<std::uint64_t>(team.team_rank()) * Images::count;
    kernel.leaves.with_form(chunk.leaf, chunk.size, [&](auto const& form) {
      pass(team, c, chunk, t, Images(form, chunk, t));
    });
  }

 private:
  template <class Member, class Chunk>
  KOKKOS_FUNCTION void pass(Member const& team, std::uint64_t c, Chunk const& chunk,
                            std::uint64_t t, Images const& images) const {
    State& state = team_state<State>(team);
    int classes[Images::count];
    RIFFLE_UNROLL
    for (std::uint64_t j = 0; j < Images::count; ++j) {
      classes[j] = t + j < chunk.count ? kernel.class_of(chunk, images.elements[j]) : -1;
    }
    for (int k = 0; k < kernel.classes(chunk); ++k) {
      std::uint32_t own = 0;
      RIFFLE_UNROLL
      for (std::uint64_t j = 0; j < Images::count; ++j) own += classes[j] == k ? 1 : 0;
      std::uint32_t total = 0;
      std::uint32_t before = exclusive_team_sum(team, state.sums, own, total);
      if constexpr (keeps_totals) {
        if (t == 0) kernel.keep_total(c, chunk, k, total);
      } else {
        RIFFLE_UNROLL
        for (std::uint64_t j = 0; j < Images::count; ++j) {
          if (classes[j] == k) kernel.put(c, chunk, t + j, images.elements[j], k, before++);
        }
      }
      team.team_barrier();
    }
  }
};

/// Visits all images of a kernel's chunks together with the rank of each image in its class.
template <class Exec, class Kernel>
void rank_all(Context<Exec> const& context, Kernel const& kernel) {
  run_on_chunks<RankByTeam>(context, kernel);
}

/// Team kernel for GPUs that processes one chunk per team. The team's threads divide the places of
/// the chunk among themselves.
template <class Kernel>
struct PlacesByTeam {
  static constexpr int threads = chunk_threads;
  static constexpr int teams_per_processor = 8;
  static constexpr std::size_t scratch_bytes = 0;

  Kernel kernel;

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    auto const chunk = kernel.chunks[static_cast<std::uint64_t>(team.league_rank())];
    for (auto t = static_cast<std::uint64_t>(team.team_rank()); t < chunk.count; t += threads) {
      kernel(chunk, t);
    }
  }
};

/// Functor in which one CPU thread processes one chunk.
template <class Kernel>
struct PlacesByThread {
  Kernel kernel;

  KOKKOS_FUNCTION void operator()(std::uint64_t c) const {
    auto const chunk = kernel.chunks[c];
    for (std::uint64_t t = 0; t < chunk.count; ++t) kernel(chunk, t);
  }
};

/// Calls kernel(chunk, t) for each place t of the kernel's chunks, in any order.
template <class Exec, class Kernel>
void for_each_place(Context<Exec> const& context, Kernel const& kernel) {
  if constexpr (backend::is_cpu<Exec>) {
    context.for_each(kernel.chunks.count, PlacesByThread<Kernel>{kernel});
  } else {
    launch_teams(context, kernel.chunks.count, PlacesByTeam<Kernel>{kernel});
  }
}

}  // namespace riffle::detail::mpi
