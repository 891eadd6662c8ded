#pragma once

// The scheduled permutation of
//   A. Kasagi, K. Nakano, Y. Ito, "Offline permutation on the CUDA-enabled GPU", IEICE Trans. Inf. & Syst.
//   E97-D (2014), doi 10.1587/transinf.2014PAP0010 [1], sec. 7,
// as it stands there: an array as a matrix, whose rows are permuted, then its columns, then its rows again. In between,
// elements are in columns chosen so that no two in one column go to the same row: a colouring of the edges between rows
// (riffle/edge_colouring.hpp). riffle/scheduled_permutation.hpp does the same in fewer passes.

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>

#include <riffle/detail/coloured_permutation/row_images.hpp>
#include <riffle/detail/row_permutation/kernels.hpp>
#include <riffle/detail/row_permutation/matrices.hpp>
#include <riffle/detail/row_permutation/schedule.hpp>
#include <riffle/detail/scope.hpp>
#include <riffle/detail/stored_indices.hpp>
#include <riffle/detail/views.hpp>
#include <riffle/detail/workspaces.hpp>
#include <riffle/errors.hpp>
#include <riffle/permutation_check.hpp>
#include <riffle/workspace.hpp>

namespace riffle {

/// A plan that takes element i of an array to place p(i), for any permutation p of 0, ..., n - 1, n at most 2^31.
///
/// The array is a matrix of rows() x columns(): columns the least power of two whose square is at least n, but at least
/// 32; the end of the last row is padded with elements that stay. A plan is a value: copies, and inverse(), share its
/// memory, of 12 bytes an element.
template <class Exec = Kokkos::DefaultExecutionSpace>
class ColouredPermutation {
 public:
  using execution_space = Exec;

  /// - p: a rank-1 View of the destinations, of any integer type.
  /// - memory: a Workspace of exec's device, for the check of p and, on a GPU, for the colouring.
  ///
  /// Throws std::invalid_argument where p is no permutation, with the first index that is out of range or has been
  /// there before, where n > 2^31, or where the workspace is on another device. Rows are coloured by the threads of
  /// exec, banks on the host. O(n log n) work on a CPU; At most 22 bytes an element beside what is held of the
  /// plan (24 on a GPU, where sorting takes part). Fences.
  template <detail::StoredIndicesFrom<Exec> Permutation,
            detail::WorkspaceFor<Exec> Memory = NoWorkspace>
  ColouredPermutation(std::string const& label, Exec const& exec, Permutation const& p,
                      Memory&& memory = {})
      : size_(p.extent(0)) {
    char const* const function = "ColouredPermutation";
    detail::check(size_ <= detail::edge_colouring::most_edges, function, "n = ", size_,
                  ": must be at most ", detail::edge_colouring::most_edges);
    detail::check_workspace(function, exec, memory);
    detail::with_workspace(exec, memory, [&](Workspace<Exec>& workspace) {
      detail::check_permutation(function, "p", label, exec, p, workspace);
      if (size_ > 0) build(label, exec, p, workspace);
    });
  }

  template <detail::StoredIndicesFrom<Exec> Permutation,
            detail::WorkspaceFor<Exec> Memory = NoWorkspace>
  explicit ColouredPermutation(Exec const& exec, Permutation const& p, Memory&& memory = {})
      : ColouredPermutation("riffle::coloured_permutation", exec, p, memory) {}

  /// n.
  std::uint64_t size() const { return size_; }
  std::uint64_t rows() const { return size_ == 0 ? 0 : (size_ + columns() - 1) / columns(); }
  std::uint64_t columns() const { return columns_of(size_); }

  /// The largest n of which elements of T can be moved: a row and a column, each twice, must fit in a team's scratch
  /// memory.
  template <class T>
  static std::uint64_t most_elements(Exec const& exec = Exec()) {
    std::uint64_t const columns = std::bit_floor(detail::row_permutation::most_columns_of<T>(exec));
    return columns == 0 ? 0 : std::min(columns * columns, detail::edge_colouring::most_edges);
  }

  /// out(p(i)) = in(i).
  ///
  /// - in, out: rank-1 Views of n elements of one trivially copyable type; they may overlap.
  /// - memory: a Workspace of exec's device, of which two such arrays are taken, padded to matrices, the rows of the
  ///   second in full warps.
  ///
  /// Throws std::invalid_argument where extents are not n, n is more than most_elements<T>(), or the workspace is on
  /// another device; nothing is written then. Enqueued on `exec`, does not fence. Five kernels, as in [1]: each reads
  /// and writes every element once, in sequence, and three of them read 4 bytes of the plan. Reproducible.
  template <detail::AccessibleFrom<Exec> In, detail::WritableFrom<Exec> Out,
            detail::WorkspaceFor<Exec> Memory = NoWorkspace>
  requires(detail::has_rank<In, 1>&& detail::has_rank<Out, 1>) void operator()(
      std::string const& label, Exec const& exec, In const& in, Out const& out,
      Memory&& memory = {}) const {
    using T = typename Out::non_const_value_type;
    static_assert(std::is_same_v<T, typename In::non_const_value_type>);
    static_assert(std::is_trivially_copyable_v<T>);
    char const* const function = "ColouredPermutation";
    detail::check(in.extent(0) == size_ && out.extent(0) == size_, function,
                  "in.extent(0) = ", in.extent(0), " and out.extent(0) = ", out.extent(0),
                  ": must be n = ", size_, " as the plan's");
    detail::check_workspace(function, exec, memory);
    if (size_ == 0) return;
    detail::row_permutation::check_fits<T>(function, "a row of ", exec, columns());
    detail::row_permutation::check_tile_fits<T>(function, exec);
    detail::with_workspace(exec, memory, [&](Workspace<Exec>& workspace) {
      permute(label, exec, in, out, workspace);
    });
  }

  template <detail::AccessibleFrom<Exec> In, detail::WritableFrom<Exec> Out,
            detail::WorkspaceFor<Exec> Memory = NoWorkspace>
  requires(detail::has_rank<In, 1>&& detail::has_rank<Out, 1>) void operator()(
      Exec const& exec, In const& in, Out const& out, Memory&& memory = {}) const {
    (*this)("riffle::coloured_permutation", exec, in, out, memory);
  }

  /// The plan that takes element p(i) to place i: the same steps, backwards. Costs nothing.
  ColouredPermutation inverse() const {
    if (plan_ == nullptr) return *this;
    return ColouredPermutation(size_,
                               Plan{last().inverse(), across().inverse(), first().inverse()});
  }

  /// The schedules of the three steps, for those who look at banks; that of the columns is of the transposed matrix.
  /// n > 0.
  detail::row_permutation::Schedule<Exec> const& first() const { return plan_->first; }
  detail::row_permutation::Schedule<Exec> const& across() const { return plan_->across; }
  detail::row_permutation::Schedule<Exec> const& last() const { return plan_->last; }

 private:
  struct Plan {
    detail::row_permutation::Schedule<Exec> first;
    detail::row_permutation::Schedule<Exec> across;
    detail::row_permutation::Schedule<Exec> last;
  };

  ColouredPermutation(std::uint64_t size, Plan const& plan)
      : size_(size), plan_(std::make_shared<Plan const>(plan)) {}

  static std::uint64_t columns_of(std::uint64_t n) {
    std::uint64_t columns = detail::row_permutation::banks;
    while (columns * columns < n) columns *= 2;
    return columns;
  }

  template <class Permutation>
  void build(std::string const& label, Exec const& exec, Permutation const& p,
             Workspace<Exec>& workspace) {
    auto const images =
        detail::coloured_permutation::find_row_images(label, exec, p, rows(), columns(), workspace);
    plan_ =
        std::make_shared<Plan const>(Plan{schedule(label, exec, rows(), columns(), images.first),
                                          schedule(label, exec, columns(), rows(), images.across),
                                          schedule(label, exec, rows(), columns(), images.last)});
  }

  struct StoredRows {
    std::uint16_t const* images;
    std::uint64_t columns;

    std::uint64_t operator()(std::uint64_t row, std::uint64_t column) const {
      return images[row * columns + column];
    }
  };

  template <class Images>
  static auto schedule(std::string const& label, Exec const& exec, std::uint64_t rows,
                       std::uint64_t columns, Images const& images) {
    return detail::row_permutation::make_schedule(label, exec, rows, columns,
                                                  StoredRows{images.data(), columns});
  }

  template <class In, class Out>
  void permute(std::string const& label, Exec const& exec, In const& in, Out const& out,
               Workspace<Exec>& workspace) const {
    namespace rp = detail::row_permutation;
    using T = typename Out::non_const_value_type;
    rp::RowAddresses const by_rows{columns(), columns()};
    rp::RowAddresses const by_columns{rows(), rp::in_full_warps(rows())};
    struct Matrices {
      T* by_rows;
      T* by_columns;
    };
    detail::Scope scope(workspace, label, exec);
    auto const cells = scope.arrays([&](detail::ArrayMemory& memory) {
      return Matrices{memory.take<T>(rows() * by_rows.pitch),
                      memory.take<T>(columns() * by_columns.pitch)};
    });
    rp::PitchedMatrix<T> const matrix{cells.by_rows, by_rows};
    rp::PitchedMatrix<T> const transposed{cells.by_columns, by_columns};
    std::string const label_of_rows = label + "::rows";
    std::string const label_of_transpose = label + "::transpose";
    rp::permute_rows(label_of_rows, exec, first(), rp::FoldedView<In>{in, by_rows}, matrix);
    rp::transpose_matrix(label_of_transpose, exec, rows(), columns(), matrix, transposed);
    rp::permute_rows(label + "::columns", exec, across(), transposed, transposed);
    rp::transpose_matrix(label_of_transpose, exec, columns(), rows(), transposed, matrix);
    rp::permute_rows(label_of_rows, exec, last(), matrix, rp::FoldedView<Out>{out, by_rows});
  }

  std::uint64_t size_;
  std::shared_ptr<Plan const> plan_;
};

}  // namespace riffle
