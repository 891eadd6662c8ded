#pragma once

// Rows permuted, and matrices transposed, through the scratch memory of teams, at the addresses of row_addresses.hpp.

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <riffle/backend/backend.hpp>
#include <riffle/context.hpp>
#include <riffle/errors.hpp>
#include <riffle/permute/detail/row_permutation/matrices.hpp>
#include <riffle/permute/row_addresses.hpp>
#include <riffle/permute/row_schedule.hpp>
#include <riffle/primitives/launch.hpp>
#include <riffle/permute/tuning.hpp>

namespace riffle::detail::row_permutation {

using Bounds = Kokkos::LaunchBounds<max_threads>;

/// The threads of a team: on a GPU one for each of `work` items, up to max_threads; on a CPU one.
template <class Exec>
int team_size(std::uint64_t work) {
  if (backend::is_cpu<Exec>) return 1;
  return static_cast<int>(std::min<std::uint64_t>(in_full_warps(work), max_threads));
}

/// The bytes of scratch memory, of one level, that `count` elements and their alignment take.
template <class T>
std::size_t scratch_bytes(std::uint64_t count) {
  return count * sizeof(T) + 16;
}

template <class T, class Member>
KOKKOS_FUNCTION T* team_cells(Member const& team, int level, std::uint64_t count) {
  return static_cast<T*>(team.team_scratch(level).get_shmem_aligned(count * sizeof(T), 16));
}

/// Calls put(k, get(k)) for k = thread, thread + threads, ... < count. Where registers hold the values, four loads are
/// under way before the first value is used.
template <class Member, class Get, class Put>
KOKKOS_FUNCTION void for_own(Member const& team, std::uint64_t count, Get const& get,
                             Put const& put) {
  auto const threads = static_cast<std::uint64_t>(team.team_size());
  auto k = static_cast<std::uint64_t>(team.team_rank());
  using Value = decltype(get(k));
  if constexpr (sizeof(Value) <= 16) {
    constexpr int batch = 4;
    for (; k + (batch - 1) * threads < count; k += batch * threads) {
      Value const values[batch] = {get(k), get(k + threads), get(k + 2 * threads),
                                   get(k + 3 * threads)};
      for (int b = 0; b < batch; ++b) put(k + static_cast<std::uint64_t>(b) * threads, values[b]);
    }
  }
  for (; k < count; k += threads) put(k, get(k));
}

/// A team for each row: it reads the whole row before it writes any of it, so that both matrices may be one.
template <class Source, class Target>
struct PermuteRows {
  using T = typename Source::Value;

  RowAddresses at;
  std::uint16_t const* from;
  std::uint16_t const* to;
  Source source;
  Target target;
  int level;

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    T* const cells = team_cells<T>(team, level, 2 * at.steps());
    auto const row = static_cast<std::uint64_t>(team.league_rank());
    for_own(
        team, at.columns, [&](std::uint64_t k) { return source.get(row, k); },
        [&](std::uint64_t k, T const& value) { cells[at.alpha(k)] = value; });
    team.team_barrier();
    for_own(
        team, at.steps(), [&](std::uint64_t k) { return step(row, k); },
        [&](std::uint64_t, Step const& step) {
          if (step.from < at.columns) cells[at.beta(step.to)] = cells[at.alpha(step.from)];
        });
    team.team_barrier();
    for_own(
        team, at.columns, [&](std::uint64_t k) { return cells[at.beta(k)]; },
        [&](std::uint64_t k, T const& value) { target.put(row, k, value); });
  }

 private:
  struct Step {
    std::uint16_t from;
    std::uint16_t to;
  };
  KOKKOS_FUNCTION Step step(std::uint64_t row, std::uint64_t k) const {
    std::uint64_t const i = at.schedule(row, k);
    return {from[i], to[i]};
  }
};

/// target(j, i) = source(i, j), a team for each tile.
template <class Source, class Target>
struct TransposeTiles {
  using T = typename Source::Value;

  TileAddresses at;
  Source source;
  Target target;
  int level;

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    T* const cells = team_cells<T>(team, level, TileAddresses::tile_size);
    auto const tile = static_cast<std::uint64_t>(team.league_rank());
    auto const first = static_cast<std::uint64_t>(team.team_rank());
    auto const threads = static_cast<std::uint64_t>(team.team_size());
    for (std::uint64_t k = first; k < TileAddresses::tile_size; k += threads) {
      auto const cell = at.source(tile, k);
      if (at.has_source(cell)) cells[at.stored_at(k)] = source.get(cell.row, cell.column);
    }
    team.team_barrier();
    for (std::uint64_t k = first; k < TileAddresses::tile_size; k += threads) {
      auto const cell = at.target(tile, k);
      if (at.has_target(cell)) target.put(cell.row, cell.column, cells[at.loaded_from(k)]);
    }
  }
};

/// The bytes of scratch memory that a team of `Exec` can have, on a GPU those of level 0.
template <class Exec>
std::size_t max_row_scratch_bytes(Exec const& exec) {
  return max_team_scratch_bytes<Bounds>(exec, 1, backend::is_cpu<Exec> ? 1 : 0);
}

/// The largest number of columns for which a row of T, and its permuted form, fit in a team's scratch memory.
template <class T, class Exec>
std::uint64_t max_columns_of(Exec const& exec) {
  std::uint64_t const cells = (max_row_scratch_bytes(exec) - scratch_bytes<T>(0)) / sizeof(T);
  return std::min(max_columns, cells / 2 / banks * banks);
}

/// Throws where a row does not fit.
template <class T, class Exec>
void check_fits(char const* function, char const* what, Exec const& exec, std::uint64_t columns) {
  check(columns <= max_columns_of<T>(exec), function, what, columns, " elements of ", sizeof(T),
        " bytes take ", scratch_bytes<T>(2 * in_full_warps(columns)),
        " bytes of scratch memory, and a team has ", max_row_scratch_bytes(exec),
        ": must be at most ", max_columns_of<T>(exec), " elements");
}

/// Throws where a tile does not fit.
template <class T, class Exec>
void check_tile_fits(char const* function, Exec const& exec) {
  std::size_t const bytes = scratch_bytes<T>(TileAddresses::tile_size);
  check(bytes <= max_row_scratch_bytes(exec), function, "a tile of ", TileAddresses::tile_size,
        " elements of ", sizeof(T), " bytes takes ", bytes,
        " bytes of scratch memory, and a team has ", max_row_scratch_bytes(exec));
}

/// The level of scratch memory that can give a team `bytes` bytes. What is too much for a CPU's level 0 is taken from
/// its level 1, which is memory like any other there.
template <class Exec>
int scratch_level(Exec const& exec, int threads, std::size_t bytes) {
  return bytes <= max_team_scratch_bytes<Bounds>(exec, threads) ? 0 : 1;
}

/// Launches `teams` teams, each with `cells` elements of scratch memory; make(level) is their kernel.
template <class T, class Exec, class Make>
void launch(Context<Exec> const& context, std::uint64_t teams, std::uint64_t work,
            std::uint64_t cells, Make const& make) {
  int const threads = team_size<Exec>(work);
  std::size_t const bytes = scratch_bytes<T>(cells);
  int const level = scratch_level(context.exec(), threads, bytes);
  launch_league<Bounds>(context, {teams, threads, bytes, level}, make(level));
}

template <class Exec, class Source, class Target>
void permute_rows(Context<Exec> const& context, RowSchedule<Exec> const& schedule,
                  Source const& source, Target const& target) {
  RowAddresses const at{schedule.columns, schedule.columns};
  launch<typename Source::Value>(
      context, schedule.rows, schedule.columns, 2 * at.steps(), [&](int level) {
        return PermuteRows<Source, Target>{
            at, schedule.from.data(), schedule.to.data(), source, target, level};
      });
}

/// target(j, i) = source(i, j).
template <class Exec, class Source, class Target>
void transpose_matrix(Context<Exec> const& context, std::uint64_t rows, std::uint64_t columns,
                      Source const& source, Target const& target) {
  TileAddresses const at{rows, columns};
  launch<typename Source::Value>(context, at.tiles(), TileAddresses::tile_size / 4,
                                 TileAddresses::tile_size, [&](int level) {
                                   return TransposeTiles<Source, Target>{at, source, target, level};
                                 });
}

}  // namespace riffle::detail::row_permutation
