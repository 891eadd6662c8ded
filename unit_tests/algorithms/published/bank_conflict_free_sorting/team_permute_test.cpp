#include <Kokkos_Core.hpp>

#include <riffle/published/bank_conflict_free_sorting/bank_processors.hpp>
#include <riffle/published/bank_conflict_free_sorting/team_permute.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <vector>

#include "support/emulated_gpu.hpp"
#include "support/emulated_space.hpp"
#include "support/execution_spaces.hpp"
#include "support/labelled_matrices.hpp"
#include "support/views.hpp"

namespace riffle::test::team_permute_test {
namespace {

namespace mp = detail::matrix_permute;

struct Wide {
  std::uint64_t words[2];

  bool operator==(Wide const&) const = default;
};

void set_value(Index& value, Index cell) { value = value_in_cell(cell); }
void set_value(Wide& value, Index cell) { value = {{value_in_cell(cell), ~std::uint64_t{cell}}}; }

/// Each warp of a GPU, or thread of a CPU, permutes a matrix of its own, from global memory and back.
template <class Exec, class T>
struct PermuteInTeams {
  using Member = typename Kokkos::TeamPolicy<Exec>::member_type;
  static constexpr int threads = bank_processor_threads<Exec>;

  std::uint32_t columns;
  TeamPermuteOptions options;
  Kokkos::View<Index*, typename Exec::memory_space> labels;
  Kokkos::View<T*, typename Exec::memory_space> values;
  Kokkos::View<TeamPermuteResult*, typename Exec::memory_space> results;

  static std::size_t bytes(int team_size, std::uint32_t columns) {
    auto const matrices = static_cast<std::size_t>(team_size / threads);
    return matrices * (BankedMatrix<Index>::bytes(columns) + BankedMatrix<T>::bytes(columns)) + 16 +
           team_permute_scratch_bytes<Exec, T>(team_size, columns);
  }

  KOKKOS_FUNCTION void operator()(Member const& member) const {
    auto const in_team = static_cast<std::size_t>(member.team_size() / threads);
    auto const lane = static_cast<Index>(member.team_rank() % threads);
    std::size_t const matrix = static_cast<std::size_t>(member.league_rank()) * in_team +
                               static_cast<std::size_t>(member.team_rank() / threads);
    std::size_t const begin = matrix * 32 * columns;
    auto const own_labels = take<Index>(member);
    auto const own_values = take<T>(member);
    for (Index c = lane; c < 32 * columns; c += threads) {
      own_labels.write(c % 32, c / 32, labels(begin + c));
      own_values.write(c % 32, c / 32, values(begin + c));
    }
    auto const result = team_permute(member, own_labels, own_values, options);
    if (lane == 0) results(matrix) = result;
    for (Index c = lane; c < 32 * columns; c += threads) {
      labels(begin + c) = own_labels.read(c % 32, c / 32);
      values(begin + c) = own_values.read(c % 32, c / 32);
    }
  }

 private:
  /// A matrix for each warp or thread.
  template <class U>
  KOKKOS_FUNCTION BankedMatrix<U> take(Member const& member) const {
    std::size_t const bytes = BankedMatrix<U>::bytes(columns);
    auto const in_team = static_cast<std::size_t>(member.team_size() / threads);
    auto* const memory = static_cast<char*>(
        member.team_scratch(options.scratch_level).get_shmem_aligned(in_team * bytes, 8));
    return {memory + bytes * static_cast<std::size_t>(member.team_rank() / threads), columns};
  }
};

constexpr Index teams = 5;

/// Labels of consecutive matrices; every third has invalid ones.
struct Labellings {
  std::vector<Index> all;
  std::vector<TeamPermuteStatus> status;
};

Labellings make_labellings(Index matrices, Index columns) {
  Labellings result;
  for (Index matrix = 0; matrix < matrices; ++matrix) {
    auto labels = matrix_labellings[matrix % std::size(matrix_labellings)](32, columns);
    result.status.push_back(TeamPermuteStatus::permuted);
    if (columns > 0 && matrix % 3 == 2) {
      bool const repeats = matrix % 2 == 0;
      labels[7] = repeats ? labels[8] : 32 * columns;
      result.status.back() =
          repeats ? TeamPermuteStatus::label_repeated : TeamPermuteStatus::label_out_of_range;
    }
    result.all.insert(result.all.end(), labels.begin(), labels.end());
  }
  return result;
}

/// The result of the model.
TeamPermuteResult modelled_result(Index columns, std::vector<Index> const& labels,
                                  TeamPermuteOptions const& options) {
  LabelledMatrix model(32, columns);
  model.set(labels);
  return mp::permute_checked(model.processors, model.items, model.memory, options.seed,
                             options.repetitions);
}

template <class Exec, class T>
void expect_permuted_in_teams(int team_size, Index columns, std::uint32_t repetitions) {
  using Kernel = PermuteInTeams<Exec, T>;
  Index const matrices = teams * static_cast<Index>(team_size / Kernel::threads);
  Index const cells = 32 * columns;
  auto const labellings = make_labellings(matrices, columns);
  std::vector<T> before(matrices * cells);
  for (Index c = 0; c < before.size(); ++c) set_value(before[c], c);
  std::size_t const bytes = Kernel::bytes(team_size, columns);
  Kokkos::TeamPolicy<Exec> policy(teams, team_size);
  int const level = bytes <= static_cast<std::size_t>(policy.scratch_size_max(0)) ? 0 : 1;
  policy.set_scratch_size(level, Kokkos::PerTeam(static_cast<int>(bytes)));
  Kernel const kernel{columns,
                      {11, level, repetitions},
                      to_view<Exec>(labellings.all),
                      to_view<Exec>(before),
                      decltype(Kernel::results)("results", matrices)};
  Kokkos::parallel_for("permute_in_teams", policy, kernel);
  auto const labels = to_vector(kernel.labels);
  auto const values = to_vector(kernel.values);
  auto const results = to_vector(kernel.results);
  auto expected = before;
  auto expected_labels = labellings.all;
  for (Index matrix = 0; matrix < matrices; ++matrix) {
    Index const begin = matrix * cells;
    auto const first = labellings.all.begin() + begin;
    auto const modelled = modelled_result(columns, {first, first + cells}, kernel.options);
    EXPECT_EQ(results[matrix].status, labellings.status[matrix]) << matrix;
    EXPECT_EQ(results[matrix].status, modelled.status) << matrix;
    EXPECT_EQ(results[matrix].rounds, modelled.rounds) << matrix;
    if (labellings.status[matrix] != TeamPermuteStatus::permuted) continue;
    for (Index c = 0; c < cells; ++c) {
      expected[begin + labellings.all[begin + c]] = before[begin + c];
      expected_labels[begin + c] = c;
    }
  }
  EXPECT_EQ(values, expected) << columns << " columns, teams of " << team_size;
  EXPECT_EQ(labels, expected_labels) << columns << " columns, teams of " << team_size;
}

template <class Exec>
class TeamPermute : public ::testing::Test {
 public:
  static constexpr int threads = bank_processor_threads<Exec>;
};
TYPED_TEST_SUITE(TeamPermute, ExecutionSpaces, SpaceNames);

TYPED_TEST(TeamPermute, MovesItemsToTheirLabels) {
  for (Index const columns : {0u, 1u, 2u, 7u, 31u, 32u, 33u}) {
    for (std::uint32_t const repetitions : {0u, 1u, 4u}) {
      expect_permuted_in_teams<TypeParam, Index>(this->threads, columns, repetitions);
    }
  }
}

TYPED_TEST(TeamPermute, WideValues) {
  for (Index const columns : {1u, 16u}) {
    expect_permuted_in_teams<TypeParam, Wide>(this->threads, columns, 2);
  }
}

TYPED_TEST(TeamPermute, EveryWarpHasAMatrix) {
  if constexpr (bank_processor_threads < TypeParam >> 1) {
    for (Index const columns : {1u, 12u}) {
      expect_permuted_in_teams<TypeParam, Index>(3 * this->threads, columns, 2);
    }
  }
}

/// Invalid calls, with matrices in global memory.
template <class Exec>
struct InvalidCalls {
  using Member = typename Kokkos::TeamPolicy<Exec>::member_type;

  std::uint32_t columns;
  Kokkos::View<Index*, typename Exec::memory_space> cells;
  Kokkos::View<TeamPermuteResult*, typename Exec::memory_space> results;

  KOKKOS_FUNCTION void operator()(Member const& member) const {
    BankedMatrix<Index> const matrix(cells.data(), columns);
    BankedMatrix<Index> const shorter(cells.data(), columns - 1);
    results(0) = team_permute(member, matrix, matrix);
    results(1) = team_permute(member, matrix, shorter);
  }
};

TYPED_TEST(TeamPermute, RejectsWithoutMemory) {
  Index const columns = 1 << 16;
  InvalidCalls<TypeParam> const kernel{columns, zeros<TypeParam, Index>(32 * columns),
                                       decltype(InvalidCalls<TypeParam>::results)("results", 2)};
  Kokkos::parallel_for("invalid calls", Kokkos::TeamPolicy<TypeParam>(1, this->threads), kernel);
  auto const results = to_vector(kernel.results);
  EXPECT_EQ(results[0].status, TeamPermuteStatus::too_little_scratch);
  EXPECT_EQ(results[1].status, TeamPermuteStatus::columns_differ);
  EXPECT_EQ(to_vector(kernel.cells), std::vector<Index>(32 * columns));
}

// A seed determines the interleaving of lanes and warps.
TEST(TeamPermuteOnEmulatedLanes, EachWarpPermutesItsOwnAsTheModelDoes) {
  constexpr Index columns = 6, cells = 32 * columns;
  std::size_t const scratch = team_permute_scratch_bytes<EmulatedSpace, Index>(64, columns);
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    TeamPermuteOptions const options{seed, 0, 1};
    std::vector<Index> const labellings[2] = {random_labels(32, columns),
                                              transposed_labels(32, columns)};
    auto labels = labellings[0];
    labels.insert(labels.end(), labellings[1].begin(), labellings[1].end());
    std::vector<Index> values;
    for (Index c = 0; c < 2 * cells; ++c) values.push_back(value_in_cell(c % cells));
    std::vector<std::uint32_t> rounds(64);
    EmulatedGpu(1, seed).run(1, 64, scratch, [&](EmulatedMember const& member) {
      auto const thread = static_cast<std::size_t>(member.team_rank());
      std::size_t const begin = thread / 32 * cells;
      auto const result =
          team_permute(GpuMember(member), BankedMatrix<Index>(labels.data() + begin, columns),
                       BankedMatrix<Index>(values.data() + begin, columns), options);
      EXPECT_EQ(result.status, TeamPermuteStatus::permuted);
      rounds[thread] = result.rounds;
    });
    for (std::size_t warp = 0; warp < 2; ++warp) {
      auto const begin = values.begin() + static_cast<std::ptrdiff_t>(warp * cells);
      EXPECT_EQ(std::vector<Index>(begin, begin + cells), permuted_values(labellings[warp]));
      auto const modelled = modelled_result(columns, labellings[warp], options);
      for (std::size_t lane = 0; lane < 32; ++lane) {
        EXPECT_EQ(rounds[32 * warp + lane], modelled.rounds);
      }
    }
  }
}

TEST(TeamPermuteOnEmulatedLanes, TeamOfPartialWarpsChangesNothing) {
  auto labels = reversed_labels(32, 2);
  auto const before = labels;
  EmulatedGpu(1, 1).run(1, 48, 1 << 16, [&](EmulatedMember const& member) {
    BankedMatrix<Index> const matrix(labels.data(), 2);
    EXPECT_EQ(team_permute(GpuMember(member), matrix, matrix).status,
              TeamPermuteStatus::partial_warp);
  });
  EXPECT_EQ(labels, before);
}

}  // namespace
}  // namespace riffle::test::team_permute_test
