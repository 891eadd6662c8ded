#pragma once

// Puts values for which a predicate holds before those for which it does not, and rows into any number of parts by
// their labels.

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <type_traits>

#include <riffle/errors.hpp>
#include <riffle/primitives/call.hpp>
#include <riffle/primitives/call_diagnostics.hpp>
#include <riffle/primitives/indices.hpp>
#include <riffle/primitives/row_sets.hpp>
#include <riffle/primitives/views.hpp>
#include <riffle/sort/detail/partition/by_label.hpp>
#include <riffle/sort/detail/partition/by_predicate.hpp>

namespace riffle {

namespace detail {

template <class View>
using ValueOf = typename View::non_const_value_type;

}  // namespace detail

/// out = the values of in for which predicate(value) holds, in the order of in, then all others, in the order of in.
/// Returns for how many it holds.
///
/// - exec: an execution space instance, or a Context of one, whose workspace a scan takes its memory from: next to
///   nothing.
/// - in, out: rank-1 Views of as many values of one trivially copyable type, any layouts, which share no element.
/// - predicate: a function that kernels can call and that gives the same answer whenever it is asked about the same
///   value: it is asked twice for each. If its answers change, the values of out and the number are unspecified, and no
///   memory outside of the Views is accessed.
///
/// Throws std::invalid_argument where extents differ or Views overlap; nothing is written then. Fences to return the
/// number; out is written on `exec` after that. Reproducible. Cost: two reads and one write of each value.
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

/// The same in place: values for which predicate(value) holds come first, both they and the others in the order in
/// which they were. It takes memory for a copy of the values, and another read and write of each.
template <detail::InstanceOrContext Exec, detail::MovedArrayFrom<Exec> Values,
          detail::NotAView Predicate>
std::uint64_t partition(Exec const& exec, Values const& values, Predicate const& predicate) {
  detail::Call const context(exec, "riffle::partition");
  if (values.extent(0) == 0) return 0;
  return detail::partition::by_predicate(context, values, predicate);
}

/// Brings rows of equal labels together, those of label 0 first, in the order in which they are: a counting sort.
/// Afterwards offsets(k), ..., offsets(k + 1) - 1 are the rows of out with label k.
///
/// - exec: an execution space instance, or a Context of one. Memory: on a CPU at most 4 bytes for each row or each label,
///   whichever are more, 8 where n >= 2^32; on a GPU 16 bytes for each row.
/// - in, out: Views of rank 1, or of rank 2 whose rows move as one; or packs of Views. They have as many rows as there
///   are labels, and share no element with each other or with other arguments. The value type of out holds every value
///   of in's.
/// - labels: a rank-1 View of integers below k = offsets.extent(0) - 1, which is at least 1.
/// - offsets: a rank-1 View of integers of a type that holds n.
///
/// Throws std::invalid_argument where extents differ, Views overlap, a label is none of 0, ..., k - 1, or the offsets'
/// type cannot hold n; nothing is written then. Fences, to look at the labels. Reproducible. Cost: on a CPU three reads
/// of labels (up to 1 + 2 t by t threads, where k exceeds n / t), one read and write of each row, and two reads and
/// writes of each count; on a GPU two reads of labels, a sort of n words of 8 bytes by as many bits as k - 1 has, k + 1
/// searches in these words, and a gather of the rows.
template <detail::InstanceOrContext Exec, detail::RowSet<Exec> In,
          detail::StoredIndicesFrom<Exec> Labels, detail::WritableRowSet<Exec> Out,
          detail::WritableArrayFrom<Exec> Offsets>
void partition_by_label(Exec const& exec, In const& in, Labels const& labels, Out const& out,
                        Offsets const& offsets) {
  detail::Call const context(exec, "riffle::partition_by_label");
  detail::partition::check_by_label(in, labels, out, offsets);
  detail::partition::check_labels(context, labels, offsets.extent(0) - 1);
  detail::partition::by_label(context, in, labels, out, offsets);
}

RIFFLE_CALL_DIAGNOSTICS(partition, values<MovedArray>, predicate<NoView>)
RIFFLE_CALL_DIAGNOSTICS(partition_copy, in<Array>, out<MovedArray>, predicate<NoView>)
RIFFLE_CALL_DIAGNOSTICS(partition_by_label, in<Rows>, labels<Indices>, out<WrittenRows>,
                        offsets<WrittenArray>)

}  // namespace riffle
