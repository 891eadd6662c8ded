#pragma once

// What a rank receives: leaf by leaf, since the ranks own the parts of the leaves in their order, and of a leaf that
// several ranks own parts of, rank by rank. Only there elements are not in the order of the places; each rank of places
// finds it out for its own.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

#include <riffle/context.hpp>
#include <riffle/kernel/scope.hpp>
#include <riffle/mpi/detail/host_copies.hpp>
#include <riffle/mpi/detail/partition.hpp>
#include <riffle/mpi/detail/shares.hpp>
#include <riffle/mpi/detail/shuffle/leaf_parts.hpp>
#include <riffle/mpi/detail/shuffle/leaves.hpp>
#include <riffle/mpi/detail/shuffle/place_tree.hpp>
#include <riffle/view_pack.hpp>

namespace riffle::detail::mpi {

/// A chunk of a leaf that several ranks own parts of.
struct SharedChunk {
  LeafChunk places;
  int first_owner;
  int owners;
  std::uint64_t counters;  // where those of its owners begin
  std::uint64_t slots;     // where its slots begin
};

/// counters[chunk.counters + k]: how many elements of the chunk its k-th owner has.
template <class Leaves>
struct CountOwners {
  Leaves leaves;
  std::uint64_t const* bounds;  // of the owners
  SharedChunk const* chunks;
  std::uint64_t* counters;

  KOKKOS_FUNCTION void operator()(std::uint64_t c) const {
    SharedChunk const chunk = chunks[c];
    std::uint64_t* const counts = counters + chunk.counters;
    for (int k = 0; k < chunk.owners; ++k) counts[k] = 0;
    visit_images(leaves, chunk.places, [&](std::uint64_t, std::uint64_t i) {
      ++counts[owner_between(bounds, chunk.first_owner, chunk.first_owner + chunk.owners, i) -
               chunk.first_owner];
    });
  }
};

/// slots[chunk.slots + t]: where in the received buffer the element for the chunk's place t is. counters say where the
/// next one of each owner is.
template <class Leaves>
struct FindSlots {
  Leaves leaves;
  std::uint64_t const* bounds;
  SharedChunk const* chunks;
  std::uint64_t* counters;
  std::uint64_t* slots;

  KOKKOS_FUNCTION void operator()(std::uint64_t c) const {
    SharedChunk const chunk = chunks[c];
    std::uint64_t* const next = counters + chunk.counters;
    visit_images(leaves, chunk.places, [&](std::uint64_t t, std::uint64_t i) {
      slots[chunk.slots + t] =
          next[owner_between(bounds, chunk.first_owner, chunk.first_owner + chunk.owners, i) -
               chunk.first_owner]++;
    });
  }
};

/// Copies rows of shared chunks to their places in the buffer of the leaves: to(place) = from(slot).
template <class From, class To>
struct TakeSlots {
  SharedChunk const* chunks;
  std::uint64_t const* slots;
  From from;
  To to;

  KOKKOS_FUNCTION void operator()(std::uint64_t c) const {
    SharedChunk const chunk = chunks[c];
    for (std::uint64_t t = 0; t < chunk.places.count; ++t) {
      copy_row(from, slots[chunk.slots + t], to, chunk.places.at + t);
    }
  }
};

/// to(place) = from(place) for the same places.
template <class From, class To>
struct TakePlaces {
  SharedChunk const* chunks;
  From from;
  To to;

  KOKKOS_FUNCTION void operator()(std::uint64_t c) const {
    LeafChunk const places = chunks[c].places;
    for (std::uint64_t t = 0; t < places.count; ++t) {
      copy_row(from, places.at + t, to, places.at + t);
    }
  }
};

template <class Exec>
class Receives {
 public:
  template <class Leaves>
  Receives(Context<Exec> const& context, Scope<Exec>& scope, Leaves const& leaves,
           OwnPlaces const& places, LeafParts const& parts)
      : shares_(parts.input().ranks()) {
    std::vector<SharedChunk> chunks;
    std::uint64_t counters = 0;
    std::uint64_t slots = 0;
    std::uint64_t at = 0;
    for (std::size_t leaf = 0; leaf < places.nodes(); ++leaf) {
      std::uint64_t const count = places.count[leaf];
      if (count == 0) continue;
      int const first_owner = parts.first_owner(leaf);
      int const owners = parts.last_owner(leaf) - first_owner + 1;
      if (owners == 1) {
        shares_[first_owner] += count;
      } else {
        std::vector<LeafChunk> of_leaf;
        add_leaf_chunks(
            of_leaf,
            LeafChunk{leaf, parts.start(leaf), parts.size(leaf), places.first[leaf], count, at},
            ordered_count<Exec>);
        for (auto const& chunk : of_leaf) {
          chunks.push_back({chunk, first_owner, owners, counters, slots});
          counters += static_cast<std::uint64_t>(owners);
          slots += chunk.count;
        }
      }
      at += count;
    }
    if (!chunks.empty()) find_slots(context, scope, leaves, parts, chunks, counters, slots);
  }

  /// How many elements come from each rank.
  Shares const& shares() const { return shares_; }

  /// Whether every row arrives where it belongs.
  bool are_in_order() const { return chunk_count_ == 0; }

  /// Puts the rows that are not where they belong into another array, at their places.
  template <class From, class To>
  void take_slots(Context<Exec> const& context, From const& received, To const& to) const {
    if (chunk_count_ == 0) return;
    context.named("order").for_each(chunk_count_,
                                    TakeSlots<From, To>{chunks_, slots_, received, to});
  }

  /// And back.
  template <class From, class To>
  void take_places(Context<Exec> const& context, From const& from, To const& received) const {
    if (chunk_count_ == 0) return;
    context.named("order").for_each(chunk_count_, TakePlaces<From, To>{chunks_, from, received});
  }

 private:
  template <class Leaves>
  void find_slots(Context<Exec> const& context, Scope<Exec>& scope, Leaves const& leaves,
                  LeafParts const& parts, std::vector<SharedChunk> const& chunks,
                  std::uint64_t counter_count, std::uint64_t slot_count) {
    chunk_count_ = chunks.size();
    auto* const slots = scope.template take<std::uint64_t>(slot_count);
    auto const* const on_device = to_kernels(context, scope, chunks);
    auto const* const bounds = to_kernels(context, scope, parts.input().bounds());
    auto* const counted = scope.template take<std::uint64_t>(counter_count);
    Context<Exec> const named = context.named("order");
    named.for_each(chunks.size(), CountOwners<Leaves>{leaves, bounds, on_device, counted});
    auto counters = to_host(context, counted, counter_count);
    counts_to_slots(chunks, counters);
    auto* const next = to_kernels(context, scope, counters);
    named.for_each(chunks.size(), FindSlots<Leaves>{leaves, bounds, on_device, next, slots});
    chunks_ = on_device;
    slots_ = slots;
  }

  /// In the received buffer a leaf's elements begin where its places do, owner by owner, and of an owner chunk by chunk.
  void counts_to_slots(std::vector<SharedChunk> const& chunks,
                       std::vector<std::uint64_t>& counters) {
    for (std::size_t begin = 0; begin < chunks.size();) {
      std::size_t end = begin;
      while (end < chunks.size() && chunks[end].places.leaf == chunks[begin].places.leaf) ++end;
      std::uint64_t slot = chunks[begin].places.at;
      for (int k = 0; k < chunks[begin].owners; ++k) {
        std::uint64_t const first = slot;
        for (std::size_t c = begin; c < end; ++c) {
          std::uint64_t& counter = counters[chunks[c].counters + static_cast<std::uint64_t>(k)];
          std::uint64_t const count = counter;
          counter = slot;
          slot += count;
        }
        shares_[chunks[begin].first_owner + k] += slot - first;
      }
      begin = end;
    }
  }

  Shares shares_;
  SharedChunk const* chunks_ = nullptr;
  std::uint64_t const* slots_ = nullptr;
  std::uint64_t chunk_count_ = 0;
};

}  // namespace riffle::detail::mpi
