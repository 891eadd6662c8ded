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
#include <riffle/sort/detail/histogram.hpp>

namespace riffle {

namespace detail {

/// A View of numbers, whose values are compared with the edges of bins.
template <class View, class Exec>
concept NumbersFrom =
    ArrayFrom<View, Exec> && std::is_arithmetic_v<typename View::non_const_value_type>;

}  // namespace detail

/// Counts labels: sets counts(b) to the number of i < n for which labels(i) = b.
///
/// - exec: an execution space instance, or a Context of one.
/// - labels: a rank-1 View of n integers. Labels that are not in 0, ..., k - 1, where k = counts.extent(0), are not counted.
/// - counts: a rank-1 View of k integers, of a type that can represent n. It shares no element with labels.
///
/// Throws std::invalid_argument if Views overlap, or the type of the counts cannot represent n; nothing is written then.
///
/// Blocking: enqueued on `exec`; does not fence. Complexity: one read of each label; on a CPU with t threads, up to 2 t reads if
/// k > n / t. On a GPU atomic additions. Memory: on a GPU none; on a CPU at most 4 max(n, k + 1) bytes. Reproducible.
template <detail::InstanceOrContext Exec, detail::StoredIndicesFrom<Exec> Labels,
          detail::WritableArrayFrom<Exec> Counts>
void histogram(Exec const& exec, Labels const& labels, Counts const& counts) {
  detail::Call const context(exec, "riffle::histogram");
  detail::check_disjoint("histogram", "labels", labels, "counts", counts);
  detail::histogram::count_bins(context, labels.extent(0), labels,
                                detail::histogram::BinsOfLabels{counts.extent(0)}, counts);
}

/// Overload for labels(i), i < n, where `labels` is a function that kernels can call and that returns an integer. i is a
/// std::uint64_t. The function is called several times for each i. If it returns different labels for the same i, the counts are
/// unspecified, but no memory outside of the View is accessed.
template <detail::InstanceOrContext Exec, detail::IndexFunctionOf Labels,
          detail::WritableArrayFrom<Exec> Counts>
void histogram(Exec const& exec, std::uint64_t n, Labels const& labels, Counts const& counts) {
  detail::Call const context(exec, "riffle::histogram");
  detail::histogram::count_bins(context, n, labels,
                                detail::histogram::BinsOfLabels{counts.extent(0)}, counts);
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
/// - lower, upper: finite numbers with lower < upper, such that bins are not narrower than the distance of two doubles.
/// - counts: as for labels, and k is at least 1.
///
/// Throws std::invalid_argument if k is 0, the bounds are not finite and ascending, bins are too narrow, k (upper - lower) or
/// k / (upper - lower) overflows, Views overlap, or the type of the counts cannot represent n; nothing is written then. Everything
/// else is as for labels.
template <detail::InstanceOrContext Exec, detail::NumbersFrom<Exec> Values,
          detail::WritableArrayFrom<Exec> Counts>
void histogram(Exec const& exec, Values const& values, double lower, double upper,
               Counts const& counts) {
  detail::Call const context(exec, "riffle::histogram");
  detail::check_disjoint("histogram", "values", values, "counts", counts);
  detail::histogram::count_bins(context, values.extent(0), values,
                                detail::histogram::EqualBins(lower, upper, counts.extent(0)),
                                counts);
}

/// Overload for values(i), i < n, where `values` is a function that kernels can call and that returns a number; it is called several
/// times for each i.
template <detail::InstanceOrContext Exec, detail::NotAView Values,
          detail::WritableArrayFrom<Exec> Counts>
void histogram(Exec const& exec, std::uint64_t n, Values const& values, double lower, double upper,
               Counts const& counts) {
  detail::Call const context(exec, "riffle::histogram");
  detail::histogram::count_bins(
      context, n, values, detail::histogram::EqualBins(lower, upper, counts.extent(0)), counts);
}

/// Counts values between given edges: bin b contains the values x with edges(b) <= x < edges(b + 1), and the last bin also those
/// equal to the last edge. Other values, and NaNs, are not counted.
///
/// - edges: a rank-1 View of k + 1 ascending numbers of the type of the values, where k = counts.extent(0) is at least 1. Equal
///   edges make empty bins. Their order is not checked: if they do not ascend, or contain a NaN, the counts are unspecified, but no
///   memory outside of the Views is accessed.
///
/// Complexity: as for equal bins, and log2(k) reads of edges for each value. Everything else is as for equal bins.
template <detail::InstanceOrContext Exec, detail::NumbersFrom<Exec> Values,
          detail::NumbersFrom<Exec> Edges, detail::WritableArrayFrom<Exec> Counts>
void histogram(Exec const& exec, Values const& values, Edges const& edges, Counts const& counts) {
  detail::Call const context(exec, "riffle::histogram");
  static_assert(detail::has_value_type_of<Values, Edges>,
                "riffle: values and edges have one value type");
  detail::check(counts.extent(0) > 0 && edges.extent(0) - 1 == counts.extent(0), "histogram",
                "edges.extent(0) = ", edges.extent(0), " and counts.extent(0) = ", counts.extent(0),
                ": there must be a bin, and one edge more than there are bins");
  detail::check_disjoint("histogram", "values", values, "counts", counts);
  detail::check_disjoint("histogram", "edges", edges, "counts", counts);
  detail::histogram::count_bins(context, values.extent(0), values,
                                detail::histogram::BinsBetweenEdges<Edges>{edges}, counts);
}

RIFFLE_CALL_DIAGNOSTICS(histogram, OrNumber<values<Array>, n<WholeNumber>, in<NoView>>)

}  // namespace riffle
