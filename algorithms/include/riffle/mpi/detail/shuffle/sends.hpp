#pragma once

// What a rank sends: for each rank, leaf by leaf of those whose parts it owns, the elements that the rank's places take,
// in their order. Where another rank owns a part of the leaf too, each sends those that it owns.

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <type_traits>
#include <utility>
#include <vector>

#include <riffle/context.hpp>
#include <riffle/kernel/scope.hpp>
#include <riffle/lanes/lanes.hpp>
#include <riffle/mpi/detail/host_copies.hpp>
#include <riffle/mpi/detail/shuffle/batches.hpp>
#include <riffle/mpi/detail/shuffle/leaf_chunks.hpp>
#include <riffle/mpi/detail/shuffle/leaf_parts.hpp>
#include <riffle/mpi/detail/shuffle/visit_images.hpp>
#include <riffle/view_pack.hpp>

namespace riffle::detail::mpi {

/// Elements begin, ..., end - 1 of all ranks'.
struct OwnElements {
  std::uint64_t begin;
  std::uint64_t end;

  KOKKOS_FUNCTION bool have(std::uint64_t i) const { return begin <= i && i < end; }
};

/// Chunks whose elements are this rank's, one class, or another's.
template <class Leaves>
struct OwnOrNot {
  Leaves leaves;
  OwnElements own;
  LeafChunks chunks;

  KOKKOS_FUNCTION int classes(LeafChunk const&) const { return 1; }
  KOKKOS_FUNCTION int class_of(LeafChunk const&, std::uint64_t i) const {
    return own.have(i) ? 0 : -1;
  }
};

/// counts[c]: how many of the elements of chunk c are this rank's.
template <class Leaves>
struct CountOwn : OwnOrNot<Leaves> {
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

/// Writes the elements of chunks that this rank owns all of, from place `at` of the buffer on. A GPU may read an element's
/// whole line, whose others will soon be wanted.
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

  /// A GPU's thread has asked for all values before it writes the first.
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
          lanes::store_streaming(&buffer(chunk.at + t + k * stride), values[k]);
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
      return static_cast<Value>(lanes::load_with_line(&in(i)));
    } else {
      return static_cast<Value>(in(i));
    }
  }
};

/// The same of chunks of which it may own a part: from place at[c] on.
template <class Leaves, class In, class Buffer>
struct PackOwn : OwnOrNot<Leaves> {
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

/// Where what a rank sends lies in the memory that all of an exchange is in, in rows: what it has for itself where it is
/// to arrive, the rest from place `others` on.
struct Landing {
  std::uint64_t own;
  std::uint64_t others;
};

template <class Exec, class Leaves>
class Sends {
 public:
  Sends(Context<Exec> const& context, Scope<Exec>& scope, Leaves const& leaves, int rank,
        LeafParts const& parts, Demand const& demand, Landing const& landing,
        Batching const& batching)
      : leaves_(leaves),
        own_{parts.input().first(rank), parts.input().end(rank)},
        shares_(parts.input().ranks(), batching) {
    std::vector<Piece> const pieces = list_pieces(parts, demand, batching.batches);
    std::vector<LeafChunk> shared;
    for (auto const& piece : pieces) {
      if (piece.is_shared) shared.push_back(piece.places);
    }
    shared_ = chunks_of(context, scope, shared);
    auto counts = count_own(context, scope);
    share(pieces, counts);
    auto at = shares_.total().starts();
    for (auto& begin : at) begin += landing.others;
    at[static_cast<std::size_t>(rank)] = landing.own;
    place(context, scope, pieces, counts, at);
  }

  /// How many elements go to each rank.
  BatchedShares const& shares() const { return shares_; }

  /// Writes what goes in a batch, after those before it. What shared leaves have, the first does.
  template <class In, class Buffer>
  void pack(Context<Exec> const& context, int batch, In const& in, Buffer const& buffer) const {
    Context<Exec> const named = context.named("pack");
    LeafChunks const& whole = whole_[static_cast<std::size_t>(batch)];
    // An H100, whose halves of the second-level cache hold 25 MB each, packs leaves of 32 MB faster without lines.
    constexpr std::uint64_t held_bytes = std::uint64_t{18} << 20;
    if (max_leaf_ * sizeof(typename Buffer::value_type) <= held_bytes) {
      take_all(named, PackWhole<true, Leaves, In, Buffer>{leaves_, own_, whole, in, buffer});
    } else {
      take_all(named, PackWhole<false, Leaves, In, Buffer>{leaves_, own_, whole, in, buffer});
    }
    if (batch > 0) return;
    rank_all(named, PackOwn<Leaves, In, Buffer>{{leaves_, own_, shared_}, shared_at_, in, buffer});
  }

 private:
  /// A rank's places of a leaf.
  struct Piece {
    int rank;
    std::size_t batch;
    bool is_shared;
    LeafChunk places;
  };

  /// Leaf by leaf, so that what ranks take of one is read while a cache holds it.
  static std::vector<Piece> list_pieces(LeafParts const& parts, Demand const& demand, int batches) {
    LeafRange const range = demand.range();
    std::vector<Piece> pieces;
    for (std::size_t leaf = range.first; leaf < range.last; ++leaf) {
      std::uint64_t begin = 0;
      for (int rank = 0; rank < parts.input().ranks(); ++rank) {
        std::uint64_t const count = demand.count(rank, leaf);
        if (count == 0) continue;
        pieces.push_back({rank, batch_of(leaf, range, batches), parts.is_shared(leaf),
                          LeafChunk{leaf, parts.start(leaf), parts.size(leaf), begin, count, 0}});
        begin += count;
      }
    }
    return pieces;
  }

  /// Of the chunks of shared pieces.
  std::vector<std::uint64_t> count_own(Context<Exec> const& context, Scope<Exec>& scope) const {
    if (shared_.count == 0) return {};
    auto* const counts = scope.template take<std::uint64_t>(shared_.count);
    rank_all(context.named("count"), CountOwn<Leaves>{{leaves_, own_, shared_}, counts});
    return to_host(context, counts, shared_.count);
  }

  void share(std::vector<Piece> const& pieces, std::vector<std::uint64_t> const& counts) {
    auto next = counts.begin();
    for (auto const& piece : pieces) {
      std::uint64_t count = piece.places.count;
      if (piece.is_shared) {
        auto const chunks = count_chunks(piece.places.count, chunk_places<Exec>);
        auto const end = next + static_cast<std::ptrdiff_t>(chunks);
        count = std::accumulate(next, end, std::uint64_t{0});
        next = end;
      }
      shares_.add(piece.batch, piece.rank, count);
    }
  }

  /// Gives all pieces their places, where the elements for a rank are together, from at[rank] on. Turns the counts of
  /// shared chunks into their places.
  void place(Context<Exec> const& context, Scope<Exec>& scope, std::vector<Piece> const& pieces,
             std::vector<std::uint64_t>& counts, std::vector<std::uint64_t>& at) {
    std::vector<std::vector<LeafChunk>> whole(static_cast<std::size_t>(shares_.batches()));
    auto next = counts.begin();
    for (Piece piece : pieces) {
      std::uint64_t& begin = at[static_cast<std::size_t>(piece.rank)];
      if (piece.is_shared) {
        for (auto c = count_chunks(piece.places.count, chunk_places<Exec>); c > 0; --c, ++next) {
          begin += std::exchange(*next, begin);
        }
      } else {
        piece.places.at = begin;
        max_leaf_ = std::max(max_leaf_, piece.places.size);
        whole[piece.batch].push_back(piece.places);
        begin += piece.places.count;
      }
    }
    for (auto const& of_batch : whole) whole_.push_back(chunks_of(context, scope, of_batch));
    shared_at_ = to_kernels(context, scope, counts);
  }

  Leaves leaves_;
  OwnElements own_;
  BatchedShares shares_;
  std::vector<LeafChunks> whole_;  // of each batch
  std::uint64_t max_leaf_ = 0;
  LeafChunks shared_{};
  std::uint64_t const* shared_at_ = nullptr;
};

}  // namespace riffle::detail::mpi
