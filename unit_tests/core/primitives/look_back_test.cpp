// Look-back alone, on an emulated GPU, with more bundles of tiles than a team has shares.

#include <Kokkos_Core.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include <riffle/backend/backend.hpp>
#include <riffle/primitives/look_back.hpp>
#include <riffle/primitives/tile_tree.hpp>

#include "support/emulated_gpu.hpp"
#include "support/monoids.hpp"

namespace look_back_test {
namespace {

using riffle::detail::bundle_tiles;
using riffle::detail::LookBack;
using riffle::detail::Share;
using riffle::detail::Ticket;
using riffle::test::EmulatedGpu;
namespace backend = riffle::backend;

constexpr int warps = 4;

/// Teams take tickets until no tile is left. Tile t has total totals[t]; its prefix goes to
/// prefixes[t].
template <class Op>
struct FindPrefixes {
  using Value = typename Op::value_type;

  struct State {
    Ticket ticket;
    Share<Value> shares[warps];
  };

  template <class Member>
  void operator()(Member const& team) const {
    auto& state = *static_cast<State*>(team.team_scratch(0).get_shmem_aligned(sizeof(State), 16));
    int const warp = team.team_rank() / backend::width;
    int const lane = team.team_rank() % backend::width;
    for (;;) {
      if (team.team_rank() == 0) state.ticket = look_back.take_ticket();
      team.team_barrier();
      auto const [tile, epoch] = state.ticket;
      if (tile >= look_back.tiles()) break;
      if (team.team_rank() == 0) look_back.send_tile_total(tile, epoch, totals[tile]);
      Share<Value> const share = look_back.look_back(tile, epoch, totals[tile], warp, lane);
      if (lane == 0) state.shares[warp] = share;
      team.team_barrier();
      Value const prefix =
          look_back.combine(tile, epoch, state.shares, warps, lane, warp == warps - 1);
      if (team.team_rank() == 0) prefixes[tile] = prefix;
      team.team_barrier();
    }
    if (team.team_rank() == 0) look_back.finish(state.ticket.epoch);
  }

  LookBack<Op> look_back;
  Value const* totals;
  Value* prefixes;
};

template <class Op>
void expect_prefixes(std::size_t tiles, int teams, int resident, std::uint64_t seed) {
  using Value = typename Op::value_type;
  auto const totals = riffle::test::random_values(Op{}, tiles + 1, seed);
  Op const op;
  Value const init = totals[tiles];
  std::vector<std::uint64_t> messages(LookBack<Op>::words(tiles));
  LookBack<Op> const look_back(messages.data(), tiles, static_cast<std::uint64_t>(teams), op, init);
  for (int launch = 0; launch < 2; ++launch) {
    std::vector<Value> prefixes(tiles);
    EmulatedGpu gpu(resident, seed);
    gpu.run(teams, warps * backend::width, sizeof(typename FindPrefixes<Op>::State) + 16,
            FindPrefixes<Op>{look_back, totals.data(), prefixes.data()});
    Value expected = init;
    for (std::size_t t = 0; t < tiles; ++t) {
      ASSERT_TRUE(prefixes[t] == expected) << "tile " << t << " of " << tiles;
      expected = op(expected, totals[t]);
    }
  }
}

// A look-back reaches 3 of 6 bundles. With many teams at a time few prefixes have been sent; with
// one team all have.
TEST(LookBack, FindsPrefixesBeyondItsShares) {
  std::size_t const tiles = 6 * bundle_tiles + 5;
  expect_prefixes<riffle::test::Compose>(tiles, 1, 1, 1);
  expect_prefixes<riffle::test::Compose>(tiles, 6, 6, 2);
  expect_prefixes<riffle::test::KeepTail>(tiles, 7, 4, 3);
}

TEST(LookBack, AtTheEdgesOfBundles) {
  for (std::size_t const tiles :
       {std::size_t{1}, std::size_t{2}, std::size_t{bundle_tiles - 1}, std::size_t{bundle_tiles},
        std::size_t{bundle_tiles + 1}, std::size_t{2 * bundle_tiles},
        std::size_t{3 * bundle_tiles + 1}}) {
    expect_prefixes<riffle::test::Compose>(tiles, 5, 3, tiles);
    expect_prefixes<riffle::test::MultiplyMatrices>(tiles, 4, 4, tiles);
  }
}

}  // namespace
}  // namespace look_back_test
