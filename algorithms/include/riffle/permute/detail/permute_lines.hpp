#pragma once

// Permutes the rows or columns of a matrix by a RowSchedule. This file contains the kernel, its launch, and the checks
// of RowPermutation and ColumnPermutation.

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include <riffle/backend/backend.hpp>
#include <riffle/context.hpp>
#include <riffle/errors.hpp>
#include <riffle/permute/detail/tiles/check_tiles.hpp>
#include <riffle/permute/detail/tiles/run_transpose.hpp>
#include <riffle/permute/row_schedule.hpp>
#include <riffle/permute/tuning.hpp>
#include <riffle/primitives/launch.hpp>
#include <riffle/primitives/scope.hpp>
#include <riffle/primitives/view_copies.hpp>
#include <riffle/primitives/views.hpp>

namespace riffle::detail::row_permutation {

/// A matrix in a rank-2 View.
template <class View>
struct ViewMatrix {
  using Value = typename View::non_const_value_type;

  View view;

  KOKKOS_FUNCTION Value get(std::uint64_t row, std::uint64_t column) const {
    return view(row, column);
  }
  KOKKOS_FUNCTION void put(std::uint64_t row, std::uint64_t column, Value const& value) const {
    view(row, column) = value;
  }
};

/// A matrix in the workspace, whose rows are `at.pitch` elements apart.
template <class T>
struct PitchedMatrix {
  using Value = T;

  T* data;
  RowAddresses at;

  KOKKOS_FUNCTION T get(std::uint64_t row, std::uint64_t column) const {
    return data[at.element(row, column)];
  }
  KOKKOS_FUNCTION void put(std::uint64_t row, std::uint64_t column, T const& value) const {
    data[at.element(row, column)] = value;
  }
};

// --- kernels ---
//
// A team permutes a row in its scratch memory. RowAddresses defines the addresses in scratch memory.

using Bounds = Kokkos::LaunchBounds<max_threads>;

/// The number of threads per team for `work` items: one on a CPU; on a GPU at most one per item and at most
/// max_threads.
template <class Exec>
int team_size(std::uint64_t work) {
  if (backend::is_cpu<Exec>) return 1;
  return static_cast<int>(std::min<std::uint64_t>(round_up_to_warps(work), max_threads));
}

/// The scratch memory, in bytes and with alignment, for `count` elements at one level.
template <class T>
std::size_t scratch_bytes(std::uint64_t count) {
  return count * sizeof(T) + 16;
}

template <class T, class Member>
KOKKOS_FUNCTION T* team_cells(Member const& team, int level, std::uint64_t count) {
  return static_cast<T*>(team.team_scratch(level).get_shmem_aligned(count * sizeof(T), 16));
}

/// Calls put(k, get(k)) for k = thread, thread + threads, ..., while k < count. If values fit into registers, a thread
/// has four loads in flight before it uses the first value.
template <class Member, class Get, class Put>
KOKKOS_FUNCTION void for_each_of_thread(Member const& team, std::uint64_t count, Get const& get,
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

/// Kernel in which each team permutes one row. A team reads the whole row before it writes, so source and target may be
/// the same matrix.
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
    for_each_of_thread(
        team, at.columns, [&](std::uint64_t k) { return source.get(row, k); },
        [&](std::uint64_t k, T const& value) { cells[at.alpha(k)] = value; });
    team.team_barrier();
    for_each_of_thread(
        team, at.steps(), [&](std::uint64_t k) { return step(row, k); },
        [&](std::uint64_t, Step const& step) {
          if (step.from < at.columns) cells[at.beta(step.to)] = cells[at.alpha(step.from)];
        });
    team.team_barrier();
    for_each_of_thread(
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

/// The maximum scratch memory per team, in bytes: at level 0 on a GPU, at level 1 on a CPU.
template <class Exec>
std::size_t max_row_scratch_bytes(Exec const& exec) {
  return max_team_scratch_bytes<Bounds>(exec, 1, backend::is_cpu<Exec> ? 1 : 0);
}

/// The maximum number of columns. Two copies of a row of T, before and after the permutation, must fit in a team's
/// scratch memory.
template <class T, class Exec>
std::uint64_t max_columns_of(Exec const& exec) {
  std::uint64_t const cells = (max_row_scratch_bytes(exec) - scratch_bytes<T>(0)) / sizeof(T);
  return std::min(max_columns, cells / 2 / banks * banks);
}

/// Throws if a row does not fit in scratch memory.
template <class T, class Exec>
void check_fits(char const* function, char const* what, Exec const& exec, std::uint64_t columns) {
  check(columns <= max_columns_of<T>(exec), function, what, columns, " elements of ", sizeof(T),
        " bytes take ", scratch_bytes<T>(2 * round_up_to_warps(columns)),
        " bytes of scratch memory, and a team has ", max_row_scratch_bytes(exec),
        ": must be at most ", max_columns_of<T>(exec), " elements");
}

/// The level of scratch memory from which a team can allocate `bytes` bytes. The level is 1 only on a CPU, where level
/// 1 is ordinary memory.
template <class Exec>
int scratch_level(Exec const& exec, int threads, std::size_t bytes) {
  return bytes <= max_team_scratch_bytes<Bounds>(exec, threads) ? 0 : 1;
}

/// Launches `teams` teams, each with scratch memory for `cells` elements. make(level) returns the kernel.
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

}  // namespace riffle::detail::row_permutation

namespace riffle {

/// Which lines of a matrix are permuted: its rows, or its columns.
enum class MatrixLines { rows, columns };

}  // namespace riffle

namespace riffle::detail::row_permutation {

// --- rows and columns ---
//
// The lines of a RowPermutation are the rows of the matrix, the lines of a ColumnPermutation its columns. Columns are
// permuted by transposing the matrix, permuting the rows of the transpose, and transposing back.

/// The names of a plan and of its lines, for labels and messages.
struct LineNames {
  char const* function;
  char const* label;
  char const* line;
  char const* a_line_of;
  /// The name of the lines in the other direction: "columns" if lines are rows, "rows" if lines are columns. The length
  /// of a line is the number of lines in the other direction.
  char const* across;
};

template <MatrixLines lines>
inline constexpr LineNames line_names =
    lines == MatrixLines::rows
        ? LineNames{"RowPermutation", "riffle::row_permutation", "row", "a row of ", "columns"}
        : LineNames{"ColumnPermutation", "riffle::column_permutation", "column", "a column of ",
                    "rows"};

struct Pair {
  std::uint64_t first;
  std::uint64_t second;
};

/// Converts (rows, columns) to (number of lines, length of a line), or (row, column) to (line, element), and back.
template <MatrixLines lines>
constexpr Pair swap_if_columns(std::uint64_t first, std::uint64_t second) {
  return lines == MatrixLines::rows ? Pair{first, second} : Pair{second, first};
}

/// Throws std::invalid_argument because element k shows that a line is not a permutation.
template <MatrixLines lines, class P>
void throw_bad_destination(P const& p, std::uint64_t line, std::uint64_t k, std::uint64_t length) {
  constexpr LineNames names = line_names<lines>;
  auto const [i, j] = swap_if_columns<lines>(line, k);
  auto const value = p(i, j);
  bool const is_in_range = static_cast<std::uint64_t>(value) < length;
  check(is_in_range, names.function, "p(", i, ", ", j, ") = ", +value,
        ": must be at least 0 and less than ", names.across, " = ", length);
  check(false, names.function, "p(", i, ", ", j, ") = ", +value, " is there before in its ",
        names.line, ": must be a permutation, each value once");
}

template <MatrixLines lines>
void check_extents(std::uint64_t rows, std::uint64_t columns) {
  constexpr LineNames names = line_names<lines>;
  std::uint64_t const length = swap_if_columns<lines>(rows, columns).second;
  check(length <= max_columns, names.function, "p has ", length, " ", names.across,
        ": must be at most ", max_columns);
  auto const most = static_cast<std::uint64_t>(std::numeric_limits<int>::max());
  check(rows <= most && columns <= most, names.function, "p is of ", rows, " x ", columns,
        ": neither may be more than ", most);
}

/// Returns the schedule for the lines of p.
template <MatrixLines lines, class Exec, class Permutations>
RowSchedule<Exec> schedule_lines(Context<Exec> const& context, Permutations const& p) {
  check_extents<lines>(p.extent(0), p.extent(1));
  auto const [count, length] = swap_if_columns<lines>(p.extent(0), p.extent(1));
  HostView<Permutations> const host = copy_view_to_host(context, p);
  // A negative destination is converted to a value that is out of range.
  auto const destination = [host](std::uint64_t line, std::uint64_t k) {
    auto const [i, j] = swap_if_columns<lines>(line, k);
    return static_cast<std::uint64_t>(host(i, j));
  };
  auto const bad = first_bad_destination(Context(host_of(context.exec()), context.label()), count,
                                         length, destination);
  if (bad < count * length) throw_bad_destination<lines>(host, bad / length, bad % length, length);
  return make_schedule(context, count, length, destination);
}

template <class In, class Out>
bool are_same_elements(In const& in, Out const& out) {
  return static_cast<void const*>(in.data()) == static_cast<void const*>(out.data()) &&
         in.stride(0) == out.stride(0) && in.stride(1) == out.stride(1) &&
         sizeof(typename In::value_type) == sizeof(typename Out::value_type);
}

template <class View>
void check_shape(char const* function, char const* name, View const& view, std::uint64_t rows,
                 std::uint64_t columns) {
  check(view.extent(0) == rows && view.extent(1) == columns, function, name, " is of ",
        view.extent(0), " x ", view.extent(1), ": must be of ", rows, " x ", columns,
        ", as the plan");
}

template <class In, class Out>
void check_matrices(char const* function, In const& in, Out const& out, std::uint64_t rows,
                    std::uint64_t columns) {
  check_shape(function, "in", in, rows, columns);
  check_shape(function, "out", out, rows, columns);
  check_same_or_disjoint(function, are_same_elements(in, out), in, out);
}

/// Permutes columns by permuting the rows of the transposed matrix. The transposed matrix is stored in the workspace;
/// its rows are padded to a multiple of 32 elements.
template <class Exec, class In, class Out>
void permute_columns(Context<Exec> const& context, RowSchedule<Exec> const& schedule, In const& in,
                     Out const& out) {
  using T = typename Out::non_const_value_type;
  std::uint64_t const rows = schedule.columns;
  std::uint64_t const columns = schedule.rows;
  RowAddresses const at{rows, round_up_to_warps(rows)};
  Scope scope(context);
  PitchedMatrix<T> const transposed{scope.template take<T>(columns * at.pitch), at};
  auto const of_transpose = context.named("transpose");
  constexpr bool by_teams = tiles::moves_by_teams<Exec>;
  auto const stride_of = [](auto const& view, std::size_t r) {
    return static_cast<std::uint64_t>(view.stride(r));
  };
  tiles::run_transpose<by_teams>(of_transpose,
                                 {rows, columns, stride_of(in, 0), stride_of(in, 1), at.pitch, 1},
                                 static_cast<T const*>(in.data()), transposed.data);
  permute_rows(context, schedule, transposed, transposed);
  tiles::run_transpose<by_teams>(of_transpose,
                                 {columns, rows, at.pitch, 1, stride_of(out, 0), stride_of(out, 1)},
                                 static_cast<T const*>(transposed.data), out.data());
}

template <MatrixLines lines, class Exec, class In, class Out>
void permute_lines(Context<Exec> const& context, RowSchedule<Exec> const& schedule, In const& in,
                   Out const& out) {
  if constexpr (lines == MatrixLines::rows) {
    permute_rows(context, schedule, ViewMatrix<In>{in}, ViewMatrix<Out>{out});
  } else {
    permute_columns(context, schedule, in, out);
  }
}

}  // namespace riffle::detail::row_permutation
