// Shuffles by teams, of a CPU and of an emulated GPU, compared with the shuffle of one thread by its definition.

#include <Kokkos_Core.hpp>
#include <riffle/random/random_permutation.hpp>
#include <riffle/team/team_shuffle.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "support/emulated_gpu.hpp"
#include "support/emulated_space.hpp"
#include "support/execution_spaces.hpp"
#include "support/fisher_yates_oracle.hpp"
#include "support/matrices.hpp"
#include "support/permutations.hpp"
#include "support/views.hpp"

namespace riffle::test::team_shuffle_test {
namespace {

using Images = std::vector<std::uint32_t>;

constexpr std::uint64_t seed = 7;

/// Sizes on both sides of every change of the number of indices that are drawn from a word.
std::vector<std::size_t> sizes() {
  return {0, 1, 2, 3, 6, 7, 8, 13, 100, 511, 512, 513, 519, 2047, 2048, 2049, 2054, 16384, 16385};
}

Images by_definition(std::size_t n, std::uint64_t stream) {
  auto const sigma = FisherYatesOracle(seed, stream).sigma(n);
  return Images(sigma.begin(), sigma.end());
}

Images by_formula(std::size_t n, std::uint64_t stream) {
  RandomPermutation const sigma(n, seed, stream);
  Images images(n);
  for (std::size_t i = 0; i < n; ++i) images[i] = static_cast<std::uint32_t>(sigma(i));
  return images;
}

/// Draws words, and counts them.
struct CountedWords {
  std::uint64_t count = 0;

  KOKKOS_FUNCTION std::uint64_t operator()() {
    ++count;
    return ~std::uint64_t{0};  // never rejected
  }
};

struct ExchangesNothing {
  KOKKOS_FUNCTION void operator()(std::uint64_t, std::uint64_t) const {}
};

TEST(TeamShuffle, NumberOfWords) {
  auto edges = sizes();
  edges.insert(edges.end(), {(1u << 19) - 1, 1u << 19, (1u << 19) + 1, (1u << 19) + 4});
  for (std::size_t const n : edges) {
    CountedWords words;
    detail::exchange_all<detail::any_size>(words, n, ExchangesNothing{});
    EXPECT_EQ(detail::words_of_exchanges(n), words.count) << n;
  }
  // One word for each item above 2^30, and one for two items above 2^19.
  EXPECT_EQ(detail::words_of_exchanges((1u << 30) + 5) - detail::words_of_exchanges(1u << 30), 5u);
  EXPECT_EQ(detail::words_of_exchanges((1u << 30)) - detail::words_of_exchanges((1u << 30) - 2),
            1u);
}

/// Each team shuffles row r by stream r, and writes a permutation into a second row.
template <class Exec>
struct ShuffleRows {
  using Member = typename Kokkos::TeamPolicy<Exec>::member_type;
  using Rows = Kokkos::View<std::uint32_t**, Kokkos::LayoutRight, typename Exec::memory_space>;

  Rows rows;
  Rows permutations;

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    int const r = team.league_rank();
    auto const row = Kokkos::subview(rows, r, Kokkos::ALL);
    int const n = static_cast<int>(row.extent(0));
    for (int i = team.team_rank(); i < n; i += team.team_size())
      row(i) = static_cast<std::uint32_t>(i);
    // No barrier is needed before or after the calls, which have their own.
    team_fisher_yates(team, row, row.extent(0), seed, static_cast<std::uint64_t>(r));
    auto const permutation = Kokkos::subview(permutations, r, Kokkos::ALL);
    team_random_permutation(team, permutation.extent(0), permutation, seed,
                            static_cast<std::uint64_t>(r));
  }
};

template <class Exec>
class TeamShuffleTest : public ::testing::Test {};
TYPED_TEST_SUITE(TeamShuffleTest, ExecutionSpaces, SpaceNames);

TYPED_TEST(TeamShuffleTest, EqualsOneThread) {
  using Rows = typename ShuffleRows<TypeParam>::Rows;
  using Policy = Kokkos::TeamPolicy<TypeParam>;
  for (std::size_t const n : sizes()) {
    ShuffleRows<TypeParam> const kernel{Rows("rows", 3, n), Rows("permutations", 3, n)};
    int const most = Policy(3, 1).team_size_max(kernel, Kokkos::ParallelForTag());
    for (int const threads : {1, std::min(most, 2), std::min(most, 96)}) {
      Policy policy(3, threads);
      auto const bytes = std::min<std::size_t>(team_fisher_yates_scratch_bytes(n), 16'000);
      policy.set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(bytes)));
      Kokkos::parallel_for("shuffle", policy, kernel);
      auto const rows = to_rows(kernel.rows);
      auto const permutations = to_rows(kernel.permutations);
      for (std::size_t r = 0; r < 3; ++r) {
        EXPECT_TRUE(rows[r] == by_definition(n, r)) << n << ", " << threads << " threads";
        EXPECT_TRUE(permutations[r] == by_formula(n, r)) << n << ", " << threads << " threads";
      }
    }
  }
}

Images by_emulated_team(std::size_t n, int threads, std::size_t bytes, std::uint64_t stream) {
  Images row = iota<std::uint32_t>(n);
  EmulatedGpu(1, 7).run(1, threads, bytes, [&](EmulatedMember const& member) {
    team_fisher_yates(GpuMember(member), row.data(), n, seed, stream);
  });
  return row;
}

TEST(TeamShuffleGpu, EqualsOneThread) {
  for (std::size_t const n : sizes()) {
    std::size_t const bytes = team_fisher_yates_scratch_bytes(n);
    for (int const threads : {32, 128}) {
      EXPECT_TRUE(by_emulated_team(n, threads, bytes, 3) == by_definition(n, 3))
          << n << ", " << threads << " threads";
    }
    EXPECT_TRUE(by_emulated_team(n, 64, 0, 3) == by_definition(n, 3)) << n << ", without memory";
  }
}

// Up to one word in 2^8 is rejected while 2^14 items or fewer are left. So more words are drawn than stored.
TEST(TeamShuffleGpu, WordsMayBeRejected) {
  std::size_t const n = 1 << 14;
  for (std::uint64_t stream = 0; stream < 3; ++stream) {
    EXPECT_TRUE(by_emulated_team(n, 64, team_fisher_yates_scratch_bytes(n), stream) ==
                by_definition(n, stream));
  }
}

TEST(TeamShuffleGpu, WritesARandomPermutation) {
  for (std::size_t const n : {0, 1, 2, 20, 21, 31, 32, 33, 1000}) {
    for (int const threads : {32, 64}) {
      Kokkos::View<std::uint32_t*, Kokkos::HostSpace> const out("out", n);
      EmulatedGpu(1, 7).run(1, threads, 0, [&](EmulatedMember const& member) {
        team_random_permutation(GpuMember(member), n, out, seed, 5);
      });
      EXPECT_TRUE(to_vector(out) == by_formula(n, 5)) << n << ", " << threads << " threads";
    }
  }
}

}  // namespace
}  // namespace riffle::test::team_shuffle_test
