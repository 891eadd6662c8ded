#pragma once

// Values in order: numbers by digits, or on a GPU by splitters, others by a comparison.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

#include <riffle/context.hpp>
#include <riffle/kernel/index_type.hpp>
#include <riffle/kernel/radix_key.hpp>
#include <riffle/kernel/scope.hpp>
#include <riffle/lanes/lanes.hpp>
#include <riffle/sort/detail/cpu/by_digits.hpp>
#include <riffle/sort/detail/cpu/by_merges.hpp>
#include <riffle/sort/detail/cpu/numbers.hpp>
#include <riffle/sort/detail/gpu/by_merges.hpp>
#include <riffle/sort/detail/gpu/numbers.hpp>
#include <riffle/sort/detail/view_as_array.hpp>

namespace riffle::detail::sort {

/// Sorts numbers on a CPU, from `in` to `out`, which may be the same.
template <class Order, class Exec, class In, class Out>
void sort_numbers(Context<Exec> const& context, In const& in, Out const& out) {
  using Source = NumbersOfView<In, Order>;
  using Item = typename Source::Item;
  std::uint64_t const n = out.extent(0);
  if (are_known_as_sorted(context, n, Source{in})) {
    copy_unless_same(context, in, out);
    return;
  }
  // The places of `out` are free once all is read.
  Item* const free = is_contiguous(out) ? reinterpret_cast<Item*>(out.data()) : nullptr;
  // One of the counts is n itself.
  with_index_type(n + 1, [&]<class Count>(Count) {
    using Sort = SortByDigits<Exec, Item, Count>;
    Scope scope(context);
    Sort(context, scope, n, free).run(Source{in}, StoreNumbers<Out>{out});
  });
}

template <class Exec, class View, class Order>
void sort_by_comparison(Context<Exec> const& context, View const& view, Order const& order) {
  using T = typename View::non_const_value_type;
  struct Arrays {
    ViewAsArray<View> items;
    T* spare;
    TwoRuns* parts;
  };
  constexpr bool is_on_cpu = lanes::is_cpu<Exec>;
  std::uint64_t const n = view.extent(0);
  IsValueBefore<T, Order> const before{order};
  Scope scope(context);
  auto const arrays = scope.arrays([&](ArrayMemory& memory) {
    return Arrays{{view, memory},
                  memory.take<T>(n),
                  memory.take<TwoRuns>(is_on_cpu ? 0 : tiles_of_merges<T>(n))};
  });
  T* sorted = arrays.items.read(context);
  if constexpr (is_on_cpu) {
    sorted = sort_by_merges<Content::values>(context, n, sorted, arrays.spare, before);
  } else {
    sorted = sort_by_merges_on_device(context, n, sorted, arrays.spare, arrays.parts, before);
  }
  arrays.items.write(context, sorted);
}

/// Sorts n > 0 elements. The arguments have been checked.
template <class Exec, class In, class Out, class Order>
void sort_values(Context<Exec> const& context, In const& in, Out const& out, Order const& order) {
  using T = typename Out::non_const_value_type;
  if constexpr (!has_radix_key<T, Order>) {
    copy_unless_same(context, in, out);
    sort_by_comparison(context, out, order);
  } else if constexpr (lanes::is_cpu<Exec>) {
    sort_numbers<Order>(context, in, out);
  } else {
    sort_numbers_on_device<Order>(context, in, out);
  }
}

}  // namespace riffle::detail::sort
