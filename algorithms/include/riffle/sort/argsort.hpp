#pragma once

// The sorted order of data, as indices.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

#include <riffle/context.hpp>
#include <riffle/errors.hpp>
#include <riffle/order.hpp>
#include <riffle/primitives/call.hpp>
#include <riffle/primitives/call_diagnostics.hpp>
#include <riffle/primitives/views.hpp>
#include <riffle/sort/sorter.hpp>

namespace riffle {

/// Finds the sorted order: data(indices(k)) is element k of the sorted data. Stable: tied elements
/// keep their order.
///
/// - exec: an execution space instance, or a Context of one.
/// - data: a rank-1 View of any type that `order` compares. Float and double have the total order
///   of sort(): NaNs last, -0 before 0 if ascending, and only numbers with the same bits tie.
/// - indices: a rank-1 View of n integers, of a type that can represent n - 1; it shares no element
///   with data.
/// - order: Ascending, Descending, or a comparison of the caller: a strict weak ordering whose
///   result depends on the two values alone. If it is not a strict weak ordering, such as a < b on
///   data with NaNs, the indices are an unspecified permutation of 0, ..., n - 1. If it returns
///   different results for the same values, the indices are unspecified, each less than n. In
///   either case no memory outside of the Views is accessed.
///
/// Throws std::invalid_argument if extents differ, Views overlap, or the type of the indices cannot
/// represent n - 1; nothing is written then. Complexity: numbers take the algorithms of sort(),
/// which move the indices with the numbers; on a CPU about three passes over memory. Other data
/// take a merge sort with O(n log n) comparisons. Blocking: enqueued on `exec`; on a GPU it fences
/// for 64-bit numbers if n >= 2^21, to find which of their bits vary, so that CUB sorts by fewer
/// bits. Reproducible. Memory:
/// - numbers, in Ascending or Descending order: two arrays of n keys with their indices (16 bytes
///   per 32-bit number if n < 2^32, 24 bytes per 64-bit number). On a CPU also one MiB per thread.
///   On a GPU nothing if n <= 4096, only one array if n <= 2^14, and 19 bytes per number in
///   addition to both arrays if n <= 2^20.
/// - other data: two arrays of n indices, and on a GPU 32 bytes per 896 elements.
template <detail::InstanceOrContext Exec, detail::ArrayFrom<Exec> Data,
          detail::WritableArrayFrom<Exec> Out, detail::NotAView Order = Ascending>
void argsort(Exec const& exec, Data const& data, Out const& indices, Order const& order = {}) {
  detail::Call const context(exec, "riffle::argsort");
  std::uint64_t const n = data.extent(0);
  detail::check(n == indices.extent(0), "argsort", "data.extent(0) = ", n,
                " and indices.extent(0) = ", indices.extent(0), ": must be equal");
  detail::check_disjoint("argsort", "data", data, "indices", indices);
  detail::check_can_index("argsort", "indices", indices, n);
  if (n == 0) return;
  detail::sort::store_order(context, detail::sort::Sorter(context, data, order), indices);
}

RIFFLE_CALL_DIAGNOSTICS(argsort, data<Array>, indices<WrittenArray>, order<Optional<NoView>>)

}  // namespace riffle
