#pragma once

// Plans that permute the lines of a matrix: its rows, or its columns, which are the rows of its transpose.

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <limits>

#include <riffle/context.hpp>
#include <riffle/errors.hpp>
#include <riffle/permute/detail/row_permutation/kernels.hpp>
#include <riffle/permute/detail/row_permutation/matrices.hpp>
#include <riffle/permute/matrix_lines.hpp>
#include <riffle/permute/row_addresses.hpp>
#include <riffle/permute/row_schedule.hpp>
#include <riffle/primitives/scope.hpp>
#include <riffle/primitives/view_copies.hpp>
#include <riffle/primitives/views.hpp>

namespace riffle::detail::row_permutation {

/// The words for lines in messages.
struct LineWords {
  char const* function;
  char const* label;
  char const* line;
  char const* a_line_of;
  /// The unit in which the elements of a line are counted: columns in a row, rows in a column.
  char const* across;
};

template <MatrixLines lines>
inline constexpr LineWords words_of =
    lines == MatrixLines::rows
        ? LineWords{"RowPermutation", "riffle::row_permutation", "row", "a row of ", "columns"}
        : LineWords{"ColumnPermutation", "riffle::column_permutation", "column", "a column of ",
                    "rows"};

struct Pair {
  std::uint64_t first;
  std::uint64_t second;
};

/// Turns a pair given by rows and columns into one given by lines and elements of a line, or the other way round.
template <MatrixLines lines>
constexpr Pair by_lines(std::uint64_t first, std::uint64_t second) {
  return lines == MatrixLines::rows ? Pair{first, second} : Pair{second, first};
}

/// The images of a stored permutation, line by line, on the host; negative values are out of range.
template <MatrixLines lines, class Permutations>
struct LineImages {
  Permutations p;

  std::uint64_t operator()(std::uint64_t line, std::uint64_t k) const {
    auto const [i, j] = by_lines<lines>(line, k);
    return static_cast<std::uint64_t>(p(i, j));
  }
};

/// Throws since element k of a line, which has `length` of them, makes the line no permutation.
template <MatrixLines lines, class P>
void throw_bad_image(P const& p, std::uint64_t line, std::uint64_t k, std::uint64_t length) {
  constexpr LineWords words = words_of<lines>;
  auto const [i, j] = by_lines<lines>(line, k);
  auto const value = p(i, j);
  bool const is_in_range = static_cast<std::uint64_t>(value) < length;
  check(is_in_range, words.function, "p(", i, ", ", j, ") = ", +value,
        ": must be at least 0 and less than ", words.across, " = ", length);
  check(false, words.function, "p(", i, ", ", j, ") = ", +value, " is there before in its ",
        words.line, ": must be a permutation, each value once");
}

template <MatrixLines lines>
void check_extents(std::uint64_t rows, std::uint64_t columns) {
  constexpr LineWords words = words_of<lines>;
  std::uint64_t const length = by_lines<lines>(rows, columns).second;
  check(length <= max_columns, words.function, "p has ", length, " ", words.across,
        ": must be at most ", max_columns);
  auto const most = static_cast<std::uint64_t>(std::numeric_limits<int>::max());
  check(rows <= most && columns <= most, words.function, "p is of ", rows, " x ", columns,
        ": neither may be more than ", most);
}

/// The schedule of the lines of p, row by row.
template <MatrixLines lines, class Exec, class Permutations>
RowSchedule<Exec> schedule_lines(Context<Exec> const& context, Permutations const& p) {
  check_extents<lines>(p.extent(0), p.extent(1));
  auto const [count, length] = by_lines<lines>(p.extent(0), p.extent(1));
  HostView<Permutations> const host = read_on_host(context, p);
  LineImages<lines, HostView<Permutations>> const image{host};
  auto const bad =
      first_bad_image(Context(host_of(context.exec()), context.label()), count, length, image);
  if (bad < count * length) throw_bad_image<lines>(host, bad / length, bad % length, length);
  return make_schedule(context, count, length, image);
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

/// Throws where a team has too little scratch memory for what permute_lines() moves.
template <MatrixLines lines, class T, class Exec>
void check_lines_fit(Exec const& exec, std::uint64_t length) {
  constexpr LineWords words = words_of<lines>;
  check_fits<T>(words.function, words.a_line_of, exec, length);
  if constexpr (lines == MatrixLines::columns) check_tile_fits<T>(words.function, exec);
}

/// Permutes columns as the rows of the transposed matrix, which lies in the caller's workspace with rows of full warps.
template <class Exec, class In, class Out>
void permute_columns(Context<Exec> const& context, RowSchedule<Exec> const& schedule, In const& in,
                     Out const& out) {
  using T = typename Out::non_const_value_type;
  std::uint64_t const rows = schedule.columns;
  std::uint64_t const columns = schedule.rows;
  RowAddresses const at{rows, in_full_warps(rows)};
  Scope scope(context);
  PitchedMatrix<T> const transposed{scope.template take<T>(columns * at.pitch), at};
  auto const of_transpose = context.named("transpose");
  transpose_matrix(of_transpose, rows, columns, ViewMatrix<In>{in}, transposed);
  permute_rows(context, schedule, transposed, transposed);
  transpose_matrix(of_transpose, columns, rows, transposed, ViewMatrix<Out>{out});
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
