#pragma once

// Sorts the values of a View. Keys with the rows of other Views: sort_by_key.hpp; indices alone: argsort.hpp.

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <type_traits>

#include <riffle/backend/backend.hpp>
#include <riffle/context.hpp>
#include <riffle/errors.hpp>
#include <riffle/order.hpp>
#include <riffle/primitives/call.hpp>
#include <riffle/primitives/call_diagnostics.hpp>
#include <riffle/primitives/radix_key.hpp>
#include <riffle/primitives/views.hpp>
#include <riffle/sort/detail/cpu/merge_sort_cpu.hpp>
#include <riffle/sort/detail/cpu/numbers_cpu.hpp>
#include <riffle/sort/detail/gpu/merge_sort_gpu.hpp>
#include <riffle/sort/detail/gpu/numbers_gpu.hpp>

namespace riffle {

namespace detail {

/// Sorts from `in` to `out`, which may be the same: numbers by their codes, other values by the comparison. The arguments
/// have been checked.
template <class Exec, class In, class Out, class Order>
void sort_checked(Context<Exec> const& context, In const& in, Out const& out, Order const& order) {
  using T = typename Out::non_const_value_type;
  if (out.extent(0) == 0) return;
  if constexpr (has_radix_key<T, Order>) {
    if constexpr (backend::is_cpu<Exec>) {
      sort::sort_numbers<Order>(context, in, out);
    } else {
      sort::sort_numbers_on_device<Order>(context, in, out);
    }
  } else {
    sort::IsValueBefore<T, Order> const before{order};
    if constexpr (backend::is_cpu<Exec>) {
      sort::sort_by_comparison(context, in, out, before);
    } else {
      sort::sort_by_comparison_on_device(context, in, out, before);
    }
  }
}

}  // namespace detail

/// Sorts values in the places that they have; stable: tied values stay in the order in which they lie.
///
/// - exec: an execution space instance, or a Context of one. The sort takes as much memory as the values have, and a
///   MiB for each thread of a CPU or what CUB takes beside; twice as much where values have gaps between them. On a GPU
///   more than 2^20 values of 8 bytes take about 9 bytes a value and 30 MB.
/// - values: a rank-1 View of any layout, of any trivially copyable type that `order` compares. Float and double are in a
///   total order: Ascending puts -0 before 0, and Descending 0 before -0; NaNs follow all numbers, Ascending those without
///   a sign, by their bits, then those with one, the greatest bits first, and Descending the other way round. So only
///   values with the same bits tie. Values of other floating-point types tie as < says, and NaNs with each other.
/// - order: Ascending, Descending, or a comparison of the caller's: a strict weak ordering that gives the same answer
///   whenever it is asked about the same values. If its answers are the same but are not a strict weak ordering, such as
///   a < b on keys with NaNs, the result is an unspecified permutation of the values. If its answers change, the values
///   are unspecified. In either case no memory outside of the Views is accessed.
///
/// Enqueued on `exec`. On a GPU it fences for many numbers of 8 bytes, to find whether splitters divide them evenly.
/// Reproducible. Cost: on a CPU numbers are sorted by digits from the highest down, where a value is read three times and
/// written twice (see argsort). On a GPU each of some thousands of numbers is put where its rank says, which it has by comparisons with
/// all others [3] or, beyond 4096, with those of a chunk, and by searches in the other chunks; more are sorted by
/// splitters [1]: into parts of some 500, with two reads and two writes, which are sorted in scratch memory by
/// interpolation [2] or, where that does not tell them apart, by a network; many of 8 bytes, up to 2^30, with three
/// reads and three writes, into up to 1024 buckets and these into up to 1024 parts. Other numbers, and those that
/// splitters do not divide, are sorted by CUB's radix sort. What has no digits is sorted by merges, with O(n log n)
/// comparisons. Which sort is for how many numbers: riffle/sort/tuning.hpp.
///
/// [1] W. D. Frazer, A. C. McKellar, "Samplesort: a sampling approach to minimal storage tree sorting", J. ACM 17
///     (1970).
/// [2] K.-D. Neubert, "The Flashsort1 algorithm", Dr. Dobb's Journal 23 (1998).
/// [3] D. E. Knuth, "The Art of Computer Programming", vol. 3, sec. 5.2, "Comparison counting".
template <detail::InstanceOrContext Exec, detail::MovedArrayFrom<Exec> Values,
          detail::NotAView Order = Ascending>
void sort(Exec const& exec, Values const& values, Order const& order = {}) {
  detail::Call const context(exec, "riffle::sort");
  detail::sort_checked(context, values, values, order);
}

/// out = the values of in, in order. All else is as for sort(); throws also where extents differ, or Views overlap,
/// and nothing is written then.
template <detail::InstanceOrContext Exec, detail::ArrayFrom<Exec> In,
          detail::MovedArrayFrom<Exec> Out, detail::NotAView Order = Ascending>
void sort_copy(Exec const& exec, In const& in, Out const& out, Order const& order = {}) {
  detail::Call const context(exec, "riffle::sort_copy");
  static_assert(std::is_same_v<typename In::non_const_value_type, typename Out::value_type>,
                "riffle: in and out have one value type");
  detail::check(in.extent(0) == out.extent(0), "sort_copy", "in.extent(0) = ", in.extent(0),
                " and out.extent(0) = ", out.extent(0), ": must be equal");
  detail::check_disjoint("sort_copy", "in", in, "out", out);
  detail::sort_checked(context, in, out, order);
}

RIFFLE_CALL_DIAGNOSTICS(sort, values<MovedArray>, order<Optional<NoView>>)
RIFFLE_CALL_DIAGNOSTICS(sort_copy, in<Array>, out<MovedArray>, order<Optional<NoView>>)

}  // namespace riffle
