#pragma once

// How exchanges are prepared. Each rank makes its own, all agree that this has succeeded, and by the busiest rank's load all
// take one route. By the grid, ranks then learn what they relay, and agree once more, on memory for it.
//
// A group of exchanges has the same shares and items of other sizes: those of the Views of a pack, in a vector, or one.

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include <riffle/mpi/detail/agree.hpp>
#include <riffle/mpi/detail/exchange.hpp>
#include <riffle/mpi/detail/grid.hpp>
#include <riffle/mpi/detail/grid_exchange.hpp>
#include <riffle/mpi/detail/grid_hops.hpp>
#include <riffle/mpi/detail/rank_call.hpp>
#include <riffle/mpi/detail/relay_counts.hpp>
#include <riffle/mpi/detail/route.hpp>
#include <riffle/primitives/scope.hpp>

namespace riffle::detail::mpi {

template <class Exec>
using ExchangesOfViews = std::vector<std::unique_ptr<Exchange<Exec>>>;

template <class Exec, class Visit>
void for_each_exchange(std::optional<Exchange<Exec>>& group, Visit const& visit) {
  visit(*group);
}

template <class Exec, class Visit>
void for_each_exchange(ExchangesOfViews<Exec>& group, Visit const& visit) {
  for (auto const& exchange : group) visit(*exchange);
}

/// The largest of what this rank has to do in one of them.
template <class Group>
Load load_of(Group& group) {
  Load load;
  for_each_exchange(group, [&](auto const& exchange) { load = busier(load, exchange.load()); });
  return load;
}

/// Collective: what goes where of a group that goes by a grid.
template <class Group>
GridHops hops_of(riffle::mpi::Communicator const& comm, Grid const& grid, Group& group) {
  std::optional<GridHops> hops;
  for_each_exchange(group, [&](auto const& exchange) {
    if (hops) return;
    hops.emplace(grid, comm.rank(), exchange.sent(), exchange.received(),
                 tell_relays(comm, grid, exchange.sent()));
  });
  return *hops;
}

/// Takes memory.
template <class Exec, class Group>
void go_by_grid(Context<Exec> const& context, Scope<Exec>& scope, GridHops const& hops,
                Group& group) {
  std::size_t most = 0;
  for_each_exchange(group, [&](auto const& e) { most = std::max(most, e.item_bytes()); });
  GridMemory<Exec> const memory(context, scope, hops, most);
  for_each_exchange(group, [&](auto& exchange) { exchange.go_by_grid(hops, memory); });
}

/// Collective: for exchanges that all ranks have agreed on, with the load that agree() found.
template <class Exec, class... Groups>
void take_one_route(RankCall<Exec> const& call, Scope<Exec>& scope, Load const& load,
                    Groups&... groups) {
  if (!goes_by_grid(call.comm, load)) return;
  Grid const grid(call.comm.size());
  std::vector<GridHops> hops;
  (hops.push_back(hops_of(call.comm, grid, groups)), ...);
  call.agree([&] {
    auto of_group = hops.begin();
    (go_by_grid(call.context, scope, *of_group++, groups), ...);
  });
}

/// Does work(), which makes the exchanges and takes other memory, on each rank as agree() does. Then they can be run.
template <class Exec, class Work, class... Groups>
void agree_on_exchanges(RankCall<Exec> const& call, Scope<Exec>& scope, Work const& work,
                        Groups&... groups) {
  Load const load = call.agree([&] {
    work();
    Load own;
    ((own = busier(own, load_of(groups))), ...);
    return own;
  });
  take_one_route(call, scope, load, groups...);
}

}  // namespace riffle::detail::mpi
