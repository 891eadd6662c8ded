#pragma once

// Histograms: counts of labels, and of values in bins.

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <type_traits>

#include <riffle/errors.hpp>
#include <riffle/primitives/call.hpp>
#include <riffle/primitives/call_diagnostics.hpp>
#include <riffle/primitives/indices.hpp>
#include <riffle/primitives/views.hpp>
#include <riffle/sort/detail/histogram/count_bins.hpp>

namespace riffle {

namespace detail {

/// A View of numbers, whose values are compared with the bounds of bins.
template <class View, class Exec>
concept NumbersFrom =
    ArrayFrom<View, Exec> && std::is_arithmetic_v<typename View::non_const_value_type>;

template <class F>
concept NumberFunction = NotAView<F> &&
    std::is_arithmetic_v<std::remove_cvref_t<std::invoke_result_t<F const&, std::uint64_t>>>;

}  // namespace detail

/// Counts labels: sets counts(b) to the number of i < n for which labels(i) = b.
///
/// - exec: an execution space instance, or a Context of one.
/// - labels: a rank-1 View of n integers in 0, ..., k - 1, where k = counts.extent(0).
/// - counts: a rank-1 View of k integers, of a type that can represent n. It shares no element with labels.
///
/// Throws std::invalid_argument if Views overlap, the type of the counts cannot represent n, or a label is not in 0, ..., k - 1. The
/// message contains the first such label and its index; nothing is written then.
///
/// Blocking: on a GPU fences after the labels are counted, to check them; writing the counts is enqueued on `exec`. Complexity: one
/// read of each label. On a CPU with t threads, up to 2 t reads if k > n / t. Memory: on a GPU 8 (k + 1) bytes; on a CPU 4 bytes for
/// each of the larger of n and k + 1, or less than 1 MiB per thread. Reproducible.
template <detail::InstanceOrContext Exec, detail::StoredIndicesFrom<Exec> Labels,
          detail::WritableArrayFrom<Exec> Counts>
void histogram(Exec const& exec, Labels const& labels, Counts const& counts) {
  detail::Call const context(exec, "riffle::histogram");
  detail::check_disjoint("histogram", "labels", labels, "counts", counts);
  detail::histogram::count_labels(context, labels, counts);
}

/// Overload for labels(i), i < n, where `labels` is a function that kernels can call and that returns an integer. i is a
/// std::uint64_t. The function is called several times for each i. If it returns different labels for the same i, the counts are
/// unspecified, but no memory outside of the View is accessed.
template <detail::InstanceOrContext Exec, detail::IndexFunctionOf Labels,
          detail::WritableArrayFrom<Exec> Counts>
void histogram(Exec const& exec, std::uint64_t n, Labels const& labels, Counts const& counts) {
  detail::Call const context(exec, "riffle::histogram");
  detail::histogram::count_labels(context, detail::IndexFunction<Labels>{labels, n}, counts);
}

/// Counts values in k bins of equal width between two bounds, where k = counts.extent(0): sets counts(b) to the number of values in
/// bin b.
///
///     edge(b) = min(upper, lower + (b * (upper - lower)) / k)     for b = 0, ..., k - 1
///
/// Each operation rounds to a double. The bin of a value x with lower <= x <= upper is the last b with edge(b) <= x. So bin b
/// contains edge(b) but not edge(b + 1), and the last bin also contains upper. Values less than lower or greater than upper, and
/// NaNs, are not counted. numpy.histogram has the same rule with edges lower + b * ((upper - lower) / k), which may differ from
/// these in the last bit.
///
/// - values: a rank-1 View of n numbers. They are converted to double, so integers beyond 2^53 are rounded.
/// - lower, upper: finite, lower < upper; k * (upper - lower) and k / (upper - lower) are finite.
/// - counts: as for labels, and k is at least 1.
///
/// Throws std::invalid_argument if the bounds or extents are wrong, Views overlap, or the type of the counts cannot represent n;
/// nothing is written then. Blocking: enqueued on `exec`; does not fence. Complexity and memory: as for labels. Reproducible.
template <detail::InstanceOrContext Exec, detail::NumbersFrom<Exec> Values,
          detail::WritableArrayFrom<Exec> Counts>
void histogram(Exec const& exec, Values const& values, double lower, double upper,
               Counts const& counts) {
  detail::Call const context(exec, "riffle::histogram");
  detail::check_disjoint("histogram", "values", values, "counts", counts);
  detail::histogram::count_between(context, values.extent(0), values, lower, upper, counts);
}

/// Overload for values(i), i < n, where `values` is a function that kernels can call and that returns a number; it is called several
/// times for each i.
template <detail::InstanceOrContext Exec, detail::NumberFunction Values,
          detail::WritableArrayFrom<Exec> Counts>
void histogram(Exec const& exec, std::uint64_t n, Values const& values, double lower, double upper,
               Counts const& counts) {
  detail::Call const context(exec, "riffle::histogram");
  detail::histogram::count_between(context, n, values, lower, upper, counts);
}

/// Counts values between given edges: bin b contains the values x with edges(b) <= x < edges(b + 1), and the last bin also those
/// equal to the last edge. Other values, and NaNs, are not counted.
///
/// - edges: a rank-1 View of k + 1 ascending numbers of the type of the values, where k = counts.extent(0) is at least 1. Equal
///   edges make empty bins. Their order is not checked: if they do not ascend, or contain a NaN, the counts are unspecified.
///
/// Complexity: as for equal bins, and log2(k) reads of edges for each value. Everything else is as for equal bins.
template <detail::InstanceOrContext Exec, detail::NumbersFrom<Exec> Values,
          detail::NumbersFrom<Exec> Edges, detail::WritableArrayFrom<Exec> Counts>
void histogram(Exec const& exec, Values const& values, Edges const& edges, Counts const& counts) {
  detail::Call const context(exec, "riffle::histogram");
  static_assert(detail::has_value_type_of<Values, Edges>,
                "riffle: values and edges have one value type");
  std::uint64_t const n = values.extent(0);
  detail::histogram::check_counts(n, counts);
  detail::check(counts.extent(0) > 0 && edges.extent(0) - 1 == counts.extent(0), "histogram",
                "edges.extent(0) = ", edges.extent(0), " and counts.extent(0) = ", counts.extent(0),
                ": there must be a bin, and one edge more than there are bins");
  detail::check_disjoint("histogram", "values", values, "counts", counts);
  detail::check_disjoint("histogram", "edges", edges, "counts", counts);
  using Bins = detail::histogram::BinsBetweenEdges<Edges>;
  detail::histogram::count(context, n,
                           detail::histogram::BinsOfValues<Values, Bins>{values, Bins{edges}},
                           counts, nullptr);
}

RIFFLE_CALL_DIAGNOSTICS(histogram, OrNumber<values<Array>, n<WholeNumber>, in<NoView>>)

}  // namespace riffle
