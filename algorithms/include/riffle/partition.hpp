#pragma once

// Stable partitions: values by a predicate, rows by flags, rows by labels, and particles by cells.

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <type_traits>

#include <riffle/errors.hpp>
#include <riffle/primitives/call.hpp>
#include <riffle/primitives/call_diagnostics.hpp>
#include <riffle/primitives/gather_in_place.hpp>
#include <riffle/primitives/gather_rows.hpp>
#include <riffle/primitives/indices.hpp>
#include <riffle/primitives/row_flags.hpp>
#include <riffle/primitives/row_sets.hpp>
#include <riffle/primitives/view_copies.hpp>
#include <riffle/primitives/views.hpp>
#include <riffle/sort/detail/partition/by_label.hpp>
#include <riffle/sort/detail/partition/by_predicate.hpp>

namespace riffle {

namespace detail {

template <class View>
using ValueOf = typename View::non_const_value_type;

}  // namespace detail

/// Copies the values of in for which predicate(value) is true to the start of out, and all other
/// values after them. Both keep their order. Returns the number of values for which the predicate
/// is true.
///
/// - exec: an execution space instance, or a Context of one.
/// - in, out: rank-1 Views of any layouts, of n values of the same trivially copyable type. They
///   share no element.
/// - predicate: a function that kernels can call, whose result depends on the value alone; it is
///   called twice for each value. If it returns different results for the same value, the values of
///   out and the returned number are unspecified, but no memory outside of the Views is accessed.
///
/// Throws std::invalid_argument if extents differ or Views overlap; nothing is written then.
/// Blocking: fences after the values are counted, to return the number; writing out is enqueued on
/// `exec`. Complexity: two reads and one write of each value. Memory: the memory of a scan, a few
/// KB. Reproducible.
template <detail::InstanceOrContext Exec, detail::ArrayFrom<Exec> In,
          detail::MovedArrayFrom<Exec> Out, detail::NotAView Predicate>
std::uint64_t partition_copy(Exec const& exec, In const& in, Out const& out,
                             Predicate const& predicate) {
  detail::Call const context(exec, "riffle::partition_copy");
  static_assert(std::is_same_v<detail::ValueOf<In>, detail::ValueOf<Out>>,
                "riffle: in and out have one value type");
  detail::check_row_sets("partition_copy", in, out);
  if (in.extent(0) == 0) return 0;
  return detail::partition::copy_by_predicate(context, in, out, predicate);
}

/// Partitions values in place: those for which predicate(value) is true come first; both groups
/// keep their order. All else is as for partition_copy(), except that partition() also takes memory
/// for a copy of the values, and one more read and write of each value.
template <detail::InstanceOrContext Exec, detail::MovedArrayFrom<Exec> Values,
          detail::NotAView Predicate>
std::uint64_t partition(Exec const& exec, Values const& values, Predicate const& predicate) {
  detail::Call const context(exec, "riffle::partition");
  if (values.extent(0) == 0) return 0;
  return detail::partition::by_predicate(context, values, predicate);
}

/// Copies row i of in for each i for which flags(i) is true to the start of out, and all other rows
/// after them. Both keep their order. Returns the number of rows for which the flag is true.
///
/// - exec: an execution space instance, or a Context of one.
/// - in, out: Views of rank 1, or of rank 2 with rows as elements; or packs of Views. They have n
///   rows, and share no element. The value type of out can represent every value of in.
/// - flags: a rank-1 View of n values of type bool, or of integers, of which 0 is false; or a
///   function f(i) that returns a bool, where i is a std::uint64_t. The function is called twice for
///   each i < n. If it returns different results for the same i, the rows of out and the returned
///   number are unspecified, but no memory outside of the Views is accessed. All flags are read
///   before a row is written.
///
/// Throws std::invalid_argument if extents differ or in and out overlap; nothing is written then.
/// Blocking: fences after the flags are counted, to return the number; the rest is enqueued on
/// `exec`. Complexity: two reads of each flag, a write and a read of n indices, one read and one
/// write of each row. Memory: n indices of 4 bytes (8 for n > 2^32), and the memory of a scan,
/// 12 bytes for each 4096 rows (20 for n > 2^32). Reproducible.
template <detail::InstanceOrContext Exec, detail::RowSet<Exec> In, detail::WritableRowSet<Exec> Out,
          detail::RowFlags<Exec> Flags>
std::uint64_t partition_copy_flagged(Exec const& exec, In const& in, Out const& out,
                                     Flags const& flags) {
  detail::Call const context(exec, "riffle::partition_copy_flagged");
  std::uint64_t const n = detail::check_row_sets("partition_copy_flagged", in, out);
  detail::check_flag_count("partition_copy_flagged", "in", n, flags);
  if (n == 0) return 0;
  return detail::partition::by_flags(context, n, flags, [&](auto const& sigma) {
    detail::gather_rows(context.named("gather"), n, sigma, in, out);
  });
}

/// Partitions rows in place: those for which the flag is true come first; both groups keep their
/// order. The values are trivially copyable. The flags may be one of the Views of data, or a
/// function that reads data, because all flags are read before a row is written. All else is as for
/// partition_copy_flagged(), except that partition_flagged() also takes memory for a copy of the
/// data, and one more read and write of each row.
template <detail::InstanceOrContext Exec, detail::WritableRowSet<Exec> Data,
          detail::RowFlags<Exec> Flags>
std::uint64_t partition_flagged(Exec const& exec, Data const& data, Flags const& flags) {
  detail::Call const context(exec, "riffle::partition_flagged");
  static_assert(detail::are_trivially_copyable<Data>,
                "riffle: argument 2 (data): Views of trivially copyable values belong here, since "
                "their bytes move through temporary memory");
  std::uint64_t const n = detail::check_row_set("partition_flagged", data);
  detail::check_flag_count("partition_flagged", "data", n, flags);
  if (n == 0) return 0;
  return detail::partition::by_flags(context, n, flags, [&](auto const& sigma) {
    detail::with_copy_of_rows(context, data, [&](auto const& copy) {
      detail::gather_rows(context.named("gather"), n, sigma, copy, data);
    });
  });
}

/// Groups rows by label, in ascending order of labels; stable: rows with equal labels keep their
/// order. Afterwards rows offsets(k), ..., offsets(k + 1) - 1 of out have label k.
///
/// - exec: an execution space instance, or a Context of one.
/// - in, out: Views of rank 1, or of rank 2 with rows as elements; or packs of Views. They have n
///   rows, and share no element with each other or with other arguments. The value type of out can
///   represent every value of in.
/// - labels: a rank-1 View of n integers in 0, ..., k - 1, where k = offsets.extent(0) - 1 is at
///   least 1; or a function f(i) that kernels can call and that returns such an integer, where i is a
///   std::uint64_t. The function is called several times for each i < n, and must always return the
///   same label for the same i.
/// - offsets: a rank-1 View of k + 1 integers, of a type that can represent n. The number of rows
///   with label b is offsets(b + 1) - offsets(b).
///
/// Throws std::invalid_argument if extents differ, Views overlap, a label is not in 0, ..., k - 1,
/// or the type of the offsets cannot represent n; nothing is written then. Blocking: fences after
/// the labels are checked; the rest is enqueued on `exec`. Complexity: on a CPU a counting sort
/// with three reads of labels (with t threads, up to 1 + 2 t reads if k > n / t), one read and
/// write of each row, and two reads and writes of each count. On a GPU two reads of labels, a radix
/// sort of n words of 8 bytes by bit_width(k - 1) bits, k + 1 binary searches in these words, and a
/// gather of the rows. Memory: on a CPU at most 4 max(n, k) bytes (8 max(n, k) bytes if n >= 2^32);
/// on a GPU 16 bytes per row. Reproducible.
template <detail::InstanceOrContext Exec, detail::RowSet<Exec> In,
          detail::StoredOrComputedIndices<Exec> Labels, detail::WritableRowSet<Exec> Out,
          detail::WritableArrayFrom<Exec> Offsets>
void partition_by_label(Exec const& exec, In const& in, Labels const& labels, Out const& out,
                        Offsets const& offsets) {
  detail::Call const context(exec, "riffle::partition_by_label");
  auto const indices = detail::indices_below(detail::row_count(in), labels);
  constexpr char const* function = "partition_by_label";
  detail::partition::check_offsets(function, indices, offsets);
  detail::partition::check_rows(function, "in", in, indices, offsets);
  detail::partition::check_rows(function, "out", out, indices, offsets);
  detail::check_moved_rows(function, in, "labels", indices, out);
  detail::partition::by_label(function, context, indices, offsets,
                              detail::partition::MoveRows<In, Out>{in, out});
}

/// Overload for rows that are not in Views: calls out(place, in(i)) for each i < n, where row i moves to row `place`, and in, labels
/// and out are functions that kernels can call. The calls must not depend on each other, so out must not write data that in reads.
template <detail::InstanceOrContext Exec, class Source, detail::IndexFunctionOf Labels,
          detail::RowSink<Source> Sink, detail::WritableArrayFrom<Exec> Offsets>
void partition_by_label(Exec const& exec, std::uint64_t n, Source const& in, Labels const& labels,
                        Sink const& out, Offsets const& offsets) {
  detail::Call const context(exec, "riffle::partition_by_label");
  detail::IndexFunction<Labels> const indices{labels, n};
  detail::partition::check_offsets("partition_by_label", indices, offsets);
  detail::partition::by_label("partition_by_label", context, indices, offsets,
                              detail::partition::MoveRows<Source, Sink>{in, out});
}

/// Finds the order in which partition_by_label() groups rows, without moving rows: sets out(i) to the index of the row that it would
/// move to row i, and the same offsets. gather(exec, rows, out, grouped) then moves rows.
///
/// - out: a rank-1 View of n integers that can represent n - 1.
///
/// Everything else is as for partition_by_label, except that no rows are read or written.
template <detail::InstanceOrContext Exec, detail::StoredOrComputedIndices<Exec> Labels,
          detail::WritableArrayFrom<Exec> Out, detail::WritableArrayFrom<Exec> Offsets>
void argpartition_by_label(Exec const& exec, Labels const& labels, Out const& out,
                           Offsets const& offsets) {
  detail::Call const context(exec, "riffle::argpartition_by_label");
  constexpr char const* function = "argpartition_by_label";
  auto const indices = detail::indices_below(out.extent(0), labels);
  detail::partition::check_offsets(function, indices, offsets);
  detail::partition::check_rows(function, "out", out, indices, offsets);
  detail::check_can_index(function, "out", out, indices.extent(0));
  detail::check_disjoint(function, "labels", indices, "out", out);
  detail::partition::by_label(function, context, indices, offsets,
                              detail::partition::NumberRows<Out>{out});
}

/// Sorts particles in place by the cells that contain them; stable: the particles of a cell keep
/// their order. Afterwards particles offsets(c), ..., offsets(c + 1) - 1 are in cell c. Particles
/// whose cell is not in 0, ..., k - 1 (they left the domain, or were deleted) follow all others,
/// also in their order; they begin at offsets(k).
///
/// - exec: an execution space instance, or a Context of one.
/// - particles: a View of rank 1, or of rank 2 with rows as elements; or a pack of any number of
///   Views. They have n rows of trivially copyable values, and share no element with each other or
///   with offsets.
/// - cells: a rank-1 View of n integers, which may be one of the Views of the particles; or a
///   function f(i) that kernels can call and that returns an integer, where i is a std::uint64_t.
///   The function is called several times for each i < n, and must always return the same cell for
///   the same i. It may read the particles, because all cells are read before a particle moves,
///   but not the offsets.
/// - offsets: a rank-1 View of k + 1 integers, of a type that can represent n, where k is at least
///   1. The number of particles in cell c is offsets(c + 1) - offsets(c).
///
/// Throws std::invalid_argument if extents differ, Views overlap, or the type of the offsets cannot
/// represent n; nothing is written then. Blocking: enqueued on `exec`; does not fence, because a
/// cell out of range is not an error. Complexity: argpartition_by_label() without its check, then
/// two reads and two writes of each value, and for each View a read of n indices. Memory: n indices
/// of 4 bytes (8 for n > 2^32); in addition the memory of argpartition_by_label(), or a copy of the
/// largest View if that is more. Reproducible.
template <detail::InstanceOrContext Exec, detail::WritableRowSet<Exec> Particles,
          detail::StoredOrComputedIndices<Exec> Cells, detail::WritableArrayFrom<Exec> Offsets>
void sort_by_cell(Exec const& exec, Particles const& particles, Cells const& cells,
                  Offsets const& offsets) {
  detail::Call const context(exec, "riffle::sort_by_cell");
  static_assert(detail::are_trivially_copyable<Particles>,
                "riffle: argument 2 (particles): Views of trivially copyable values belong here, "
                "since their bytes move through temporary memory");
  constexpr char const* function = "sort_by_cell";
  std::uint64_t const n = detail::check_row_set(function, particles);
  auto const labels = detail::indices_below(n, cells);
  detail::partition::check_offsets(function, labels, offsets, "cells");
  detail::partition::check_rows(function, "particles", particles, labels, offsets, "cells");
  std::uint64_t const k = offsets.extent(0) - 1;
  detail::gather_in_place_by(context, n, particles, [&]<class Order>(Order const& order) {
    detail::partition::by_valid_label(
        context, detail::partition::LabelsOrEnd<std::decay_t<decltype(labels)>>{labels, k}, k + 1,
        offsets, detail::partition::NumberRows<Order>{order});
  });
}

RIFFLE_CALL_DIAGNOSTICS(partition, values<MovedArray>, predicate<NoView>)
RIFFLE_CALL_DIAGNOSTICS(partition_copy, in<Array>, out<MovedArray>, predicate<NoView>)
RIFFLE_CALL_DIAGNOSTICS(partition_copy_flagged, in<Rows>, out<WrittenRows>)
RIFFLE_CALL_DIAGNOSTICS(partition_flagged, data<WrittenRows>)
RIFFLE_CALL_DIAGNOSTICS(argpartition_by_label, labels<OrObject<Indices>>, out<WrittenArray>,
                        offsets<WrittenArray>)
RIFFLE_CALL_DIAGNOSTICS(partition_by_label,
                        OrNumber<in<Rows>, n<WholeNumber>, in<NoView>, labels<NoView>, out<NoView>>,
                        labels<OrObject<Indices>>, out<WrittenRows>, offsets<WrittenArray>)
RIFFLE_CALL_DIAGNOSTICS(sort_by_cell, particles<WrittenRows>, cells<OrObject<Indices>>,
                        offsets<WrittenArray>)

}  // namespace riffle
