#pragma once

// The positions at which a rank stores the elements that it receives. They are sorted by sender,
// and within a sender by leaf:
//
//     [ leaf 0 | leaf 1 | first part of leaf 2 ] gap [ second part of leaf 2 | leaf 3 ] ...
//       from rank 0                                    from rank 1
//
// A leaf is shared if several ranks own parts of its input. If one rank owns the whole input of a
// leaf, the leaf's elements arrive in the order of their places. The elements of a shared leaf
// arrive sorted by owner, and within an owner by place. The receiver therefore computes which owner
// sends the element for each place, and reorders the elements. The gap between the shares of two
// senders is smaller than a granule.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <riffle/context.hpp>
#include <riffle/mpi/detail/host_copies.hpp>
#include <riffle/mpi/detail/partition.hpp>
#include <riffle/mpi/detail/shuffle/leaf_images.hpp>
#include <riffle/mpi/detail/shuffle/leaf_parts.hpp>
#include <riffle/mpi/detail/shuffle/place_tree.hpp>
#include <riffle/mpi/detail/transfers.hpp>
#include <riffle/primitives/scope.hpp>
#include <riffle/view_pack.hpp>

namespace riffle::detail::mpi {

/// A leaf whose input is owned by several ranks.
struct SharedLeaf {
  int first_owner;
  int owners;
  std::uint64_t counters;  // index of the first counter of its chunks
  std::uint64_t slots;     // index of the slot of its first place
};

/// A chunk of a shared leaf.
struct SharedChunk : LeafChunk {
  int first_owner;
  int owners;
  std::uint64_t counters;  // index of the counter of its first owner
  std::uint64_t slots;     // index of its first slot
};

/// The places of shared leaves, cut into chunks, for kernels.
struct SharedChunks : LeafChunks {
  SharedLeaf const* leaves;
  std::uint64_t const* bounds;  // rank r owns elements bounds[r], ..., bounds[r + 1] - 1

  KOKKOS_FUNCTION SharedChunk operator[](std::uint64_t c) const {
    std::uint64_t const entry = find(c);
    SharedLeaf const& leaf = leaves[entry];
    std::uint64_t const before = c - chunks_before[entry];
    return {chunk(entry, c), leaf.first_owner, leaf.owners,
            leaf.counters + before * static_cast<std::uint64_t>(leaf.owners),
            leaf.slots + before * max_places};
  }

  /// Returns (rank that owns element i of the leaf) - first_owner.
  KOKKOS_FUNCTION int owner(SharedChunk const& chunk, std::uint64_t i) const {
    return owner_between(bounds, chunk.first_owner, chunk.first_owner + chunk.owners, i) -
           chunk.first_owner;
  }
};

/// Assigns the class k to an element if the element is owned by rank (first owner of the leaf) + k.
template <class Leaves>
struct ByOwner {
  Leaves leaves;
  SharedChunks chunks;

  KOKKOS_FUNCTION int classes(SharedChunk const& chunk) const { return chunk.owners; }
  KOKKOS_FUNCTION int class_of(SharedChunk const& chunk, std::uint64_t i) const {
    return chunks.owner(chunk, i);
  }
};

/// Sets counters[chunk.counters + k] to the number of the chunk's elements that owner k owns.
template <class Leaves>
struct CountOwners : ByOwner<Leaves> {
  static constexpr bool keeps_totals = true;

  std::uint64_t* counters;

  KOKKOS_FUNCTION void operator()(std::uint64_t c) const {
    SharedChunk const chunk = this->chunks[c];
    std::uint64_t* const counts = counters + chunk.counters;
    for (int k = 0; k < chunk.owners; ++k) counts[k] = 0;
    visit_images(this->leaves, chunk,
                 [&](std::uint64_t, std::uint64_t i) { ++counts[this->class_of(chunk, i)]; });
  }

  KOKKOS_FUNCTION void keep_total(std::uint64_t, SharedChunk const& chunk, int owner,
                                  std::uint64_t total) const {
    counters[chunk.counters + static_cast<std::uint64_t>(owner)] = total;
  }
};

/// Place t of a chunk takes an element from the received buffer: sets slots[chunk.slots + t] to
/// that element's index. On entry, counters[chunk.counters + k] is the index of the chunk's first
/// element from owner k.
template <class Leaves>
struct FindSlots : ByOwner<Leaves> {
  std::uint64_t* counters;
  std::uint64_t* slots;

  KOKKOS_FUNCTION void operator()(std::uint64_t c) const {
    SharedChunk const chunk = this->chunks[c];
    std::uint64_t* const next = counters + chunk.counters;
    visit_images(this->leaves, chunk, [&](std::uint64_t t, std::uint64_t i) {
      slots[chunk.slots + t] = next[this->class_of(chunk, i)]++;
    });
  }

  KOKKOS_FUNCTION void put(std::uint64_t, SharedChunk const& chunk, std::uint64_t t, std::uint64_t,
                           int owner, std::uint64_t before) const {
    slots[chunk.slots + t] = counters[chunk.counters + static_cast<std::uint64_t>(owner)] + before;
  }
};

/// Copies the rows of shared leaves: from their slots in the received buffer, to the indices of
/// their places in the buffer of the leaves.
template <class From, class To>
struct TakeSlots {
  SharedChunks chunks;
  std::uint64_t const* slots;
  From from;
  To to;

  KOKKOS_FUNCTION void operator()(SharedChunk const& chunk, std::uint64_t t) const {
    copy_row(from, slots[chunk.slots + t], to, chunk.at + t);
  }
};

/// Copies rows of shared leaves between two arrays; their indices do not change.
template <class From, class To>
struct TakePlaces {
  SharedChunks chunks;
  From from;
  To to;

  KOKKOS_FUNCTION void operator()(SharedChunk const& chunk, std::uint64_t t) const {
    copy_row(from, chunk.at + t, to, chunk.at + t);
  }
};

/// The shared leaves in which this rank owns places.
struct SharedLeaves {
  std::vector<LeafChunk> places;
  std::vector<SharedLeaf> owners;
  std::uint64_t counters = 0;  // total number of counters for all leaves
  std::uint64_t slots = 0;

  std::uint64_t chunks(std::size_t l, std::uint64_t max_places) const {
    return count_chunks(places[l].count, max_places);
  }
  std::uint64_t owners_of(std::size_t l) const {
    return static_cast<std::uint64_t>(owners[l].owners);
  }
};

template <class Exec>
class Receives {
 public:
  template <class Leaves>
  Receives(Context<Exec> const& context, Scope<Exec>& scope, Leaves const& leaves,
           OwnPlaces const& places, LeafParts const& parts, Batching const& batching)
      : shares_(parts.input().ranks(), batching), leaf_starts_(places.nodes(), 0) {
    SharedLeaves shared = list_shared(places, parts);
    std::vector<std::uint64_t> counters(shared.counters);
    if (shared.places.empty()) {
      lay_out(places, parts, shared, counters);
      return;
    }
    auto* const on_device = scope.template take<std::uint64_t>(shared.counters);
    Context<Exec> const named = context.named("order");
    chunks_ = chunks_of_shared(context, scope, parts, shared);
    rank_all(named, CountOwners<Leaves>{{leaves, chunks_}, on_device});
    counters = to_host(context, on_device, shared.counters);
    lay_out(places, parts, shared, counters);
    copy_to_kernels(context, counters, on_device);
    // lay_out() has set `at` in the list's entries, so the list is copied to kernels again.
    static_cast<LeafChunks&>(chunks_) = chunks_of(context, scope, shared.places);
    auto* const slots = scope.template take<std::uint64_t>(shared.slots);
    rank_all(named, FindSlots<Leaves>{{leaves, chunks_}, on_device, slots});
    slots_ = slots;
  }

  /// The number of elements that this rank receives from each rank.
  BatchedShares const& shares() const { return shares_; }

  /// For each leaf, the index in the received buffer at which its elements begin.
  std::vector<std::uint64_t> const& leaf_starts() const { return leaf_starts_; }

  /// Whether every row arrives at the index of its place.
  bool are_in_order() const { return chunks_.count == 0; }

  /// Copies the rows of shared leaves from their slots in `received` to the indices of their places
  /// in `to`.
  template <class From, class To>
  void take_slots(Context<Exec> const& context, From const& received, To const& to) const {
    if (are_in_order()) return;
    for_each_place(context.named("order"), TakeSlots<From, To>{chunks_, slots_, received, to});
  }

  /// Copies the rows of shared leaves back; their indices do not change.
  template <class From, class To>
  void take_places(Context<Exec> const& context, From const& from, To const& received) const {
    if (are_in_order()) return;
    for_each_place(context.named("order"), TakePlaces<From, To>{chunks_, from, received});
  }

 private:
  /// Lists the shared leaves. A shared leaf is the last leaf of the first rank that owns a part of
  /// it.
  static SharedLeaves list_shared(OwnPlaces const& places, LeafParts const& parts) {
    SharedLeaves shared;
    for (int rank = 0; rank < parts.input().ranks(); ++rank) {
      LeafRange const range = parts.of_rank(rank);
      if (range.count() == 0) continue;
      std::size_t const leaf = range.last - 1;
      std::uint64_t const count = places.count[leaf];
      if (count == 0 || !parts.is_shared(leaf) || parts.first_owner(leaf) != rank) continue;
      int const owners = parts.last_owner(leaf) - rank + 1;
      shared.places.push_back(
          {leaf, parts.start(leaf), parts.size(leaf), places.first[leaf], count, 0});
      shared.owners.push_back({rank, owners, shared.counters, shared.slots});
      shared.counters +=
          count_chunks(count, chunk_places<Exec>) * static_cast<std::uint64_t>(owners);
      shared.slots += count;
    }
    return shared;
  }

  static SharedChunks chunks_of_shared(Context<Exec> const& context, Scope<Exec>& scope,
                                       LeafParts const& parts, SharedLeaves const& shared) {
    return {chunks_of(context, scope, shared.places), to_kernels(context, scope, shared.owners),
            to_kernels(context, scope, parts.input().bounds())};
  }

  /// Assigns an index in the received buffer to each element, sorted by owner and then by leaf. The
  /// places of a shared leaf begin at the index of the first element from the leaf's first owner.
  /// Replaces the counters of shared leaves by slots.
  void lay_out(OwnPlaces const& places, LeafParts const& parts, SharedLeaves& shared,
               std::vector<std::uint64_t>& counters) {
    std::uint64_t at = 0;
    std::size_t l = 0;
    for (int rank = 0; rank < parts.input().ranks(); ++rank) {
      at = round_up(at, shares_.total().granule());
      LeafRange const range = parts.of_rank(rank);
      for (std::size_t leaf = range.first; leaf < range.last; ++leaf) {
        if (places.count[leaf] == 0) continue;
        std::uint64_t const first = at;
        if (parts.is_owned_by(rank, leaf)) {
          leaf_starts_[leaf] = at;
          at += places.count[leaf];
        } else {
          while (shared.places[l].leaf < leaf) ++l;
          if (shared.owners[l].first_owner == rank) leaf_starts_[leaf] = shared.places[l].at = at;
          at = slots_from(at, shared, l, rank, counters);
        }
        shares_.add(batch_of(leaf, range, shares_.batches()), rank, at - first);
      }
    }
  }

  /// Replaces the counters for one leaf and one owner by slots, starting at slot `at`. Returns the
  /// end of these slots.
  static std::uint64_t slots_from(std::uint64_t at, SharedLeaves const& shared, std::size_t l,
                                  int rank, std::vector<std::uint64_t>& counters) {
    auto const k = static_cast<std::uint64_t>(rank - shared.owners[l].first_owner);
    for (std::uint64_t c = 0; c < shared.chunks(l, chunk_places<Exec>); ++c) {
      at += std::exchange(counters[shared.owners[l].counters + c * shared.owners_of(l) + k], at);
    }
    return at;
  }

  BatchedShares shares_;
  std::vector<std::uint64_t> leaf_starts_;
  SharedChunks chunks_{};
  std::uint64_t const* slots_ = nullptr;
};

}  // namespace riffle::detail::mpi
