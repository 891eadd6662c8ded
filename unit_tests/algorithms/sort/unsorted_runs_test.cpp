// Keys that are sorted by their upper bits: the runs that are not sorted are found and sorted.

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
constexpr std::size_t max_run_size = sort::FindUnsortedRuns::max_run_size;

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

/// The result of a stable sort.
std::vector<Entry> sorted(Keys const& keys) {
  auto entries = entries_of(keys);
  std::stable_sort(entries.begin(), entries.end(),
                   [](Entry const& a, Entry const& b) { return a.key < b.key; });
  return entries;
}

/// Runs of these sizes, of keys with equal upper bits and random lower bits.
Keys runs_with_equal_upper_bits(std::vector<std::size_t> const& sizes, unsigned seed = 1) {
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
class UnsortedRunsTest : public ::testing::Test {
 protected:
  /// Finds unsorted runs, and sorts them unless a full sort is needed.
  sort::UnsortedRuns sort_runs(Keys const& keys, std::uint64_t capacity = 1000) {
    std::uint64_t const n = keys.size();
    auto const own = to_view<Exec>(keys);
    auto const begins = to_view<Exec>(Keys(capacity + 1));
    std::vector<std::uint32_t> places(n);
    for (std::size_t k = 0; k < n; ++k) places[k] = static_cast<std::uint32_t>(k);
    auto const indices = to_view<Exec>(places);
    sort::FindUnsortedRuns const find{
        {own.data(), n, first_bit}, begins.data(), begins.data() + 1, capacity};
    sort::UnsortedRuns found;
    Kokkos::parallel_reduce("find", detail::range(exec, 0, n - 1), find,
                            Kokkos::Sum<sort::UnsortedRuns>(found));
    if (found.needs_full_sort == 0) {
      Kokkos::parallel_for("sort_runs", detail::range(exec, 0, found.runs),
                           sort::SortRuns<std::uint32_t>{begins.data() + 1, own.data(),
                                                         indices.data(), n, first_bit});
    }
    exec.fence();
    result.clear();
    auto const keys_after = to_vector(own);
    auto const indices_after = to_vector(indices);
    for (std::size_t k = 0; k < n; ++k) result.push_back({keys_after[k], indices_after[k]});
    return found;
  }

  void expect_sorted(Keys const& keys) {
    auto const found = sort_runs(keys);
    EXPECT_EQ(found.needs_full_sort, 0u);
    EXPECT_EQ(result, sorted(keys));
  }

  void expect_full_sort_needed(Keys const& keys, std::uint64_t capacity = 1000) {
    auto const found = sort_runs(keys, capacity);
    EXPECT_EQ(found.needs_full_sort, 1u);
    EXPECT_EQ(result, entries_of(keys));
  }

  Exec exec;
  std::vector<Entry> result;
};
TYPED_TEST_SUITE(UnsortedRunsTest, ExecutionSpaces, SpaceNames);

TYPED_TEST(UnsortedRunsTest, RunsOfAllSizes) {
  std::vector<std::size_t> sizes;
  for (std::size_t size = 1; size <= max_run_size; ++size)
    sizes.insert(sizes.end(), {size, 1, size});
  for (unsigned const seed : {1u, 2u, 3u})
    this->expect_sorted(runs_with_equal_upper_bits(sizes, seed));
  for (std::size_t size = 2; size <= max_run_size; ++size)
    this->expect_sorted(runs_with_equal_upper_bits({size}));
}

TYPED_TEST(UnsortedRunsTest, TiesStayInTheirOrder) {
  this->expect_sorted({1, 0, 1, 0, 1, 0, 256 + 7, 256 + 7, 256 + 6, 256 + 6});
}

TYPED_TEST(UnsortedRunsTest, SortedInputIsUnchanged) {
  auto keys = runs_with_equal_upper_bits({max_run_size, max_run_size + 1, 3 * max_run_size, 1, 2});
  std::sort(keys.begin(), keys.end());
  EXPECT_EQ(this->sort_runs(keys).runs, 0u);
  this->expect_sorted(keys);
  this->expect_sorted(Keys(100, 5));
}

TYPED_TEST(UnsortedRunsTest, EachRunIsFoundOnce) {
  EXPECT_EQ(this->sort_runs({5, 4, 3, 4, 2, 256}).runs, 1u);
  EXPECT_EQ(this->sort_runs({5, 4, 256 + 1, 256, 512}).runs, 2u);
}

// One key more than max_run_size, with the descent at any place.
TYPED_TEST(UnsortedRunsTest, LongUnsortedRuns) {
  for (std::size_t place = 0; place < max_run_size; ++place) {
    Keys keys(max_run_size + 1, 9);
    for (std::size_t k = place + 1; k <= max_run_size; ++k) keys[k] = 8;
    this->expect_full_sort_needed(keys);
    keys.insert(keys.begin(), 20, 1);
    keys.insert(keys.end(), 20, 1000);
    std::stable_partition(keys.begin(), keys.begin() + 20, [](auto key) { return key == 1; });
    this->expect_full_sort_needed(keys);
  }
}

TYPED_TEST(UnsortedRunsTest, UnsortedUpperBits) {
  this->expect_full_sort_needed({256, 0});
  this->expect_full_sort_needed({0, 1, 512, 256, 1024});
}

TYPED_TEST(UnsortedRunsTest, MoreRunsThanCapacity) {
  this->expect_full_sort_needed({1, 0, 257, 256, 513, 512}, 2);
  EXPECT_EQ(this->sort_runs({1, 0, 257, 256, 513, 512}, 3).needs_full_sort, 0u);
}

}  // namespace
}  // namespace riffle::test::unsorted_runs_test
