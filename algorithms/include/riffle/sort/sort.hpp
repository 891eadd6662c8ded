#pragma once

// Sorts the values of a View. sort_by_key.hpp sorts keys with payloads, argsort.hpp returns
// indices.

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <type_traits>

#include <riffle/backend/backend.hpp>
#include <riffle/context.hpp>
#include <riffle/errors.hpp>
#include <riffle/order.hpp>
#include <riffle/primitives/call.hpp>
#include <riffle/primitives/call_diagnostics.hpp>
#include <riffle/primitives/views.hpp>
#include <riffle/sort/detail/cpu/merge_sort_cpu.hpp>
#include <riffle/sort/detail/cpu/numbers_cpu.hpp>
#include <riffle/sort/detail/gpu/merge_sort_gpu.hpp>
#include <riffle/sort/detail/gpu/numbers_gpu.hpp>
#include <riffle/sort/number_code.hpp>

namespace riffle {

namespace detail {

/// Sorts from `in` to `out`, which may be the same View: numbers by their codes, other values by
/// comparisons. The caller has checked the arguments.
template <class Exec, class In, class Out, class Order>
void sort_checked(Context<Exec> const& context, In const& in, Out const& out, Order const& order) {
  using T = typename Out::non_const_value_type;
  if (out.extent(0) == 0) return;
  if constexpr (sort::has_number_code<T, Order>) {
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

/// Sorts values in place. Stable: tied values keep their order.
///
/// - exec: an execution space instance, or a Context of one.
/// - values: a rank-1 View of any layout, of any trivially copyable type that `order` compares.
///   Float and double have a total order, in which only values with the same bits tie. Ascending
///   puts -0 before 0 and NaNs after all numbers: first NaNs without a sign, by ascending bits,
///   then NaNs with a sign, by descending bits. Descending puts 0 before -0; NaNs still follow all
///   numbers, in the reverse of that order. In other floating-point types -0 ties with 0, and NaNs
///   tie with each other.
/// - order: Ascending, Descending, or a comparison of the caller: a strict weak ordering whose
///   result depends on the two values alone. If it is not a strict weak ordering, such as a < b on
///   keys with NaNs, the result is an unspecified permutation of the values. If it returns
///   different results for the same values, the values are unspecified. In either case no memory
///   outside of the Views is accessed.
///
/// Complexity: a merge sort with O(n log n) comparisons if the values are not numbers, or if
/// `order` is a comparison of the caller. On a CPU numbers take a radix sort from the highest digit
/// down, with about three reads and two writes of each value. On a GPU numbers take the first of
/// the following algorithms whose condition holds; riffle/sort/tuning.hpp has the exact bounds:
/// - n <= 2^14: each number is written to its rank in the output. If n <= 4096, the rank is counted
///   by comparing the number with all others [3]. Otherwise chunks are sorted in this way first,
///   and the rank is found by binary searches in all chunks.
/// - n <= about 2^20, 4 or 8 bytes: one-level samplesort [1], with two reads and two writes of
///   each number. Parts of about 500 numbers of 8 bytes, or 1000 of 4 bytes, are sorted in scratch
///   memory, by interpolation [2], or by a sorting network if interpolation does not separate enough
///   of them.
/// - n <= 2^30, 8 bytes: two-level samplesort, with up to 1024 buckets of up to 1024 parts
///   each, and three reads and three writes of each number.
/// - otherwise, or if splitters do not divide the numbers evenly: CUB's radix sort; on HIP rocPRIM's.
///
/// Memory: n values, or 2 n values if the View has gaps between its values. In addition, one MiB per
/// thread on a CPU, and CUB's temporary memory if CUB sorts. Two-level samplesort takes about 9
/// bytes per value and 30 MB instead. Blocking: enqueued on `exec`; on a GPU it fences for
/// 2^20 < n <= 2^30 numbers of 8 bytes, to find whether splitters divide them evenly. Reproducible.
///
/// [1] W. D. Frazer, A. C. McKellar, "Samplesort: a sampling approach to minimal storage tree
///     sorting", J. ACM 17 (1970).
/// [2] K.-D. Neubert, "The Flashsort1 algorithm", Dr. Dobb's Journal 23 (1998).
/// [3] D. E. Knuth, "The Art of Computer Programming", vol. 3, sec. 5.2, "Comparison counting".
template <detail::InstanceOrContext Exec, detail::MovedArrayFrom<Exec> Values,
          detail::NotAView Order = Ascending>
void sort(Exec const& exec, Values const& values, Order const& order = {}) {
  detail::Call const context(exec, "riffle::sort");
  detail::sort_checked(context, values, values, order);
}

/// Writes the sorted values of in to out. All else is as for sort(), except that sort_copy() throws
/// std::invalid_argument if extents differ or Views overlap; nothing is written then.
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
