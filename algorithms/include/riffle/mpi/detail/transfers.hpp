#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <riffle/mpi/communicator.hpp>
#include <riffle/mpi/detail/rounds.hpp>
#include <riffle/mpi/detail/shares.hpp>

namespace riffle::detail::mpi {

/// The transfers to, or from, the other ranks, beginning with the next one, so that not all send to the same rank first.
/// Ranks that have nothing for each other have none.
inline std::vector<Transfer> transfers_of(riffle::mpi::Communicator const& comm,
                                          Shares const& shares, std::size_t item_bytes, int step) {
  std::vector<Transfer> transfers;
  auto const starts = shares.starts();
  std::uint64_t stage = 0;
  for (int d = 1; d < comm.size(); ++d) {
    int const rank = (comm.rank() + (step > 0 ? d : comm.size() - d)) % comm.size();
    std::uint64_t const bytes = shares[rank] * item_bytes;
    if (bytes == 0) continue;
    transfers.push_back({rank, starts[static_cast<std::size_t>(rank)] * item_bytes, bytes, stage});
    stage += std::min(bytes, staged_piece_bytes(comm));
  }
  return transfers;
}

}  // namespace riffle::detail::mpi
