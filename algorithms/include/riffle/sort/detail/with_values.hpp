#pragma once

// Sorts keys, and rows of other Views with them. One value with each number moves along in the sort; other rows are
// gathered by the order of the keys, each View through memory of the workspace.

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <riffle/backend/backend.hpp>
#include <riffle/context.hpp>
#include <riffle/primitives/gather_rows.hpp>
#include <riffle/primitives/indices.hpp>
#include <riffle/primitives/radix_key.hpp>
#include <riffle/primitives/row_sets.hpp>
#include <riffle/primitives/scope.hpp>
#include <riffle/primitives/view_copies.hpp>
#include <riffle/sort/detail/cpu/by_digits.hpp>
#include <riffle/sort/detail/cpu/numbers_cpu.hpp>
#include <riffle/sort/detail/gpu/by_parts/sort_by_parts.hpp>
#include <riffle/sort/detail/gpu/by_ranks/sort_by_ranks.hpp>
#include <riffle/sort/detail/gpu/by_splitters/pairs_by_splitters.hpp>
#include <riffle/sort/detail/gpu/numbers_gpu.hpp>
#include <riffle/sort/detail/gpu/pairs.hpp>
#include <riffle/sort/detail/store_order.hpp>
#include <riffle/sort/detail/view_as_array.hpp>
#include <riffle/sort/sorter.hpp>
#include <riffle/sort/tuning.hpp>
#include <riffle/view_pack.hpp>

namespace riffle::detail::sort {

// --- rows by an order ---

/// Row i becomes what row sigma(i) was, by a copy in memory of max_copy_bytes.
template <class Exec, class Sigma, class Rows>
void gather_in_place(Context<Exec> const& context, Sigma const& sigma, Rows const& rows,
                     void* memory) {
  for_each_view(rows, [&](auto const& view) {
    if (view.size() == 0) return;
    auto const copy = view_in(memory, view);
    gather_rows(context.named("gather"), view.extent(0), sigma, view, copy);
    context.named("write").for_each(
        view.extent(0),
        CopyRows<std::decay_t<decltype(copy)>, std::decay_t<decltype(view)>>{copy, view});
  });
}

/// Sorts any keys with rows of any kind, by the indices of the keys' order.
template <class Exec, class Keys, class Rows, class Order>
void sort_by_indices(Context<Exec> const& context, Keys const& keys, Rows const& rows,
                     Order const& order) {
  std::uint64_t const n = keys.extent(0);
  auto const all = prepend(keys, rows);
  Sorter<Exec, Keys, Order> const sorter(context, keys, order);
  with_index_type(n, [&]<class Index>(Index) {
    using Indices =
        Kokkos::View<Index*, typename Exec::memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
    Scope scope(context);
    Indices const indices(scope.template take<Index>(n), n);
    store_order(context, sorter, indices);
    gather_in_place(context, StoredIndices<Indices>{indices}, all,
                    scope.template take<std::byte>(max_copy_bytes(all)));
  });
}

// --- one value with each number ---

/// Sorts numbers with one value each, on a CPU.
template <class Order, class Exec, class Keys, class Values>
void sort_pairs(Context<Exec> const& context, Keys const& keys, Values const& values) {
  using Source = PairsOfViews<Keys, Values, Order>;
  std::uint64_t const n = keys.extent(0);
  using Item = typename Source::Item;
  Source const source{keys, values};
  if (are_known_as_sorted(context, n, source)) return;
  with_index_type(n + 1, [&]<class Count>(Count) {
    using Sort = SortByDigits<Exec, Item, Count>;
    Scope scope(context);
    Sort(context, scope, n).run(source, StorePairs<Keys, Values, Order>{keys, values});
  });
}

/// Whether a CPU carries values through the sort, rather than to fetch them from anywhere afterwards.
template <class Value>
inline constexpr bool is_light = std::is_trivially_copyable_v<Value> && sizeof(Value) <= 16;

template <class Exec, class Values>
constexpr bool moves_along() {
  if constexpr (Values::rank() == 1) {
    using Value = typename Values::non_const_value_type;
    return backend::is_cpu<Exec> ? is_light<Value> : moves_with_numbers<Value>;
  } else {
    return false;
  }
}

/// Sorts numbers with one value each, on a GPU: many keys of 8 bytes with small values by splitters.
template <class Order, class Exec, class Keys, class Values>
void sort_pairs_on_device(Context<Exec> const& context, Keys const& keys, Values const& values) {
  using T = typename Keys::non_const_value_type;
  using Value = typename Values::non_const_value_type;
  std::uint64_t const n = keys.extent(0);
  if (n <= max_by_ranks) {
    by_ranks::sort_pairs<Order>(context, keys, values);
    return;
  }
  if constexpr (max_pairs_by_parts<T> != 0) {
    if (n <= max_pairs_by_parts<T>) {
      by_parts::sort_pairs<Order>(context, keys, values);
      return;
    }
  }
  if constexpr (max_pairs_by_splitters < T, Value >> 0) {
    using by_splitters::Verdict;
    if (n <= max_pairs_by_splitters<T, Value> &&
        by_splitters::sort_pairs<Order>(context, keys, values) == Verdict::can_sort) {
      return;
    }
  }
  sort_plain_pairs<Order>(context, keys, values);
}

/// Sorts n > 0 keys and the rows of a pack. The arguments have been checked.
template <class Exec, class Keys, class Rows, class Order>
void sort_with_values(Context<Exec> const& context, Keys const& keys, Rows const& rows,
                      Order const& order) {
  sort_by_indices(context, keys, rows, order);
}

template <class Exec, class Keys, class Values, class Order>
requires(has_radix_key<typename Keys::non_const_value_type, Order>&&
             moves_along<Exec, Values>()) void sort_with_values(Context<Exec> const& context,
                                                                Keys const& keys,
                                                                ViewPack<Values> const& rows,
                                                                Order const&) {
  if constexpr (backend::is_cpu<Exec>) {
    sort_pairs<Order>(context, keys, rows.first);
  } else {
    sort_pairs_on_device<Order>(context, keys, rows.first);
  }
}

}  // namespace riffle::detail::sort
