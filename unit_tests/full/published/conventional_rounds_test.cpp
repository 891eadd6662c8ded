// Table 1 of the paper for the conventional algorithms: the accesses of scatter and gather on the Hierarchical Memory Machine,
// for the paper's permutations. count_address_groups() must be the time of their casual round.

#include <Kokkos_Core.hpp>
#include <riffle/permute/address_groups.hpp>
#include <riffle/permute/named_permutations.hpp>
#include <riffle/published/offline_permutation/memory_machine.hpp>
#include <riffle/random/random_permutation.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/kasagi_table_1.hpp"
#include "support/views.hpp"

namespace riffle::test::conventional_rounds_test {
namespace {

using Integer = std::uint64_t;
using Images = std::vector<Integer>;

constexpr Integer latency = 300;
constexpr Integer dmms = 8;

template <class Sigma>
Images images(Sigma const& sigma) {
  Images result;
  for (Integer u = 0; u < sigma.size(); ++u) result.push_back(sigma(u));
  return result;
}

template <class Sigma>
Images preimages(Sigma const& sigma) {
  Images result;
  for (Integer u = 0; u < sigma.size(); ++u) result.push_back(sigma.inverse(u));
  return result;
}

/// D_w of sec. 4: the sum, over each w neighbours, of the number of address groups in which their images are.
Integer distribution_of(Images const& p, Integer w) {
  Integer sum = 0;
  for (Integer first = 0; first < p.size(); first += w) {
    std::set<Integer> groups;
    for (Integer i = first; i < std::min<Integer>(first + w, p.size()); ++i)
      groups.insert(p[i] / w);
    sum += groups.size();
  }
  return sum;
}

/// The threads of a launch in blocks; the last block may be partial.
struct Grid {
  Integer n;
  Integer threads;

  Integer blocks() const { return (n + threads - 1) / threads; }
  template <class Address>
  auto of(Address const& address) const {
    return [*this, address](Integer block, Integer thread) {
      Integer const i = block * threads + thread;
      return i < n ? address(i) : no_address;
    };
  }
};

/// Scatter: b[p[i]] <- a[i] with p = `indices`. Gather: b[i] <- a[q[i]] with q = `indices`.
HierarchicalMemoryMachine scattered(Images const& indices, Integer w) {
  Grid const grid{indices.size(), 4 * w};
  auto const own = grid.of([](Integer i) { return i; });
  HierarchicalMemoryMachine machine({.width = w, .latency = latency, .dmms = dmms});
  machine.read_global(grid.blocks(), grid.threads, own);
  machine.read_global(grid.blocks(), grid.threads, own);
  machine.write_global(grid.blocks(), grid.threads, grid.of([&](Integer i) { return indices[i]; }));
  return machine;
}
HierarchicalMemoryMachine gathered(Images const& indices, Integer w) {
  Grid const grid{indices.size(), 4 * w};
  auto const own = grid.of([](Integer i) { return i; });
  HierarchicalMemoryMachine machine({.width = w, .latency = latency, .dmms = dmms});
  machine.read_global(grid.blocks(), grid.threads, own);
  machine.read_global(grid.blocks(), grid.threads, grid.of([&](Integer i) { return indices[i]; }));
  machine.write_global(grid.blocks(), grid.threads, own);
  return machine;
}

/// Compares with rows 1 and 2 of Table 1. n is a multiple of w, and D_w > n/w, so that the round is casual.
template <class Sigma>
void expect_table_1(Sigma const& sigma, Integer w) {
  Integer const n = sigma.size();
  auto const p = images(sigma);
  auto const q = preimages(sigma);
  auto const by_scatter = scattered(p, w);
  EXPECT_EQ(by_scatter.counts(), table_1::destination_designated());
  EXPECT_EQ(by_scatter.time(), table_1::conventional_time(distribution_of(p, w), n, w, latency));
  EXPECT_EQ(by_scatter.rounds()[2].time, distribution_of(p, w) + latency - 1);
  auto const by_gather = gathered(q, w);
  EXPECT_EQ(by_gather.counts(), table_1::source_designated());
  EXPECT_EQ(by_gather.time(), table_1::conventional_time(distribution_of(q, w), n, w, latency));
}

TEST(ConventionalRounds, Shuffle) {
  for (Integer const w : {4, 32}) {
    PerfectShuffle const sigma(4096);
    expect_table_1(sigma, w);
    EXPECT_EQ(scattered(images(sigma), w).time(), 4 * 4096 / w + 3 * latency - 3);
    EXPECT_EQ(gathered(preimages(sigma), w).time(), 4 * 4096 / w + 3 * latency - 3);
  }
}

TEST(ConventionalRounds, BitReversal) {
  for (Integer const w : {4, 32}) {
    BitReversal const sigma(4096);
    expect_table_1(sigma, w);
    EXPECT_EQ(scattered(images(sigma), w).time(), 4096 + 2 * 4096 / w + 3 * latency - 3);
  }
}

TEST(ConventionalRounds, Transpose) {
  for (Integer const w : {4, 32}) {
    TransposePermutation const sigma(64, 64);
    expect_table_1(sigma, w);
    EXPECT_EQ(gathered(preimages(sigma), w).time(), 4096 + 2 * 4096 / w + 3 * latency - 3);
    expect_table_1(TransposePermutation(2 * w, 3 * w), w);
  }
}

TEST(ConventionalRounds, Random) {
  for (Integer const seed : {1, 2, 3}) expect_table_1(RandomPermutation(4096, seed), 32);
}

// The times of the table hold, but the model finds the round coalesced that the table calls casual.
TEST(ConventionalRounds, Identical) {
  Integer const n = 4096;
  Integer const w = 32;
  auto const p = images(IdentityPermutation(n));
  for (auto const& machine : {scattered(p, w), gathered(p, w)}) {
    EXPECT_EQ(machine.counts(), (RoundCounts{0, 0, 2, 1, 0, 0, 0, 0}));
    EXPECT_EQ(machine.time(), table_1::conventional_time(n / w, n, w, latency));
    EXPECT_EQ(machine.time(), 3 * n / w + 3 * latency - 3);
  }
}

// --- count_address_groups() on the device, and the model ---

template <class Exec>
class ConventionalRoundsTest : public ::testing::Test {
 protected:
  /// n need not be a multiple of w.
  template <class Sigma>
  void expect_distribution(Sigma const& sigma, Integer w) {
    auto const p = images(sigma);
    EXPECT_EQ(riffle::count_address_groups(exec, to_view<Exec>(p), w),
              scattered(p, w).rounds()[2].stages);
    auto const q = preimages(sigma);
    EXPECT_EQ(riffle::count_address_groups(exec, to_view<Exec>(q), w),
              gathered(q, w).rounds()[1].stages);
  }

  Exec exec;
};
TYPED_TEST_SUITE(ConventionalRoundsTest, ExecutionSpaces, SpaceNames);

TYPED_TEST(ConventionalRoundsTest, DistributionIsTheStagesOfTheCasualRound) {
  for (Integer const w : {1, 4, 7, 32, 100}) {
    SCOPED_TRACE(w);
    this->expect_distribution(IdentityPermutation(1009), w);
    this->expect_distribution(PerfectShuffle(1010), w);
    this->expect_distribution(BitReversal(1024), w);
    this->expect_distribution(TransposePermutation(31, 33), w);
    this->expect_distribution(RandomPermutation(1009, 7), w);
  }
}

}  // namespace
}  // namespace riffle::test::conventional_rounds_test
