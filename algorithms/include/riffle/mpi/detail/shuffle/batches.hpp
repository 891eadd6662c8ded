#pragma once

// The batches in which a large shuffle goes: while one is under way, the next is packed. An owner's leaves are divided
// evenly, in their order, so that of what a rank sends to another, or receives, a batch is consecutive.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <riffle/mpi/communicator.hpp>
#include <riffle/mpi/detail/shares.hpp>
#include <riffle/mpi/detail/shuffle/leaf_parts.hpp>

namespace riffle::detail::mpi {

/// How many, on all ranks, whatever their back ends: so few that each keeps a link busy much longer than it takes to
/// begin one, and no more than hide all but an eighth of a transfer.
inline int count_batches(riffle::mpi::Communicator const& comm, std::uint64_t n,
                         std::size_t row_bytes) {
  constexpr std::uint64_t most = 8;
  constexpr std::uint64_t enough_bytes = std::uint64_t{1} << 28;
  if (comm.size() == 1) return 1;
  std::uint64_t const bytes = std::min<std::uint64_t>(enough_bytes, comm.options().max_round_bytes);
  std::uint64_t const rows = n / static_cast<std::uint64_t>(comm.size());
  return static_cast<int>(std::clamp<std::uint64_t>(rows * row_bytes / bytes, 1, most));
}

/// Which batch a leaf of an owner goes with.
inline std::size_t batch_of(std::size_t leaf, LeafRange const& of_owner, int batches) {
  return (leaf - of_owner.first) * static_cast<std::size_t>(batches) / of_owner.count();
}

/// Shares that go in batches, those of each rank one behind the other.
class BatchedShares {
 public:
  BatchedShares(int ranks, int batches)
      : of_batch_(static_cast<std::size_t>(batches), Shares(ranks)), total_(ranks) {}

  int batches() const { return static_cast<int>(of_batch_.size()); }

  void add(std::size_t batch, int rank, std::uint64_t count) {
    of_batch_[batch][rank] += count;
    total_[rank] += count;
  }

  /// Of all batches.
  Shares const& total() const { return total_; }

  /// What goes in a batch.
  SharesPart part(int batch) const {
    auto const end = of_batch_.begin() + batch;
    SharesPart part{Shares(total_.ranks()), *end};
    for (auto earlier = of_batch_.begin(); earlier != end; ++earlier) {
      for (int rank = 0; rank < total_.ranks(); ++rank) part.first[rank] += (*earlier)[rank];
    }
    return part;
  }

 private:
  std::vector<Shares> of_batch_;
  Shares total_;
};

}  // namespace riffle::detail::mpi
