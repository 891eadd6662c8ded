#pragma once

// Values in the order of their keys. One value with each number moves along in the sort; other rows are gathered by the order
// of the keys.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <riffle/backend/backend.hpp>
#include <riffle/context.hpp>
#include <riffle/errors.hpp>
#include <riffle/order.hpp>
#include <riffle/primitives/call.hpp>
#include <riffle/primitives/call_diagnostics.hpp>
#include <riffle/primitives/gather_rows.hpp>
#include <riffle/primitives/indices.hpp>
#include <riffle/primitives/radix_key.hpp>
#include <riffle/primitives/row_sets.hpp>
#include <riffle/primitives/scope.hpp>
#include <riffle/primitives/view_copies.hpp>
#include <riffle/primitives/views.hpp>
#include <riffle/sort/detail/cpu/numbers_cpu.hpp>
#include <riffle/sort/detail/gpu/numbers_gpu.hpp>
#include <riffle/sort/sorter.hpp>
#include <riffle/view_pack.hpp>

namespace riffle {

namespace detail {

template <class View>
ViewPack<View> as_pack(View const& view) {
  return pack(view);
}

template <class... Views>
ViewPack<Views...> const& as_pack(ViewPack<Views...> const& views) {
  return views;
}

template <class Rows>
inline constexpr bool is_trivially_copyable_rows =
    std::is_trivially_copyable_v<typename Rows::non_const_value_type>;
template <class... Views>
inline constexpr bool is_trivially_copyable_rows<ViewPack<Views...>> =
    (is_trivially_copyable_rows<Views> && ...);

/// Throws unless keys and values can be sorted in place.
template <class Keys, class Values>
void check_sort_by_key(char const* function, Keys const& keys, Values const& values) {
  check(row_count(values) == keys.extent(0), function, "keys.extent(0) = ", keys.extent(0),
        " and values.extent(0) = ", row_count(values), ": must be equal");
  check_row_set(function, values);
  check_rows_disjoint(function, "values", values, "keys", keys);
}

namespace sort {

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

/// Sorts any keys with rows of any kind, by the indices of the keys' order. Each View is gathered through memory of the
/// workspace.
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

/// Whether rows are one value for each number, which moves with it in a sort.
template <class Exec, class Rows>
inline constexpr bool moves_with_keys = false;
template <class Exec, class Values>
inline constexpr bool moves_with_keys<Exec, ViewPack<Values>> =
    Values::rank() == 1 &&
    (backend::is_cpu<Exec> ? moves_with_keys_on_cpu<typename Values::non_const_value_type>
                           : moves_with_keys_on_gpu<typename Values::non_const_value_type>);

/// Sorts n > 0 keys and the rows of a pack. The arguments have been checked.
template <class Exec, class Keys, class Rows, class Order>
void sort_with_values(Context<Exec> const& context, Keys const& keys, Rows const& rows,
                      Order const& order) {
  if constexpr (!has_radix_key<typename Keys::non_const_value_type, Order> ||
                !moves_with_keys<Exec, Rows>) {
    sort_by_indices(context, keys, rows, order);
  } else if constexpr (backend::is_cpu<Exec>) {
    sort_pairs<Order>(context, keys, rows.first);
  } else {
    sort_pairs_on_device<Order>(context, keys, rows.first);
  }
}

}  // namespace sort

}  // namespace detail

/// Sorts keys, and moves with each key its value; stable: the values of tied keys stay in the order in which they lie.
///
/// - exec: an execution space instance, or a Context of one. Memory: numbers with one rank-1 View of values of up to 16
///   bytes (on a GPU, of words of up to 8) take about as much as both have, on a CPU twice. On a GPU up to 2^20 keys of 4 or
///   8 bytes take up to 23 bytes a key, and values of more than 4 bytes once more; more keys of 8 bytes, with values of up
///   to 4, take about 22 bytes a key and 40 MB. Other data take what argsort takes, or a copy of the largest View where that is
///   more, and n indices.
/// - keys: a rank-1 View of any type that `order` compares. Float and double are in the total order that sort() says: NaNs
///   last, -0 before 0 if ascending, and only numbers with the same bits tie.
/// - values: a View of rank 1, or of rank 2 whose rows move as one; or a pack of Views (riffle::pack(a, b)). They have
///   as many rows as there are keys, and share no element with each other or with keys. All types are trivially
///   copyable.
/// - order: Ascending, Descending, or a comparison of the caller's: a strict weak ordering that gives the same answer
///   whenever it is asked about the same keys. If its answers are the same but are not a strict weak ordering, such as
///   a < b on keys with NaNs, the result is an unspecified permutation of the keys, each with its value. If its answers
///   change, keys and values are unspecified. In either case no memory outside of the Views is accessed.
///
/// Throws std::invalid_argument where extents differ or Views overlap; nothing is written then. Enqueued on `exec`. On
/// a GPU it fences for many keys, as sort() and argsort() do. Reproducible. Cost: where values move with numbers, that
/// of sort() on keys with values; else argsort's, a gather of each View and a copy. Which sort is for how many keys:
/// riffle/sort/tuning.hpp.
template <detail::InstanceOrContext Exec, detail::MovedArrayFrom<Exec> Keys,
          detail::WritableRowSet<Exec> Values, detail::NotAView Order = Ascending>
void sort_by_key(Exec const& exec, Keys const& keys, Values const& values,
                 Order const& order = {}) {
  detail::Call const context(exec, "riffle::sort_by_key");
  static_assert(detail::is_trivially_copyable_rows<Values>,
                "riffle: values are trivially copyable");
  detail::check_sort_by_key("sort_by_key", keys, values);
  if (keys.extent(0) == 0) return;
  detail::sort::sort_with_values(context, keys, detail::as_pack(values), order);
}

RIFFLE_CALL_DIAGNOSTICS(sort_by_key, keys<MovedArray>, values<WrittenRows>, order<Optional<NoView>>)

}  // namespace riffle
