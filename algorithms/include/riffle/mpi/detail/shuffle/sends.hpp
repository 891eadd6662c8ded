#pragma once

// What a rank sends: for each rank, leaf by leaf of those whose parts it owns, the elements that the rank's places take,
// in their order. Where another rank owns a part of the leaf too, each sends those that it owns.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

#include <riffle/context.hpp>
#include <riffle/kernel/scope.hpp>
#include <riffle/mpi/detail/host_copies.hpp>
#include <riffle/mpi/detail/shares.hpp>
#include <riffle/mpi/detail/shuffle/leaf_parts.hpp>
#include <riffle/mpi/detail/shuffle/leaves.hpp>
#include <riffle/view_pack.hpp>

namespace riffle::detail::mpi {

/// Elements begin, ..., end - 1 of all ranks'.
struct OwnElements {
  std::uint64_t begin;
  std::uint64_t end;

  KOKKOS_FUNCTION bool have(std::uint64_t i) const { return begin <= i && i < end; }
};

/// counts[c]: how many of the elements of chunk c are this rank's.
template <class Leaves>
struct CountOwn {
  Leaves leaves;
  OwnElements own;
  LeafChunk const* chunks;
  std::uint64_t* counts;

  KOKKOS_FUNCTION void operator()(std::uint64_t c) const {
    std::uint64_t count = 0;
    visit_images(leaves, chunks[c],
                 [&](std::uint64_t, std::uint64_t i) { count += own.have(i) ? 1 : 0; });
    counts[c] = count;
  }
};

/// Writes the elements of chunks that this rank owns all of, from place `at` of the buffer on.
template <class Leaves, class In, class Buffer>
struct PackWhole {
  Leaves leaves;
  OwnElements own;
  LeafChunk const* chunks;
  In in;
  Buffer buffer;

  KOKKOS_FUNCTION void operator()(std::uint64_t c) const {
    LeafChunk const chunk = chunks[c];
    visit_images(leaves, chunk, [&](std::uint64_t t, std::uint64_t i) { visit(chunk, t, i); });
  }
  KOKKOS_FUNCTION void visit(LeafChunk const& chunk, std::uint64_t t, std::uint64_t i) const {
    copy_row(in, i - own.begin, buffer, chunk.at + t);
  }
};

/// The same of chunks of which it may own a part.
template <class Leaves, class In, class Buffer>
struct PackOwn {
  Leaves leaves;
  OwnElements own;
  LeafChunk const* chunks;
  In in;
  Buffer buffer;

  KOKKOS_FUNCTION void operator()(std::uint64_t c) const {
    std::uint64_t at = chunks[c].at;
    visit_images(leaves, chunks[c], [&](std::uint64_t, std::uint64_t i) {
      if (own.have(i)) copy_row(in, i - own.begin, buffer, at++);
    });
  }
};

template <class Exec, class Leaves>
class Sends {
 public:
  Sends(Context<Exec> const& context, Scope<Exec>& scope, Leaves const& leaves, int rank,
        LeafParts const& parts, Demand const& demand)
      : leaves_(leaves),
        own_{parts.input().first(rank), parts.input().end(rank)},
        shares_(parts.input().ranks()) {
    std::vector<Piece> const pieces = list_pieces(parts, demand);
    std::vector<LeafChunk> shared;
    for (auto const& piece : pieces) {
      if (piece.is_shared) add_leaf_chunks(shared, piece.places, ordered_count<Exec>);
    }
    auto const counts = count_own(context, scope, shared);
    place(context, scope, pieces, shared, counts);
  }

  /// How many elements go to each rank.
  Shares const& shares() const { return shares_; }

  template <class In, class Buffer>
  void pack(Context<Exec> const& context, In const& in, Buffer const& buffer) const {
    Context<Exec> const named = context.named("pack");
    using Whole = PackWhole<Leaves, In, Buffer>;
    using Own = PackOwn<Leaves, In, Buffer>;
    if (whole_count_ > 0) visit_all(named, whole_count_, Whole{leaves_, own_, whole_, in, buffer});
    if (shared_count_ > 0) named.for_each(shared_count_, Own{leaves_, own_, shared_, in, buffer});
  }

 private:
  /// A rank's places of a leaf.
  struct Piece {
    int rank;
    bool is_shared;
    LeafChunk places;
  };

  /// In the order in which they are sent.
  static std::vector<Piece> list_pieces(LeafParts const& parts, Demand const& demand) {
    LeafRange const range = demand.range();
    std::vector<std::uint64_t> first(range.count(), 0);
    std::vector<Piece> pieces;
    for (int rank = 0; rank < parts.input().ranks(); ++rank) {
      for (std::size_t leaf = range.first; leaf < range.last; ++leaf) {
        std::uint64_t const count = demand.count(rank, leaf);
        if (count == 0) continue;
        std::uint64_t& begin = first[leaf - range.first];
        pieces.push_back({rank, parts.is_shared(leaf),
                          LeafChunk{leaf, parts.start(leaf), parts.size(leaf), begin, count, 0}});
        begin += count;
      }
    }
    return pieces;
  }

  std::vector<std::uint64_t> count_own(Context<Exec> const& context, Scope<Exec>& scope,
                                       std::vector<LeafChunk> const& shared) const {
    if (shared.empty()) return {};
    auto const* const chunks = to_kernels(context, scope, shared);
    auto* const counts = scope.template take<std::uint64_t>(shared.size());
    context.named("count").for_each(shared.size(), CountOwn<Leaves>{leaves_, own_, chunks, counts});
    return to_host(context, counts, shared.size());
  }

  /// Gives all chunks their places in the buffer.
  void place(Context<Exec> const& context, Scope<Exec>& scope, std::vector<Piece> const& pieces,
             std::vector<LeafChunk>& shared, std::vector<std::uint64_t> const& counts) {
    std::vector<LeafChunk> whole;
    std::uint64_t at = 0;
    std::size_t next_shared = 0;
    for (Piece piece : pieces) {
      std::uint64_t const begin = at;
      if (piece.is_shared) {
        for (std::uint64_t done = 0; done < piece.places.count; done += ordered_count<Exec>) {
          shared[next_shared].at = at;
          at += counts[next_shared++];
        }
      } else {
        piece.places.at = at;
        add_leaf_chunks(whole, piece.places);
        at += piece.places.count;
      }
      shares_[piece.rank] += at - begin;
    }
    whole_count_ = whole.size();
    whole_ = to_kernels(context, scope, whole);
    shared_count_ = shared.size();
    shared_ = to_kernels(context, scope, shared);
  }

  Leaves leaves_;
  OwnElements own_;
  Shares shares_;
  LeafChunk const* whole_ = nullptr;
  LeafChunk const* shared_ = nullptr;
  std::uint64_t whole_count_ = 0;
  std::uint64_t shared_count_ = 0;
};

}  // namespace riffle::detail::mpi
