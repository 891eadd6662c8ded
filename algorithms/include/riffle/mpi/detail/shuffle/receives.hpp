#pragma once

// What a rank receives: leaf by leaf, since the ranks own the parts of the leaves in their order, and of a leaf that
// several ranks own parts of, rank by rank. Only there elements are not in the order of the places; each rank of places
// finds it out for its own.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <riffle/context.hpp>
#include <riffle/kernel/scope.hpp>
#include <riffle/mpi/detail/host_copies.hpp>
#include <riffle/mpi/detail/partition.hpp>
#include <riffle/mpi/detail/shuffle/batches.hpp>
#include <riffle/mpi/detail/shuffle/leaf_chunks.hpp>
#include <riffle/mpi/detail/shuffle/leaf_parts.hpp>
#include <riffle/mpi/detail/shuffle/place_tree.hpp>
#include <riffle/mpi/detail/shuffle/visit_images.hpp>
#include <riffle/view_pack.hpp>

namespace riffle::detail::mpi {

/// A leaf that several ranks own parts of.
struct SharedLeaf {
  int first_owner;
  int owners;
  std::uint64_t counters;  // where those of its chunks begin
  std::uint64_t slots;     // where those of its places begin
};

/// A chunk of such a leaf.
struct SharedChunk : LeafChunk {
  int first_owner;
  int owners;
  std::uint64_t counters;  // where those of its owners begin
  std::uint64_t slots;     // where its slots begin
};

/// The chunks of a list of such leaves, for kernels.
struct SharedChunks : LeafChunks {
  SharedLeaf const* leaves;
  std::uint64_t const* bounds;  // of the owners

  KOKKOS_FUNCTION SharedChunk operator[](std::uint64_t c) const {
    std::uint64_t const entry = find(c);
    SharedLeaf const& leaf = leaves[entry];
    std::uint64_t const before = c - chunks_before[entry];
    return {chunk(entry, c), leaf.first_owner, leaf.owners,
            leaf.counters + before * static_cast<std::uint64_t>(leaf.owners),
            leaf.slots + before * max_places};
  }

  /// Which of the owners of its chunk has element i.
  KOKKOS_FUNCTION int owner(SharedChunk const& chunk, std::uint64_t i) const {
    return owner_between(bounds, chunk.first_owner, chunk.first_owner + chunk.owners, i) -
           chunk.first_owner;
  }
};

/// Chunks whose elements are of as many classes as they have owners.
template <class Leaves>
struct ByOwner {
  Leaves leaves;
  SharedChunks chunks;

  KOKKOS_FUNCTION int classes(SharedChunk const& chunk) const { return chunk.owners; }
  KOKKOS_FUNCTION int class_of(SharedChunk const& chunk, std::uint64_t i) const {
    return chunks.owner(chunk, i);
  }
};

/// counters[chunk.counters + k]: how many elements of the chunk its k-th owner has.
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

/// slots[chunk.slots + t]: where in the received buffer the element for the chunk's place t is. counters say where the
/// next one of each owner is.
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

/// Copies rows of shared chunks to their places in the buffer of the leaves: to(place) = from(slot).
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

/// to(place) = from(place) for the same places.
template <class From, class To>
struct TakePlaces {
  SharedChunks chunks;
  From from;
  To to;

  KOKKOS_FUNCTION void operator()(SharedChunk const& chunk, std::uint64_t t) const {
    copy_row(from, chunk.at + t, to, chunk.at + t);
  }
};

template <class Exec>
class Receives {
 public:
  template <class Leaves>
  Receives(Context<Exec> const& context, Scope<Exec>& scope, Leaves const& leaves,
           OwnPlaces const& places, LeafParts const& parts, int batches)
      : shares_(parts.input().ranks(), batches) {
    std::vector<LeafChunk> shared;
    std::vector<SharedLeaf> owned;
    std::uint64_t counters = 0;
    std::uint64_t slots = 0;
    std::uint64_t at = 0;
    for (std::size_t leaf = 0; leaf < places.nodes(); ++leaf) {
      std::uint64_t const count = places.count[leaf];
      if (count == 0) continue;
      int const first_owner = parts.first_owner(leaf);
      int const owners = parts.last_owner(leaf) - first_owner + 1;
      if (owners == 1) {
        add(parts, leaf, first_owner, count);
      } else {
        shared.push_back(
            {leaf, parts.start(leaf), parts.size(leaf), places.first[leaf], count, at});
        owned.push_back({first_owner, owners, counters, slots});
        counters += count_chunks(count, chunk_places<Exec>) * static_cast<std::uint64_t>(owners);
        slots += count;
      }
      at += count;
    }
    if (shared.empty()) return;
    find_slots(context, scope, leaves, parts, shared, owned, counters, slots);
  }

  /// How many elements come from each rank.
  BatchedShares const& shares() const { return shares_; }

  /// Whether every row arrives where it belongs.
  bool are_in_order() const { return chunks_.count == 0; }

  /// Puts the rows that are not where they belong into another array, at their places.
  template <class From, class To>
  void take_slots(Context<Exec> const& context, From const& received, To const& to) const {
    if (are_in_order()) return;
    for_each_place(context.named("order"), TakeSlots<From, To>{chunks_, slots_, received, to});
  }

  /// And back.
  template <class From, class To>
  void take_places(Context<Exec> const& context, From const& from, To const& received) const {
    if (are_in_order()) return;
    for_each_place(context.named("order"), TakePlaces<From, To>{chunks_, from, received});
  }

 private:
  void add(LeafParts const& parts, std::size_t leaf, int owner, std::uint64_t count) {
    if (count == 0) return;  // there may be no element of the rank
    shares_.add(batch_of(leaf, parts.of_rank(owner), shares_.batches()), owner, count);
  }

  template <class Leaves>
  void find_slots(Context<Exec> const& context, Scope<Exec>& scope, Leaves const& leaves,
                  LeafParts const& parts, std::vector<LeafChunk> const& shared,
                  std::vector<SharedLeaf> const& owned, std::uint64_t counter_count,
                  std::uint64_t slot_count) {
    auto* const slots = scope.template take<std::uint64_t>(slot_count);
    chunks_ = {chunks_of(context, scope, shared), to_kernels(context, scope, owned),
               to_kernels(context, scope, parts.input().bounds())};
    auto* const counted = scope.template take<std::uint64_t>(counter_count);
    Context<Exec> const named = context.named("order");
    rank_all(named, CountOwners<Leaves>{{leaves, chunks_}, counted});
    auto counters = to_host(context, counted, counter_count);
    counts_to_slots(parts, shared, owned, counters);
    copy_to_kernels(context, counters, counted);
    rank_all(named, FindSlots<Leaves>{{leaves, chunks_}, counted, slots});
    slots_ = slots;
  }

  /// In the received buffer a leaf's elements begin where its places do, owner by owner, and of an owner chunk by chunk.
  void counts_to_slots(LeafParts const& parts, std::vector<LeafChunk> const& shared,
                       std::vector<SharedLeaf> const& owned, std::vector<std::uint64_t>& counters) {
    for (std::size_t l = 0; l < shared.size(); ++l) {
      auto const chunks = count_chunks(shared[l].count, chunk_places<Exec>);
      auto const owners = static_cast<std::uint64_t>(owned[l].owners);
      std::uint64_t slot = shared[l].at;
      for (std::uint64_t k = 0; k < owners; ++k) {
        std::uint64_t const first = slot;
        for (std::uint64_t c = 0; c < chunks; ++c) {
          std::uint64_t& counter = counters[owned[l].counters + c * owners + k];
          slot += std::exchange(counter, slot);
        }
        add(parts, shared[l].leaf, owned[l].first_owner + static_cast<int>(k), slot - first);
      }
    }
  }

  BatchedShares shares_;
  SharedChunks chunks_{};
  std::uint64_t const* slots_ = nullptr;
};

}  // namespace riffle::detail::mpi
