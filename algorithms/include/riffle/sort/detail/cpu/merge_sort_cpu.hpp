#pragma once

// A stable merge sort of values or indices by any comparison, on a CPU. Each thread sorts chunks.
// Then pairs of runs are merged; several threads merge one pair, each a part of the result
// (riffle/primitives/merge_path.hpp). If the comparison is not a strict weak ordering, or its
// results change, no memory outside of the items is accessed. If it gives the same results each
// time, the result is also a permutation of the items. std::sort and std::stable_sort guarantee
// neither, since some of their loops end only when the comparison returns false.

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>

#include <riffle/backend/floating_point.hpp>
#include <riffle/context.hpp>
#include <riffle/order.hpp>
#include <riffle/primitives/loops.hpp>
#include <riffle/primitives/merge_path.hpp>
#include <riffle/primitives/scope.hpp>
#include <riffle/sort/detail/view_as_array.hpp>
#include <riffle/sort/number_code.hpp>
#include <riffle/sort/tuning.hpp>

namespace riffle::detail::sort {

/// Whether value a is before value b. Numbers are compared by their codes, as in all sorts.
template <class T, class Order>
struct IsValueBefore {
  Order order;

  KOKKOS_FUNCTION bool operator()(T const& a, T const& b) const {
    if constexpr (has_number_code<T, Order>) {
      using Code = NumberCode<T, Order>;
      return Code::encode(a) < Code::encode(b);
    } else {
      return is_before(order, a, b);
    }
  }
};

/// Whether element a of a View is before element b. For numbers without codes, has_nans_first says
/// whether NaNs are before or after all numbers.
template <class View, class Order>
struct IsBefore {
  View view;
  Order order;
  bool has_nans_first;

  template <class Index>
  KOKKOS_FUNCTION bool operator()(Index const& a, Index const& b) const {
    using T = typename View::non_const_value_type;
    if constexpr (has_number_code<T, Order>) {
      return IsValueBefore<T, Order>{order}(view(a), view(b));
    } else if constexpr (is_numerical_order<Order>) {
      bool const a_is_nan = detail::is_nan(view(a));
      bool const b_is_nan = detail::is_nan(view(b));
      if (a_is_nan || b_is_nan) return a_is_nan != b_is_nan && a_is_nan == has_nans_first;
      return static_cast<bool>(order(view(a), view(b)));
    } else {
      return static_cast<bool>(order(view(a), view(b)));
    }
  }
};

/// Whether the caller has initialised the items, or the sort first sets item i to i.
enum class InitialItems { given, own_indices };

/// Sorts n items with one thread. `spare` can hold n items.
template <class Item, class Before>
void sort_by_one_thread(Item* items, Item* spare, std::uint64_t n, Before const& before) {
  for (std::uint64_t begin = 0; begin < n; begin += insertion_run_size) {
    insertion_sort(items + begin, std::min(insertion_run_size, n - begin), before);
  }
  Item* from = items;
  Item* to = spare;
  for (std::uint64_t run_size = insertion_run_size; run_size < n; run_size *= 2) {
    for (std::uint64_t begin = 0; begin < n; begin += 2 * run_size) {
      merge_runs(from, runs_from(begin, run_size, n), to + begin, before);
    }
    std::swap(from, to);
  }
  if (from != items) std::copy_n(from, n, items);
}

/// Returns the size of a chunk. It is a power of two, because the size of runs is doubled until one
/// run contains all items.
inline std::uint64_t merge_chunk_size(std::uint64_t n, std::uint64_t threads) {
  std::uint64_t const chunks = std::bit_ceil(threads == 1 ? threads : 4 * threads);
  return std::max(min_merge_chunk_size, std::bit_ceil((n + chunks - 1) / chunks));
}

/// Sorts n > 0 items. Returns the sorted array, which is `items` or `spare`. `spare` can hold n
/// items.
template <InitialItems initial, class Exec, class Item, class Before>
Item* merge_sort(Context<Exec> const& context, std::uint64_t n, Item* items, Item* spare,
                 Before const& before) {
  std::uint64_t const chunk_size =
      merge_chunk_size(n, static_cast<std::uint64_t>(context.exec().concurrency()));
  std::uint64_t const chunks = (n + chunk_size - 1) / chunk_size;
  for_each_dynamic(context.named("chunks"), chunks, [=](std::uint64_t chunk) {
    std::uint64_t const begin = std::min(n, chunk * chunk_size);
    std::uint64_t const end = std::min(n, begin + chunk_size);
    if constexpr (initial == InitialItems::own_indices) {
      std::iota(items + begin, items + end, static_cast<Item>(begin));
    }
    sort_by_one_thread(items + begin, spare + begin, end - begin, before);
  });
  for (std::uint64_t run_size = chunk_size; run_size < n; run_size *= 2) {
    // Each call merges one part of a pair's result. A part has chunk_size items.
    for_each_dynamic(context.named("merge"), chunks, [=](std::uint64_t part) {
      std::uint64_t const parts = 2 * run_size / chunk_size;
      std::uint64_t const begin = part / parts * (2 * run_size);
      TwoRuns const runs = part_of_merge(items, runs_from(begin, run_size, n), part % parts, parts,
                                         chunk_size, before);
      merge_runs(items, runs, spare + part * chunk_size, before);
    });
    std::swap(items, spare);
  }
  return items;
}

/// Sorts the values of a View by comparisons, from `in` to `out`, which may be the same View.
template <class Exec, class In, class Out, class Before>
void sort_by_comparison(Context<Exec> const& context, In const& in, Out const& out,
                        Before const& before) {
  using T = typename Out::non_const_value_type;
  struct Arrays {
    ViewAsArray<Out> items;
    T* spare;
  };
  std::uint64_t const n = out.extent(0);
  copy_unless_same(context, in, out);
  Scope scope(context);
  auto const arrays = scope.arrays([&](ArrayMemory& memory) {
    return Arrays{{out, memory}, memory.take<T>(n)};
  });
  T* const items = arrays.items.read(context);
  arrays.items.write(context,
                     merge_sort<InitialItems::given>(context, n, items, arrays.spare, before));
}

}  // namespace riffle::detail::sort
