#pragma once

// The addresses that RowPermutation's kernel accesses, per thread and step, and the schedule of the steps. They are
// plain functions, so that memory models (riffle/published/offline_permutation/memory_machine.hpp) can use them.
//   A. Kasagi, K. Nakano, Y. Ito, "Offline permutation on the CUDA-enabled GPU", IEICE Trans. Inf. & Syst.
//   E97-D (2014), doi 10.1587/transinf.2014PAP0010 [1].

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <riffle/backend/backend.hpp>
#include <riffle/context.hpp>
#include <riffle/errors.hpp>
#include <riffle/permute/detail/colour_graph.hpp>
#include <riffle/permute/tuning.hpp>
#include <riffle/primitives/call.hpp>
#include <riffle/primitives/loops.hpp>
#include <riffle/primitives/scope.hpp>

namespace riffle::detail::row_permutation {

/// The number of scratch memory banks, which equals the number of lanes per warp.
inline constexpr std::uint64_t banks = backend::width;

KOKKOS_INLINE_FUNCTION std::uint64_t round_up_to_warps(std::uint64_t count) {
  return (count + banks - 1) / banks * banks;
}

/// The addresses of the row-wise permutation in sec. 6 of [1]. Team `row` permutes one row, and thread k of the team
/// performs step k. Scratch memory has two halves, alpha and beta. The size of each half is the row length, rounded up
/// to a multiple of 32, so cell c of either half is in bank c mod 32.
struct RowAddresses {
  std::uint64_t columns;
  std::uint64_t pitch;  // the distance from one row of a matrix to the next, in elements

  /// The number of steps for a row. Steps k >= columns move nothing.
  KOKKOS_FUNCTION std::uint64_t steps() const { return round_up_to_warps(columns); }

  /// The index in global memory of element k, k < columns. The element is read in step 1 of [1] or written in step 4.
  KOKKOS_FUNCTION std::uint64_t element(std::uint64_t row, std::uint64_t k) const {
    return row * pitch + k;
  }
  /// The index in global memory of entry k of the schedules s and d (step 2 of [1]).
  KOKKOS_FUNCTION std::uint64_t schedule(std::uint64_t row, std::uint64_t k) const {
    return row * steps() + k;
  }
  /// The index in scratch memory of cell `column` in half alpha or beta. Teams access cells in ascending order (steps 1
  /// and 4 of [1]), or in the order of the schedule (step 3).
  KOKKOS_FUNCTION std::uint64_t alpha(std::uint64_t column) const { return column; }
  KOKKOS_FUNCTION std::uint64_t beta(std::uint64_t column) const { return steps() + column; }
};

}  // namespace riffle::detail::row_permutation

namespace riffle {

// --- schedules ---
//
// How the elements of a row move without bank conflicts (sec. 6 of [1]). Each element is an edge from the bank at which
// it is read to the bank at which it is written. Every bank has the same number d of edges, so the edges can be
// coloured with d colours. The edges with one colour become 32 consecutive steps, and one warp performs these steps
// together.

/// Step k moves the element in column from(k) of a row to column to(k) of the same row. `from` and `to` are the arrays
/// S and D of [1]. Steps i * s, ..., (i + 1) * s - 1 are for row i, where s is `columns` rounded up to a multiple of
/// 32.
template <class Exec>
struct RowSchedule {
  using Steps = Kokkos::View<std::uint16_t*, typename Exec::memory_space>;

  std::uint64_t rows;
  std::uint64_t columns;
  Steps from;
  Steps to;

  RowSchedule inverse() const { return {rows, columns, to, from}; }
};

namespace detail::row_permutation {

/// Column numbers have 16 bits.
inline constexpr std::uint64_t max_columns = std::uint64_t{1} << 16;

/// Returns the first column whose destination is out of range or repeats an earlier one in the row; returns `columns`
/// if the row is a permutation.
template <class Destination>
std::uint64_t first_bad_column(Destination const& destination, std::uint64_t row,
                               std::uint64_t columns) {
  std::uint64_t seen[max_columns / 64];
  std::fill_n(seen, (columns + 63) / 64, std::uint64_t{0});
  for (std::uint64_t j = 0; j < columns; ++j) {
    std::uint64_t const to = destination(row, j);
    if (to >= columns) return j;
    std::uint64_t const bit = std::uint64_t{1} << to % 64;
    if ((seen[to / 64] & bit) != 0) return j;
    seen[to / 64] |= bit;
  }
  return columns;
}

/// Returns the minimum of row * columns + column over all destinations that are out of range or repeat an earlier
/// destination in the same row; returns rows * columns if there is no such destination. Runs on the host.
template <class Host, class Destination>
std::uint64_t first_bad_destination(Context<Host> const& context, std::uint64_t rows,
                                    std::uint64_t columns, Destination const& destination) {
  std::uint64_t first = rows * columns;
  auto const find = [=](std::uint64_t row, std::uint64_t& first_of_thread) {
    if (row * columns > first_of_thread) return;
    std::uint64_t const j = first_bad_column(destination, row, columns);
    if (j < columns) first_of_thread = std::min(first_of_thread, row * columns + j);
  };
  Kokkos::parallel_reduce(context.label() + "::check", range(context.exec(), 0, rows), find,
                          Kokkos::Min<std::uint64_t>(first));
  return std::min(first, rows * columns);
}

/// The execution space that builds plans for `exec`: `exec` itself on a CPU, otherwise the default host space.
template <class Exec>
auto host_of(Exec const& exec) {
  if constexpr (backend::is_cpu<Exec>) {
    return exec;
  } else {
    return Kokkos::DefaultHostExecutionSpace();
  }
}

using BankMemory = edge_colouring::ColouringMemory<std::uint8_t>;

/// Task t schedules the rows t, t + tasks, t + 2 tasks, ... Each task has memory to colour one row.
template <class Destination>
struct ScheduleRows {
  BankMemory const& memory;
  std::uint64_t tasks;
  std::uint64_t rows;
  RowAddresses at;
  Destination destination;
  std::uint16_t* from;
  std::uint16_t* to;

  void operator()(std::uint64_t task) const {
    for (std::uint64_t row = task; row < rows; row += tasks) schedule(task, row);
  }

 private:
  void schedule(std::uint64_t task, std::uint64_t row) const {
    std::uint64_t const first = task * at.steps();
    auto const degree = static_cast<std::uint32_t>(at.steps() / banks);
    auto const edges = memory.edges(0).from(static_cast<std::uint32_t>(first));
    put_edges(row, degree, edges);
    std::uint16_t* const row_from = from + at.schedule(row, 0);
    std::uint16_t* const row_to = to + at.schedule(row, 0);
    auto const set_colour = [=, this](std::uint32_t colour, std::uint32_t const* columns) {
      for (std::uint64_t bank = 0; bank < banks; ++bank) {
        std::uint64_t const step = colour * banks + bank;
        row_from[step] = static_cast<std::uint16_t>(columns[bank]);
        row_to[step] = static_cast<std::uint16_t>(destination_of(row, columns[bank]));
      }
    };
    edge_colouring::colour_graph(edges, memory.edges(1).from(static_cast<std::uint32_t>(first)),
                                 static_cast<std::uint32_t>(banks), degree, 0,
                                 memory.scratch(first, task), set_colour);
  }

  void put_edges(std::uint64_t row, std::uint32_t degree,
                 edge_colouring::Edges<std::uint8_t> const& edges) const {
    for (std::uint32_t column = 0; column < at.steps(); ++column) {
      std::uint32_t const place = column % banks * degree + column / banks;
      edges.right[place] = static_cast<std::uint8_t>(destination_of(row, column) % banks);
      edges.number[place] = column;
    }
  }

  /// Padding columns keep their position.
  std::uint64_t destination_of(std::uint64_t row, std::uint64_t column) const {
    return column < at.columns ? destination(row, column) : column;
  }
};

/// Returns the schedule that moves column j of row i to column destination(i, j). Requires: for each i,
/// destination(i, .) is a permutation. Several host threads call `destination`, two or three times for each element.
template <class Exec, class Destination>
RowSchedule<Exec> make_schedule(Context<Exec> const& context, std::uint64_t rows,
                                std::uint64_t columns, Destination const& destination) {
  RowAddresses const at{columns, columns};
  std::uint64_t const cells = rows * at.steps();
  auto const uninitialized =
      Kokkos::view_alloc(context.exec(), Kokkos::WithoutInitializing, context.label() + "::steps");
  using Steps = typename RowSchedule<Exec>::Steps;
  RowSchedule<Exec> const schedule{rows, columns, Steps(uninitialized, cells),
                                   Steps(uninitialized, cells)};
  if (cells == 0) return schedule;
  auto const from = Kokkos::create_mirror_view(Kokkos::WithoutInitializing, schedule.from);
  auto const to = Kokkos::create_mirror_view(Kokkos::WithoutInitializing, schedule.to);
  auto const host = host_of(context.exec());
  context.exec().fence(context.label() + "::steps");
  std::uint64_t const tasks = std::min<std::uint64_t>(
      rows, tasks_per_thread * static_cast<std::uint64_t>(host.concurrency()));
  bool const matches = edge_colouring::needs_matchings(at.steps() / banks);
  Call const on_host(Context(host, context.label()), "");
  Scope scope(on_host);
  auto const memory = scope.arrays([&](ArrayMemory& arrays) {
    return BankMemory(arrays, tasks * at.steps(), tasks, banks, matches);
  });
  memory.initialise();
  for_each_dynamic(
      on_host.named("schedule"), tasks,
      ScheduleRows<Destination>{memory, tasks, rows, at, destination, from.data(), to.data()});
  host.fence(context.label() + "::schedule");
  Kokkos::deep_copy(context.exec(), schedule.from, from);
  Kokkos::deep_copy(context.exec(), schedule.to, to);
  context.exec().fence(context.label() + "::steps");
  return schedule;
}

}  // namespace detail::row_permutation
}  // namespace riffle
