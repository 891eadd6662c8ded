#pragma once

// Where what ranks have for each other begins in memory. NCCL copies 16 bytes at a time from and to addresses that are
// multiples of 16, and one byte at a time elsewhere: two H200s then send 0.4 of what they can, four 0.5.

#include <cstdint>

#include <riffle/mpi/communicator.hpp>

namespace riffle::detail::mpi {

/// In items, whatever their size. Of shares so small that gaps would count, none begins at one.
inline constexpr std::uint64_t granule_of_shares = 16;
inline constexpr std::uint64_t least_granules = 16;

/// What shares begin at multiples of, on all ranks, of n items.
inline std::uint64_t granule_for(riffle::mpi::Communicator const& comm, std::uint64_t n) {
  auto const ranks = static_cast<std::uint64_t>(comm.size());
  if (ranks == 1) return 1;
  return n / ranks / ranks >= least_granules * granule_of_shares ? granule_of_shares : 1;
}

}  // namespace riffle::detail::mpi
