#pragma once

// Scans and sums of segments: runs of equal keys, segments that are given by offsets, and rows or columns of a matrix. Each call is
// one scan of pairs of a value and a flag, whatever the lengths of the segments:
//   G. E. Blelloch, "Prefix sums and their applications", CMU-CS-90-190 (1990), section 1.5.

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <type_traits>

#include <riffle/errors.hpp>
#include <riffle/primitives/call.hpp>
#include <riffle/primitives/call_diagnostics.hpp>
#include <riffle/primitives/counts.hpp>
#include <riffle/primitives/indices.hpp>
#include <riffle/primitives/matrix_lines.hpp>
#include <riffle/primitives/views.hpp>
#include <riffle/scan.hpp>
#include <riffle/scan/detail/segments.hpp>

namespace riffle {

namespace detail::segments {

template <bool Inclusive, class Exec, class Keys, class In, class Out, class Op, class... Init>
void scan_by_key(char const* function, Context<Exec> const& context, Keys const& keys, In const& in,
                 Out const& out, Op const& op, Init const&... init) {
  std::uint64_t const n = check_by_key(function, keys, in, out);
  scan_segments<Inclusive, In, Out>(function, context, n, HeadsByKey<Keys>{keys}, make_source(in),
                                    ViewSink<Out>(out), op, init...);
}

template <bool Inclusive, class Exec, class In, class Offsets, class Out, class Op, class... Init>
void scan_by_offset(char const* function, Context<Exec> const& context, In const& in,
                    Offsets const& offsets, Out const& out, Op const& op, Init const&... init) {
  std::uint64_t const n = check_segments(function, in, offsets, out);
  if (n == 0) return;
  Scope scope(context);
  HeadsByBit const heads = mark_heads(context, offsets, n, scope);
  scan_segments<Inclusive, In, Out>(function, context, n, heads, make_source(in),
                                    ViewSink<Out>(out), op, init...);
}

template <Along along, bool Inclusive, class Exec, class In, class Out, class Op, class... Init>
void scan_lines(char const* function, Context<Exec> const& context, In const& in, Out const& out,
                Op const& op, Init const&... init) {
  std::uint64_t const length = check_lines<along>(function, "in", in, "out", out);
  std::uint64_t const n = out.size();
  if (n == 0) return;
  HeadsOfLength const heads{Divider<std::uint64_t>(length)};
  scan_segments<Inclusive, In, Out>(function, context, n, heads, LinesSource<In, along>(in),
                                    LinesSink<Out, along>(out), op, init...);
}

}  // namespace detail::segments

// --- runs of equal keys ---

/// Scans the values of each run of equal keys: sets out(i) = in(f) + ... + in(i), where f is the first index of the run that
/// contains i, and + is any associative operation.
///
/// - exec: an execution space instance, or a Context of one.
/// - keys: a rank-1 View of n values with operator ==. A run is a maximal range of elements in which each key equals the one before
///   it. Equal keys in different runs are not combined, so keys are usually sorted.
/// - in: a rank-1 View of n values, or a function f(i), as for inclusive_scan.
/// - out: a rank-1 View of n values.
/// - op: as for inclusive_scan. The default is the sum.
///
/// Throws std::invalid_argument if extents differ, or if out shares an element with another View; nothing is written then.
///
/// Complexity: one read of each key and value, and one write of each result. Memory: the memory of a scan. Blocking: enqueued on
/// `exec`; does not fence.
///
/// Reproducible: as inclusive_scan. The order in which the numbers of a run are added depends on n and on the position of the run.
template <detail::InstanceOrContext Exec, detail::ArrayFrom<Exec> Keys, detail::ScanInput<Exec> In,
          detail::WritableArrayFrom<Exec> Out,
          detail::ScanOperation<In, Out> Op = detail::DefaultMonoid<In, Out>>
void inclusive_scan_by_key(Exec const& exec, Keys const& keys, In const& in, Out const& out,
                           Op const& op = {}) {
  detail::Call const context(exec, "riffle::inclusive_scan_by_key");
  detail::segments::scan_by_key<true>("inclusive_scan_by_key", context, keys, in, out, op);
}

/// Sets out(i) = init + in(f) + ... + in(i - 1), where f is the first index of the run that contains i, so out(f) = init. The
/// default of init is op's identity; if op has no identity, init must be given. Everything else is as for inclusive_scan_by_key.
template <detail::InstanceOrContext Exec, detail::ArrayFrom<Exec> Keys, detail::ScanInput<Exec> In,
          detail::WritableArrayFrom<Exec> Out,
          detail::ScanOperation<In, Out> Op = detail::DefaultMonoid<In, Out>>
void exclusive_scan_by_key(Exec const& exec, Keys const& keys, In const& in, Out const& out,
                           Op const& op = {}) {
  detail::Call const context(exec, "riffle::exclusive_scan_by_key");
  detail::segments::scan_by_key<false>("exclusive_scan_by_key", context, keys, in, out, op);
}

/// Overload with an initial value.
template <detail::InstanceOrContext Exec, detail::ArrayFrom<Exec> Keys, detail::ScanInput<Exec> In,
          detail::WritableArrayFrom<Exec> Out, detail::ScanOperation<In, Out> Op,
          detail::InitFor<Op, In, Out> Init>
void exclusive_scan_by_key(Exec const& exec, Keys const& keys, In const& in, Out const& out,
                           Op const& op, Init const& init) {
  detail::Call const context(exec, "riffle::exclusive_scan_by_key");
  detail::segments::scan_by_key<false>("exclusive_scan_by_key", context, keys, in, out, op, init);
}

/// Reduces each run of equal keys to one key and one value: sets keys_out(r) to the key of run r, out(r) = in(f) + ... + in(l),
/// where f and l are the first and the last index of the run, and count() to the number of runs.
///
/// - keys, in, op: as for inclusive_scan_by_key.
/// - keys_out: a rank-1 View of n values or more, of a type that can represent every key.
/// - out: a rank-1 View of n values or more.
/// - count: a rank-0 View of an integer that can represent n.
///
/// Elements past the count are not written. Throws std::invalid_argument if extents do not fit, the type of the count cannot
/// represent n, or an output shares an element with another View; nothing is written then. Everything else is as for
/// inclusive_scan_by_key.
template <detail::InstanceOrContext Exec, detail::ArrayFrom<Exec> Keys, detail::ScanInput<Exec> In,
          detail::WritableArrayFrom<Exec> KeysOut, detail::WritableArrayFrom<Exec> Out,
          detail::CountFrom<Exec> CountView,
          detail::ScanOperation<In, Out> Op = detail::DefaultMonoid<In, Out>>
void reduce_by_key(Exec const& exec, Keys const& keys, In const& in, KeysOut const& keys_out,
                   Out const& out, CountView const& count, Op const& op = {}) {
  detail::Call const context(exec, "riffle::reduce_by_key");
  std::uint64_t const n =
      detail::segments::check_reduction("reduce_by_key", keys, in, keys_out, out, count);
  if (n == 0) return detail::set_count(context, count, 0);
  detail::with_monoid<true, In, Out>(
      "reduce_by_key", op, [&](auto const& monoid, auto const& /*identity*/) {
        detail::segments::reduce_runs(context, keys, detail::make_source(in), keys_out, out, count,
                                      monoid);
      });
}

/// Overload that returns the count. Fences.
template <detail::InstanceOrContext Exec, detail::ArrayFrom<Exec> Keys, detail::ScanInput<Exec> In,
          detail::WritableArrayFrom<Exec> KeysOut, detail::WritableArrayFrom<Exec> Out,
          detail::ScanOperation<In, Out> Op = detail::DefaultMonoid<In, Out>>
std::uint64_t reduce_by_key(Exec const& exec, Keys const& keys, In const& in,
                            KeysOut const& keys_out, Out const& out, Op const& op = {}) {
  detail::Call const context(exec, "riffle::reduce_by_key");
  return detail::returned_count(context, [&](auto const& count) {
    reduce_by_key(context, keys, in, keys_out, out, count, op);
  });
}

// --- segments ---

/// Scans each segment: sets out(i) = in(f) + ... + in(i), where f is the first index of the segment that contains i. Segment s is
/// the elements offsets(s), ..., offsets(s + 1) - 1; it may be empty.
///
/// - in: a rank-1 View of n values, or a function f(i), as for inclusive_scan.
/// - offsets: a rank-1 View of integers. Its extent is the number of segments plus 1.
/// - out: a rank-1 View of n values.
/// - op: as for inclusive_scan. The default is the sum.
///
/// Requires: 0 = offsets(0) <= offsets(1) <= ... <= offsets(last) = n. This is not checked. If it does not hold, the results are
/// unspecified, but no memory outside of the Views is accessed.
///
/// Throws std::invalid_argument if extents differ, `offsets` is empty but n > 0, or out shares an element with another View; nothing
/// is written then.
///
/// Complexity: one read of each value and offset, one write of each result, and two accesses of n / 8 bytes. Memory: n / 8 bytes in
/// addition to the memory of a scan. Everything else is as for inclusive_scan_by_key.
template <detail::InstanceOrContext Exec, detail::ScanInput<Exec> In,
          detail::StoredIndicesFrom<Exec> Offsets, detail::WritableArrayFrom<Exec> Out,
          detail::ScanOperation<In, Out> Op = detail::DefaultMonoid<In, Out>>
void inclusive_scan_segments(Exec const& exec, In const& in, Offsets const& offsets, Out const& out,
                             Op const& op = {}) {
  detail::Call const context(exec, "riffle::inclusive_scan_segments");
  detail::segments::scan_by_offset<true>("inclusive_scan_segments", context, in, offsets, out, op);
}

/// Sets out(i) = init + in(f) + ... + in(i - 1), where f is the first index of the segment that contains i, so out(f) = init. The
/// default of init is op's identity; if op has no identity, init must be given. Everything else is as for inclusive_scan_segments.
template <detail::InstanceOrContext Exec, detail::ScanInput<Exec> In,
          detail::StoredIndicesFrom<Exec> Offsets, detail::WritableArrayFrom<Exec> Out,
          detail::ScanOperation<In, Out> Op = detail::DefaultMonoid<In, Out>>
void exclusive_scan_segments(Exec const& exec, In const& in, Offsets const& offsets, Out const& out,
                             Op const& op = {}) {
  detail::Call const context(exec, "riffle::exclusive_scan_segments");
  detail::segments::scan_by_offset<false>("exclusive_scan_segments", context, in, offsets, out, op);
}

/// Overload with an initial value.
template <detail::InstanceOrContext Exec, detail::ScanInput<Exec> In,
          detail::StoredIndicesFrom<Exec> Offsets, detail::WritableArrayFrom<Exec> Out,
          detail::ScanOperation<In, Out> Op, detail::InitFor<Op, In, Out> Init>
void exclusive_scan_segments(Exec const& exec, In const& in, Offsets const& offsets, Out const& out,
                             Op const& op, Init const& init) {
  detail::Call const context(exec, "riffle::exclusive_scan_segments");
  detail::segments::scan_by_offset<false>("exclusive_scan_segments", context, in, offsets, out, op,
                                          init);
}

// --- rows and columns ---

/// Scans each row: sets out(i, j) = in(i, 0) + in(i, 1) + ... + in(i, j).
///
/// - in: a rank-2 View of any layout.
/// - out: a rank-2 View of the same extents.
/// - op: as for inclusive_scan. The default is the sum.
///
/// Throws std::invalid_argument if extents differ or Views overlap; nothing is written then.
///
/// Complexity: one read and one write of each element. Memory accesses are contiguous if the elements of a row are contiguous
/// (LayoutRight). Everything else is as for inclusive_scan_by_key; results do not depend on layouts.
template <detail::InstanceOrContext Exec, detail::MatrixFrom<Exec> In,
          detail::WritableMatrixFrom<Exec> Out,
          detail::ScanOperation<In, Out> Op = detail::DefaultMonoid<In, Out>>
void inclusive_scan_rows(Exec const& exec, In const& in, Out const& out, Op const& op = {}) {
  detail::Call const context(exec, "riffle::inclusive_scan_rows");
  detail::segments::scan_lines<detail::Along::rows, true>("inclusive_scan_rows", context, in, out,
                                                          op);
}

/// Sets out(i, j) = init + in(i, 0) + ... + in(i, j - 1), so out(i, 0) = init. The default of init is op's identity; if op has no
/// identity, init must be given. Everything else is as for inclusive_scan_rows.
template <detail::InstanceOrContext Exec, detail::MatrixFrom<Exec> In,
          detail::WritableMatrixFrom<Exec> Out,
          detail::ScanOperation<In, Out> Op = detail::DefaultMonoid<In, Out>>
void exclusive_scan_rows(Exec const& exec, In const& in, Out const& out, Op const& op = {}) {
  detail::Call const context(exec, "riffle::exclusive_scan_rows");
  detail::segments::scan_lines<detail::Along::rows, false>("exclusive_scan_rows", context, in, out,
                                                           op);
}

/// Overload with an initial value.
template <detail::InstanceOrContext Exec, detail::MatrixFrom<Exec> In,
          detail::WritableMatrixFrom<Exec> Out, detail::ScanOperation<In, Out> Op,
          detail::InitFor<Op, In, Out> Init>
void exclusive_scan_rows(Exec const& exec, In const& in, Out const& out, Op const& op,
                         Init const& init) {
  detail::Call const context(exec, "riffle::exclusive_scan_rows");
  detail::segments::scan_lines<detail::Along::rows, false>("exclusive_scan_rows", context, in, out,
                                                           op, init);
}

/// Scans each column: sets out(i, j) = in(0, j) + in(1, j) + ... + in(i, j). Memory accesses are contiguous if the elements of a
/// column are contiguous (LayoutLeft). Everything else is as for inclusive_scan_rows.
template <detail::InstanceOrContext Exec, detail::MatrixFrom<Exec> In,
          detail::WritableMatrixFrom<Exec> Out,
          detail::ScanOperation<In, Out> Op = detail::DefaultMonoid<In, Out>>
void inclusive_scan_columns(Exec const& exec, In const& in, Out const& out, Op const& op = {}) {
  detail::Call const context(exec, "riffle::inclusive_scan_columns");
  detail::segments::scan_lines<detail::Along::columns, true>("inclusive_scan_columns", context, in,
                                                             out, op);
}

/// Sets out(i, j) = init + in(0, j) + ... + in(i - 1, j). Everything else is as for exclusive_scan_rows and inclusive_scan_columns.
template <detail::InstanceOrContext Exec, detail::MatrixFrom<Exec> In,
          detail::WritableMatrixFrom<Exec> Out,
          detail::ScanOperation<In, Out> Op = detail::DefaultMonoid<In, Out>>
void exclusive_scan_columns(Exec const& exec, In const& in, Out const& out, Op const& op = {}) {
  detail::Call const context(exec, "riffle::exclusive_scan_columns");
  detail::segments::scan_lines<detail::Along::columns, false>("exclusive_scan_columns", context, in,
                                                              out, op);
}

/// Overload with an initial value.
template <detail::InstanceOrContext Exec, detail::MatrixFrom<Exec> In,
          detail::WritableMatrixFrom<Exec> Out, detail::ScanOperation<In, Out> Op,
          detail::InitFor<Op, In, Out> Init>
void exclusive_scan_columns(Exec const& exec, In const& in, Out const& out, Op const& op,
                            Init const& init) {
  detail::Call const context(exec, "riffle::exclusive_scan_columns");
  detail::segments::scan_lines<detail::Along::columns, false>("exclusive_scan_columns", context, in,
                                                              out, op, init);
}

RIFFLE_CALL_DIAGNOSTICS(inclusive_scan_by_key, keys<Array>, in<OrObject<Array>>, out<WrittenArray>)
RIFFLE_CALL_DIAGNOSTICS(exclusive_scan_by_key, keys<Array>, in<OrObject<Array>>, out<WrittenArray>)
RIFFLE_CALL_DIAGNOSTICS(reduce_by_key, keys<Array>, in<OrObject<Array>>, keys_out<WrittenArray>,
                        out<WrittenArray>)
RIFFLE_CALL_DIAGNOSTICS(inclusive_scan_segments, in<OrObject<Array>>, offsets<Indices>,
                        out<WrittenArray>)
RIFFLE_CALL_DIAGNOSTICS(exclusive_scan_segments, in<OrObject<Array>>, offsets<Indices>,
                        out<WrittenArray>)
RIFFLE_CALL_DIAGNOSTICS(inclusive_scan_rows, in<Matrix>, out<WrittenMatrix>)
RIFFLE_CALL_DIAGNOSTICS(exclusive_scan_rows, in<Matrix>, out<WrittenMatrix>)
RIFFLE_CALL_DIAGNOSTICS(inclusive_scan_columns, in<Matrix>, out<WrittenMatrix>)
RIFFLE_CALL_DIAGNOSTICS(exclusive_scan_columns, in<Matrix>, out<WrittenMatrix>)

}  // namespace riffle
