#pragma once

// Matrices each of whose rows, or columns, is permuted in its own way, known beforehand:
//   A. Kasagi, K. Nakano, Y. Ito, "Offline permutation on the CUDA-enabled GPU", IEICE Trans. Inf. & Syst.
//   E97-D (2014), doi 10.1587/transinf.2014PAP0010 [1], sec. 6.
//
// A row is read in sequence into a team's scratch memory, moves from one half of that to the other in an order in which
// no warp meets a bank twice, and is written in sequence. The order is a colouring of the edges from the bank that an
// element leaves to the one that it goes to (riffle/edge_colouring.hpp).

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <limits>
#include <type_traits>

#include <riffle/context.hpp>
#include <riffle/detail/row_permutation/kernels.hpp>
#include <riffle/detail/row_permutation/matrices.hpp>
#include <riffle/detail/row_permutation/schedule.hpp>
#include <riffle/detail/views.hpp>
#include <riffle/errors.hpp>
#include <riffle/kernel/call.hpp>
#include <riffle/kernel/scope.hpp>

namespace riffle {

namespace detail::row_permutation {

template <class View, class Exec>
concept Matrix = AccessibleFrom<View, Exec> && has_rank<View, 2>;

/// Rows of a stored permutation, on the host; negative values are out of range.
template <class Permutations>
struct RowsOf {
  Permutations p;

  std::uint64_t operator()(std::uint64_t row, std::uint64_t j) const {
    return static_cast<std::uint64_t>(p(row, j));
  }
};

/// Its columns, which are the rows of the transposed matrix.
template <class Permutations>
struct ColumnsOf {
  Permutations p;

  std::uint64_t operator()(std::uint64_t column, std::uint64_t i) const {
    return static_cast<std::uint64_t>(p(i, column));
  }
};

/// `extent` is what a row, or column, has elements of.
template <class P>
void throw_bad_image(char const* function, P const& p, std::uint64_t i, std::uint64_t j,
                     std::uint64_t extent, char const* name) {
  auto const value = p(i, j);
  bool const is_in_range = static_cast<std::uint64_t>(value) < extent;
  check(is_in_range, function, "p(", i, ", ", j, ") = ", +value,
        ": must be at least 0 and less than ", name, " = ", extent);
  check(false, function, "p(", i, ", ", j, ") = ", +value, " is there before in its ",
        name[0] == 'c' ? "row" : "column", ": must be a permutation, each value once");
}

inline void check_matrix(char const* function, std::uint64_t rows, std::uint64_t columns,
                         std::uint64_t moved, char const* name) {
  check(moved <= most_columns, function, "p has ", moved, " ", name, ": must be at most ",
        most_columns);
  auto const most = static_cast<std::uint64_t>(std::numeric_limits<int>::max());
  check(rows <= most && columns <= most, function, "p is of ", rows, " x ", columns,
        ": neither may be more than ", most);
}

template <class In, class Out>
bool are_same_elements(In const& in, Out const& out) {
  return static_cast<void const*>(in.data()) == static_cast<void const*>(out.data()) &&
         in.stride(0) == out.stride(0) && in.stride(1) == out.stride(1) &&
         sizeof(typename In::value_type) == sizeof(typename Out::value_type);
}

template <class In, class Out>
void check_matrices(char const* function, In const& in, Out const& out, std::uint64_t rows,
                    std::uint64_t columns) {
  check(in.extent(0) == rows && in.extent(1) == columns, function, "in is of ", in.extent(0), " x ",
        in.extent(1), ": must be of ", rows, " x ", columns, ", as the plan");
  check(out.extent(0) == rows && out.extent(1) == columns, function, "out is of ", out.extent(0),
        " x ", out.extent(1), ": must be of ", rows, " x ", columns, ", as the plan");
  check(are_same_elements(in, out) || !overlap(in, out), function, "in at ",
        static_cast<void const*>(in.data()), " and out at ", static_cast<void const*>(out.data()),
        " overlap: must be the same elements or share none");
}

}  // namespace detail::row_permutation

/// A plan that takes element (i, j) of a matrix to (i, p(i, j)).
///
/// A plan is a value: copies, and inverse(), share its memory. 4 bytes for each element of a row in full warps of 32.
template <class Exec = Kokkos::DefaultExecutionSpace>
class RowPermutation {
 public:
  using execution_space = Exec;

  /// - p: a rank-2 View of integers of any layout, each row a permutation of 0, ..., columns - 1; columns at most 2^16.
  ///
  /// Throws std::invalid_argument where a row is no permutation, with the first index, row by row, that is out of range
  /// or repeated, and its value. Built on the host, by its threads, from a copy of p where the host cannot read that:
  /// O(columns log columns) work a row where columns / 32, rounded up, is a power of two, else that times O(1) more.
  /// Fences.
  template <detail::row_permutation::Matrix<Exec> Permutations>
  RowPermutation(Context<Exec> const& exec, Permutations const& p)
      : schedule_(make_schedule(detail::Call(exec, "riffle::row_permutation"), p)) {}

  std::uint64_t rows() const { return schedule_.rows; }
  std::uint64_t columns() const { return schedule_.columns; }

  /// The most columns of which a row of T fits in a team's scratch memory, twice.
  template <class T>
  static std::uint64_t most_columns(Exec const& exec = Exec()) {
    return detail::row_permutation::most_columns_of<T>(exec);
  }

  /// out(i, p(i, j)) = in(i, j).
  ///
  /// - in, out: rank-2 Views of the plan's extents and of one trivially copyable type; the same elements or none in
  ///   common. On a GPU LayoutRight is read and written in sequence, and elements of 4, 8 and 16 bytes meet no bank
  ///   twice.
  ///
  /// Throws std::invalid_argument where extents differ, Views overlap in part, or a row does not fit in scratch memory
  /// (see most_columns); nothing is written then. Enqueued on `exec`, does not fence. One read and one write of each
  /// element, and a read of 4 bytes of the plan.
  template <detail::row_permutation::Matrix<Exec> In, detail::WritableFrom<Exec> Out>
  requires(detail::has_rank<Out, 2>) void operator()(Context<Exec> const& exec, In const& in,
                                                     Out const& out) const {
    detail::Call const context(exec, "riffle::row_permutation");
    namespace rp = detail::row_permutation;
    using T = typename Out::non_const_value_type;
    static_assert(std::is_same_v<T, typename In::non_const_value_type>);
    rp::check_matrices("RowPermutation", in, out, rows(), columns());
    rp::check_fits<T>("RowPermutation", "a row of ", context.exec(), columns());
    if (rows() * columns() == 0) return;
    rp::permute_rows(context, schedule_, rp::ViewMatrix<In>{in}, rp::ViewMatrix<Out>{out});
  }

  /// The plan that takes element (i, p(i, j)) back to (i, j): the same steps, backwards.
  RowPermutation inverse() const { return RowPermutation(schedule_.inverse()); }

  /// What each step of a row moves, for those who look at banks.
  detail::row_permutation::Schedule<Exec> const& schedule() const { return schedule_; }

 private:
  template <class Permutations>
  static auto make_schedule(Context<Exec> const& context, Permutations const& p) {
    namespace rp = detail::row_permutation;
    std::uint64_t const rows = p.extent(0);
    std::uint64_t const columns = p.extent(1);
    rp::check_matrix("RowPermutation", rows, columns, columns, "columns");
    context.exec().fence(context.label() + "::check");
    auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), p);
    rp::RowsOf<std::remove_const_t<decltype(host)>> const image{host};
    auto const bad = rp::first_bad_image(Context(rp::host_of(context.exec()), context.label()),
                                         rows, columns, image);
    if (bad < rows * columns) {
      rp::throw_bad_image("RowPermutation", host, bad / columns, bad % columns, columns, "columns");
    }
    return rp::make_schedule(context, rows, columns, image);
  }

  explicit RowPermutation(detail::row_permutation::Schedule<Exec> const& schedule)
      : schedule_(schedule) {}

  detail::row_permutation::Schedule<Exec> schedule_;
};

template <detail::InstanceOrContext On, class Permutation>
RowPermutation(On const&, Permutation const&) -> RowPermutation<detail::SpaceOf<On>>;

/// A plan that takes element (i, j) of a matrix to (p(i, j), j): transpose, row-wise permutation, transpose. All that
/// is not said here is as for RowPermutation.
template <class Exec = Kokkos::DefaultExecutionSpace>
class ColumnPermutation {
 public:
  using execution_space = Exec;

  /// - p: each column a permutation of 0, ..., rows - 1; rows at most 2^16. Of bad values, the first column by column
  ///   is named.
  template <detail::row_permutation::Matrix<Exec> Permutations>
  ColumnPermutation(Context<Exec> const& exec, Permutations const& p)
      : schedule_(make_schedule(detail::Call(exec, "riffle::column_permutation"), p)) {}

  std::uint64_t rows() const { return schedule_.columns; }
  std::uint64_t columns() const { return schedule_.rows; }

  /// The most rows of which a column of T fits in a team's scratch memory, twice.
  template <class T>
  static std::uint64_t most_rows(Exec const& exec = Exec()) {
    return detail::row_permutation::most_columns_of<T>(exec);
  }

  /// out(p(i, j), j) = in(i, j).
  ///
  /// - exec: an execution space instance, or a Context of one, of whose workspace the transposed matrix is taken, its
  ///   rows in full warps.
  ///
  /// Three reads and three writes of each element, and a read of 4 bytes of the plan.
  template <detail::row_permutation::Matrix<Exec> In, detail::WritableFrom<Exec> Out>
  requires(detail::has_rank<Out, 2>) void operator()(Context<Exec> const& exec, In const& in,
                                                     Out const& out) const {
    detail::Call const context(exec, "riffle::row_permutation");
    namespace rp = detail::row_permutation;
    using T = typename Out::non_const_value_type;
    static_assert(std::is_same_v<T, typename In::non_const_value_type>);
    rp::check_matrices("ColumnPermutation", in, out, rows(), columns());
    rp::check_fits<T>("ColumnPermutation", "a column of ", context.exec(), rows());
    rp::check_tile_fits<T>("ColumnPermutation", context.exec());
    if (rows() * columns() == 0) return;
    rp::RowAddresses const at{rows(), rp::in_full_warps(rows())};
    detail::Scope scope(context);
    auto* const cells = scope.template take<T>(columns() * at.pitch);
    rp::PitchedMatrix<T> const transposed{cells, at};
    rp::transpose_matrix(context.named("transpose"), rows(), columns(), rp::ViewMatrix<In>{in},
                         transposed);
    rp::permute_rows(context, schedule_, transposed, transposed);
    rp::transpose_matrix(context.named("transpose"), columns(), rows(), transposed,
                         rp::ViewMatrix<Out>{out});
  }

  /// The plan that takes element (p(i, j), j) back to (i, j).
  ColumnPermutation inverse() const { return ColumnPermutation(schedule_.inverse()); }

  /// Of the transposed matrix.
  detail::row_permutation::Schedule<Exec> const& schedule() const { return schedule_; }

 private:
  template <class Permutations>
  static auto make_schedule(Context<Exec> const& context, Permutations const& p) {
    namespace rp = detail::row_permutation;
    std::uint64_t const rows = p.extent(0);
    std::uint64_t const columns = p.extent(1);
    rp::check_matrix("ColumnPermutation", rows, columns, rows, "rows");
    context.exec().fence(context.label() + "::check");
    auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), p);
    rp::ColumnsOf<std::remove_const_t<decltype(host)>> const image{host};
    auto const bad = rp::first_bad_image(Context(rp::host_of(context.exec()), context.label()),
                                         columns, rows, image);
    if (bad < rows * columns) {
      rp::throw_bad_image("ColumnPermutation", host, bad % rows, bad / rows, rows, "rows");
    }
    return rp::make_schedule(context, columns, rows, image);
  }

  explicit ColumnPermutation(detail::row_permutation::Schedule<Exec> const& schedule)
      : schedule_(schedule) {}

  detail::row_permutation::Schedule<Exec> schedule_;
};

template <detail::InstanceOrContext On, class Permutation>
ColumnPermutation(On const&, Permutation const&) -> ColumnPermutation<detail::SpaceOf<On>>;

}  // namespace riffle
