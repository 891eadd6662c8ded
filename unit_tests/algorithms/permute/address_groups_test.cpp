// Compares count_address_groups() with the definition of D_w(p).

#include <Kokkos_Core.hpp>
#include <riffle/permute/address_groups.hpp>
#include <riffle/primitives/arena.hpp>
#include <riffle/workspace.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "support/emulated_gpu.hpp"
#include "support/execution_spaces.hpp"
#include "support/index_types.hpp"
#include "support/thrown_message.hpp"
#include "support/tool_checks.hpp"
#include "support/views.hpp"
#include "support/watched_arena.hpp"

namespace riffle::test::address_groups_test {
namespace {

template <class Index>
std::uint64_t oracle(std::vector<Index> const& p, std::uint64_t w) {
  std::set<std::pair<std::uint64_t, std::uint64_t>> pairs;
  for (std::uint64_t i = 0; i < p.size(); ++i) {
    auto const value = static_cast<std::uint64_t>(p[i]);
    if (value < p.size()) pairs.insert({i / w, value / w});
  }
  return pairs.size();
}

std::vector<std::int64_t> reversed(std::size_t n) {
  std::vector<std::int64_t> p(n);
  for (std::size_t i = 0; i < n; ++i) p[i] = static_cast<std::int64_t>(n - 1 - i);
  return p;
}

/// The identity with swaps of elements 20 places apart, so that some groups are in more than one address group.
std::vector<std::int64_t> with_near_swaps(std::size_t n) {
  auto p = iota<std::int64_t>(n);
  for (std::size_t i = 0; i + 20 < n; i += 7) std::swap(p[i], p[i + 20]);
  return p;
}

template <class Exec>
class AddressGroupsTest : public ::testing::Test {
 protected:
  template <class Index>
  void expect_distribution(std::vector<Index> const& p, std::uint64_t w) {
    EXPECT_EQ(riffle::count_address_groups(Context(exec, workspace), to_view<Exec>(p), w),
              oracle(p, w))
        << "n = " << p.size() << ", w = " << w;
  }

  Exec exec;
  riffle::Workspace<Exec> workspace{exec};
};
TYPED_TEST_SUITE(AddressGroupsTest, ExecutionSpaces, SpaceNames);

TYPED_TEST(AddressGroupsTest, AllWidths) {
  for (std::size_t const n : {1, 2, 31, 32, 33, 257, 1009, 4096}) {
    for (std::uint64_t const w : {1, 2, 3, 7, 8, 9, 16, 31, 32, 33, 63, 64, 65, 100, 1024, 5000}) {
      this->expect_distribution(random_cycle<std::int32_t>(n), w);
      this->expect_distribution(reversed(n), w);
      this->expect_distribution(with_near_swaps(n), w);
    }
  }
}

// Several teams, each with many groups.
TYPED_TEST(AddressGroupsTest, ManyGroups) {
  for (std::uint64_t const w : {8, 9, 32, 66, 128, 200, 400, 10'000}) {
    this->expect_distribution(random_cycle<std::uint32_t>(50'021), w);
    this->expect_distribution(with_near_swaps(50'021), w);
  }
}

TYPED_TEST(AddressGroupsTest, KnownValues) {
  std::size_t const n = 4096;
  auto const of = [&](std::vector<std::int64_t> const& p) {
    return riffle::count_address_groups(this->exec, to_view<TypeParam>(p), 32);
  };
  EXPECT_EQ(of(iota<std::int64_t>(n)), n / 32);
  std::vector<std::int64_t> shuffle;
  std::vector<std::int64_t> transpose;
  for (std::size_t i = 0; i < n; ++i) {
    shuffle.push_back(static_cast<std::int64_t>(2 * i % n + 2 * i / n));
    transpose.push_back(static_cast<std::int64_t>(i % 64 * 64 + i / 64));
  }
  EXPECT_EQ(of(shuffle), 2 * n / 32);
  EXPECT_EQ(of(transpose), n);
  EXPECT_EQ(of({}), 0u);
}

TYPED_TEST(AddressGroupsTest, AllTypes) {
  for (std::size_t const n : {128, 250}) {
    for_each_index_type(n, [&](auto index) {
      for (std::uint64_t const w : {4, 9, 60}) {
        this->expect_distribution(random_cycle<decltype(index)>(n), w);
      }
    });
  }
}

// Reads and writes stay in bounds for any indices.
TYPED_TEST(AddressGroupsTest, ValuesOutOfRangeDoNotCount) {
  auto p = random_cycle<std::int64_t>(1003);
  for (std::size_t i = 0; i < p.size(); i += 5) p[i] = 1003 + static_cast<std::int64_t>(i % 2);
  for (std::size_t i = 1; i < p.size(); i += 7) p[i] = -1 - static_cast<std::int64_t>(i);
  for (std::uint64_t const w : {1, 5, 8, 9, 16, 65, 500, 2000}) this->expect_distribution(p, w);
}

TYPED_TEST(AddressGroupsTest, WidthOfZeroOrLess) {
  auto const p = to_view<TypeParam>(iota<int>(5));
  int const bad[] = {0, -1, -32};
  for (int const w : bad) {
    EXPECT_EQ(thrown_message([&] {
                riffle::count_address_groups(this->exec, p, static_cast<std::uint64_t>(w));
              }),
              "riffle::count_address_groups: w = " + std::to_string(w) +
                  ": must be at least 1 and less than 2^63");
  }
}

TYPED_TEST(AddressGroupsTest, KernelsRunOnTheCallersInstance) {
  auto const p = to_view<TypeParam>(random_cycle<int>(5000));
  for (std::uint64_t const w : {4, 66, 1000}) {
    expect_labels_and_instance(this->exec,
                               [&](auto const& on) { riffle::count_address_groups(on, p, w); });
    expect_fences_of_the_instance_only(this->exec,
                                       [&] { riffle::count_address_groups(this->exec, p, w); });
  }
}

TYPED_TEST(AddressGroupsTest, MemoryIsAsDocumented) {
  UnwatchedArenas const unwatched;
  std::size_t const n = 10'000;
  auto const p = to_view<TypeParam>(random_cycle<int>(n));
  riffle::count_address_groups(Context(this->exec, this->workspace), p, 8);
  EXPECT_EQ(this->workspace.bytes(), 0u);
  for (std::uint64_t const w : {9, 32, 64, 65, 99, 100, 101, 5000}) {
    riffle::count_address_groups(Context(this->exec, this->workspace), p, w);
    EXPECT_LE(this->workspace.bytes(), detail::aligned_bytes(4 * (n + w))) << w;
  }
}

// The kernel with teams of many threads, as on a GPU, whose threads run in any order.
TEST(PermutationDistribution, StampsByTeams) {
  using Host = Kokkos::DefaultHostExecutionSpace;
  std::size_t const n = 3001;
  for (std::uint64_t const w : {40, 64, 77}) {
    for (auto const& values : {random_cycle<std::int64_t>(n), with_near_swaps(n)}) {
      auto const view = to_view<Host>(values);
      detail::GroupedIndices<std::decay_t<decltype(view)>> const p(view, w);
      for (int const teams : {1, 3}) {
        std::vector<std::uint32_t> stamps(static_cast<std::size_t>(teams) * p.groups());
        detail::CountByStamps<std::decay_t<decltype(view)>, EmulatedMember> const kernel{
            p, p.groups(), stamps.data()};
        std::uint64_t count = 0;
        EmulatedGpu gpu(2, w);
        gpu.run(teams, 64, 0, [&](EmulatedMember const& member) {
          std::uint64_t of_thread = 0;
          kernel(member, of_thread);
          Kokkos::atomic_add(&count, of_thread);
        });
        EXPECT_EQ(count, oracle(values, w));
      }
    }
  }
}

}  // namespace
}  // namespace riffle::test::address_groups_test
