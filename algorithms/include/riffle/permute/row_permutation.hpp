#pragma once

// Plans that permute the elements within each row, or within each column, of a matrix. Each row (or column) has a
// permutation of its own.
//   A. Kasagi, K. Nakano, Y. Ito, "Offline permutation on the CUDA-enabled GPU", IEICE Trans. Inf. & Syst.
//   E97-D (2014), doi 10.1587/transinf.2014PAP0010 [1], sec. 6.
//
// A team reads a row sequentially into the first half of its scratch memory, moves the elements to the second half
// without bank conflicts, and writes them sequentially:
//
//     row of in  -->  half alpha  -- by the schedule, 32 elements a step -->  half beta  -->  row of out
//
// The schedule is an edge colouring (riffle/permute/edge_colouring.hpp) of the following graph: each element is an edge
// from the bank at which it is read to the bank at which it is written. The 32 edges with one colour are a perfect
// matching. Therefore they read each bank once and write each bank once.

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <type_traits>

#include <riffle/context.hpp>
#include <riffle/permute/detail/permute_lines.hpp>
#include <riffle/permute/row_schedule.hpp>
#include <riffle/primitives/call.hpp>
#include <riffle/primitives/views.hpp>

namespace riffle {

/// A plan that permutes the elements within each line (row or column) of a matrix. It is the common part of
/// RowPermutation and ColumnPermutation. The length of a line is the number of its elements.
///
/// Copies of a plan and its inverse() share its memory. This is 4 bytes per element of a matrix whose lines are padded
/// to a multiple of 32 elements.
template <class Exec, MatrixLines lines>
class LinePermutation {
 public:
  using execution_space = Exec;

  /// - p: a rank-2 View of integers of any layout. Each line is a permutation of 0, ..., length - 1; length <= 2^16.
  ///
  /// Throws std::invalid_argument if an extent is out of range or a line is not a permutation. The message contains the
  /// first index, in the order of lines, that is out of range or repeated, and its value. Blocking: fences. Complexity:
  /// O(length log length) for each line if length / 32, rounded up, is a power of two; otherwise a constant factor
  /// more. Host threads build the plan. If they cannot read p, p is copied to the host first.
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

  /// If lines are rows, out(i, p(i, j)) = in(i, j); if they are columns, out(p(i, j), j) = in(i, j).
  ///
  /// - exec: an execution space instance, or a Context of one. If lines are columns, the transposed matrix is stored in
  ///   the workspace of the Context, with rows padded to a multiple of 32 elements.
  /// - in, out: rank-2 Views with the extents of the plan and of one trivially copyable type. They are the same
  ///   elements with the same strides, or share no element. On a GPU, LayoutRight is fastest because it is accessed in
  ///   sequence, and elements of 4, 8 or 16 bytes are fastest because they cause no bank conflicts.
  ///
  /// Throws std::invalid_argument if extents differ, Views overlap in part, or a line does not fit in scratch memory
  /// (see max_columns, max_rows); nothing is written then. Blocking: does not fence; enqueued on `exec`. Complexity:
  /// for each element one read and one write if lines are rows, three of each if they are columns, and one read of 4
  /// bytes of the plan.
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

  /// Returns the plan of the inverse permutations: the same steps in the opposite direction. Constant time.
  LinePermutation inverse() const { return LinePermutation(schedule_.inverse()); }

  /// The steps in which the elements of a line move, for analyses of bank conflicts. For columns, this is the schedule
  /// of the transposed matrix.
  RowSchedule<Exec> const& schedule() const { return schedule_; }

 private:
  explicit LinePermutation(RowSchedule<Exec> const& schedule) : schedule_(schedule) {}

  RowSchedule<Exec> schedule_;
};

/// A plan that moves element (i, j) of a matrix to (i, p(i, j)).
template <class Exec = Kokkos::DefaultExecutionSpace>
class RowPermutation : public LinePermutation<Exec, MatrixLines::rows> {
  using Base = LinePermutation<Exec, MatrixLines::rows>;

 public:
  using Base::Base;

  /// The maximum number of columns. It is limited because two copies of a row of T must fit in a team's scratch memory.
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

/// A plan that moves element (i, j) of a matrix to (p(i, j), j). It transposes the matrix, permutes the rows of the
/// transpose, and transposes back.
template <class Exec = Kokkos::DefaultExecutionSpace>
class ColumnPermutation : public LinePermutation<Exec, MatrixLines::columns> {
  using Base = LinePermutation<Exec, MatrixLines::columns>;

 public:
  using Base::Base;

  /// The maximum number of rows. It is limited because two copies of a column of T must fit in a team's scratch memory.
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
