// The memory machines: the paper's examples and lemmas, and irregular rounds.

#include <riffle/published/offline_permutation/memory_machine.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "support/kasagi_table_1.hpp"
#include "support/thrown_message.hpp"

namespace riffle::test::memory_machine_test {
namespace {

using Integer = std::uint64_t;

/// An address function of a list.
auto in_list(std::vector<Integer> const& addresses) {
  return [&addresses](Integer thread) { return addresses.at(thread); };
}

std::vector<Integer> const figure_2{7, 5, 15, 0, 10, 11, 12, 9};

// --- the paper's examples ---

TEST(MemoryMachine, Figure2OnTheDiscreteMachine) {
  DiscreteMemoryMachine machine({.width = 4, .latency = 5});
  auto const round = machine.write(8, in_list(figure_2));
  EXPECT_EQ(round.stages, 3u);
  EXPECT_EQ(round.max_stages, 2u);
  EXPECT_EQ(round.time, 7u);
  EXPECT_EQ(round.kind, RoundKind::casual);
  EXPECT_EQ(machine.counts(), (RoundCounts{0, 0, 0, 0, 0, 0, 0, 1}));
}

TEST(MemoryMachine, Figure2OnTheUnifiedMachine) {
  UnifiedMemoryMachine machine({.width = 4, .latency = 5});
  auto const round = machine.read(8, in_list(figure_2));
  EXPECT_EQ(round.stages, 5u);
  EXPECT_EQ(round.max_stages, 3u);
  EXPECT_EQ(round.time, 9u);
  EXPECT_EQ(round.kind, RoundKind::casual);
  EXPECT_EQ(machine.counts(), (RoundCounts{1, 0, 0, 0, 0, 0, 0, 0}));
}

TEST(MemoryMachine, Lemma1) {
  for (Integer const w : {1, 4, 32}) {
    for (Integer const latency : {1, 5, 200}) {
      for (Integer const k : {1, 3, 8}) {
        Integer const blocks = 2 * k;
        Integer const threads = 4 * w;
        Integer const n = blocks * threads;
        HierarchicalMemoryMachine machine({.width = w, .latency = latency, .dmms = k});
        auto const global = machine.read_global(
            blocks, threads, [&](Integer b, Integer t) { return b * threads + t; });
        EXPECT_EQ(global.kind, RoundKind::coalesced);
        EXPECT_EQ(global.time, n / w + latency - 1);
        // Each warp accesses each bank once, in reverse order.
        auto const shared = machine.write_shared(
            blocks, threads, [&](Integer, Integer t) { return t / w * w + (w - 1 - t % w); });
        EXPECT_EQ(shared.kind, RoundKind::conflict_free);
        EXPECT_EQ(shared.time, n / (k * w));
        EXPECT_EQ(machine.time(), global.time + shared.time);
      }
    }
  }
}

// "Casual memory access ... may take n + L - 1 time units and n time units."
TEST(MemoryMachine, TheSlowestRounds) {
  Integer const w = 8;
  Integer const n = 64;
  auto const stride_w = [&](Integer, Integer t) { return t * w; };
  HierarchicalMemoryMachine machine({.width = w, .latency = 10});
  EXPECT_EQ(machine.write_global(1, n, stride_w).time, n + 9);
  EXPECT_EQ(machine.read_shared(1, n, stride_w).time, n);
  EXPECT_EQ(machine.counts(), (RoundCounts{0, 1, 0, 0, 0, 0, 1, 0}));
}

/// The transposition of a side x side matrix by tiles of w x w (sec. 5 of the paper): block r side / w + c has tile (r, c), with
/// cell (i, j) of the tile at i w + skew(i, j).
template <class Skew>
void run_transpose(HierarchicalMemoryMachine& machine, Integer side, Integer w, Skew const& skew) {
  Integer const tiles = side / w;
  auto const at = [&](Integer i, Integer j) { return i * w + skew(i, j); };
  machine.read_global(tiles * tiles, w * w, [&](Integer b, Integer t) {
    return (b / tiles * w + t / w) * side + b % tiles * w + t % w;
  });
  machine.write_shared(tiles * tiles, w * w, [&](Integer, Integer t) { return at(t / w, t % w); });
  machine.read_shared(tiles * tiles, w * w, [&](Integer, Integer t) { return at(t % w, t / w); });
  machine.write_global(tiles * tiles, w * w, [&](Integer b, Integer t) {
    return (b % tiles * w + t / w) * side + b / tiles * w + t % w;
  });
}

TEST(MemoryMachine, TransposeOfTable1) {
  auto const row = table_1::regular();
  for (Integer const w : {4, 8}) {
    for (Integer const k : {1, 4, 16}) {
      Integer const side = 4 * w;
      HierarchicalMemoryMachine machine({.width = w, .latency = 100, .dmms = k});
      run_transpose(machine, side, w, [&](Integer i, Integer j) { return (i + j) % w; });
      EXPECT_EQ(machine.counts(), row.rounds);
      EXPECT_EQ(machine.time(), row.time(side * side, w, k, 100));
    }
  }
}

TEST(MemoryMachine, TransposeWithoutTheDiagonalHasConflicts) {
  Integer const w = 4;
  HierarchicalMemoryMachine machine({.width = w, .latency = 100, .dmms = 1});
  run_transpose(machine, 16, w, [](Integer, Integer j) { return j; });
  EXPECT_EQ(machine.counts(), (RoundCounts{0, 0, 1, 1, 0, 1, 1, 0}));
  EXPECT_EQ(machine.rounds()[2].time, 256u);  // w times the time without conflicts
}

// --- rounds of other kinds ---

TEST(MemoryMachine, OneAddressForAllIsNoConflict) {
  HierarchicalMemoryMachine machine({.width = 32});
  auto const same = [](Integer, Integer) { return 77; };
  EXPECT_EQ(machine.read_shared(1, 64, same).stages, 2u);
  EXPECT_EQ(machine.read_global(1, 64, same).stages, 2u);
  EXPECT_EQ(machine.counts(), (RoundCounts{0, 0, 1, 0, 1, 0, 0, 0}));
}

// Half of the lanes read one address of a bank and half another: two stages, not sixteen.
TEST(MemoryMachine, AddressesOfABankCountOnce) {
  DiscreteMemoryMachine machine({.width = 32, .latency = 1});
  EXPECT_EQ(machine.read(32, [](Integer t) { return t % 2 * 32; }).stages, 2u);
}

// w consecutive addresses that do not begin at a multiple of w are in two groups, although they are in w banks.
TEST(MemoryMachine, ShiftedByOne) {
  HierarchicalMemoryMachine machine({.width = 8, .latency = 3});
  auto const next = [](Integer, Integer t) { return t + 1; };
  auto const global = machine.read_global(1, 32, next);
  EXPECT_EQ(global.kind, RoundKind::casual);
  EXPECT_EQ(global.stages, 8u);
  EXPECT_EQ(machine.read_shared(1, 32, next).kind, RoundKind::conflict_free);
}

// One warp with a casual access makes the round casual.
TEST(MemoryMachine, OneCasualWarp) {
  UnifiedMemoryMachine machine({.width = 4, .latency = 1});
  auto const round = machine.write(400, [](Integer t) { return t == 203 ? 0 : t; });
  EXPECT_EQ(round.kind, RoundKind::casual);
  EXPECT_EQ(round.stages, 101u);
}

// The last warp of a block is partial; the next block begins a new warp.
TEST(MemoryMachine, PartialWarps) {
  HierarchicalMemoryMachine machine({.width = 4, .latency = 1});
  auto const round = machine.read_global(3, 6, [](Integer b, Integer t) { return b * 8 + t; });
  EXPECT_EQ(round.requests, 18u);
  EXPECT_EQ(round.warps, 6u);
  EXPECT_EQ(round.time, 6u);
  EXPECT_EQ(round.kind, RoundKind::coalesced);
}

TEST(MemoryMachine, InactiveThreads) {
  HierarchicalMemoryMachine machine({.width = 4, .latency = 7});
  // Threads 0 and 2 of the first warp access memory, none of the second, one of the third.
  auto const round = machine.write_global(1, 12, [](Integer, Integer t) {
    bool const takes_part = t < 4 ? t % 2 == 0 : t == 9;
    return takes_part ? t : no_address;
  });
  EXPECT_EQ(round.requests, 3u);
  EXPECT_EQ(round.warps, 2u);
  EXPECT_EQ(round.time, 8u);
  EXPECT_EQ(round.kind, RoundKind::coalesced);
}

// Inactive threads have no conflicts: one of two accesses to each bank remains.
TEST(MemoryMachine, InactiveThreadsMakeNoConflict) {
  DiscreteMemoryMachine machine({.width = 4, .latency = 1});
  auto const address = [](bool all) {
    return [all](Integer t) -> std::optional<Integer> {
      if (!all && t >= 2) return std::nullopt;
      return t % 2 + 4 * (t / 2);
    };
  };
  EXPECT_EQ(machine.read(4, address(true)).kind, RoundKind::casual);
  EXPECT_EQ(machine.read(4, address(false)).kind, RoundKind::conflict_free);
}

TEST(MemoryMachine, RoundsWithoutActiveThreads) {
  HierarchicalMemoryMachine machine({.width = 4, .latency = 7});
  auto const nobody = [](Integer, Integer) { return no_address; };
  EXPECT_EQ(machine.read_global(2, 10, nobody).time, 0u);
  EXPECT_EQ(machine.read_shared(0, 10, [](Integer, Integer t) { return t; }).time, 0u);
  EXPECT_EQ(machine.time(), 0u);
  EXPECT_EQ(machine.rounds().size(), 2u);
}

// The slowest DMM determines the time: two DMMs have three and two of five blocks. The second model has a latency of shared
// memory, too.
TEST(MemoryMachine, BlocksThatDoNotDivide) {
  auto const own = [](Integer, Integer t) { return t; };
  HierarchicalMemoryMachine two({.width = 4, .latency = 9, .dmms = 2});
  EXPECT_EQ(two.read_shared(5, 8, own).time, 6u);
  HierarchicalMemoryMachine slow({.width = 4, .latency = 9, .dmms = 2, .shared_latency = 3});
  EXPECT_EQ(slow.read_shared(5, 8, own).time, 8u);
  // Block 3 alone has conflicts, and DMM 1 has it.
  EXPECT_EQ(two.read_shared(4, 4, [](Integer b, Integer t) { return b == 3 ? 4 * t : t; }).time,
            5u);
}

// Each thread accesses four cells, so a warp takes four stages.
TEST(MemoryMachine, VectorAccess) {
  HierarchicalMemoryMachine machine({.width = 8, .latency = 1});
  auto const four_each = [](Integer b, Integer t) { return (b * 16 + t) * 4; };
  EXPECT_EQ(machine.read_global(3, 16, four_each).kind, RoundKind::casual);
  auto const round = machine.read_global(3, 16 * 4, in_vectors(4, four_each));
  EXPECT_EQ(round.kind, RoundKind::coalesced);
  EXPECT_EQ(round.time, 24u);
  EXPECT_EQ(
      machine
          .write_shared(
              1, 64, in_vectors(4, [](Integer, Integer t) { return t < 3 ? 4 * t : no_address; }))
          .requests,
      12u);
}

TEST(MemoryMachine, ClearsItsRounds) {
  UnifiedMemoryMachine machine({.width = 4, .latency = 7});
  machine.read(4, [](Integer t) { return t; });
  machine.clear();
  EXPECT_EQ(machine.time(), 0u);
  EXPECT_EQ(machine.counts(), RoundCounts());
}

// --- against a plain count ---

/// The stages of a warp by the definitions of sec. 2.
Integer groups_of(std::vector<Integer> const& warp, Integer w) {
  std::set<Integer> groups;
  for (Integer const a : warp) groups.insert(a / w);
  return groups.size();
}
Integer bank_stages_of(std::vector<Integer> const& warp, Integer w) {
  std::map<Integer, std::set<Integer>> banks;
  for (Integer const a : warp) banks[a % w].insert(a);
  Integer most = 0;
  for (auto const& [bank, addresses] : banks) most = std::max<Integer>(most, addresses.size());
  return most;
}

TEST(MemoryMachine, RandomAddresses) {
  std::mt19937_64 random(1);
  for (int repetition = 0; repetition < 300; ++repetition) {
    Integer const w = 1 + random() % 40;
    Integer const k = 1 + random() % 4;
    Integer const blocks = random() % 6;
    Integer const threads = random() % 100;
    Integer const cells = 1 + random() % 200;
    std::vector<Integer> addresses(blocks * threads);
    for (auto& a : addresses) a = random() % 5 == 0 ? no_address : random() % cells;
    Integer groups = 0;
    Integer dispatched = 0;
    std::vector<Integer> busy(k);
    for (Integer b = 0; b < blocks; ++b) {
      std::map<Integer, std::vector<Integer>> warps;
      for (Integer t = 0; t < threads; ++t) {
        Integer const a = addresses[b * threads + t];
        if (a != no_address) warps[t / w].push_back(a);
      }
      for (auto const& [number, warp] : warps) {
        groups += groups_of(warp, w);
        busy[b % k] += bank_stages_of(warp, w);
      }
      dispatched += warps.size();
    }
    auto const address = [&](Integer b, Integer t) { return addresses[b * threads + t]; };
    HierarchicalMemoryMachine machine({.width = w, .latency = 6, .dmms = k});
    auto const global = machine.read_global(blocks, threads, address);
    auto const shared = machine.read_shared(blocks, threads, address);
    EXPECT_EQ(global.time, dispatched == 0 ? 0 : groups + 5);
    EXPECT_EQ(global.kind == RoundKind::coalesced, groups == dispatched);
    EXPECT_EQ(shared.time, *std::max_element(busy.begin(), busy.end()));
    EXPECT_EQ(shared.kind == RoundKind::conflict_free, shared.stages == dispatched);
    EXPECT_EQ(shared.warps, dispatched);
  }
}

// --- invalid parameters ---

TEST(MemoryMachine, RejectsZeroParameters) {
  auto const error_of = [](HierarchicalMachineParameters const& p) {
    return thrown_message([&] { HierarchicalMemoryMachine machine(p); });
  };
  std::string const hmm = "riffle::HierarchicalMemoryMachine: ";
  EXPECT_EQ(error_of({.width = 0}), hmm + "width = 0: must be at least 1");
  EXPECT_EQ(error_of({.latency = 0}), hmm + "latency = 0: must be at least 1");
  EXPECT_EQ(error_of({.dmms = 0}), hmm + "dmms = 0: must be at least 1");
  EXPECT_EQ(error_of({.shared_latency = 0}), hmm + "shared_latency = 0: must be at least 1");
  EXPECT_EQ(thrown_message([] { DiscreteMemoryMachine({.width = 0}); }),
            "riffle::DiscreteMemoryMachine: width = 0: must be at least 1");
  EXPECT_EQ(thrown_message([] { UnifiedMemoryMachine({.latency = 0}); }),
            "riffle::UnifiedMemoryMachine: latency = 0: must be at least 1");
}

}  // namespace
}  // namespace riffle::test::memory_machine_test
