#include <Kokkos_Core.hpp>
#include <riffle/published/bank_conflict_free_sorting/team_matrix_sort.hpp>
#include <riffle/sort/key_value.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "support/emulated_gpu.hpp"
#include "support/emulated_space.hpp"
#include "support/execution_spaces.hpp"
#include "support/views.hpp"

namespace riffle::test::team_matrix_sort_test {
namespace {

using Index = std::uint32_t;
using Keyed = KeyValue<float, Index>;

/// Each warp of a GPU, or thread of a CPU, sorts 32 * columns elements. Element k is in row k / columns, or, in column-major
/// order, in column k / 32.
template <class Exec, class T, class Compare>
struct SortInTeams {
  using Member = typename Kokkos::TeamPolicy<Exec>::member_type;

  KOKKOS_FUNCTION Index row(Index k) const {
    return order == MatrixOrder::row_major ? k / columns : k % 32;
  }
  KOKKOS_FUNCTION Index column(Index k) const {
    return order == MatrixOrder::row_major ? k % columns : k / 32;
  }

  KOKKOS_FUNCTION void operator()(Member const& member) const {
    constexpr int threads = bank_processor_threads<Exec>;
    int const matrices = member.team_size() / threads;
    int const number = member.team_rank() / threads;
    std::size_t const bytes = BankedMatrix<T>::bytes(columns);
    auto* const scratch = static_cast<char*>(
        member.team_scratch(0).get_shmem_aligned(bytes * static_cast<std::size_t>(matrices), 8));
    BankedMatrix<T> const matrix(scratch + bytes * static_cast<std::size_t>(number), columns);
    T* const mine =
        data.data() + std::size_t{32} * columns *
                          static_cast<std::size_t>(member.league_rank() * matrices + number);
    auto const lane = static_cast<Index>(member.team_rank() % threads);
    for (Index k = lane; k < 32 * columns; k += threads) matrix.write(row(k), column(k), mine[k]);
    member.team_barrier();
    bool const sorted = team_matrix_sort(member, matrix, Compare(), order);
    member.team_barrier();
    for (Index k = lane; k < 32 * columns; k += threads) mine[k] = matrix.read(row(k), column(k));
    if (lane == 0) done(member.league_rank() * matrices + number) = sorted;
  }

  Kokkos::View<T*, typename Exec::memory_space> data;
  Kokkos::View<int*, typename Exec::memory_space> done;
  Index columns;
  MatrixOrder order;
};

/// A team of a GPU has two warps.
template <class Exec>
constexpr int threads_of_team = backend::is_cpu<Exec> ? 1 : 64;

template <class Exec, class T, class Compare>
void expect_sorted_in_teams(std::vector<T> const& values, Index columns,
                            MatrixOrder order = MatrixOrder::row_major) {
  constexpr int threads = threads_of_team<Exec>;
  constexpr int matrices = threads / bank_processor_threads<Exec>;
  std::size_t const n = std::size_t{32} * columns;
  int const teams = static_cast<int>(values.size() / n) / matrices;
  SortInTeams<Exec, T, Compare> const kernel{
      to_view<Exec>(values),
      Kokkos::View<int*, typename Exec::memory_space>("done", teams * matrices), columns, order};
  std::size_t const bytes = matrices * BankedMatrix<T>::bytes(columns) + 8 +
                            team_matrix_scratch_bytes<Exec>(threads, columns);
  Kokkos::TeamPolicy<Exec> policy(teams, threads);
  if (bytes > static_cast<std::size_t>(policy.scratch_size_max(0))) return;
  policy.set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(bytes)));
  Kokkos::parallel_for("riffle::test::sort", policy, kernel);

  auto expected = values;
  for (auto begin = expected.begin(); begin != expected.end();
       begin += static_cast<std::ptrdiff_t>(n)) {
    std::stable_sort(begin, begin + static_cast<std::ptrdiff_t>(n), Compare());
  }
  EXPECT_EQ(to_vector(kernel.data), expected) << columns;
  EXPECT_EQ(to_vector(kernel.done),
            std::vector<int>(static_cast<std::size_t>(teams * matrices), 1));
}

std::vector<Index> random_values(Index columns, Index most) {
  std::mt19937 random(columns + most);
  std::vector<Index> values(std::size_t{6} * 32 * columns);
  for (auto& value : values) value = static_cast<Index>(random()) % most;
  return values;
}

/// Keys with ties, and their places.
std::vector<Keyed> random_keys(Index columns) {
  auto const values = random_values(columns, 4 * columns);
  std::vector<Keyed> keys;
  for (Index const value : values) {
    keys.push_back({static_cast<float>(value) / 4, static_cast<Index>(keys.size())});
  }
  return keys;
}

template <class Exec>
class TeamMatrixSort : public ::testing::Test {};
TYPED_TEST_SUITE(TeamMatrixSort, ExecutionSpaces, SpaceNames);

TYPED_TEST(TeamMatrixSort, SortsEveryKindOfShape) {
  for (Index const columns : {1u, 2u, 5u, 31u, 32u, 33u, 100u, 187u, 1024u, 1030u}) {
    expect_sorted_in_teams<TypeParam, Index, Ascending>(random_values(columns, 1u << 31), columns);
    expect_sorted_in_teams<TypeParam, Index, Ascending>(random_values(columns, 2), columns);
  }
}

TYPED_TEST(TeamMatrixSort, ColumnMajorOrder) {
  for (Index const columns : {1u, 7u, 32u, 100u}) {
    expect_sorted_in_teams<TypeParam, Index, Ascending>(random_values(columns, 1000), columns,
                                                        MatrixOrder::column_major);
  }
}

TYPED_TEST(TeamMatrixSort, KeysWithPlacesAreSortedStably) {
  for (Index const columns : {3u, 40u}) {
    expect_sorted_in_teams<TypeParam, Keyed, ByKeyThenValue<Descending>>(random_keys(columns),
                                                                         columns);
  }
}

/// Converts a matrix in global memory to column-major order; then back, or sorts it by Shearsort.
template <class Exec>
struct ConvertInTeams {
  using Member = typename Kokkos::TeamPolicy<Exec>::member_type;

  KOKKOS_FUNCTION void operator()(Member const& member) const {
    BankedMatrix<Index> const matrix(data.data(), columns);
    bool converted = team_matrix_to_column_major(member, matrix);
    if (twice) converted = converted && team_matrix_to_row_major(member, matrix);
    if (sorts) converted = converted && team_matrix_shearsort(member, matrix);
    done() = converted;
  }
  Kokkos::View<Index*, typename Exec::memory_space> data;
  Kokkos::View<int, typename Exec::memory_space> done;
  Index columns;
  bool twice;
  bool sorts;
};

template <class Exec>
std::vector<Index> converted(std::vector<Index> const& cells, bool twice, bool sorts) {
  auto const columns = static_cast<Index>(cells.size() / 32);
  ConvertInTeams<Exec> const kernel{to_view<Exec>(cells),
                                    Kokkos::View<int, typename Exec::memory_space>("done"), columns,
                                    twice, sorts};
  constexpr int threads = bank_processor_threads<Exec>;
  Kokkos::TeamPolicy<Exec> policy(1, threads);
  auto const bytes = static_cast<int>(team_matrix_scratch_bytes<Exec>(threads, columns));
  Kokkos::parallel_for("riffle::test::convert", policy.set_scratch_size(0, Kokkos::PerTeam(bytes)),
                       kernel);
  int done = 0;
  Kokkos::deep_copy(done, kernel.done);
  EXPECT_EQ(done, 1);
  return to_vector(kernel.data);
}

TYPED_TEST(TeamMatrixSort, ConversionsAndShearsort) {
  for (Index const columns : {1u, 12u, 33u}) {
    // Cell c * 32 + r has the row-major index of its element.
    std::vector<Index> cells(std::size_t{32} * columns);
    for (Index k = 0; k < cells.size(); ++k) cells[k % columns * 32 + k / columns] = k;
    EXPECT_EQ(converted<TypeParam>(cells, false, false), iota<Index>(cells.size()));
    EXPECT_EQ(converted<TypeParam>(cells, true, false), cells);
    EXPECT_EQ(converted<TypeParam>(cells, false, true), cells);
  }
}

/// Sorts a matrix in global memory without scratch memory. It has more columns than the scratch memory that Kokkos's CPU back
/// ends reserve in advance allows for.
template <class Exec>
struct SortWithout {
  static constexpr Index columns = 1 << 17;

  KOKKOS_FUNCTION void operator()(
      typename Kokkos::TeamPolicy<Exec>::member_type const& member) const {
    bool const sorted = team_matrix_sort(member, BankedMatrix<Index>(data.data(), columns));
    if (sorted) data(0) = 1000;
  }
  Kokkos::View<Index*, typename Exec::memory_space> data;
};

TYPED_TEST(TeamMatrixSort, WithoutScratchMemoryKeysAreUnchanged) {
  auto values = iota<Index>(32 * SortWithout<TypeParam>::columns);
  std::reverse(values.begin(), values.end());
  SortWithout<TypeParam> const kernel{to_view<TypeParam>(values)};
  int const threads = bank_processor_threads<TypeParam>;
  Kokkos::parallel_for("riffle::test::sort", Kokkos::TeamPolicy<TypeParam>(1, threads), kernel);
  EXPECT_EQ(to_vector(kernel.data), values);
}

TEST(TeamMatrixSortOnEmulatedLanes, EachWarpSortsItsOwn) {
  for (Index const columns : {1u, 6u, 32u, 50u}) {
    std::size_t const n = std::size_t{32} * columns;
    std::vector<Index> cells = random_values(columns, 100);
    cells.resize(2 * n);
    auto expected = cells;
    std::stable_sort(expected.data(), expected.data() + n);
    std::stable_sort(expected.data() + n, expected.data() + 2 * n);
    auto const scratch = team_matrix_scratch_bytes<EmulatedSpace>(64, columns);
    EmulatedGpu(1, columns).run(1, 64, scratch, [&](EmulatedMember const& member) {
      BankedMatrix<Index> const matrix(
          cells.data() + n * static_cast<std::size_t>(member.team_rank() / 32), columns);
      EXPECT_TRUE(
          team_matrix_sort(GpuMember(member), matrix, Ascending(), MatrixOrder::column_major));
    });
    EXPECT_EQ(cells, expected) << columns;
  }
}

TEST(TeamMatrixSortOnEmulatedLanes, EachWarpHasMarksOfItsOwn) {
  constexpr Index columns = 70;  // a row has three words of marks
  constexpr std::size_t bytes = detail::matrix_sort::TeamMarks::bytes(3);
  std::vector<std::byte*> marks(64);
  EmulatedGpu(1, 1).run(1, 64, team_matrix_scratch_bytes<EmulatedSpace>(64, columns),
                        [&](EmulatedMember const& member) {
                          marks[static_cast<std::size_t>(member.team_rank())] =
                              detail::processors_scratch(GpuMember(member), bytes);
                        });
  for (std::size_t thread = 0; thread < 64; ++thread) {
    ASSERT_NE(marks[thread], nullptr);
    EXPECT_EQ(marks[thread] - marks[0], thread < 32 ? 0 : 3 * 32 * 4);
  }
}

TEST(TeamMatrixSortOnEmulatedLanes, TeamOfPartialWarpsChangesNothing) {
  auto cells = iota<Index>(320);
  std::reverse(cells.begin(), cells.end());
  auto const before = cells;
  EmulatedGpu(1, 1).run(1, 48, 4096, [&](EmulatedMember const& member) {
    EXPECT_FALSE(team_matrix_sort(GpuMember(member), BankedMatrix<Index>(cells.data(), 10)));
  });
  EXPECT_EQ(cells, before);
}

}  // namespace
}  // namespace riffle::test::team_matrix_sort_test
