#pragma once

// Values in order: numbers by digits, or on a GPU by splitters, others by a comparison.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

#include <riffle/backend/backend.hpp>
#include <riffle/context.hpp>
#include <riffle/primitives/indices.hpp>
#include <riffle/primitives/radix_key.hpp>
#include <riffle/primitives/scope.hpp>
#include <riffle/sort/detail/cpu/by_digits.hpp>
#include <riffle/sort/detail/cpu/by_merges_cpu.hpp>
#include <riffle/sort/detail/cpu/numbers_cpu.hpp>
#include <riffle/sort/detail/gpu/by_merges_gpu.hpp>
#include <riffle/sort/detail/gpu/numbers_gpu.hpp>
#include <riffle/sort/detail/view_as_array.hpp>

namespace riffle::detail::sort {

/// Sorts numbers on a CPU, from `in` to `out`, which may be the same.
template <class Order, class Exec, class In, class Out>
void sort_numbers(Context<Exec> const& context, In const& in, Out const& out) {
  using Source = NumbersOfView<In, Order>;
  using Item = typename Source::Item;
  std::uint64_t const n = out.extent(0);
  Source const source{in};
  if (are_known_as_sorted(context, n, source)) {
    copy_unless_same(context, in, out);
    return;
  }
  // The places of `out` are free once all is read.
  Item* const free = is_contiguous(out) ? reinterpret_cast<Item*>(out.data()) : nullptr;
  // One of the counts is n itself.
  with_index_type(n + 1, [&]<class Count>(Count) {
    using Sort = SortByDigits<Exec, Item, Count>;
    Scope scope(context);
    Sort(context, scope, n, free).run(source, StoreNumbers<Out, Order>{out});
  });
}

/// Sorts by a comparison on a CPU, in place.
template <class Exec, class View, class Before>
void sort_by_comparison(Context<Exec> const& context, View const& view, Before const& before) {
  using T = typename View::non_const_value_type;
  struct Arrays {
    ViewAsArray<View> items;
    T* spare;
  };
  std::uint64_t const n = view.extent(0);
  Scope scope(context);
  auto const arrays = scope.arrays([&](ArrayMemory& memory) {
    return Arrays{{view, memory}, memory.take<T>(n)};
  });
  T* const items = arrays.items.read(context);
  arrays.items.write(context,
                     sort_by_merges<Content::values>(context, n, items, arrays.spare, before));
}

/// The same on a GPU, from `in` to `out`, which may be the same.
template <class Exec, class In, class Out, class Before>
void sort_by_comparison_on_device(Context<Exec> const& context, In const& in, Out const& out,
                                  Before const& before) {
  using T = typename Out::non_const_value_type;
  struct Arrays {
    ViewAsArray<Out> sorted;
    MergeArrays<T> merged;
  };
  std::uint64_t const n = out.extent(0);
  Scope scope(context);
  auto const arrays = scope.arrays([&](ArrayMemory& memory) {
    ViewAsArray<Out> const sorted(out, memory);
    return Arrays{sorted, {sorted.array(), n, memory}};
  });
  sort_by_merges_on_device(context, n, in, arrays.merged, before);
  arrays.sorted.write(context, arrays.merged.sorted);
}

/// Sorts n > 0 elements. The arguments have been checked.
template <class Exec, class In, class Out, class Order>
void sort_values(Context<Exec> const& context, In const& in, Out const& out, Order const& order) {
  using T = typename Out::non_const_value_type;
  if constexpr (!has_radix_key<T, Order>) {
    IsValueBefore<T, Order> const before{order};
    if constexpr (backend::is_cpu<Exec>) {
      copy_unless_same(context, in, out);
      sort_by_comparison(context, out, before);
    } else {
      sort_by_comparison_on_device(context, in, out, before);
    }
  } else if constexpr (backend::is_cpu<Exec>) {
    sort_numbers<Order>(context, in, out);
  } else {
    sort_numbers_on_device<Order>(context, in, out);
  }
}

}  // namespace riffle::detail::sort
