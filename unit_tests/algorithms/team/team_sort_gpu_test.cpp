// The GPU's kernels on an emulated GPU, and their addresses on the memory machine.

#include <Kokkos_Core.hpp>
#include <riffle/primitives/quads.hpp>
#include <riffle/published/offline_permutation/memory_machine.hpp>
#include <riffle/team/team_sort.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

#include "support/emulated_gpu.hpp"
#include "support/emulated_space.hpp"

namespace riffle::test::team_sort_gpu_test {
namespace {

namespace ts = detail::team_sort;

template <class T>
using HostView = Kokkos::View<T*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;

/// Calls sort(member) for all threads of one team, and returns whether it succeeds; all threads must return the same value.
template <class Sort>
bool run_emulated_team(int threads, std::size_t bytes, Sort const& sort) {
  int successes = 0;
  EmulatedGpu(1, 7).run(1, threads, bytes, [&](EmulatedMember const& member) {
    if (sort(member)) Kokkos::atomic_inc(&successes);
  });
  EXPECT_TRUE(successes == 0 || successes == threads);
  return successes == threads;
}

template <class Entries, class Key>
bool sort_by_emulated_gpu(int threads, std::size_t bytes, Entries const& entries,
                          std::vector<Key>& vector) {
  HostView<Key> const keys(vector.data(), vector.size());
  return run_emulated_team(threads, bytes, [&](EmulatedMember const& member) {
    return ts::sort_keys_by_network(member, entries, keys, keys);
  });
}

template <class Entries, class Key, class Value>
bool sort_by_emulated_gpu(int threads, std::size_t bytes, Entries const& entries,
                          std::vector<Key>& keys, std::vector<Value>& values) {
  return run_emulated_team(threads, bytes, [&](EmulatedMember const& member) {
    return ts::sort_pairs_by_network(member, entries, HostView<Key>(keys.data(), keys.size()),
                                     HostView<Value>(values.data(), values.size()));
  });
}

using Numbers = ts::KeyEntries<std::uint32_t, Ascending>;

std::vector<std::uint32_t> random_keys(std::size_t n, std::uint32_t most) {
  std::mt19937 random(static_cast<std::uint32_t>(n));
  std::vector<std::uint32_t> keys(n);
  for (auto& key : keys) key = random() % most;
  return keys;
}

void expect_sorts(std::vector<std::uint32_t> keys, int threads) {
  auto expected = keys;
  std::sort(expected.begin(), expected.end());
  auto const bytes = team_sort_scratch_bytes<std::uint32_t>(keys.size());
  ASSERT_TRUE(sort_by_emulated_gpu(threads, bytes, Numbers{}, keys));
  EXPECT_EQ(keys, expected) << keys.size() << " keys, " << threads << " threads";
}

TEST(TeamSortGpu, EverySizeAroundAChunk) {
  for (std::size_t n = 0; n <= 1100; ++n)
    expect_sorts(random_keys(n, n % 2 == 0 ? 1000000 : 7), 32);
}

TEST(TeamSortGpu, SizesAroundPowersOfTwoAndOfChunks) {
  for (std::size_t const n :
       {2047, 2048, 2049, 3072, 3073, 4095, 4096, 4097, 5120, 7000, 8191, 8192, 8193, 11000}) {
    for (int const threads : {64, 96, 256}) expect_sorts(random_keys(n, 1u << 31), threads);
  }
  for (std::size_t const n : {16383, 16384, 16385, 33000}) expect_sorts(random_keys(n, 5000), 512);
}

TEST(TeamSortGpu, TeamsOfAnySize) {
  for (int const threads : {32, 64, 160, 1024}) expect_sorts(random_keys(5000, 1u << 31), threads);
}

/// A network sorts all inputs if it sorts all inputs of zeros and ones. Tested are inputs with scattered ones, and with all ones
/// first, for many numbers of ones.
TEST(TeamSortGpu, ZerosAndOnes) {
  std::size_t const n = 2048;
  for (std::size_t ones = 0; ones <= n; ones += 61) {
    std::vector<std::uint32_t> keys(n, 0);
    for (std::size_t k = 0; k < ones; ++k) keys[k * 911 % n] = 1;
    expect_sorts(keys, 64);
    std::fill(keys.begin(), keys.end(), 0);
    std::fill(keys.begin(), keys.begin() + static_cast<std::ptrdiff_t>(ones), 1);
    expect_sorts(keys, 64);
  }
}

TEST(TeamSortGpu, RegularInputs) {
  for (std::size_t const n : {1000, 4096, 5000}) {
    auto keys = std::vector<std::uint32_t>(n);
    std::iota(keys.begin(), keys.end(), 0u);
    expect_sorts(keys, 128);
    std::reverse(keys.begin(), keys.end());
    expect_sorts(keys, 128);
    for (std::size_t i = 0; i < n; ++i)
      keys[i] = static_cast<std::uint32_t>(std::min(i, n - 1 - i));
    expect_sorts(keys, 128);
  }
}

/// Compares the last digit only, so that most keys tie.
struct ByLastDigit {
  template <class T>
  KOKKOS_FUNCTION bool operator()(T const& a, T const& b) const {
    return a.key % 10 < b.key % 10;
  }
};

template <std::size_t words>
struct Item {
  std::uint32_t key;
  std::uint32_t others[words] = {};

  bool operator==(Item const&) const = default;
};

template <std::size_t words>
void expect_stable(std::size_t n) {
  using T = Item<words>;
  std::vector<T> keys(n);
  for (std::size_t i = 0; i < n; ++i) {
    keys[i].key = static_cast<std::uint32_t>(i * 7919 % 1009);
    std::fill(keys[i].others, keys[i].others + words, static_cast<std::uint32_t>(i));
  }
  auto expected = keys;
  std::stable_sort(expected.begin(), expected.end(), ByLastDigit{});
  auto const bytes = team_sort_scratch_bytes<T, ByLastDigit>(n);
  ASSERT_TRUE(sort_by_emulated_gpu(96, bytes, ts::KeyEntries<T, ByLastDigit>(ByLastDigit{}), keys));
  EXPECT_TRUE(keys == expected) << n << " keys of " << sizeof(T) << " bytes";
}

TEST(TeamSortGpu, ComparisonsOfUsersAreStable) {
  for (std::size_t const n : {1, 2, 255, 512, 513, 2000, 4097}) {
    expect_stable<1>(n);
    expect_stable<5>(n);
    expect_stable<11>(n);
  }
}

/// Expects that values(i) moves with keys(i), and that tied keys keep their order.
template <class Key, class Value>
void expect_sorts_by_key(std::size_t n, std::uint32_t most) {
  auto const numbers = random_keys(n, most);
  std::vector<Key> keys(numbers.begin(), numbers.end());
  std::vector<Value> values(n);
  for (std::size_t i = 0; i < n; ++i) values[i] = Value{static_cast<std::uint32_t>(i)};
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return keys[a] < keys[b]; });
  std::vector<Key> expected_keys;
  std::vector<Value> expected_values;
  for (auto const i : order) {
    expected_keys.push_back(keys[i]);
    expected_values.push_back(values[i]);
  }
  auto const bytes = team_sort_by_key_scratch_bytes<Key, Value>(n);
  ASSERT_TRUE(sort_by_emulated_gpu(64, bytes, ts::PairEntries<Key, Ascending>{}, keys, values));
  EXPECT_EQ(keys, expected_keys);
  EXPECT_TRUE(values == expected_values) << n << " values of " << sizeof(Value) << " bytes";
}

TEST(TeamSortGpu, ValuesMoveWithKeys) {
  for (std::size_t const n : {0, 1, 31, 512, 1000, 3000}) {
    expect_sorts_by_key<std::uint32_t, std::uint32_t>(n, 100);
    expect_sorts_by_key<double, Item<3>>(n, 50);
  }
}

TEST(TeamSortGpu, KeepsKeysUnchangedIfItCannotSort) {
  auto const keys = random_keys(3000, 1000);
  auto const needed = team_sort_scratch_bytes<std::uint32_t>(keys.size());
  auto sorted = keys;
  EXPECT_FALSE(sort_by_emulated_gpu(64, 4000, Numbers{}, sorted));
  EXPECT_EQ(sorted, keys);
  EXPECT_FALSE(sort_by_emulated_gpu(16, needed, Numbers{}, sorted));
  EXPECT_EQ(sorted, keys);
  std::vector<Item<1>> items(65537);
  items[0].key = 2;
  using Entries = ts::KeyEntries<Item<1>, ByLastDigit>;
  EXPECT_FALSE(sort_by_emulated_gpu(64, std::size_t{2} << 20, Entries(ByLastDigit{}), items));
  EXPECT_EQ(items[0].key, 2u);
}

// With scratch memory for `block` keys.
void expect_sorts_in_blocks(std::vector<std::uint32_t> keys, std::size_t block) {
  auto expected = keys;
  std::sort(expected.begin(), expected.end());
  auto const bytes = team_sort_scratch_bytes<std::uint32_t>(block);
  ASSERT_TRUE(sort_by_emulated_gpu(96, bytes, Numbers{}, keys));
  EXPECT_EQ(keys, expected) << keys.size() << " keys in blocks of " << block;
}

TEST(TeamSortGpu, MoreNumbersThanScratchMemoryHolds) {
  for (std::size_t const n : {1025, 2048, 3000, 5000, 8192, 16384, 16385, 20000, 66000}) {
    for (std::size_t const block : {1024, 2048, 3000, 8192, 16384}) {
      expect_sorts_in_blocks(random_keys(n, 1u << 31), block);
    }
    expect_sorts_in_blocks(random_keys(n, 3), 4096);
  }
}

// --- addresses ---

/// Checks the accesses of one window to entries of `words` words, for 2^level entries.
template <int bits, int low, int mirror>
void expect_no_conflict(std::uint64_t words) {
  HierarchicalMemoryMachine machine({32, 400, 1, 1});
  for (int e = 0; e < 1 << bits; ++e) {
    machine.read_shared(1, words << (14 - bits), in_vectors(words, [&](auto, auto thread) {
                          ts::HeldByThread<bits, low, mirror> const held(static_cast<int>(thread));
                          return static_cast<std::uint64_t>(held.position(e)) * words;
                        }));
  }
  EXPECT_EQ(machine.counts().conflict_free_reading, std::uint64_t{1} << bits)
      << "bits " << bits << ", low " << low << ", mirror " << mirror;
}

template <int bits, int level>
void expect_no_conflict_of_levels(std::uint64_t words) {
  constexpr int low = ts::window_of_level(level, bits);
  expect_no_conflict<bits, low, level - 1 - low>(words);
  if constexpr (level < 14) expect_no_conflict_of_levels<bits, level + 1>(words);
}

TEST(TeamSortGpu, NoBankConflicts) {
  expect_no_conflict<5, 0, -1>(1);
  expect_no_conflict<5, 5, -1>(1);
  expect_no_conflict_of_levels<5, 6>(1);
  expect_no_conflict<4, 0, -1>(2);
  expect_no_conflict<4, 4, -1>(2);
  expect_no_conflict<4, 5, -1>(2);
  expect_no_conflict<4, 8, -1>(2);
  expect_no_conflict_of_levels<4, 5>(2);
}

TEST(TeamSortGpu, SizeOfATeam) {
  using Host = Kokkos::DefaultHostExecutionSpace;
  EXPECT_EQ((riffle::team_sort_size<Host, float>(4096)), 1);
  EXPECT_EQ((riffle::team_sort_size<EmulatedSpace, float>(0)), 32);
  EXPECT_EQ((riffle::team_sort_size<EmulatedSpace, float>(1024)), 32);
  EXPECT_EQ((riffle::team_sort_size<EmulatedSpace, float>(1025)), 64);
  EXPECT_EQ((riffle::team_sort_size<EmulatedSpace, double>(1024)), 64);
  EXPECT_EQ((riffle::team_sort_size<EmulatedSpace, double>(65536)), 1024);
}

// For each begin of the team's scratch memory, also for elements that are read by quads.
TEST(StagedValues, AreAlignedAsTheirTypeAsks) {
  struct alignas(32) Wide {
    double x[4];
  };
  using Staged = riffle::detail::team_sort::StagedValues<float, Wide>;
  alignas(64) std::byte memory[4096];
  for (std::size_t const begin : {0, 16, 32, 48}) {
    auto const* const last = Staged::at(memory + begin, 40, 39, 0);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(last) % 32, 0u) << begin;
    EXPECT_LE(
        reinterpret_cast<std::byte const*>(last + 1),
        memory + begin + riffle::detail::team_sort::Shape<float>::bytes(40) + Staged::bytes(40));
  }
  static_assert(alignof(riffle::detail::Quad<Wide>::Elements) == 32);
  static_assert(alignof(riffle::detail::Quad<float>::Elements) == 16);
  static_assert(alignof(riffle::detail::Quad<std::int16_t>::Elements) == 8);
}

}  // namespace
}  // namespace riffle::test::team_sort_gpu_test
