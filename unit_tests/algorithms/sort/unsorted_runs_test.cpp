// Keys that are in order but for their lower bits, put in order.

#include <Kokkos_Core.hpp>
#include <riffle/primitives/loops.hpp>
#include <riffle/sort/detail/gpu/keys_gpu.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/views.hpp"

namespace riffle::test::unsorted_runs_test {
namespace {

namespace sort = detail::sort;

using Keys = std::vector<std::uint64_t>;

constexpr int first_bit = 8;
constexpr std::size_t most = sort::FindDisorder::most;

struct Entry {
  std::uint64_t key;
  std::uint32_t index;

  bool operator==(Entry const&) const = default;
};

std::vector<Entry> entries_of(Keys const& keys) {
  std::vector<Entry> entries;
  for (auto const key : keys) {
    entries.push_back({key, static_cast<std::uint32_t>(entries.size())});
  }
  return entries;
}

/// What a stable sort makes of them.
std::vector<Entry> sorted(Keys const& keys) {
  auto entries = entries_of(keys);
  std::stable_sort(entries.begin(), entries.end(),
                   [](Entry const& a, Entry const& b) { return a.key < b.key; });
  return entries;
}

/// Lists of neighbours with the same upper bits, of the sizes given; their lower bits at random.
Keys alike(std::vector<std::size_t> const& sizes, unsigned seed = 1) {
  std::mt19937 generator(seed);
  Keys keys;
  for (std::size_t list = 0; list < sizes.size(); ++list) {
    for (std::size_t k = 0; k < sizes[list]; ++k) {
      keys.push_back(std::uint64_t{list} << first_bit | (generator() & 0xFFu));
    }
  }
  return keys;
}

template <class Exec>
class MendOrderTest : public ::testing::Test {
 protected:
  /// Finds lists, and mends them if the order is not lost.
  sort::Disorder mend(Keys const& keys, std::uint64_t room = 1000) {
    std::uint64_t const n = keys.size();
    auto const own = to_view<Exec>(keys);
    auto const lists = to_view<Exec>(Keys(room + 1));
    std::vector<std::uint32_t> places(n);
    for (std::size_t k = 0; k < n; ++k) places[k] = static_cast<std::uint32_t>(k);
    auto const indices = to_view<Exec>(places);
    sort::FindDisorder const find{{own.data(), n, first_bit}, lists.data(), lists.data() + 1, room};
    sort::Disorder disorder;
    Kokkos::parallel_reduce("find", detail::range(exec, 0, n - 1), find,
                            Kokkos::Sum<sort::Disorder>(disorder));
    if (disorder.is_lost == 0) {
      Kokkos::parallel_for("mend", detail::range(exec, 0, disorder.lists),
                           sort::MendLists<std::uint32_t>{lists.data() + 1, own.data(),
                                                          indices.data(), n, first_bit});
    }
    exec.fence();
    mended.clear();
    auto const keys_after = to_vector(own);
    auto const indices_after = to_vector(indices);
    for (std::size_t k = 0; k < n; ++k) mended.push_back({keys_after[k], indices_after[k]});
    return disorder;
  }

  void expect_mended(Keys const& keys) {
    auto const disorder = mend(keys);
    EXPECT_EQ(disorder.is_lost, 0u);
    EXPECT_EQ(mended, sorted(keys));
  }

  void expect_lost(Keys const& keys, std::uint64_t room = 1000) {
    auto const disorder = mend(keys, room);
    EXPECT_EQ(disorder.is_lost, 1u);
    EXPECT_EQ(mended, entries_of(keys));
  }

  Exec exec;
  std::vector<Entry> mended;
};
TYPED_TEST_SUITE(MendOrderTest, ExecutionSpaces, SpaceNames);

TYPED_TEST(MendOrderTest, ListsOfAllSizes) {
  std::vector<std::size_t> sizes;
  for (std::size_t size = 1; size <= most; ++size) sizes.insert(sizes.end(), {size, 1, size});
  for (unsigned const seed : {1u, 2u, 3u}) this->expect_mended(alike(sizes, seed));
  for (std::size_t size = 2; size <= most; ++size) this->expect_mended(alike({size}));
}

TYPED_TEST(MendOrderTest, TiesStayInTheirOrder) {
  this->expect_mended({1, 0, 1, 0, 1, 0, 256 + 7, 256 + 7, 256 + 6, 256 + 6});
}

TYPED_TEST(MendOrderTest, SortedInputIsUnchanged) {
  auto keys = alike({most, most + 1, 3 * most, 1, 2});
  std::sort(keys.begin(), keys.end());
  EXPECT_EQ(this->mend(keys).lists, 0u);
  this->expect_mended(keys);
  this->expect_mended(Keys(100, 5));
}

TYPED_TEST(MendOrderTest, OneListIsFoundOnce) {
  EXPECT_EQ(this->mend({5, 4, 3, 4, 2, 256}).lists, 1u);
  EXPECT_EQ(this->mend({5, 4, 256 + 1, 256, 512}).lists, 2u);
}

// One more than a thread mends, out of order at any place of them.
TYPED_TEST(MendOrderTest, LongListsOutOfOrder) {
  for (std::size_t place = 0; place < most; ++place) {
    Keys keys(most + 1, 9);
    for (std::size_t k = place + 1; k <= most; ++k) keys[k] = 8;
    this->expect_lost(keys);
    keys.insert(keys.begin(), 20, 1);
    keys.insert(keys.end(), 20, 1000);
    std::stable_partition(keys.begin(), keys.begin() + 20, [](auto key) { return key == 1; });
    this->expect_lost(keys);
  }
}

TYPED_TEST(MendOrderTest, UpperBitsOutOfOrder) {
  this->expect_lost({256, 0});
  this->expect_lost({0, 1, 512, 256, 1024});
}

TYPED_TEST(MendOrderTest, MoreListsThanFit) {
  this->expect_lost({1, 0, 257, 256, 513, 512}, 2);
  EXPECT_EQ(this->mend({1, 0, 257, 256, 513, 512}, 3).is_lost, 0u);
}

}  // namespace
}  // namespace riffle::test::unsorted_runs_test
