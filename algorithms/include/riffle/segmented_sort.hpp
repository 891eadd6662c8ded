#pragma once

// Sorts of segments: segments that are given by offsets, and rows or columns of a matrix. Each is sorted on its own, by one call for
// segments of any lengths.

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include <riffle/backend/backend.hpp>
#include <riffle/errors.hpp>
#include <riffle/order.hpp>
#include <riffle/primitives/call.hpp>
#include <riffle/primitives/call_diagnostics.hpp>
#include <riffle/primitives/indices.hpp>
#include <riffle/primitives/matrix_lines.hpp>
#include <riffle/primitives/source_sink.hpp>
#include <riffle/primitives/views.hpp>
#include <riffle/sort/detail/cpu/segments_cpu.hpp>
#include <riffle/sort/detail/gpu/segments_gpu.hpp>
#include <riffle/sort/segments.hpp>

namespace riffle {

namespace detail::sort {

/// Sorts the elements of `source` segment by segment. Writes them to `sink`, or, unless Index is void, their indices.
template <class Index, class Exec, class Segments, class Source, class Sink, class Order>
void sort_segments(Context<Exec> const& context, Segments const& segments, Source const& source,
                   Sink const& sink, Order const& order) {
  static_assert(std::is_trivially_copyable_v<typename Source::Item>,
                "riffle: values are trivially copyable");
  if (segments.n == 0) return;
  if constexpr (backend::is_cpu<Exec>) {
    using Items = SegmentItemsOnCpu<Source, Sink, Segments, Order, Index>;
    SortSegmentsOnCpu(context, segments, Items{source, sink, segments}, IsItemBefore<Order>{order})
        .run();
  } else {
    using Items = SegmentItemsOnGpu<Source, Sink, Segments, Order, Index>;
    sort_segments_on_device(context, segments, Items{source, sink, segments}, Items::before(order));
  }
}

/// The lines of a matrix, as segments.
template <Along along, class View>
SegmentsOfLength lines(View const& view) {
  std::uint64_t const length = view.extent(along == Along::rows ? 1 : 0);
  return {Divider<std::uint64_t>(std::max<std::uint64_t>(1, length)), view.size()};
}

template <Along along, class Exec, class Values, class Order>
void sort_lines(Context<Exec> const& context, Values const& values, Order const& order) {
  sort_segments<void>(context, lines<along>(values), LinesSource<Values, along>(values),
                      LinesSink<Values, along>(values), order);
}

template <Along along, class Exec, class Data, class Indices, class Order>
void argsort_lines(char const* function, Context<Exec> const& context, Data const& data,
                   Indices const& indices, Order const& order) {
  std::uint64_t const length = check_lines<along>(function, "data", data, "indices", indices);
  check_can_index(function, "indices", indices, length);
  with_index_type(length, [&]<class Index>(Index) {
    sort_segments<Index>(context, lines<along>(data), LinesSource<Data, along>(data),
                         LinesSink<Indices, along>(indices), order);
  });
}

}  // namespace detail::sort

// --- segments ---

/// Sorts each segment in place. Segment s is the elements offsets(s), ..., offsets(s + 1) - 1; it may be empty. Stable: tied values
/// keep their order.
///
/// - exec: an execution space instance, or a Context of one.
/// - values: a rank-1 View of n values, of any trivially copyable type that `order` compares. Float and double have the total order
///   of sort(): NaNs last, -0 before 0 if ascending, and only numbers with the same bits tie.
/// - offsets: a rank-1 View of integers. Its extent is the number of segments plus 1.
/// - order: as for sort().
///
/// Requires: 0 = offsets(0) <= offsets(1) <= ... <= offsets(last) = n. This is not checked. If it does not hold, the values are
/// unspecified, but no memory outside of the Views is accessed.
///
/// Throws std::invalid_argument if `offsets` is empty but n > 0, or if the Views overlap; nothing is written then.
///
/// Complexity: O(s + n log m), where s is the number of segments and m the length of the longest. Lengths may differ in any way.
/// - On a GPU the elements are divided into windows (of 4080 values, if a value has up to 8 bytes). A value is read and written once
///   if its segment has at most 1/16 of this length or does not cross the end of a window, and 1 + ceil(log2(w)) times if its
///   segment extends over w windows.
/// - On a CPU one thread sorts a segment, in its cache: numbers by a radix sort, other values by a merge sort. All threads together
///   sort a segment of more than 65536 values or 1 MiB, as sort() does.
///
/// Memory: on a GPU n values, twice that if the View has gaps between its values, and less than 2 % more. On a CPU up to 2 MiB per
/// thread, and twice the longest segment if all threads sort it. Blocking: enqueued on `exec`; does not fence. Reproducible.
template <detail::InstanceOrContext Exec, detail::MovedArrayFrom<Exec> Values,
          detail::StoredIndicesFrom<Exec> Offsets, detail::NotAView Order = Ascending>
void sort_segments(Exec const& exec, Values const& values, Offsets const& offsets,
                   Order const& order = {}) {
  detail::Call const context(exec, "riffle::sort_segments");
  std::uint64_t const n = values.extent(0);
  detail::check_offsets("sort_segments", offsets, n, "values", values);
  detail::sort::sort_segments<void>(context, detail::sort::SegmentsByOffset<Offsets>{offsets, n},
                                    detail::ViewSource<Values>(values),
                                    detail::ViewSink<Values>(values), order);
}

/// Finds the sorted order of each segment: data(indices(offsets(s) + k)) is value k of the sorted segment s. Stable.
///
/// - data: a rank-1 View of n values. It is not changed.
/// - indices: a rank-1 View of n integers, of a type that can represent n - 1.
///
/// Throws std::invalid_argument if extents differ, `offsets` is empty but n > 0, `indices` overlaps another View, or its type cannot
/// represent n - 1; nothing is written then.
///
/// Memory: on a GPU two arrays of n values with indices (together 16 bytes per 32-bit number and 32 bytes per 64-bit number, if
/// n < 2^32), and less than 2 % more. On a CPU up to 2 MiB per thread, and two arrays of values with indices of the longest segment
/// if all threads sort it. Everything else is as for sort_segments().
template <detail::InstanceOrContext Exec, detail::ArrayFrom<Exec> Data,
          detail::StoredIndicesFrom<Exec> Offsets, detail::WritableArrayFrom<Exec> Indices,
          detail::NotAView Order = Ascending>
void argsort_segments(Exec const& exec, Data const& data, Offsets const& offsets,
                      Indices const& indices, Order const& order = {}) {
  detail::Call const context(exec, "riffle::argsort_segments");
  std::uint64_t const n = data.extent(0);
  detail::check(n == indices.extent(0), "argsort_segments", "data.extent(0) = ", n,
                " and indices.extent(0) = ", indices.extent(0), ": must be equal");
  detail::check_offsets("argsort_segments", offsets, n, "indices", indices);
  detail::check_disjoint("argsort_segments", "data", data, "indices", indices);
  detail::check_can_index("argsort_segments", "indices", indices, n);
  detail::with_index_type(n, [&]<class Index>(Index) {
    detail::sort::sort_segments<Index>(context, detail::sort::SegmentsByOffset<Offsets>{offsets, n},
                                       detail::ViewSource<Data>(data),
                                       detail::ViewSink<Indices>(indices), order);
  });
}

// --- rows and columns ---

/// Sorts the values of each row in place, as numpy.sort with axis=1. Rows are not moved.
///
/// - values: a rank-2 View of any layout, of values as for sort_segments().
///
/// Does not throw. Each row is a segment. Accesses to global memory are contiguous if the elements of a row are contiguous
/// (LayoutRight); if not, the matrix counts as a View with gaps. Everything else is as for sort_segments().
template <detail::InstanceOrContext Exec, detail::WritableMatrixFrom<Exec> Values,
          detail::NotAView Order = Ascending>
void sort_rows(Exec const& exec, Values const& values, Order const& order = {}) {
  detail::Call const context(exec, "riffle::sort_rows");
  detail::sort::sort_lines<detail::Along::rows>(context, values, order);
}

/// Sorts the values of each column in place, as numpy.sort with axis=0. Accesses to global memory are contiguous if the elements of a
/// column are contiguous (LayoutLeft). Everything else is as for sort_rows().
template <detail::InstanceOrContext Exec, detail::WritableMatrixFrom<Exec> Values,
          detail::NotAView Order = Ascending>
void sort_columns(Exec const& exec, Values const& values, Order const& order = {}) {
  detail::Call const context(exec, "riffle::sort_columns");
  detail::sort::sort_lines<detail::Along::columns>(context, values, order);
}

/// Finds the sorted order of each row, as numpy.argsort with axis=1 and kind="stable": data(i, indices(i, k)) is value k of the
/// sorted row i.
///
/// - data: a rank-2 View of any layout, of values as for sort_segments(). It is not changed.
/// - indices: a rank-2 View of the same extents and any layout, of an integer type that can represent data.extent(1) - 1.
///
/// Throws std::invalid_argument if extents differ, the Views overlap, or the type of the indices cannot represent them; nothing is
/// written then. Everything else is as for argsort_segments(), where each row is a segment.
template <detail::InstanceOrContext Exec, detail::MatrixFrom<Exec> Data,
          detail::WritableMatrixFrom<Exec> Indices, detail::NotAView Order = Ascending>
void argsort_rows(Exec const& exec, Data const& data, Indices const& indices,
                  Order const& order = {}) {
  detail::Call const context(exec, "riffle::argsort_rows");
  detail::sort::argsort_lines<detail::Along::rows>("argsort_rows", context, data, indices, order);
}

/// Finds the sorted order of each column, as numpy.argsort with axis=0 and kind="stable": data(indices(k, j), j) is value k of the
/// sorted column j. The type of the indices can represent data.extent(0) - 1. Everything else is as for argsort_rows().
template <detail::InstanceOrContext Exec, detail::MatrixFrom<Exec> Data,
          detail::WritableMatrixFrom<Exec> Indices, detail::NotAView Order = Ascending>
void argsort_columns(Exec const& exec, Data const& data, Indices const& indices,
                     Order const& order = {}) {
  detail::Call const context(exec, "riffle::argsort_columns");
  detail::sort::argsort_lines<detail::Along::columns>("argsort_columns", context, data, indices,
                                                      order);
}

RIFFLE_CALL_DIAGNOSTICS(sort_segments, values<MovedArray>, offsets<Indices>,
                        order<Optional<NoView>>)
RIFFLE_CALL_DIAGNOSTICS(argsort_segments, data<Array>, offsets<Indices>, indices<WrittenArray>,
                        order<Optional<NoView>>)
RIFFLE_CALL_DIAGNOSTICS(sort_rows, values<WrittenMatrix>, order<Optional<NoView>>)
RIFFLE_CALL_DIAGNOSTICS(sort_columns, values<WrittenMatrix>, order<Optional<NoView>>)
RIFFLE_CALL_DIAGNOSTICS(argsort_rows, data<Matrix>, indices<WrittenMatrix>, order<Optional<NoView>>)
RIFFLE_CALL_DIAGNOSTICS(argsort_columns, data<Matrix>, indices<WrittenMatrix>,
                        order<Optional<NoView>>)

}  // namespace riffle
