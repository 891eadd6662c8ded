#pragma once

// The batches in which a large shuffle goes: while one is under way, the next is packed. An owner's leaves are divided
// evenly, in their order, so that of what a rank sends to another, or receives, a batch is consecutive. Its bounds are
// those of granules: what is left of the last one goes with the next batch.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <riffle/mpi/communicator.hpp>
#include <riffle/mpi/detail/granules.hpp>
#include <riffle/mpi/detail/shares.hpp>
#include <riffle/mpi/detail/shuffle/leaf_parts.hpp>

namespace riffle::detail::mpi {

/// How what the ranks have for each other goes.
struct Batching {
  int batches = 1;
  std::uint64_t granule = 1;  // of the shares
};

/// On all ranks, whatever their back ends: so few batches that each keeps a link busy much longer than it takes to begin
/// one, and no more than were fastest between H200s: four of two, two of four, where a batch has messages for three.
inline Batching batching_of(riffle::mpi::Communicator const& comm, std::uint64_t n,
                            std::size_t row_bytes, int levels) {
  constexpr std::uint64_t enough_bytes = std::uint64_t{1} << 29;
  auto const ranks = static_cast<std::uint64_t>(comm.size());
  std::uint64_t const most = ranks == 2 ? 4 : 2;
  std::uint64_t const rows = n / ranks;
  if (ranks == 1 || levels == 0) return {};
  std::uint64_t const of_batch =
      std::min<std::uint64_t>(enough_bytes, comm.options().max_round_bytes);
  return {static_cast<int>(std::clamp<std::uint64_t>(rows * row_bytes / of_batch, 1, most)),
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
