#pragma once

// The parts of the input that leaves permute, and who needs what of those that a rank owns.

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

/// Collective, in memory of the host: sends `told` of the numbers to each rank, and receives `heard` from each.
inline std::vector<std::uint64_t> exchange_lists(riffle::mpi::Communicator const& comm,
                                                 Shares const& told, Shares const& heard,
                                                 std::vector<std::uint64_t> const& numbers) {
  std::vector<std::uint64_t> received(heard.total());
  auto const own = static_cast<std::size_t>(comm.rank());
  std::copy_n(numbers.data() + told.starts()[own], told[comm.rank()],
              received.data() + heard.starts()[own]);
  constexpr std::size_t bytes = sizeof(std::uint64_t);
  transfer_directly(comm, transfers_of(comm, told, bytes, 1), transfers_of(comm, heard, bytes, -1),
                    reinterpret_cast<std::byte const*>(numbers.data()),
                    reinterpret_cast<std::byte*>(received.data()));
  return received;
}

/// Leaves that follow each other.
struct LeafRange {
  std::size_t first;
  std::size_t last;  // behind them

  std::size_t count() const { return last - first; }
};

/// The leaves' parts of the input: leaf l permutes elements start(l), ..., start(l) + size(l) - 1.
class LeafParts {
 public:
  LeafParts(OwnPlaces const& places, Partition const& input) : bounds_(1, 0), input_(input) {
    bounds_.reserve(places.nodes() + 1);
    for (auto const total : places.total) bounds_.push_back(bounds_.back() + total);
  }

  std::size_t leaves() const { return bounds_.size() - 1; }
  std::uint64_t start(std::size_t leaf) const { return bounds_[leaf]; }
  std::uint64_t size(std::size_t leaf) const { return bounds_[leaf + 1] - bounds_[leaf]; }

  /// The leaves of which a rank owns an element, and perhaps some that have none.
  LeafRange of_rank(int rank) const {
    if (input_.count(rank) == 0) return {0, 0};
    auto const begin = bounds_.begin();
    auto const first = std::upper_bound(begin, bounds_.end(), input_.first(rank)) - 1;
    auto const last = std::lower_bound(first, bounds_.end(), input_.end(rank));
    return {static_cast<std::size_t>(first - begin), static_cast<std::size_t>(last - begin)};
  }

  /// The first and the last rank that own an element of a leaf that has some.
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

/// Of the leaves of which this rank owns a part, how many places each rank has. Ranks with consecutive places of a leaf
/// have them in the order of the ranks.
class Demand {
 public:
  /// Collective: each rank tells the owners.
  Demand(riffle::mpi::Communicator const& comm, OwnPlaces const& places, LeafParts const& parts)
      : range_(parts.of_rank(comm.rank())) {
    Shares told(comm.size());
    Shares heard(comm.size());
    std::vector<std::uint64_t> counts;
    counts.reserve(parts.leaves() + static_cast<std::size_t>(comm.size()));
    for (int rank = 0; rank < comm.size(); ++rank) {
      LeafRange const range = parts.of_rank(rank);
      told[rank] = range.count();
      heard[rank] = range_.count();
      for (std::size_t leaf = range.first; leaf < range.last; ++leaf) {
        counts.push_back(places.count[leaf]);
      }
    }
    counts_ = exchange_lists(comm, told, heard, counts);
  }

  LeafRange const& range() const { return range_; }

  /// How many places a rank has of a leaf in the range.
  std::uint64_t count(int rank, std::size_t leaf) const {
    return counts_[static_cast<std::size_t>(rank) * range_.count() + (leaf - range_.first)];
  }

 private:
  LeafRange range_;
  std::vector<std::uint64_t> counts_;
};

// --- batches ---
//
// The batches in which a large shuffle goes: while one is under way, the next is packed. An owner's leaves are divided
// evenly, in their order, so that of what a rank sends to another, or receives, a batch is consecutive. Its bounds are
// those of granules: what is left of the last one goes with the next batch.

/// How what the ranks have for each other goes.
struct Batching {
  int batches = 1;
  std::uint64_t granule = 1;  // of the shares
};

/// On all ranks, whatever their back ends.
inline Batching batching_of(riffle::mpi::Communicator const& comm, std::uint64_t n,
                            std::size_t row_bytes, int levels) {
  auto const ranks = static_cast<std::uint64_t>(comm.size());
  std::uint64_t const rows = n / ranks;
  if (ranks == 1 || levels == 0) return {};
  std::uint64_t const of_batch =
      std::min<std::uint64_t>(batch_bytes, comm.options().max_round_bytes);
  return {static_cast<int>(
              std::clamp<std::uint64_t>(rows * row_bytes / of_batch, 1, most_batches(ranks))),
          granule_for(comm, n)};
}

/// Which batch a leaf of an owner goes with.
inline std::size_t batch_of(std::size_t leaf, LeafRange const& of_owner, int batches) {
  return (leaf - of_owner.first) * static_cast<std::size_t>(batches) / of_owner.count();
}

/// Which leaves of an owner go with a batch: those of which batch_of() says so.
inline LeafRange leaves_of_batch(LeafRange const& of_owner, std::size_t batch, int batches) {
  auto const all = static_cast<std::size_t>(batches);
  auto const begin = [&](std::size_t b) {
    return of_owner.first + (b * of_owner.count() + all - 1) / all;
  };
  return {begin(batch), begin(batch + 1)};
}

/// Shares that go in batches, those of each rank one behind the other.
class BatchedShares {
 public:
  BatchedShares(int ranks, Batching const& batching)
      : ends_(static_cast<std::size_t>(batching.batches), Shares(ranks)),
        total_(ranks, batching.granule) {}

  int batches() const { return static_cast<int>(ends_.size()); }

  /// More items of a batch.
  void add(std::size_t batch, int rank, std::uint64_t count) {
    for (std::size_t b = batch; b < ends_.size(); ++b) ends_[b][rank] += count;
    total_[rank] += count;
  }

  /// Of all batches.
  Shares const& total() const { return total_; }

  /// What goes in a batch.
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

  std::vector<Shares> ends_;  // of the items of each batch
  Shares total_;
};

}  // namespace riffle::detail::mpi
