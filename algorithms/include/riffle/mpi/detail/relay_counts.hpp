#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <riffle/mpi/communicator.hpp>
#include <riffle/mpi/detail/grid.hpp>
#include <riffle/mpi/detail/grid_hops.hpp>
#include <riffle/mpi/detail/lists.hpp>
#include <riffle/mpi/detail/shares.hpp>

namespace riffle::detail::mpi {

/// Collective: each rank tells those of its row how many items it has for whom, some P / C numbers to each; they relay
/// them.
inline RelayCounts tell_relays(riffle::mpi::Communicator const& comm, Grid const& grid,
                               Shares const& sent) {
  int const row = grid.row_of(comm.rank());
  auto const destinations = grid.destinations_of(row);
  auto const own = destinations[static_cast<std::size_t>(grid.column_of(comm.rank()))].size();
  Shares told(comm.size());
  Shares heard(comm.size());
  std::vector<std::uint64_t> counts;
  int relay = grid.first_of(row);
  for (auto const& of_relay : destinations) {
    for (int const to : of_relay) counts.push_back(sent[to]);
    told[relay] = of_relay.size();
    heard[relay] = own;
    ++relay;
  }
  return RelayCounts(own, exchange_lists(comm, told, heard, counts));
}

}  // namespace riffle::detail::mpi
