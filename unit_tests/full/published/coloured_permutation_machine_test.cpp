// Table 1 of
//   A. Kasagi, K. Nakano, Y. Ito, "Offline permutation on the CUDA-enabled GPU", IEICE Trans. Inf. & Syst.
//   E97-D (2014), doi 10.1587/transinf.2014PAP0010:
// the rows for the row-wise, column-wise and scheduled permutation, with the address functions of the kernels.

#include <Kokkos_Core.hpp>
#include <riffle/published/offline_permutation/coloured_permutation.hpp>
#include <riffle/published/offline_permutation/memory_machine.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "support/views.hpp"

namespace riffle::test::coloured_permutation_machine_test {
namespace {

namespace rp = detail::row_permutation;

using Host = Kokkos::DefaultHostExecutionSpace;
using Schedule = RowSchedule<Host>;

constexpr std::uint64_t w = 32;
constexpr std::uint64_t latency = 200;

/// The kernel of the row-wise permutation: one thread for each step of a row.
void run_rows(HierarchicalMemoryMachine& machine, Schedule const& schedule) {
  rp::RowAddresses const at{schedule.columns, rp::round_up_to_warps(schedule.columns)};
  std::uint64_t const rows = schedule.rows;
  std::uint64_t const threads = at.steps();
  auto const if_any = [&](std::uint64_t k, std::uint64_t address) {
    return k < at.columns ? address : no_address;
  };
  auto const element = [&](std::uint64_t row, std::uint64_t k) {
    return if_any(k, at.element(row, k));
  };
  auto const step = [&](std::uint64_t row, std::uint64_t k) { return at.schedule(row, k); };
  auto const from = [&](std::uint64_t row, std::uint64_t k) {
    std::uint64_t const column = schedule.from(at.schedule(row, k));
    return if_any(column, at.alpha(column));
  };
  auto const to = [&](std::uint64_t row, std::uint64_t k) {
    std::uint64_t const column = schedule.to(at.schedule(row, k));
    return if_any(column, at.beta(column));
  };
  machine.read_global(rows, threads, element);
  machine.write_shared(rows, threads,
                       [&](std::uint64_t, std::uint64_t k) { return if_any(k, at.alpha(k)); });
  machine.read_global(rows, threads, step);
  machine.read_global(rows, threads, step);
  machine.read_shared(rows, threads, from);
  machine.write_shared(rows, threads, to);
  machine.read_shared(rows, threads,
                      [&](std::uint64_t, std::uint64_t k) { return if_any(k, at.beta(k)); });
  machine.write_global(rows, threads, element);
}

/// The kernel of the transposition of a rows x columns matrix, with one thread for each cell of a tile. `pitch` and
/// `other_pitch` are the distances between rows of the matrix and of its transpose.
void run_transpose(HierarchicalMemoryMachine& machine, std::uint64_t rows, std::uint64_t columns) {
  rp::TileAddresses const at{rows, columns};
  std::uint64_t const pitch = rp::round_up_to_warps(columns);
  std::uint64_t const other_pitch = rp::round_up_to_warps(rows);
  std::uint64_t const threads = at.tile_size;
  machine.read_global(at.tiles(), threads, [&](std::uint64_t tile, std::uint64_t k) {
    auto const cell = at.source(tile, k);
    return at.has_source(cell) ? cell.row * pitch + cell.column : no_address;
  });
  machine.write_shared(at.tiles(), threads, [&](std::uint64_t tile, std::uint64_t k) {
    return at.has_source(at.source(tile, k)) ? at.stored_at(k) : no_address;
  });
  machine.read_shared(at.tiles(), threads, [&](std::uint64_t tile, std::uint64_t k) {
    return at.has_target(at.target(tile, k)) ? at.loaded_from(k) : no_address;
  });
  machine.write_global(at.tiles(), threads, [&](std::uint64_t tile, std::uint64_t k) {
    auto const cell = at.target(tile, k);
    return at.has_target(cell) ? cell.row * other_pitch + cell.column : no_address;
  });
}

/// `across` is the schedule of the transposed matrix.
void run_columns(HierarchicalMemoryMachine& machine, Schedule const& across) {
  run_transpose(machine, across.columns, across.rows);
  run_rows(machine, across);
  run_transpose(machine, across.rows, across.columns);
}

void run_scheduled(HierarchicalMemoryMachine& machine, ColouredPermutation<Host> const& plan) {
  run_rows(machine, plan.first());
  run_columns(machine, plan.across());
  run_rows(machine, plan.last());
}

ColouredPermutation<Host> random_plan(std::uint64_t n) {
  auto p = iota<std::uint32_t>(n);
  std::mt19937_64 random(n);
  std::shuffle(p.begin(), p.end(), random);
  return ColouredPermutation<Host>(Host(), to_view<Host>(p));
}

RoundCounts counts_of(std::uint64_t global_reading, std::uint64_t global_writing,
                      std::uint64_t shared_reading, std::uint64_t shared_writing) {
  RoundCounts counts;
  counts.coalesced_reading = global_reading;
  counts.coalesced_writing = global_writing;
  counts.conflict_free_reading = shared_reading;
  counts.conflict_free_writing = shared_writing;
  return counts;
}

class TableOne : public ::testing::TestWithParam<std::uint64_t> {
 protected:
  std::uint64_t k() const { return GetParam(); }
  HierarchicalMemoryMachine machine() const {
    return HierarchicalMemoryMachine({.width = w, .latency = latency, .dmms = k()});
  }
  /// c n/w + c n/(k w) + c L - c.
  std::uint64_t time(std::uint64_t c, std::uint64_t n) const {
    return c * (n / w + n / (k() * w) + latency - 1);
  }
};

// The numbers of rows, columns and tiles are multiples of k, so that all DMMs have equal work.
constexpr std::uint64_t size = 128 * 128;

TEST_P(TableOne, RowWisePermutation) {
  auto const plan = random_plan(size);
  for (auto const& schedule : {plan.first(), plan.across(), plan.last()}) {
    auto hmm = machine();
    run_rows(hmm, schedule);
    EXPECT_EQ(hmm.counts(), counts_of(3, 1, 2, 2));
    EXPECT_EQ(hmm.time(), time(4, size));
  }
}

TEST_P(TableOne, ColumnWisePermutation) {
  auto hmm = machine();
  run_columns(hmm, random_plan(size).across());
  EXPECT_EQ(hmm.counts(), counts_of(5, 3, 4, 4));
  EXPECT_EQ(hmm.time(), time(8, size));
}

TEST_P(TableOne, ScheduledPermutation) {
  for (auto const& plan : {random_plan(size), random_plan(size).inverse()}) {
    auto hmm = machine();
    run_scheduled(hmm, plan);
    EXPECT_EQ(hmm.counts(), counts_of(11, 5, 8, 8));
    EXPECT_EQ(hmm.time(), time(16, size));
  }
}

// The time is the same for each permutation.
TEST_P(TableOne, ScheduledPermutationOfBitReversal) {
  std::vector<std::uint32_t> p(size);
  for (std::uint32_t i = 0; i < size; ++i)
    for (int bit = 0; bit < 14; ++bit) p[i] |= (i >> bit & 1u) << (13 - bit);
  auto hmm = machine();
  run_scheduled(hmm, ColouredPermutation<Host>(Host(), to_view<Host>(p)));
  EXPECT_EQ(hmm.counts(), counts_of(11, 5, 8, 8));
  EXPECT_EQ(hmm.time(), time(16, size));
}

INSTANTIATE_TEST_SUITE_P(Dmms, TableOne, ::testing::Values(1, 4, 16));

// With sizes that fill neither rows nor tiles, the rounds are still of the same kinds.
TEST(ColouredPermutationOnTheMachine, AnySizeIsCoalescedAndFreeOfConflicts) {
  for (std::uint64_t const n : {1, 33, 1025, 3001, 10007}) {
    HierarchicalMemoryMachine machine({.width = w, .latency = latency, .dmms = 4});
    run_scheduled(machine, random_plan(n));
    EXPECT_EQ(machine.counts(), counts_of(11, 5, 8, 8)) << n;
  }
}

// Without a schedule, the elements of a row in the order of columns have bank conflicts.
TEST(ColouredPermutationOnTheMachine, UnscheduledRowsHaveConflicts) {
  auto plan = random_plan(size);
  Schedule const schedule = plan.first();
  std::vector<std::uint16_t> image(schedule.columns);
  for (std::uint64_t k = 0; k < schedule.columns; ++k) image[schedule.from(k)] = schedule.to(k);
  HierarchicalMemoryMachine machine({.width = w, .latency = latency, .dmms = 1});
  machine.write_shared(1, schedule.columns,
                       [&](std::uint64_t, std::uint64_t k) { return image[k]; });
  EXPECT_EQ(machine.counts().conflicting_writing, 1u);
}

}  // namespace
}  // namespace riffle::test::coloured_permutation_machine_test
