// Sorts of teams by comparisons that are no orders: nothing outside the Views is written, and the elements remain the
// same. On an emulated GPU, too. (What is read outside, sanitizers see.)

#include <Kokkos_Core.hpp>
#include <riffle/lanes.hpp>
#include <riffle/team_matrix_sort.hpp>
#include <riffle/team_sort.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "support/emulated_gpu.hpp"
#include "support/emulated_space.hpp"
#include "support/execution_spaces.hpp"
#include "support/fuzzed_comparisons.hpp"
#include "support/views.hpp"

namespace riffle::test {
namespace {

std::vector<std::size_t> sizes() { return {1, 2, 16, 17, 100, 511, 513, 1100}; }

/// Sorts `in` to `out`, then `keys` with `values`, then `in` where it is.
template <class Space>
struct SortByTeam {
  using Records = Kokkos::View<Record*, Space>;

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    bool const is_copied = riffle::team_sort_copy(team, in, out, comparison);
    bool const is_moved = riffle::team_sort_by_key(team, keys, values, comparison);
    bool const is_sorted = riffle::team_sort(team, in, comparison);
    if (team.team_rank() == 0) done() = is_copied && is_moved && is_sorted ? 1 : 0;
  }

  Records in;
  Records out;
  Records keys;
  Kokkos::View<std::int32_t*, Space> values;
  Kokkos::View<int, Space> done;
  FuzzedComparison comparison;
};

std::size_t scratch_bytes(std::size_t n) {
  return team_sort_by_key_scratch_bytes<Record, std::int32_t, FuzzedComparison>(n);
}

/// run(kernel, n) on `Exec`'s memory.
template <class Exec, class Run>
void expect_sorts_by_teams(Run const& run) {
  using Space = typename Exec::memory_space;
  for_each_fuzzed(sizes(), [&](std::size_t n, FuzzedComparison const& comparison) {
    GuardedView<Exec, Record> const in(fuzzed_records(n));
    GuardedView<Exec, Record> const out(n);
    GuardedView<Exec, Record> const keys(fuzzed_records(n));
    GuardedView<Exec, std::int32_t> const values(iota<std::int32_t>(n));
    SortByTeam<Space> const kernel{in.view(),     out.view(), keys.view(),
                                   values.view(), {"done"},   comparison};
    run(kernel, n);
    int done = 0;
    Kokkos::deep_copy(done, kernel.done);
    EXPECT_EQ(done, 1);
    EXPECT_TRUE(are_fuzzed_records(in.values()));
    EXPECT_TRUE(are_fuzzed_records(out.values()));
    auto const sorted = keys.values();
    EXPECT_TRUE(are_fuzzed_records(sorted));
    auto const moved = values.values();
    for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(sorted[i].id, moved[i]) << i;
  });
}

template <class Exec>
class TeamSortFuzz : public ::testing::Test {};
TYPED_TEST_SUITE(TeamSortFuzz, ExecutionSpaces, SpaceNames);

TYPED_TEST(TeamSortFuzz, TeamSort) {
  using Exec = TypeParam;
  expect_sorts_by_teams<Exec>([](auto const& kernel, std::size_t n) {
    constexpr bool is_on_cpu = lanes::has_vector_threads<Exec>;
    Kokkos::TeamPolicy<Exec> policy(1, is_on_cpu ? 1 : 96);
    policy.set_scratch_size(is_on_cpu ? 1 : 0, Kokkos::PerTeam(scratch_bytes(n)));
    Kokkos::parallel_for("riffle::test::sort", policy, kernel);
    Exec().fence();
  });
}

TEST(TeamSortOfEmulatedGpuFuzz, TeamSort) {
  expect_sorts_by_teams<Kokkos::DefaultHostExecutionSpace>([](auto const& kernel, std::size_t n) {
    EmulatedGpu(1, n).run(1, 64, scratch_bytes(n) + 256,
                          [&](EmulatedMember const& member) { kernel(GpuMember(member)); });
  });
}

/// The matrix of one warp, or thread of a CPU, is all of `records`, 32 * columns.
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
    SortMatrix<Exec> const kernel{records.view(), {"done"}, columns, comparison};
    constexpr int threads = bank_processor_threads<Exec>;
    Kokkos::TeamPolicy<Exec> policy(1, threads);
    policy.set_scratch_size(
        0, Kokkos::PerTeam(static_cast<int>(BankedMatrix<Record>::bytes(columns) + 8 +
                                            team_matrix_scratch<Exec>(threads, columns))));
    Kokkos::parallel_for("riffle::test::sort", policy, kernel);
    Exec().fence();
    int done = 0;
    Kokkos::deep_copy(done, kernel.done);
    EXPECT_EQ(done, 1);
    EXPECT_TRUE(are_fuzzed_records(records.values()));
  });
}

}  // namespace
}  // namespace riffle::test
