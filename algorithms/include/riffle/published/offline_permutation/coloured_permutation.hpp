#pragma once

// The scheduled permutation, as published in
//   A. Kasagi, K. Nakano, Y. Ito, "Offline permutation on the CUDA-enabled GPU", IEICE Trans. Inf. & Syst.
//   E97-D (2014), doi 10.1587/transinf.2014PAP0010 [1], sec. 7.
// The array is treated as a matrix. First its rows are permuted, then its columns, then its rows again:
//
//     1. rows      each element moves to a column such that no two elements of a column go to the same row: a
//                  colouring of the edges between source and destination rows (riffle/permute/edge_colouring.hpp)
//     2. columns   each element moves to its destination row
//     3. rows      each element moves to its destination column
//
// riffle/permute/scheduled_permutation.hpp needs fewer passes.

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>

#include <riffle/context.hpp>
#include <riffle/errors.hpp>
#include <riffle/permute/detail/permute_lines.hpp>
#include <riffle/permute/permutation_check.hpp>
#include <riffle/permute/row_schedule.hpp>
#include <riffle/primitives/call.hpp>
#include <riffle/primitives/indices.hpp>
#include <riffle/primitives/scope.hpp>
#include <riffle/primitives/views.hpp>
#include <riffle/published/offline_permutation/detail/row_images.hpp>
#include <riffle/published/offline_permutation/detail/transpose_tiles.hpp>

namespace riffle::detail::coloured_permutation {

/// A rank-1 View of n > 0 elements, treated as a matrix that is stored row by row. Reads after the end of the View
/// return its last element, and writes there have no effect.
template <class View>
struct FoldedView {
  using Value = typename View::non_const_value_type;

  View view;
  row_permutation::RowAddresses at;

  KOKKOS_FUNCTION Value get(std::uint64_t row, std::uint64_t column) const {
    return view(Kokkos::min(at.element(row, column), last()));
  }
  KOKKOS_FUNCTION void put(std::uint64_t row, std::uint64_t column, Value const& value) const {
    std::uint64_t const i = at.element(row, column);
    if (i <= last()) view(i) = value;
  }

 private:
  KOKKOS_FUNCTION std::uint64_t last() const {
    return static_cast<std::uint64_t>(view.extent(0)) - 1;
  }
};

}  // namespace riffle::detail::coloured_permutation

namespace riffle {

/// A plan that moves element i of an array to index p(i), for any permutation p of 0, ..., n - 1. Requires n <= 2^31.
///
/// The array is treated as a matrix with rows() x columns() elements. columns() is the smallest power of two, but at
/// least 32, whose square is at least n. The end of the last row is padded with elements that do not move. Copies of a
/// plan, and inverse(), share its memory, which is 12 bytes per element.
template <class Exec = Kokkos::DefaultExecutionSpace>
class ColouredPermutation {
 public:
  using execution_space = Exec;

  /// - exec: an execution space instance, or a Context, whose workspace is used to check p and, on a GPU, to compute
  ///   the colouring.
  /// - p: a rank-1 View of the destinations, of any integer type.
  ///
  /// Throws std::invalid_argument if p is not a permutation (the message contains the first index whose destination is
  /// out of range or repeats an earlier one), or if n > 2^31. Blocking: fences. Complexity: O(n log n) on a CPU. The
  /// edge colouring between rows is computed on `exec`, the edge colourings between banks (row_schedule.hpp) on the
  /// host. Memory: at most 22 bytes per element in addition to the plan (24 on a GPU, where the colouring sorts).
  template <detail::StoredIndicesFrom<Exec> Permutation>
  ColouredPermutation(Context<Exec> const& exec, Permutation const& p) : size_(p.extent(0)) {
    detail::Call const context(exec, "riffle::coloured_permutation");
    char const* const function = "ColouredPermutation";
    detail::check(size_ <= detail::edge_colouring::max_edges, function, "n = ", size_,
                  ": must be at most ", detail::edge_colouring::max_edges);
    detail::check_permutation(function, "p", context, p);
    if (size_ > 0) build(context, p);
  }

  /// Returns the number of elements, n.
  std::uint64_t size() const { return size_; }
  std::uint64_t rows() const { return size_ == 0 ? 0 : (size_ + columns() - 1) / columns(); }
  std::uint64_t columns() const { return columns_of(size_); }

  /// Returns the largest n for elements of type T. Two copies of a row, and two of a column, must fit in a team's
  /// scratch memory.
  template <class T>
  static std::uint64_t max_elements(Exec const& exec = Exec()) {
    std::uint64_t const columns = std::bit_floor(detail::row_permutation::max_columns_of<T>(exec));
    return columns == 0 ? 0 : std::min(columns * columns, detail::edge_colouring::max_edges);
  }

  /// Sets out(p(i)) = in(i) for 0 <= i < n.
  ///
  /// - exec: an execution space instance, or a Context. Two arrays of n elements, padded to matrices, are taken from
  ///   its workspace; the rows of the second matrix are padded to whole warps.
  /// - in, out: rank-1 Views of n elements of the same trivially copyable type. They may overlap.
  ///
  /// Throws std::invalid_argument if extents differ from n, or if n > max_elements<T>(); nothing is written then.
  /// Blocking: does not fence; enqueued on `exec`. Complexity: five kernels, as in [1]. Each kernel reads and writes
  /// every element once, with contiguous accesses, and three of them read 4 bytes of the plan for each element.
  /// Reproducible.
  template <detail::ArrayFrom<Exec> In, detail::WritableArrayFrom<Exec> Out>
  void operator()(Context<Exec> const& exec, In const& in, Out const& out) const {
    detail::Call const context(exec, "riffle::coloured_permutation");
    using T = typename Out::non_const_value_type;
    static_assert(std::is_same_v<T, typename In::non_const_value_type>);
    static_assert(std::is_trivially_copyable_v<T>);
    char const* const function = "ColouredPermutation";
    detail::check(in.extent(0) == size_ && out.extent(0) == size_, function,
                  "in.extent(0) = ", in.extent(0), " and out.extent(0) = ", out.extent(0),
                  ": must be n = ", size_, " as the plan's");
    if (size_ == 0) return;
    detail::row_permutation::check_fits<T>(function, "a row of ", context.exec(), columns());
    detail::row_permutation::check_tile_fits<T>(function, context.exec());
    permute(context, in, out);
  }

  /// Returns the plan of the inverse permutation: the inverse steps in reverse order. Takes constant time.
  ColouredPermutation inverse() const {
    if (plan_ == nullptr) return *this;
    return ColouredPermutation(size_,
                               Plan{last().inverse(), across().inverse(), first().inverse()});
  }

  /// The schedules of the three steps, for an analysis of bank conflicts. The schedule of the columns is for the
  /// transposed matrix. Requires n > 0.
  RowSchedule<Exec> const& first() const { return plan_->first; }
  RowSchedule<Exec> const& across() const { return plan_->across; }
  RowSchedule<Exec> const& last() const { return plan_->last; }

 private:
  struct Plan {
    RowSchedule<Exec> first;
    RowSchedule<Exec> across;
    RowSchedule<Exec> last;
  };

  ColouredPermutation(std::uint64_t size, Plan const& plan)
      : size_(size), plan_(std::make_shared<Plan const>(plan)) {}

  static std::uint64_t columns_of(std::uint64_t n) {
    std::uint64_t columns = detail::row_permutation::banks;
    while (columns * columns < n) columns *= 2;
    return columns;
  }

  template <class Permutation>
  void build(Context<Exec> const& context, Permutation const& p) {
    auto const images =
        detail::coloured_permutation::find_row_images(context, p, rows(), columns());
    plan_ = std::make_shared<Plan const>(Plan{schedule(context, rows(), columns(), images.first),
                                              schedule(context, columns(), rows(), images.across),
                                              schedule(context, rows(), columns(), images.last)});
  }

  struct StoredRows {
    std::uint16_t const* images;
    std::uint64_t columns;

    std::uint64_t operator()(std::uint64_t row, std::uint64_t column) const {
      return images[row * columns + column];
    }
  };

  template <class Images>
  static auto schedule(Context<Exec> const& context, std::uint64_t rows, std::uint64_t columns,
                       Images const& images) {
    return detail::row_permutation::make_schedule(context, rows, columns,
                                                  StoredRows{images.data(), columns});
  }

  template <class In, class Out>
  void permute(Context<Exec> const& context, In const& in, Out const& out) const {
    namespace rp = detail::row_permutation;
    using T = typename Out::non_const_value_type;
    rp::RowAddresses const by_rows{columns(), columns()};
    rp::RowAddresses const by_columns{rows(), rp::round_up_to_warps(rows())};
    struct Matrices {
      T* by_rows;
      T* by_columns;
    };
    detail::Scope scope(context);
    auto const cells = scope.arrays([&](detail::ArrayMemory& memory) {
      return Matrices{memory.take<T>(rows() * by_rows.pitch),
                      memory.take<T>(columns() * by_columns.pitch)};
    });
    rp::PitchedMatrix<T> const matrix{cells.by_rows, by_rows};
    rp::PitchedMatrix<T> const transposed{cells.by_columns, by_columns};
    auto const of_rows = context.named("rows");
    auto const of_transpose = context.named("transpose");
    rp::permute_rows(of_rows, first(), detail::coloured_permutation::FoldedView<In>{in, by_rows},
                     matrix);
    rp::transpose_matrix(of_transpose, rows(), columns(), matrix, transposed);
    rp::permute_rows(context.named("columns"), across(), transposed, transposed);
    rp::transpose_matrix(of_transpose, columns(), rows(), transposed, matrix);
    rp::permute_rows(of_rows, last(), matrix,
                     detail::coloured_permutation::FoldedView<Out>{out, by_rows});
  }

  std::uint64_t size_;
  std::shared_ptr<Plan const> plan_;
};

template <detail::InstanceOrContext On, class Permutation>
ColouredPermutation(On const&, Permutation const&) -> ColouredPermutation<detail::SpaceOf<On>>;

}  // namespace riffle
