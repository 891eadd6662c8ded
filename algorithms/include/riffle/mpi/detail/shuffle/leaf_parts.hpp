#pragma once

// Computes which part of the input each leaf permutes (LeafParts). For each leaf with input
// elements that this rank owns, also computes how many of the leaf's elements each rank needs
// (Demand).

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include <riffle/mpi/communicator.hpp>
#include <riffle/mpi/detail/partition.hpp>
#include <riffle/mpi/detail/shuffle/place_tree.hpp>
#include <riffle/mpi/detail/transfers.hpp>
#include <riffle/mpi/tuning.hpp>

namespace riffle::detail::mpi {

/// Sends each rank r the next sent[r] of the numbers. Returns the numbers that this rank receives:
/// received[r] numbers from each rank r. Collective. The numbers are in host memory.
inline std::vector<std::uint64_t> redistribute_lists(riffle::mpi::Communicator const& comm,
                                                     Shares const& sent, Shares const& received,
                                                     std::vector<std::uint64_t> const& numbers) {
  std::vector<std::uint64_t> result(received.total());
  auto const own = static_cast<std::size_t>(comm.rank());
  std::copy_n(numbers.data() + sent.starts()[own], sent[comm.rank()],
              result.data() + received.starts()[own]);
  constexpr std::size_t bytes = sizeof(std::uint64_t);
  transfer_directly(comm, transfers_of(comm, sent, bytes, 1),
                    transfers_of(comm, received, bytes, -1),
                    reinterpret_cast<std::byte const*>(numbers.data()),
                    reinterpret_cast<std::byte*>(result.data()));
  return result;
}

/// The leaves first, ..., last - 1.
struct LeafRange {
  std::size_t first;
  std::size_t last;  // one past the last leaf

  std::size_t count() const { return last - first; }
};

/// The parts of the input: leaf l permutes elements start(l), ..., start(l) + size(l) - 1.
class LeafParts {
 public:
  LeafParts(OwnPlaces const& places, Partition const& input) : bounds_(1, 0), input_(input) {
    bounds_.reserve(places.nodes() + 1);
    for (auto const total : places.total) bounds_.push_back(bounds_.back() + total);
  }

  std::size_t leaves() const { return bounds_.size() - 1; }
  std::uint64_t start(std::size_t leaf) const { return bounds_[leaf]; }
  std::uint64_t size(std::size_t leaf) const { return bounds_[leaf + 1] - bounds_[leaf]; }

  /// Returns the smallest range that contains every leaf with an element that `rank` owns. The
  /// range may include empty leaves.
  LeafRange of_rank(int rank) const {
    if (input_.count(rank) == 0) return {0, 0};
    auto const begin = bounds_.begin();
    auto const first = std::upper_bound(begin, bounds_.end(), input_.first(rank)) - 1;
    auto const last = std::lower_bound(first, bounds_.end(), input_.end(rank));
    return {static_cast<std::size_t>(first - begin), static_cast<std::size_t>(last - begin)};
  }

  /// The first and the last rank that own an element of a leaf. Requires: the leaf is not empty.
  int first_owner(std::size_t leaf) const { return input_.owner(start(leaf)); }
  int last_owner(std::size_t leaf) const { return input_.owner(bounds_[leaf + 1] - 1); }
  bool is_shared(std::size_t leaf) const { return first_owner(leaf) != last_owner(leaf); }
  bool is_owned_by(int rank, std::size_t leaf) const {
    return input_.first(rank) <= bounds_[leaf] && bounds_[leaf + 1] <= input_.end(rank);
  }

  Partition const& input() const { return input_; }

 private:
  std::vector<std::uint64_t> bounds_;
  Partition const& input_;
};

/// Stores, for each leaf with an input element that this rank owns, the number of output places in
/// the leaf that each rank owns. Lower ranks own lower places of a leaf.
class Demand {
 public:
  /// Collective. Each rank counts the places that it owns in each leaf, and sends this count to the
  /// ranks that own the leaf's input.
  Demand(riffle::mpi::Communicator const& comm, OwnPlaces const& places, LeafParts const& parts)
      : range_(parts.of_rank(comm.rank())) {
    Shares sent(comm.size());
    Shares received(comm.size());
    std::vector<std::uint64_t> counts;
    counts.reserve(parts.leaves() + static_cast<std::size_t>(comm.size()));
    for (int rank = 0; rank < comm.size(); ++rank) {
      LeafRange const range = parts.of_rank(rank);
      sent[rank] = range.count();
      received[rank] = range_.count();
      for (std::size_t leaf = range.first; leaf < range.last; ++leaf) {
        counts.push_back(places.count[leaf]);
      }
    }
    counts_ = redistribute_lists(comm, sent, received, counts);
  }

  LeafRange const& range() const { return range_; }

  /// The number of places that `rank` owns in `leaf`, which is in range().
  std::uint64_t count(int rank, std::size_t leaf) const {
    return counts_[static_cast<std::size_t>(rank) * range_.count() + (leaf - range_.first)];
  }

 private:
  LeafRange range_;
  std::vector<std::uint64_t> counts_;
};

// --- batches ---
//
// A large shuffle is sent in batches, so that the next batch can be packed while one batch is being
// sent. Each rank divides the leaves of its input evenly among the batches, in ascending order.
// Therefore each batch is a contiguous part of the share for each receiver. Batches end at
// multiples of a granule; an incomplete granule at the end of a batch is sent with the next batch.

/// The number of batches, and the granule for shares.
struct Batching {
  int batches = 1;
  std::uint64_t granule = 1;  // shares begin at multiples of it
};

/// Returns the number of batches and the granule. They are equal on all ranks, for any back ends.
inline Batching batching_of(riffle::mpi::Communicator const& comm, std::uint64_t n,
                            std::size_t row_bytes, int levels) {
  auto const ranks = static_cast<std::uint64_t>(comm.size());
  std::uint64_t const rows = n / ranks;
  if (ranks == 1 || levels == 0) return {};
  std::uint64_t const of_batch =
      std::min<std::uint64_t>(batch_bytes, comm.options().max_round_bytes);
  return {static_cast<int>(
              std::clamp<std::uint64_t>(rows * row_bytes / of_batch, 1, max_batches(ranks))),
          granule_for(comm, n)};
}

/// Returns the batch in which a rank sends a leaf. `of_owner` is the range of all leaves with input
/// elements that this rank owns.
inline std::size_t batch_of(std::size_t leaf, LeafRange const& of_owner, int batches) {
  return (leaf - of_owner.first) * static_cast<std::size_t>(batches) / of_owner.count();
}

/// Returns the leaves in `of_owner` that are sent in batch `batch` (see batch_of).
inline LeafRange leaves_of_batch(LeafRange const& of_owner, std::size_t batch, int batches) {
  auto const all = static_cast<std::size_t>(batches);
  auto const begin = [&](std::size_t b) {
    return of_owner.first + (b * of_owner.count() + all - 1) / all;
  };
  return {begin(batch), begin(batch + 1)};
}

/// Shares that are sent in batches. Within the share of each rank, batches are contiguous.
class BatchedShares {
 public:
  BatchedShares(int ranks, Batching const& batching)
      : ends_(static_cast<std::size_t>(batching.batches), Shares(ranks)),
        total_(ranks, batching.granule) {}

  int batches() const { return static_cast<int>(ends_.size()); }

  /// Adds `count` items for rank `rank` to a batch.
  void add(std::size_t batch, int rank, std::uint64_t count) {
    for (std::size_t b = batch; b < ends_.size(); ++b) ends_[b][rank] += count;
    total_[rank] += count;
  }

  /// The shares of all batches together.
  Shares const& total() const { return total_; }

  /// Returns the part of each share that is sent in batch `batch`.
  SharesPart part(int batch) const {
    SharesPart part{Shares(total_.ranks()), Shares(total_.ranks())};
    for (int rank = 0; rank < total_.ranks(); ++rank) {
      part.first[rank] = batch == 0 ? 0 : end(batch - 1, rank);
      part.count[rank] = end(batch, rank) - part.first[rank];
    }
    return part;
  }

 private:
  std::uint64_t end(int batch, int rank) const {
    if (batch + 1 == batches()) return total_[rank];
    std::uint64_t const items = ends_[static_cast<std::size_t>(batch)][rank];
    return items / total_.granule() * total_.granule();
  }

  std::vector<Shares> ends_;  // ends_[b]: end of the items of batch b in each share
  Shares total_;
};

}  // namespace riffle::detail::mpi
