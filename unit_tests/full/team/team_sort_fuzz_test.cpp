// Sorts by teams with comparisons that are not strict weak orderings: nothing outside of the Views is written, and the elements
// remain the same. (Sanitizers detect reads outside of the Views.)

#include <Kokkos_Core.hpp>
#include <riffle/backend/backend.hpp>
#include <riffle/published/bank_conflict_free_sorting/team_matrix_sort.hpp>
#include <riffle/team/team_sort.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>

#include "support/execution_spaces.hpp"
#include "support/fuzzed_comparisons.hpp"
#include "support/fuzzed_team_sorts.hpp"

namespace riffle::test::team_sort_fuzz_test {
namespace {

template <class Exec>
class TeamSortFuzz : public ::testing::Test {};
TYPED_TEST_SUITE(TeamSortFuzz, ExecutionSpaces, SpaceNames);

TYPED_TEST(TeamSortFuzz, TeamSort) {
  using Exec = TypeParam;
  expect_sorts_by_teams<Exec>(
      {1, 2, 16, 17, 100, 511, 513, 1100}, [](auto const& kernel, std::size_t n) {
        constexpr bool is_on_cpu = backend::is_cpu<Exec>;
        Kokkos::TeamPolicy<Exec> policy(1, is_on_cpu ? 1 : 96);
        policy.set_scratch_size(is_on_cpu ? 1 : 0, Kokkos::PerTeam(fuzzed_scratch_bytes(n)));
        Kokkos::parallel_for("riffle::test::sort", policy, kernel);
        Exec().fence();
      });
}

/// `records` fill the 32 * columns elements of the matrix of one warp, or of one thread of a CPU.
template <class Exec>
struct SortMatrix {
  using Member = typename Kokkos::TeamPolicy<Exec>::member_type;

  KOKKOS_FUNCTION void operator()(Member const& member) const {
    constexpr auto threads = static_cast<std::uint32_t>(bank_processor_threads<Exec>);
    std::size_t const bytes = BankedMatrix<Record>::bytes(columns);
    auto* const scratch = static_cast<char*>(member.team_scratch(0).get_shmem_aligned(bytes, 8));
    BankedMatrix<Record> const matrix(scratch, columns);
    auto const lane = static_cast<std::uint32_t>(member.team_rank());
    for (std::uint32_t k = lane; k < 32 * columns; k += threads) {
      matrix.write(k / columns, k % columns, records(k));
    }
    member.team_barrier();
    bool const is_sorted = team_matrix_sort(member, matrix, comparison);
    member.team_barrier();
    for (std::uint32_t k = lane; k < 32 * columns; k += threads) {
      records(k) = matrix.read(k / columns, k % columns);
    }
    if (lane == 0) done() = is_sorted ? 1 : 0;
  }

  Kokkos::View<Record*, typename Exec::memory_space> records;
  Kokkos::View<int, typename Exec::memory_space> done;
  std::uint32_t columns;
  FuzzedComparison comparison;
};

TYPED_TEST(TeamSortFuzz, TeamMatrixSort) {
  using Exec = TypeParam;
  for_each_fuzzed({32, 32 * 7, 32 * 40}, [](std::size_t n, FuzzedComparison const& comparison) {
    GuardedView<Exec, Record> const records(fuzzed_records(n));
    auto const columns = static_cast<std::uint32_t>(n / 32);
    SortMatrix<Exec> const kernel{records.view(), decltype(SortMatrix<Exec>::done)("done"), columns,
                                  comparison};
    constexpr int threads = bank_processor_threads<Exec>;
    Kokkos::TeamPolicy<Exec> policy(1, threads);
    policy.set_scratch_size(
        0, Kokkos::PerTeam(static_cast<int>(BankedMatrix<Record>::bytes(columns) + 8 +
                                            team_matrix_scratch_bytes<Exec>(threads, columns))));
    Kokkos::parallel_for("riffle::test::sort", policy, kernel);
    Exec().fence();
    int done = 0;
    Kokkos::deep_copy(done, kernel.done);
    EXPECT_EQ(done, 1);
    EXPECT_TRUE(are_fuzzed_records(records.values()));
  });
}

}  // namespace
}  // namespace riffle::test::team_sort_fuzz_test
