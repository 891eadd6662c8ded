#pragma once

// The elements that a rank sends. For each receiver, and for each leaf with input elements that
// this rank owns, this rank packs the elements that move to the receiver's places, in the order of
// these places. If several ranks own parts of a leaf's input, each of them packs the elements that
// it owns.

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <type_traits>
#include <utility>
#include <vector>

#include <riffle/backend/backend.hpp>
#include <riffle/context.hpp>
#include <riffle/mpi/detail/host_copies.hpp>
#include <riffle/mpi/detail/shuffle/leaf_images.hpp>
#include <riffle/mpi/detail/shuffle/leaf_parts.hpp>
#include <riffle/mpi/tuning.hpp>
#include <riffle/primitives/scope.hpp>
#include <riffle/view_pack.hpp>

namespace riffle::detail::mpi {

/// The elements begin, ..., end - 1 of the input, which are those that this rank owns.
struct OwnElements {
  std::uint64_t begin;
  std::uint64_t end;

  KOKKOS_FUNCTION bool have(std::uint64_t i) const { return begin <= i && i < end; }
};

/// Assigns class 0 to this rank's elements, and class -1 (not counted) to all others.
template <class Leaves>
struct ByOwnership {
  Leaves leaves;
  OwnElements own;
  LeafChunks chunks;

  KOKKOS_FUNCTION int classes(LeafChunk const&) const { return 1; }
  KOKKOS_FUNCTION int class_of(LeafChunk const&, std::uint64_t i) const {
    return own.have(i) ? 0 : -1;
  }
};

/// Sets counts[c] to the number of elements in chunk c that this rank owns.
template <class Leaves>
struct CountOwn : ByOwnership<Leaves> {
  static constexpr bool keeps_totals = true;

  std::uint64_t* counts;

  KOKKOS_FUNCTION void operator()(std::uint64_t c) const {
    std::uint64_t count = 0;
    visit_images(this->leaves, this->chunks[c],
                 [&](std::uint64_t, std::uint64_t i) { count += this->own.have(i) ? 1 : 0; });
    counts[c] = count;
  }

  KOKKOS_FUNCTION void keep_total(std::uint64_t c, LeafChunk const&, int,
                                  std::uint64_t total) const {
    counts[c] = total;
  }
};

/// Packs chunks whose elements are all owned by this rank, starting at index chunk.at of the
/// buffer. If WithLines, a GPU loads whole cache lines, because the other elements of a line are
/// needed soon.
template <bool WithLines, class Leaves, class In, class Buffer>
struct PackWhole {
  Leaves leaves;
  OwnElements own;
  LeafChunks chunks;
  In in;
  Buffer buffer;

  KOKKOS_FUNCTION void operator()(std::uint64_t c) const {
    LeafChunk const chunk = chunks[c];
    visit_images(leaves, chunk, [&](std::uint64_t t, std::uint64_t i) {
      copy_row(in, i - own.begin, buffer, chunk.at + t);
    });
  }

  /// On a GPU each thread issues all its loads before its first store.
  template <std::uint64_t stride>
  KOKKOS_FUNCTION void take(LeafChunk const& chunk, std::uint64_t t,
                            ImagesOfThread<stride> const& images) const {
    if constexpr (Buffer::rank() == 1) {
      Value values[ImagesOfThread<stride>::count];
      RIFFLE_UNROLL
      for (std::uint64_t k = 0; k < images.count; ++k)
        values[k] = read(images.elements[k] - own.begin);
      RIFFLE_UNROLL
      for (std::uint64_t k = 0; k < images.count; ++k) {
        if (t + k * stride < chunk.count) {
          backend::store_streaming(&buffer(chunk.at + t + k * stride), values[k]);
        }
      }
    } else {
      for (std::uint64_t k = 0; k < images.count; ++k) {
        if (t + k * stride >= chunk.count) return;
        copy_row(in, images.elements[k] - own.begin, buffer, chunk.at + t + k * stride);
      }
    }
  }

 private:
  using Value = typename Buffer::value_type;

  KOKKOS_FUNCTION Value read(std::uint64_t i) const {
    if constexpr (WithLines && std::is_lvalue_reference_v<decltype(in(i))>) {
      return static_cast<Value>(backend::load_with_line(&in(i)));
    } else {
      return static_cast<Value>(in(i));
    }
  }
};

/// Packs chunks whose elements may be owned partly by other ranks. The elements of chunk c that
/// this rank owns are packed starting at index at[c] of the buffer.
template <class Leaves, class In, class Buffer>
struct PackOwn : ByOwnership<Leaves> {
  std::uint64_t const* at;
  In in;
  Buffer buffer;

  KOKKOS_FUNCTION void operator()(std::uint64_t c) const {
    std::uint64_t next = at[c];
    visit_images(this->leaves, this->chunks[c], [&](std::uint64_t, std::uint64_t i) {
      if (this->own.have(i)) copy_row(in, i - this->own.begin, buffer, next++);
    });
  }

  KOKKOS_FUNCTION void put(std::uint64_t c, LeafChunk const&, std::uint64_t, std::uint64_t i, int,
                           std::uint64_t before) const {
    copy_row(in, i - this->own.begin, buffer, at[c] + before);
  }
};

/// Where the packed rows are stored: offsets, in rows, into the memory that contains the received
/// and the packed array. The rows that stay on this rank are packed at `own`, their position in the
/// received array. All other rows are packed starting at `others`.
struct PackLayout {
  std::uint64_t own;
  std::uint64_t others;
};

template <class Exec, class Leaves>
class Sends {
 public:
  Sends(Context<Exec> const& context, Scope<Exec>& scope, Leaves const& leaves, int rank,
        LeafParts const& parts, Demand const& demand, PackLayout const& layout,
        Batching const& batching)
      : leaves_(leaves),
        own_{parts.input().first(rank), parts.input().end(rank)},
        shares_(parts.input().ranks(), batching),
        shared_(chunks_of(context, scope, list_shared(parts, demand))) {
    auto counts = count_own(context, scope);
    share(parts, demand, counts);
    auto at = shares_.total().starts();
    for (auto& begin : at) begin += layout.others;
    at[static_cast<std::size_t>(rank)] = layout.own;
    place(context, scope, parts, demand, counts, at);
  }

  /// The number of elements that this rank sends to each rank.
  BatchedShares const& shares() const { return shares_; }

  /// Packs a batch. Batches must be packed in ascending order. Batch 0 also packs the elements of
  /// shared leaves for all batches.
  template <class In, class Buffer>
  void pack(Context<Exec> const& context, int batch, In const& in, Buffer const& buffer) const {
    Context<Exec> const named = context.named("pack");
    LeafChunks const& whole = whole_[static_cast<std::size_t>(batch)];
    if (max_leaf_ * sizeof(typename Buffer::value_type) <= max_cached_leaf_bytes) {
      take_all(named, PackWhole<true, Leaves, In, Buffer>{leaves_, own_, whole, in, buffer});
    } else {
      take_all(named, PackWhole<false, Leaves, In, Buffer>{leaves_, own_, whole, in, buffer});
    }
    if (batch > 0) return;
    rank_all(named, PackOwn<Leaves, In, Buffer>{{leaves_, own_, shared_}, shared_at_, in, buffer});
  }

 private:
  using Counts = std::vector<std::uint64_t>;

  /// Whether another rank owns a part of the leaf. Requires: this rank owns a part.
  bool is_shared(LeafChunk const& places) const {
    return places.start < own_.begin || own_.end < places.start + places.size;
  }

  /// Calls visit(rank, places) for each rank that owns places in the leaf, with these places.
  /// Elements are packed leaf by leaf, and for each leaf rank by rank, so that a leaf's elements
  /// are in the cache when they are read again.
  template <class Visit>
  static void visit_ranks(LeafParts const& parts, Demand const& demand, std::size_t leaf,
                          Visit const& visit) {
    LeafChunk places{leaf, parts.start(leaf), parts.size(leaf), 0, 0, 0};
    for (int rank = 0; rank < parts.input().ranks(); ++rank) {
      places.count = demand.count(rank, leaf);
      if (places.count > 0) visit(static_cast<std::size_t>(rank), places);
      places.first += places.count;
    }
  }

  /// Calls visit(rank, places) for all leaves of a batch.
  template <class Visit>
  void visit_batch(LeafParts const& parts, Demand const& demand, int batch,
                   Visit const& visit) const {
    LeafRange const leaves =
        leaves_of_batch(demand.range(), static_cast<std::size_t>(batch), shares_.batches());
    for (std::size_t leaf = leaves.first; leaf < leaves.last; ++leaf) {
      visit_ranks(parts, demand, leaf, visit);
    }
  }

  /// Lists, for shared leaves, the places of all ranks.
  std::vector<LeafChunk> list_shared(LeafParts const& parts, Demand const& demand) const {
    std::vector<LeafChunk> shared;
    for (std::size_t leaf = demand.range().first; leaf < demand.range().last; ++leaf) {
      if (!is_shared({leaf, parts.start(leaf), parts.size(leaf), 0, 0, 0})) continue;
      visit_ranks(parts, demand, leaf,
                  [&](std::size_t, LeafChunk const& places) { shared.push_back(places); });
    }
    return shared;
  }

  /// For each chunk of shared leaves, counts the elements that this rank owns.
  Counts count_own(Context<Exec> const& context, Scope<Exec>& scope) const {
    if (shared_.count == 0) return {};
    auto* const counts = scope.template take<std::uint64_t>(shared_.count);
    rank_all(context.named("count"), CountOwn<Leaves>{{leaves_, own_, shared_}, counts});
    return to_host(context, counts, shared_.count);
  }

  void share(LeafParts const& parts, Demand const& demand, Counts const& counts) {
    auto next = counts.begin();
    for (int batch = 0; batch < shares_.batches(); ++batch) {
      Counts sums(static_cast<std::size_t>(parts.input().ranks()));
      visit_batch(parts, demand, batch, [&](std::size_t rank, LeafChunk const& places) {
        if (is_shared(places)) {
          auto const end = next + chunks_of_places(places);
          sums[rank] = std::accumulate(next, end, sums[rank]);
          next = end;
        } else {
          sums[rank] += places.count;
        }
      });
      for (int rank = 0; rank < parts.input().ranks(); ++rank) {
        shares_.add(static_cast<std::size_t>(batch), rank, sums[static_cast<std::size_t>(rank)]);
      }
    }
  }

  static std::ptrdiff_t chunks_of_places(LeafChunk const& places) {
    return static_cast<std::ptrdiff_t>(count_chunks(places.count, chunk_places<Exec>));
  }

  /// Assigns indices in the buffer. The elements for a rank are contiguous and start at index
  /// at[rank]. For each chunk of a shared leaf, replaces the count by the index of the chunk's
  /// first element.
  void place(Context<Exec> const& context, Scope<Exec>& scope, LeafParts const& parts,
             Demand const& demand, Counts& counts, Counts& at) {
    auto next = counts.begin();
    for (int batch = 0; batch < shares_.batches(); ++batch) {
      std::vector<LeafChunk> whole;
      whole.reserve((demand.range().count() / static_cast<std::size_t>(shares_.batches()) + 1) *
                    at.size());
      visit_batch(parts, demand, batch, [&](std::size_t rank, LeafChunk places) {
        std::uint64_t& begin = at[rank];
        if (is_shared(places)) {
          auto const end = next + chunks_of_places(places);
          for (; next != end; ++next) begin += std::exchange(*next, begin);
        } else {
          places.at = begin;
          max_leaf_ = std::max(max_leaf_, places.size);
          whole.push_back(places);
          begin += places.count;
        }
      });
      whole_.push_back(chunks_of(context, scope, whole));
    }
    shared_at_ = to_kernels(context, scope, counts);
  }

  Leaves leaves_;
  OwnElements own_;
  BatchedShares shares_;
  LeafChunks shared_;
  std::vector<LeafChunks> whole_;  // one list for each batch
  std::uint64_t max_leaf_ = 0;
  std::uint64_t const* shared_at_ = nullptr;
};

}  // namespace riffle::detail::mpi
