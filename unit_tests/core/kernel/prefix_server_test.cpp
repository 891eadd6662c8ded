// The server of prefixes alone, on an emulated GPU, over more bundles of tiles than it has warps.

#include <Kokkos_Core.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include <riffle/kernel/look_back.hpp>
#include <riffle/kernel/prefix_server.hpp>
#include <riffle/kernel/tile_tree.hpp>
#include <riffle/lanes/lanes.hpp>

#include "support/emulated_gpu.hpp"
#include "support/monoids.hpp"

namespace prefix_server_test {
namespace {

using riffle::detail::bundle_tiles;
using riffle::detail::LookBack;
using riffle::detail::PrefixServer;
using riffle::detail::Ticket;
using riffle::test::EmulatedGpu;
namespace lanes = riffle::lanes;

constexpr int warps = 2;

/// The first team serves, and each other sends the totals of `ahead` tiles before it waits for the prefix of the first of
/// these; tile t has total totals[t], and is sent prefixes[t].
template <class Op>
struct ServePrefixes {
  using Value = typename Op::value_type;
  using Server = PrefixServer<Op, warps>;

  struct State {
    Ticket ticket;
    typename Server::State server;
  };

  template <class Member>
  void operator()(Member const& team) const {
    auto& state = *static_cast<State*>(team.team_scratch(0).get_shmem_aligned(sizeof(State), 16));
    if (team.team_rank() == 0) state.ticket = look_back.take_ticket();
    team.team_barrier();
    auto const [number, epoch] = state.ticket;
    if (number == 0) {
      Server(look_back, epoch, state.server, team.team_rank()).serve(team);
    } else if (team.team_rank() == 0) {
      scan(number - 1, epoch);
    }
    if (team.team_rank() == 0) look_back.finish(epoch);
  }

  void scan(std::uint32_t tile, std::uint32_t epoch) const {
    std::vector<std::uint32_t> waiting;
    while (tile < look_back.tiles() || !waiting.empty()) {
      if (tile < look_back.tiles()) {
        look_back.send_tile_total(tile, epoch, totals[tile]);
        waiting.push_back(tile);
        tile = look_back.take_ticket().number - 1;
      }
      if (tile < look_back.tiles() && waiting.size() < ahead) continue;
      std::uint32_t const first = waiting.front();
      waiting.erase(waiting.begin());
      prefixes[first] =
          look_back.receive_tile_prefix(first, epoch, look_back.glimpse_tile_prefix(first));
    }
  }

  LookBack<Op> look_back;
  Value const* totals;
  Value* prefixes;
  std::size_t ahead;
};

template <class Op>
void expect_prefixes(std::size_t tiles, int teams, int resident, std::size_t ahead,
                     std::uint64_t seed) {
  using Value = typename Op::value_type;
  auto const totals = riffle::test::random_values(Op{}, tiles + 1, seed);
  Op const op;
  Value const init = totals[tiles];
  std::vector<std::uint64_t> messages(LookBack<Op>::words(tiles));
  LookBack<Op> const look_back(messages.data(), tiles, static_cast<std::uint64_t>(teams), op, init);
  for (int launch = 0; launch < 2; ++launch) {
    std::vector<Value> prefixes(tiles);
    EmulatedGpu gpu(resident, seed);
    gpu.run(teams, warps * lanes::width, sizeof(typename ServePrefixes<Op>::State) + 16,
            ServePrefixes<Op>{look_back, totals.data(), prefixes.data(), ahead});
    Value expected = init;
    for (std::size_t t = 0; t < tiles; ++t) {
      ASSERT_TRUE(prefixes[t] == expected) << "tile " << t << " of " << tiles;
      expected = op(expected, totals[t]);
    }
  }
}

TEST(PrefixServer, ServesMoreBundlesThanItHasWarps) {
  std::size_t const tiles = 6 * bundle_tiles + 5;
  expect_prefixes<riffle::test::Compose>(tiles, 2, 2, 1, 1);
  expect_prefixes<riffle::test::Compose>(tiles, 2, 2, 40, 2);
  expect_prefixes<riffle::test::KeepTail>(tiles, 7, 4, 3, 3);
}

TEST(PrefixServer, AtTheEdgesOfBundles) {
  for (std::size_t const tiles :
       {std::size_t{1}, std::size_t{2}, std::size_t{bundle_tiles - 1}, std::size_t{bundle_tiles},
        std::size_t{bundle_tiles + 1}, std::size_t{2 * bundle_tiles},
        std::size_t{3 * bundle_tiles + 1}}) {
    expect_prefixes<riffle::test::ComposeAffine>(tiles, 5, 3, 2, tiles);
    expect_prefixes<riffle::test::MultiplyMatrices>(tiles, 4, 4, 1, tiles);
  }
}

}  // namespace
}  // namespace prefix_server_test
