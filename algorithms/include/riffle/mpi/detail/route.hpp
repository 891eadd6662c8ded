#pragma once

// Which route an exchange takes.

#include <algorithm>
#include <cstdint>

#include <riffle/mpi/communicator.hpp>
#include <riffle/mpi/detail/agree.hpp>
#include <riffle/mpi/detail/grid.hpp>

namespace riffle::detail::mpi {

/// What the busiest ranks have to do decides for all: agree() finds it.
inline Load busier(Load const& a, Load const& b) {
  return {std::max(a.messages, b.messages), std::max(a.bytes, b.bytes)};
}

/// Whether an exchange may turn out to be direct.
inline bool may_go_directly(riffle::mpi::Communicator const& comm) {
  return comm.size() == 1 || comm.options().route != riffle::mpi::Route::grid;
}

/// Whether exchanges go by the grid: `load` is the largest of all ranks.
///
/// By itself where the busiest rank sends at least four times as many messages as there are rows and columns, so among more
/// than 64 ranks, and no more than 1 KiB for each of them. By SimGrid's model of a network of 100 Gb/s (docs/algorithms.md)
/// a message takes 1 us, in which 12 KiB are sent; of 10 Gb/s, 1 KiB.
inline bool goes_by_grid(riffle::mpi::Communicator const& comm, Load const& load) {
  using riffle::mpi::Route;
  constexpr std::uint64_t fewer = 4;
  constexpr std::uint64_t bytes_of_message = 1024;
  if (comm.size() == 1 || comm.options().route == Route::direct) return false;
  if (comm.options().route == Route::grid) return true;
  Grid const grid(comm.size());
  auto const lines = static_cast<std::uint64_t>(grid.columns() + grid.rows());
  return load.messages >= fewer * lines && load.bytes <= bytes_of_message * load.messages;
}

/// Whether exchanges cannot go by the grid, of which the ranks have so many bytes each to send, on average.
inline bool must_go_directly(riffle::mpi::Communicator const& comm, std::uint64_t bytes) {
  return !goes_by_grid(comm, {static_cast<std::uint64_t>(comm.size() - 1), bytes});
}

}  // namespace riffle::detail::mpi
