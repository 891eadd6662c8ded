// Table 1 of the paper for the conventional algorithms: the address streams of scatter and gather on the
// Hierarchical Memory Machine, for its permutations by name; and that count_address_groups() is what their casual round
// takes.

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
#include "support/table_1.hpp"
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

/// Address groups of p that each w neighbours are in, as sec. 4 defines D_w.
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

/// Threads in blocks, the last of which may be partial.
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

/// b[p[i]] <- a[i], where p is `indices`; b[i] <- a[q[i]], where q is.
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

/// Rows 1 and 2 of Table 1 for a permutation with n a multiple of w that is not the identity's kind: D_w > n/w.
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

// The rows' times hold; but the round that Table 1 calls casual is found to be coalesced.
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
  /// For n that w need not divide.
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
