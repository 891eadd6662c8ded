// Permutations that are known in advance, on the model and in kernels.

#include <Kokkos_Core.hpp>

#include <riffle/permute/edge_colouring.hpp>
#include <riffle/permute/row_permutation.hpp>
#include <riffle/published/bank_conflict_free_sorting/team_permute.hpp>
#include <riffle/published/offline_permutation/memory_machine.hpp>
#include <riffle/published/offline_permutation/model_processors.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/labelled_matrices.hpp"
#include "support/views.hpp"

namespace riffle::test::team_permute_offline_test {
namespace {

namespace mp = detail::matrix_permute;
using Host = Kokkos::DefaultHostExecutionSpace;

struct Steps {
  std::vector<Index> from;
  std::vector<Index> to;
};

/// A schedule for any number of rows: cells are edges from their row to their destination row, and a colour is a step.
Steps schedule_by_colours(Index w, Index m, std::vector<Index> const& labels) {
  Kokkos::View<Index*, Kokkos::HostSpace> const left("left", w * m), right("right", w * m),
      colours("colours", w * m);
  for (Index c = 0; c < w * m; ++c) {
    left(c) = c % w;
    right(c) = labels[c] % w;
  }
  colour_edges(Host(), w, left, right, colours);
  Steps result{std::vector<Index>(w * m), std::vector<Index>(w * m)};
  for (Index c = 0; c < w * m; ++c) {
    result.from[colours(c) * w + c % w] = c;
    result.to[colours(c) * w + c % w] = labels[c];
  }
  return result;
}

/// The row and column of a cell by its number; a device function, since nvcc requires it of functions that kernels may call.
template <class Cell>
struct CellsOf {
  Cell const* cells;
  KOKKOS_FUNCTION Cell operator()(Index k) const { return cells[k]; }
};
template <class Cell>
CellsOf(Cell const*) -> CellsOf<Cell>;

struct CellsInOrder {
  KOKKOS_FUNCTION Index operator()(Index k) const { return k; }
};

template <class From, class To>
void expect_permuted_by(Index w, Index m, std::vector<Index> const& labels, From const& from,
                        To const& to) {
  ModelProcessors processors(w);
  auto const source = processors.matrix<Index>(m);
  auto const target = processors.matrix<Index>(m);
  DiscreteMemoryMachine machine({.width = w, .latency = 1});
  if (w * m <= 256) processors.run_on(machine);
  for (Index c = 0; c < w * m; ++c) source.data()[c] = value_in_cell(c);
  mp::permute_by_schedule(processors, source, target, from, to);
  EXPECT_EQ(std::vector<Index>(target.data(), target.data() + w * m), permuted_values(labels))
      << shape(w, m);
  expect_no_conflicts(processors, shape(w, m));
  EXPECT_EQ(processors.time(), 2 * m) << shape(w, m);
  EXPECT_EQ(machine.counts().conflicting_reading + machine.counts().conflicting_writing, 0u);
}

TEST(Offline, EveryShapeUpTo64InTwoTimeUnitsAColumn) {
  Index number = 0;
  for (Index w = 1; w <= 64; ++w) {
    for (Index m = 1; m <= 64; m += m < 16 ? 1 : 7) {
      auto const labels = matrix_labellings[number++ % std::size(matrix_labellings)](w, m);
      auto const steps = schedule_by_colours(w, m, labels);
      expect_permuted_by(w, m, labels, CellsOf{steps.from.data()}, CellsOf{steps.to.data()});
    }
  }
}

// Without a colouring there are bank conflicts; the model must find them.
TEST(Offline, CellsInOrderHaveBankConflicts) {
  ModelProcessors processors(8);
  auto const source = processors.matrix<Index>(8);
  auto const target = processors.matrix<Index>(8);
  auto const labels = transposed_labels(8, 8);
  mp::permute_by_schedule(processors, source, target, CellsInOrder{}, CellsOf{labels.data()});
  EXPECT_GT(processors.conflicts(), 0u);
}

/// A plan with a row for each labelling of a 32 x m matrix; cells from `columns` on stay in place.
template <class Exec>
RowPermutation<Exec> make_plan(std::vector<std::vector<Index>> const& labellings, Index columns) {
  Kokkos::View<Index**, typename Exec::memory_space> const p("p", labellings.size(), columns);
  auto const host = Kokkos::create_mirror_view(p);
  for (Index row = 0; row < labellings.size(); ++row) {
    for (Index c = 0; c < columns; ++c) host(row, c) = labellings[row][c];
  }
  Kokkos::deep_copy(p, host);
  return RowPermutation<Exec>(Exec(), p);
}

/// Permutations of the first `columns` cells of a matrix with enough columns.
std::vector<std::vector<Index>> some_labellings(Index columns) {
  Index const cells = (columns + 31) / 32 * 32;
  std::vector<std::vector<Index>> result;
  for (auto const& labelling : matrix_labellings) {
    auto labels = columns % 32 == 0 ? labelling(32, columns / 32) : labelling(columns, 1);
    for (Index c = columns; c < cells; ++c) labels.push_back(c);
    result.push_back(labels);
  }
  return result;
}

TEST(Offline, RowPermutationsSchedulesHaveNoBankConflicts) {
  for (Index const columns : {32u, 33u, 100u, 1024u}) {
    auto const labellings = some_labellings(columns);
    auto const plan = make_plan<Host>(labellings, columns);
    auto const& schedule = plan.schedule();
    Index const cells = (columns + 31) / 32 * 32;
    for (Index row = 0; row < labellings.size(); ++row) {
      expect_permuted_by(32, cells / 32, labellings[row], CellsOf{&schedule.from(row * cells)},
                         CellsOf{&schedule.to(row * cells)});
    }
  }
}

template <class Exec>
struct PermuteBySchedule {
  using Member = typename Kokkos::TeamPolicy<Exec>::member_type;
  using Schedule = RowSchedule<Exec>;

  Schedule schedule;
  std::uint32_t columns;
  Kokkos::View<Index*, typename Exec::memory_space> values;
  Kokkos::View<TeamPermuteStatus*, typename Exec::memory_space> status;

  KOKKOS_FUNCTION void operator()(Member const& member) const {
    std::size_t const cells = std::size_t{32} * columns;
    auto const row = static_cast<std::size_t>(member.league_rank());
    Index* const source = take(member, cells);
    Index* const target = take(member, cells);
    auto const step = static_cast<std::size_t>(member.team_size());
    auto const first = static_cast<std::size_t>(member.team_rank());
    for (std::size_t c = first; c < cells; c += step) source[c] = values(row * cells + c);
    status(row) = team_permute(member, schedule, row, BankedMatrix<Index>(source, columns),
                               BankedMatrix<Index>(target, columns));
    for (std::size_t c = first; c < cells; c += step) values(row * cells + c) = target[c];
  }

 private:
  KOKKOS_FUNCTION Index* take(Member const& member, std::size_t count) const {
    return static_cast<Index*>(member.team_scratch(0).get_shmem_aligned(count * 4, 16));
  }
};

template <class Exec>
class TeamPermuteBySchedule : public ::testing::Test {};
TYPED_TEST_SUITE(TeamPermuteBySchedule, ExecutionSpaces, SpaceNames);

/// Runs a team for each row of the plan, and one more team, for which the plan has no row.
template <class Exec>
PermuteBySchedule<Exec> run_schedule(RowPermutation<Exec> const& plan, Index columns) {
  std::size_t const teams = plan.rows() + 1;
  std::vector<Index> values(teams * 32 * columns);
  for (Index c = 0; c < values.size(); ++c) values[c] = value_in_cell(c % (32 * columns));
  PermuteBySchedule<Exec> const kernel{plan.schedule(), columns, to_view<Exec>(values),
                                       decltype(PermuteBySchedule<Exec>::status)("status", teams)};
  Kokkos::TeamPolicy<Exec> policy(static_cast<int>(teams), bank_processor_threads<Exec>);
  policy.set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(2 * 128 * columns + 32)));
  Kokkos::parallel_for("permute_by_schedule", policy, kernel);
  return kernel;
}

TYPED_TEST(TeamPermuteBySchedule, MovesItemsByThePlan) {
  for (Index const columns : {32u, 100u, 1024u}) {
    auto const labellings = some_labellings(columns);
    Index const cells = (columns + 31) / 32 * 32;
    auto const kernel = run_schedule(make_plan<TypeParam>(labellings, columns), cells / 32);
    auto const values = to_vector(kernel.values);
    auto const status = to_vector(kernel.status);
    for (Index row = 0; row < labellings.size(); ++row) {
      auto const begin = values.begin() + row * cells;
      EXPECT_EQ(std::vector<Index>(begin, begin + cells), permuted_values(labellings[row])) << row;
      EXPECT_EQ(status[row], TeamPermuteStatus::permuted);
    }
    EXPECT_EQ(status.back(), TeamPermuteStatus::schedule_does_not_fit);
  }
}

TYPED_TEST(TeamPermuteBySchedule, RejectsAScheduleForOtherMatrices) {
  auto const plan = make_plan<TypeParam>(some_labellings(100), 100);
  for (Index const columns : {3u, 5u}) {
    for (auto const status : to_vector(run_schedule(plan, columns).status)) {
      EXPECT_EQ(status, TeamPermuteStatus::schedule_does_not_fit);
    }
  }
}

// Threads of a team ask for different rows, one of which the plan does not have. All must pass the same barriers.
TEST(TeamPermuteBySchedule, ThreadsWithoutARowPassTheBarriers) {
  using Exec = Kokkos::DefaultHostExecutionSpace;
  if (Exec().concurrency() < 2) GTEST_SKIP() << "needs a team of two threads";
  auto const labellings = some_labellings(100);
  auto const schedule = make_plan<Exec>(labellings, 100).schedule();
  Index const cells = 128;
  std::vector<Index> values(4 * cells);
  for (Index c = 0; c < values.size(); ++c) values[c] = value_in_cell(c % cells);
  std::vector<TeamPermuteStatus> status(2);
  using Member = Kokkos::TeamPolicy<Exec>::member_type;
  Kokkos::parallel_for(Kokkos::TeamPolicy<Exec>(1, 2), [&](Member const& member) {
    auto const thread = static_cast<std::size_t>(member.team_rank());
    BankedMatrix<Index> const source(&values[2 * thread * cells], cells / 32);
    BankedMatrix<Index> const target(&values[(2 * thread + 1) * cells], cells / 32);
    std::uint64_t const row = thread == 0 ? 1 : schedule.rows;
    status[thread] = team_permute(member, schedule, row, source, target);
  });
  EXPECT_EQ(status[0], TeamPermuteStatus::permuted);
  EXPECT_EQ(status[1], TeamPermuteStatus::schedule_does_not_fit);
}

}  // namespace
}  // namespace riffle::test::team_permute_offline_test
