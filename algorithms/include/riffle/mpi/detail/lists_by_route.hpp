#pragma once

// Lists of numbers by the grid, where that pays. All ranks know how long each list is, so that relays need not be told.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <riffle/mpi/communicator.hpp>
#include <riffle/mpi/detail/agree.hpp>
#include <riffle/mpi/detail/grid.hpp>
#include <riffle/mpi/detail/grid_hops.hpp>
#include <riffle/mpi/detail/lists.hpp>
#include <riffle/mpi/detail/route.hpp>
#include <riffle/mpi/detail/shares.hpp>

namespace riffle::detail::mpi {

inline std::vector<std::uint64_t> in_order(BlockOrder const& order,
                                           std::vector<std::uint64_t> const& numbers) {
  std::vector<std::uint64_t> result;
  result.reserve(order.items());
  for (std::size_t block = 0; block < order.blocks(); ++block) {
    auto const begin = numbers.begin() + static_cast<std::ptrdiff_t>(order.sources[block]);
    auto const count = order.bounds[block + 1] - order.bounds[block];
    result.insert(result.end(), begin, begin + static_cast<std::ptrdiff_t>(count));
  }
  return result;
}

/// Collective: as exchange_lists(), where every rank tells a rank as many numbers: `told` is the same on all.
inline std::vector<std::uint64_t> exchange_lists_by_route(
    riffle::mpi::Communicator const& comm, Shares const& told, Shares const& heard,
    std::vector<std::uint64_t> const& numbers) {
  std::uint64_t lists = 0;
  for (int rank = 0; rank < comm.size(); ++rank) lists += told[rank] > 0 ? 1 : 0;
  // One of them may be a rank's own.
  Load const load{lists > 0 ? lists - 1 : 0, told.total() * sizeof(std::uint64_t)};
  if (!goes_by_grid(comm, load)) return exchange_lists(comm, told, heard, numbers);
  Grid const grid(comm.size());
  int const row = grid.row_of(comm.rank());
  auto const of_row = grid.destinations_of(row);
  auto const& destinations = of_row[static_cast<std::size_t>(grid.column_of(comm.rank()))];
  std::vector<std::uint64_t> counts;
  for (int sender = 0; sender < grid.size_of(row); ++sender) {
    for (int const to : destinations) counts.push_back(told[to]);
  }
  GridHops const hops(grid, comm.rank(), told, heard, RelayCounts(destinations.size(), counts));
  auto const arrived = exchange_lists(comm, hops.to_relays().sent, hops.to_relays().received,
                                      in_order(hops.packed(), numbers));
  return exchange_lists(comm, hops.from_relays().sent, hops.from_relays().received,
                        in_order(hops.relayed(), arrived));
}

}  // namespace riffle::detail::mpi
