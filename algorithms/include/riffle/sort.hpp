#pragma once

// Values in order.

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <string>
#include <type_traits>

#include <riffle/detail/sort/values.hpp>
#include <riffle/detail/views.hpp>
#include <riffle/detail/workspaces.hpp>
#include <riffle/errors.hpp>
#include <riffle/order.hpp>
#include <riffle/workspace.hpp>

namespace riffle {

namespace detail {

/// A rank-1 View whose values sorts may move.
template <class View, class Exec>
concept SortableFrom = WritableFrom<View, Exec> && has_rank<View, 1> &&
    std::is_trivially_copyable_v<typename View::non_const_value_type>;

template <class Exec, class In, class Out, class Order, class Memory>
void sort_checked(std::string const& label, Exec const& exec, In const& in, Out const& out,
                  Order const& order, Memory&& memory) {
  if (out.extent(0) == 0) return;
  with_workspace(exec, memory, [&](Workspace<Exec>& workspace) {
    sort::sort_values(label, exec, in, out, order, workspace);
  });
}

}  // namespace detail

/// Puts values in order, each among the places that they have; stable: tied ones stay in the order in which they lie.
///
/// - values: a rank-1 View of any layout, of any trivially copyable type that `order` compares. Ascending and
///   Descending order NaNs behind all numbers, and -0 ties with 0.
/// - order: Ascending, Descending, or a comparison of the caller's, a strict weak ordering. By one that is none, as
///   a < b of keys with NaNs is, the values are in some order: they are the same values, and nothing else is read or
///   written.
/// - memory: a Workspace of exec's device. As much is taken as the values have, and a MiB for each thread of a CPU
///   or what CUB takes beside; twice as much where values have gaps between them; of floating point on a GPU with
///   NaNs, or fewer than 2^21, twice the values and a key of each. By splitters, 9.6 bytes a value at most. By a
///   comparison, on a GPU, also 32 bytes for each tile of some 16 KiB.
///
/// Throws std::invalid_argument where the workspace is on another device. Enqueued on `exec`; on a GPU fences only
/// where there are 2^21 numbers or more: of 8 bytes, up to 2^26, whether splitters divide them evenly is asked for, of
/// other floating-point ones whether there are NaNs. Reproducible. Work: numbers are sorted by digits from the highest
/// down on a CPU, where a value is read three times and written twice (see argsort). On a GPU those 2^21 to 2^26
/// numbers of 8 bytes are sorted by splitters [1], with four reads and three writes: into 256 buckets, these into up
/// to 256 parts, and parts of some 1000 in scratch memory, by interpolation [2] or, where that does not tell them
/// apart, by team_sort; other numbers, and those that splitters do not divide, by CUB's radix sort. What has no digits
/// takes O(n log n) comparisons.
///
/// [1] W. D. Frazer, A. C. McKellar, "Samplesort: a sampling approach to minimal storage tree sorting", J. ACM 17
///     (1970).
/// [2] K.-D. Neubert, "The Flashsort1 algorithm", Dr. Dobb's Journal 23 (1998).
template <detail::ExecutionSpace Exec, detail::SortableFrom<Exec> Values, class Order = Ascending,
          detail::WorkspaceFor<Exec> Memory = NoWorkspace>
requires(!Kokkos::is_view_v<Order>) void sort(std::string const& label, Exec const& exec,
                                              Values const& values, Order const& order = {},
                                              Memory&& memory = {}) {
  detail::check_workspace("sort", exec, memory);
  detail::sort_checked(label, exec, values, values, order, memory);
}

template <detail::ExecutionSpace Exec, detail::SortableFrom<Exec> Values, class Order = Ascending,
          detail::WorkspaceFor<Exec> Memory = NoWorkspace>
requires(!Kokkos::is_view_v<Order>) void sort(Exec const& exec, Values const& values,
                                              Order const& order = {}, Memory&& memory = {}) {
  // Named in full: Kokkos and the standard library have a sort, too.
  riffle::sort("riffle::sort", exec, values, order, memory);
}

/// out = the values of in, in order. All else is as for sort(); throws also where extents differ, or Views overlap,
/// and nothing is written then.
template <detail::ExecutionSpace Exec, detail::AccessibleFrom<Exec> In,
          detail::SortableFrom<Exec> Out, class Order = Ascending,
          detail::WorkspaceFor<Exec> Memory = NoWorkspace>
requires(detail::has_rank<In, 1>) void sort_copy(std::string const& label, Exec const& exec,
                                                 In const& in, Out const& out,
                                                 Order const& order = {}, Memory&& memory = {}) {
  static_assert(std::is_same_v<typename In::non_const_value_type, typename Out::value_type>,
                "in and out have one value type");
  detail::check(in.extent(0) == out.extent(0), "sort_copy", "in.extent(0) = ", in.extent(0),
                " and out.extent(0) = ", out.extent(0), ": must be equal");
  detail::check(!detail::overlap(in, out), "sort_copy", "in at ",
                static_cast<void const*>(in.data()), " and out at ",
                static_cast<void const*>(out.data()), " overlap: must share no element");
  detail::check_workspace("sort_copy", exec, memory);
  detail::sort_checked(label, exec, in, out, order, memory);
}

template <detail::ExecutionSpace Exec, detail::AccessibleFrom<Exec> In,
          detail::SortableFrom<Exec> Out, class Order = Ascending,
          detail::WorkspaceFor<Exec> Memory = NoWorkspace>
requires(detail::has_rank<In, 1>) void sort_copy(Exec const& exec, In const& in, Out const& out,
                                                 Order const& order = {}, Memory&& memory = {}) {
  riffle::sort_copy("riffle::sort_copy", exec, in, out, order, memory);
}

}  // namespace riffle
