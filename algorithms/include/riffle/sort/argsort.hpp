#pragma once

// The order of data, as indices.

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

/// indices(k) = i where data(i) is the k-th in order; stable: tied elements are in the order in which they lie.
///
/// - exec: an execution space instance, or a Context of one. Memory: numbers in one of the two orders take 2 n keys
///   with their indices (16 bytes for 32-bit numbers of fewer than 2^32, 24 for 64-bit ones), and on a CPU a MiB for
///   each thread; on a GPU up to 4096 of them take none, up to 2^14 one key and index each, and up to 2^20 19 bytes each
///   beside; other data take 2 n indices, and on a GPU 32 bytes for each 896 of them.
/// - data: a rank-1 View of any type that `order` compares. Float and double are in the total order that sort() says: NaNs
///   last, -0 before 0 if ascending, and only numbers with the same bits tie.
/// - indices: a rank-1 View of as many integers of a type that holds n - 1; it shares no element with data.
/// - order: Ascending, Descending, or a comparison of the caller's: a strict weak ordering that gives the same answer
///   whenever it is asked about the same values. If its answers are the same but are not a strict weak ordering, such as
///   a < b on data with NaNs, the indices are an unspecified permutation of 0, ..., n - 1. If its answers change, the
///   indices are unspecified, each less than n. In either case no memory outside of the Views is accessed.
///
/// Throws std::invalid_argument where extents differ, Views overlap, or the indices' type cannot hold n - 1; nothing is
/// written then. Enqueued on `exec`. On a GPU it fences only for many 64-bit numbers, to find which of their bits
/// matter, since it sorts by fewer then. Reproducible. Cost: numbers are sorted by digits, on a CPU with about
/// three passes over memory; others by O(n log n) comparisons.
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
