#pragma once

// Permutes each row, or each column, of a matrix in its own way, known beforehand:
//   A. Kasagi, K. Nakano, Y. Ito, "Offline permutation on the CUDA-enabled GPU", IEICE Trans. Inf. & Syst.
//   E97-D (2014), doi 10.1587/transinf.2014PAP0010 [1], sec. 6.
//
// A row is read in sequence into a team's scratch memory, moves from one half of that to the other in an order in which
// no warp meets a bank twice, and is written in sequence. The order is a colouring of the edges from the bank that an
// element leaves to the one that it goes to (riffle/permute/edge_colouring.hpp).

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <type_traits>

#include <riffle/context.hpp>
#include <riffle/permute/detail/permute_lines.hpp>
#include <riffle/permute/row_schedule.hpp>
#include <riffle/primitives/call.hpp>
#include <riffle/primitives/views.hpp>

namespace riffle {

/// A plan that takes the elements of each line of a matrix, which is a row or a column, to other places of that line:
/// the common part of RowPermutation and ColumnPermutation. The length of a line is the number of its elements.
///
/// A plan is a value: copies, and inverse(), share its memory, which is 4 bytes for each element of the lines, whose
/// length is rounded up to full warps of 32.
template <class Exec, MatrixLines lines>
class LinePermutation {
 public:
  using execution_space = Exec;

  /// - p: a rank-2 View of integers of any layout, each line a permutation of 0, ..., length - 1; length at most 2^16.
  ///
  /// Throws std::invalid_argument where a line is no permutation, with the first index, line by line, that is out of
  /// range or repeated, and its value. Built on the host, by its threads, from a copy of p where the host cannot read
  /// p. O(length log length) work a line where length / 32, rounded up, is a power of two; otherwise a constant factor
  /// more. Fences.
  template <detail::MatrixFrom<Exec> Permutations>
  LinePermutation(Context<Exec> const& exec, Permutations const& p)
      : schedule_(detail::row_permutation::schedule_lines<lines>(
            detail::Call(exec, detail::row_permutation::line_names<lines>.label), p)) {}

  std::uint64_t rows() const {
    return detail::row_permutation::swap_if_columns<lines>(schedule_.rows, schedule_.columns).first;
  }
  std::uint64_t columns() const {
    return detail::row_permutation::swap_if_columns<lines>(schedule_.rows, schedule_.columns)
        .second;
  }

  /// out(i, p(i, j)) = in(i, j) where the lines are rows, out(p(i, j), j) = in(i, j) where they are columns.
  ///
  /// - exec: an execution space instance, or a Context of one. Where the lines are columns, the transposed matrix is
  ///   taken from its workspace, its rows in full warps.
  /// - in, out: rank-2 Views of the plan's extents and of one trivially copyable type; the same elements or none in
  ///   common. On a GPU LayoutRight is read and written in sequence, and elements of 4, 8 and 16 bytes meet no bank
  ///   twice.
  ///
  /// Throws std::invalid_argument where extents differ, Views overlap in part, or a line does not fit in scratch memory
  /// (see max_columns, max_rows); nothing is written then. Enqueued on `exec`, does not fence. One read and one write
  /// of each element where the lines are rows, three of each where they are columns, and a read of 4 bytes of the plan.
  template <detail::MatrixFrom<Exec> In, detail::WritableMatrixFrom<Exec> Out>
  void operator()(Context<Exec> const& exec, In const& in, Out const& out) const {
    detail::Call const context(exec, detail::row_permutation::line_names<lines>.label);
    namespace rp = detail::row_permutation;
    using T = typename Out::non_const_value_type;
    static_assert(std::is_same_v<T, typename In::non_const_value_type>);
    rp::check_matrices(rp::line_names<lines>.function, in, out, rows(), columns());
    rp::check_fits<T>(rp::line_names<lines>.function, rp::line_names<lines>.a_line_of,
                      context.exec(), schedule_.columns);
    if (rows() * columns() == 0) return;
    rp::permute_lines<lines>(context, schedule_, in, out);
  }

  /// The plan that takes all elements back: the same steps, backwards.
  LinePermutation inverse() const { return LinePermutation(schedule_.inverse()); }

  /// The steps by which the elements of a line move, for those who look at banks. The schedule of columns is that of
  /// the transposed matrix.
  RowSchedule<Exec> const& schedule() const { return schedule_; }

 private:
  explicit LinePermutation(RowSchedule<Exec> const& schedule) : schedule_(schedule) {}

  RowSchedule<Exec> schedule_;
};

/// A plan that takes element (i, j) of a matrix to (i, p(i, j)).
template <class Exec = Kokkos::DefaultExecutionSpace>
class RowPermutation : public LinePermutation<Exec, MatrixLines::rows> {
  using Base = LinePermutation<Exec, MatrixLines::rows>;

 public:
  using Base::Base;

  /// The largest number of columns for which a row of T fits twice in a team's scratch memory.
  template <class T>
  static std::uint64_t max_columns(Exec const& exec = Exec()) {
    return detail::row_permutation::max_columns_of<T>(exec);
  }

  RowPermutation inverse() const { return RowPermutation(Base::inverse()); }

 private:
  explicit RowPermutation(Base const& plan) : Base(plan) {}
};

template <detail::InstanceOrContext On, class Permutation>
RowPermutation(On const&, Permutation const&) -> RowPermutation<detail::SpaceOf<On>>;

/// A plan that takes element (i, j) of a matrix to (p(i, j), j): transpose, row-wise permutation, transpose.
template <class Exec = Kokkos::DefaultExecutionSpace>
class ColumnPermutation : public LinePermutation<Exec, MatrixLines::columns> {
  using Base = LinePermutation<Exec, MatrixLines::columns>;

 public:
  using Base::Base;

  /// The largest number of rows for which a column of T fits twice in a team's scratch memory.
  template <class T>
  static std::uint64_t max_rows(Exec const& exec = Exec()) {
    return detail::row_permutation::max_columns_of<T>(exec);
  }

  ColumnPermutation inverse() const { return ColumnPermutation(Base::inverse()); }

 private:
  explicit ColumnPermutation(Base const& plan) : Base(plan) {}
};

template <detail::InstanceOrContext On, class Permutation>
ColumnPermutation(On const&, Permutation const&) -> ColumnPermutation<detail::SpaceOf<On>>;

}  // namespace riffle
