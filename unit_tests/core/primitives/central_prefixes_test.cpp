// The prefix team, on an emulated GPU, with more bundles of tiles than it has warps.

#include <Kokkos_Core.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include <riffle/backend/backend.hpp>
#include <riffle/monoid.hpp>
#include <riffle/primitives/central_prefixes.hpp>
#include <riffle/primitives/look_back.hpp>
#include <riffle/primitives/tile_tree.hpp>

#include "support/emulated_gpu.hpp"
#include "support/monoids.hpp"

namespace riffle::test::central_prefixes_test {
namespace {

using riffle::detail::bundle_tiles;
using riffle::detail::LookBack;
using riffle::detail::PrefixTeam;
using riffle::detail::Ticket;
using riffle::test::EmulatedGpu;
namespace backend = riffle::backend;

constexpr int warps = 2;

/// The first team is the prefix team. Every other team sends the totals of `ahead` tiles before it waits for the prefix
/// of the first of these. Tile t has total totals[t], and its prefix goes to prefixes[t].
template <class Op>
struct SendPrefixes {
  using Value = typename Op::value_type;
  using Team = PrefixTeam<Op, warps>;

  struct State {
    Ticket ticket;
    typename Team::State prefix_team;
  };

  template <class Member>
  void operator()(Member const& team) const {
    auto& state = *static_cast<State*>(team.team_scratch(0).get_shmem_aligned(sizeof(State), 16));
    if (team.team_rank() == 0) state.ticket = look_back.take_ticket();
    team.team_barrier();
    auto const [number, epoch] = state.ticket;
    if (number == 0) {
      Team(look_back, epoch, state.prefix_team, team.team_rank()).send_prefixes(team);
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
          look_back.receive_tile_prefix(first, epoch, look_back.peek_tile_prefix(first));
    }
  }

  LookBack<Op> look_back;
  Value const* totals;
  Value* prefixes;
  std::size_t ahead;
};

struct Service {
  std::size_t tiles;
  int teams;
  int resident;
  std::size_t ahead;
  std::uint64_t seed;
};

template <class Op>
void expect_prefixes_in(std::vector<std::uint64_t>& messages, Service const& service, Op const& op,
                        std::vector<typename Op::value_type> const& totals) {
  using Value = typename Op::value_type;
  std::size_t const tiles = service.tiles;
  Value const init = totals[tiles];
  LookBack<Op> const look_back(messages.data(), tiles, static_cast<std::uint64_t>(service.teams),
                               op, init);
  std::vector<Value> prefixes(tiles);
  EmulatedGpu gpu(service.resident, service.seed);
  gpu.run(service.teams, warps * backend::width, sizeof(typename SendPrefixes<Op>::State) + 16,
          SendPrefixes<Op>{look_back, totals.data(), prefixes.data(), service.ahead});
  Value expected = init;
  for (std::size_t t = 0; t < tiles; ++t) {
    ASSERT_TRUE(prefixes[t] == expected) << "tile " << t << " of " << tiles;
    expected = op(expected, totals[t]);
  }
}

template <class Op>
void expect_prefixes(Service const& service) {
  auto const totals = riffle::test::random_values(Op{}, service.tiles + 1, service.seed);
  std::vector<std::uint64_t> messages(LookBack<Op>::words(service.tiles));
  for (int launch = 0; launch < 2; ++launch) expect_prefixes_in(messages, service, Op{}, totals);
}

/// Addition modulo 1000. It counts calls with values that are not below 1000.
struct AddModulo1000 {
  using value_type = std::uint32_t;
  static std::uint32_t identity() { return 0; }
  std::uint32_t operator()(std::uint32_t a, std::uint32_t b) const {
    if (a >= 1000 || b >= 1000) ++*misuses;
    return (a + b) % 1000;
  }
  int* misuses;
};

TEST(PrefixTeam, SendsPrefixesOfMoreBundlesThanItHasWarps) {
  std::size_t const tiles = 9 * bundle_tiles + 5;
  expect_prefixes<riffle::test::Compose>({tiles, 2, 2, 1, 1});
  expect_prefixes<riffle::test::Compose>({tiles, 2, 2, 40, 2});
  expect_prefixes<riffle::test::KeepTail>({tiles, 7, 4, 3, 3});
}

TEST(PrefixTeam, AtTheEdgesOfBundles) {
  for (std::size_t const tiles :
       {std::size_t{1}, std::size_t{2}, std::size_t{bundle_tiles - 1}, std::size_t{bundle_tiles},
        std::size_t{bundle_tiles + 1}, std::size_t{2 * bundle_tiles},
        std::size_t{3 * bundle_tiles + 1}}) {
    expect_prefixes<riffle::test::ComposeAffine>({tiles, 5, 3, 2, tiles});
    expect_prefixes<riffle::test::MultiplyMatrices>({tiles, 4, 4, 1, tiles});
  }
}

// The workspace has the messages of a launch with other values, until each message is replaced.
TEST(PrefixTeam, CombinesOnlySentValues) {
  Service const service{2 * bundle_tiles + 7, 5, 3, 2, 1};
  std::vector<std::uint64_t> messages(LookBack<AddModulo1000>::words(service.tiles));
  std::vector<std::uint32_t> totals(service.tiles + 1, 123'456'789);
  expect_prefixes_in(messages, service, riffle::Sum<std::uint32_t>{}, totals);
  for (std::size_t t = 0; t < totals.size(); ++t) {
    totals[t] = static_cast<std::uint32_t>(t * 37 % 1000);
  }
  int misuses = 0;
  expect_prefixes_in(messages, service, AddModulo1000{&misuses}, totals);
  EXPECT_EQ(misuses, 0);
}

}  // namespace
}  // namespace riffle::test::central_prefixes_test
