#pragma once

// Compaction: copies of some rows in their order, of the first value of each run, and run lengths. Each call is one pass, which
// reads its input once and writes what it keeps:
//   D. Merrill, M. Garland, "Single-pass parallel prefix scan with decoupled look-back", NVIDIA
//   Technical Report NVR-2016-002 (2016).

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <type_traits>

#include <riffle/errors.hpp>
#include <riffle/primitives/call.hpp>
#include <riffle/primitives/call_diagnostics.hpp>
#include <riffle/primitives/counts.hpp>
#include <riffle/primitives/row_flags.hpp>
#include <riffle/primitives/row_sets.hpp>
#include <riffle/primitives/views.hpp>
#include <riffle/select/detail/select_elements.hpp>

namespace riffle {

/// Copies the values of in for which predicate(value) is true to the start of out, in their order, and sets count() to their
/// number.
///
/// - exec: an execution space instance, or a Context of one.
/// - in: a rank-1 View of n values.
/// - out: a rank-1 View of n values or more, of a type that can represent every value of in. Values past the count are not
///   written. in, out and count share no element.
/// - predicate: a function that kernels can call, whose result depends on the value alone. It is called one to three times for each
///   value. If it returns different results for the same value, out and the count are unspecified, but no memory outside of the
///   Views is accessed.
/// - count: a rank-0 View of an integer that can represent n.
///
/// Throws std::invalid_argument if out has fewer than n values, Views overlap, or the type of the count cannot represent n; nothing
/// is written then. Blocking: enqueued on `exec`; does not fence, so a kernel or a later call on `exec` can read the count on the
/// device. Complexity: reads n values and writes the kept ones. Memory: at most n / 40 bytes, and a few KB. Reproducible.
template <detail::InstanceOrContext Exec, detail::ArrayFrom<Exec> In,
          detail::WritableArrayFrom<Exec> Out, detail::NotAView Predicate,
          detail::CountFrom<Exec> CountView>
void copy_if(Exec const& exec, In const& in, Out const& out, Predicate const& predicate,
             CountView const& count) {
  detail::Call const context(exec, "riffle::copy_if");
  std::uint64_t const n = detail::select::check_copy("copy_if", in, out, count);
  detail::select::copy_kept(
      context, n, in, out, detail::select::SatisfiesPredicate<In, Predicate>{in, predicate}, count);
}

/// Overload that returns the count. Fences.
template <detail::InstanceOrContext Exec, detail::ArrayFrom<Exec> In,
          detail::WritableArrayFrom<Exec> Out, detail::NotAView Predicate>
std::uint64_t copy_if(Exec const& exec, In const& in, Out const& out, Predicate const& predicate) {
  detail::Call const context(exec, "riffle::copy_if");
  return detail::returned_count(
      context, [&](auto const& count) { copy_if(context, in, out, predicate, count); });
}

/// Copies row i of in for each i for which flags(i) is true, in ascending order of i, to the start of out, and sets count() to
/// their number.
///
/// - in, out: Views of rank 1, or of rank 2 with rows as elements; or packs of Views. in has n rows, out n or more. The value type
///   of out can represent every value of in. Rows of out past the count are not written. They share no element with each other or
///   with other arguments.
/// - flags: a rank-1 View of n values of type bool, or of integers, of which 0 is false; or a function f(i) that returns a bool,
///   where i is a std::uint64_t. The function is called one to three times for each i < n.
///
/// Everything else is as for copy_if.
template <detail::InstanceOrContext Exec, detail::RowSet<Exec> In, detail::WritableRowSet<Exec> Out,
          detail::RowFlags<Exec> Flags, detail::CountFrom<Exec> CountView>
void copy_flagged(Exec const& exec, In const& in, Out const& out, Flags const& flags,
                  CountView const& count) {
  detail::Call const context(exec, "riffle::copy_flagged");
  std::uint64_t const n = detail::select::check_copy("copy_flagged", in, out, count);
  detail::select::check_flags("copy_flagged", n, flags, out, count);
  detail::select::copy_kept(context, n, in, out, detail::IsFlagged<Flags>{flags}, count);
}

/// Overload that returns the count. Fences.
template <detail::InstanceOrContext Exec, detail::RowSet<Exec> In, detail::WritableRowSet<Exec> Out,
          detail::RowFlags<Exec> Flags>
std::uint64_t copy_flagged(Exec const& exec, In const& in, Out const& out, Flags const& flags) {
  detail::Call const context(exec, "riffle::copy_flagged");
  return detail::returned_count(
      context, [&](auto const& count) { copy_flagged(context, in, out, flags, count); });
}

/// Copies the first value of each run of equal values to the start of out, and sets count() to the number of runs.
///
/// - equal: a relation of two neighbouring values that kernels can call as equal(in(i - 1), in(i)). The default is ==. A NaN equals
///   no value, so each NaN is a run.
///
/// Everything else is as for copy_if.
template <detail::InstanceOrContext Exec, detail::ArrayFrom<Exec> In,
          detail::WritableArrayFrom<Exec> Out, detail::CountFrom<Exec> CountView,
          detail::NotAView Equal = detail::select::EqualValues>
void unique_copy(Exec const& exec, In const& in, Out const& out, CountView const& count,
                 Equal const& equal = {}) {
  detail::Call const context(exec, "riffle::unique_copy");
  std::uint64_t const n = detail::select::check_copy("unique_copy", in, out, count);
  detail::select::copy_kept(context, n, in, out, detail::select::BeginsRun<In, Equal>{in, equal},
                            count);
}

/// Overload that returns the count. Fences.
template <detail::InstanceOrContext Exec, detail::ArrayFrom<Exec> In,
          detail::WritableArrayFrom<Exec> Out, detail::NotAView Equal = detail::select::EqualValues>
std::uint64_t unique_copy(Exec const& exec, In const& in, Out const& out, Equal const& equal = {}) {
  detail::Call const context(exec, "riffle::unique_copy");
  return detail::returned_count(
      context, [&](auto const& count) { unique_copy(context, in, out, count, equal); });
}

/// Finds the runs of equal values: sets values(r) to the first value and lengths(r) to the number of values of run r, and count()
/// to the number of runs.
///
/// - in: a rank-1 View of n values.
/// - values: a rank-1 View of n values or more, of a type that can represent every value of in.
/// - lengths: a rank-1 View of n values or more, of an integer type that can represent n.
/// - equal: as for unique_copy.
///
/// Elements past the count are not written. The Views share no element. Everything else is as for copy_if.
template <detail::InstanceOrContext Exec, detail::ArrayFrom<Exec> In,
          detail::WritableArrayFrom<Exec> Values, detail::WritableArrayFrom<Exec> Lengths,
          detail::CountFrom<Exec> CountView, detail::NotAView Equal = detail::select::EqualValues>
void run_length_encode(Exec const& exec, In const& in, Values const& values, Lengths const& lengths,
                       CountView const& count, Equal const& equal = {}) {
  detail::Call const context(exec, "riffle::run_length_encode");
  detail::select::check_runs("run_length_encode", in, values, lengths, count);
  detail::select::encode_runs(context, in, values, lengths, equal, count);
}

/// Overload that returns the count. Fences.
template <detail::InstanceOrContext Exec, detail::ArrayFrom<Exec> In,
          detail::WritableArrayFrom<Exec> Values, detail::WritableArrayFrom<Exec> Lengths,
          detail::NotAView Equal = detail::select::EqualValues>
std::uint64_t run_length_encode(Exec const& exec, In const& in, Values const& values,
                                Lengths const& lengths, Equal const& equal = {}) {
  detail::Call const context(exec, "riffle::run_length_encode");
  return detail::returned_count(context, [&](auto const& count) {
    run_length_encode(context, in, values, lengths, count, equal);
  });
}

RIFFLE_CALL_DIAGNOSTICS(copy_if, in<Array>, out<WrittenArray>, predicate<NoView>)
RIFFLE_CALL_DIAGNOSTICS(copy_flagged, in<Rows>, out<WrittenRows>)
RIFFLE_CALL_DIAGNOSTICS(unique_copy, in<Array>, out<WrittenArray>)
RIFFLE_CALL_DIAGNOSTICS(run_length_encode, in<Array>, values<WrittenArray>)

}  // namespace riffle
