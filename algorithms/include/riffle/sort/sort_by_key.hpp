#pragma once

// Sorts keys, and payloads with them. If the keys are numbers and the payload is one View of small
// values, each pass of the sort moves the values with their keys. Other payloads are gathered in
// the sorted order of the keys after the sort.

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <type_traits>

#include <riffle/backend/backend.hpp>
#include <riffle/context.hpp>
#include <riffle/errors.hpp>
#include <riffle/order.hpp>
#include <riffle/primitives/call.hpp>
#include <riffle/primitives/call_diagnostics.hpp>
#include <riffle/primitives/gather_in_place.hpp>
#include <riffle/primitives/row_sets.hpp>
#include <riffle/primitives/views.hpp>
#include <riffle/sort/detail/cpu/numbers_cpu.hpp>
#include <riffle/sort/detail/gpu/numbers_gpu.hpp>
#include <riffle/sort/number_code.hpp>
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

/// Throws std::invalid_argument unless `values` has one row per key and shares no element with
/// `keys`.
template <class Keys, class Values>
void check_sort_by_key(char const* function, Keys const& keys, Values const& values) {
  check(row_count(values) == keys.extent(0), function, "keys.extent(0) = ", keys.extent(0),
        " and values.extent(0) = ", row_count(values), ": must be equal");
  check_row_set(function, values);
  check_rows_disjoint(function, "values", values, "keys", keys);
}

namespace sort {

/// Sorts keys and rows of any types: finds the indices of the sorted keys, then gathers each View
/// through temporary memory.
template <class Exec, class Keys, class Rows, class Order>
void sort_by_indices(Context<Exec> const& context, Keys const& keys, Rows const& rows,
                     Order const& order) {
  Sorter<Exec, Keys, Order> const sorter(context, keys, order);
  gather_in_place_by(context, keys.extent(0), prepend(keys, rows),
                     [&](auto const& indices) { store_order(context, sorter, indices); });
}

/// Whether `Rows` is one View whose values are small enough to be moved together with keys, if the
/// keys are numbers.
template <class Exec, class Rows>
inline constexpr bool moves_with_keys = false;
template <class Exec, class Values>
inline constexpr bool moves_with_keys<Exec, ViewPack<Values>> =
    Values::rank() == 1 &&
    (backend::is_cpu<Exec> ? moves_with_keys_on_cpu<typename Values::non_const_value_type>
                           : moves_with_keys_on_gpu<typename Values::non_const_value_type>);

/// Sorts n > 0 keys and the rows of a pack. The caller has checked the arguments.
template <class Exec, class Keys, class Rows, class Order>
void sort_with_values(Context<Exec> const& context, Keys const& keys, Rows const& rows,
                      Order const& order) {
  if constexpr (!has_number_code<typename Keys::non_const_value_type, Order> ||
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

/// Sorts keys, and moves each value with its key. Stable: the values of tied keys keep their order.
///
/// - exec: an execution space instance, or a Context of one.
/// - keys: a rank-1 View of any type that `order` compares. Float and double have the total order
///   of sort(): NaNs last, -0 before 0 if ascending, and only numbers with the same bits tie.
/// - values: a View of rank 1, or of rank 2 with rows as elements; or a pack of Views
///   (riffle::pack(a, b)). They have keys.extent(0) rows, and share no element with each other or
///   with keys. All types are trivially copyable.
/// - order: Ascending, Descending, or a comparison of the caller: a strict weak ordering whose
///   result depends on the two keys alone. If it is not a strict weak ordering, such as a < b on
///   keys with NaNs, the result is an unspecified permutation of the keys, each with its value. If
///   it returns different results for the same keys, keys and values are unspecified. In either
///   case no memory outside of the Views is accessed.
///
/// Throws std::invalid_argument if extents differ or Views overlap; nothing is written then.
/// Complexity: if keys are numbers and values are one rank-1 View of up to 16 bytes per value (on a
/// GPU up to 8, aligned to their size), each pass of sort() also moves the values; otherwise
/// sort_by_key() takes argsort(), then a gather and a copy of each View. riffle/sort/tuning.hpp
/// says which algorithm sorts how many keys. Blocking: enqueued on `exec`. On a GPU, if values are
/// moved with numbers, it fences where sort() does, but only for n <= 2^26; otherwise it fences
/// where argsort() does. Reproducible. Memory:
/// - values moved with numbers: about the memory of keys and values, on a CPU twice that. On a GPU
///   up to 2^20 keys of 4 or 8 bytes take up to 23 bytes per key, and a copy of the values if these
///   have more than 4 bytes. More than 2^20 keys of 8 bytes, with values of up to 4 bytes, take
///   about 22 bytes per key and 40 MB.
/// - in other cases, the memory of argsort(), or a copy of the largest View if that is more, and n
///   indices.
template <detail::InstanceOrContext Exec, detail::MovedArrayFrom<Exec> Keys,
          detail::WritableRowSet<Exec> Values, detail::NotAView Order = Ascending>
void sort_by_key(Exec const& exec, Keys const& keys, Values const& values,
                 Order const& order = {}) {
  detail::Call const context(exec, "riffle::sort_by_key");
  static_assert(detail::are_trivially_copyable<Values>, "riffle: values are trivially copyable");
  detail::check_sort_by_key("sort_by_key", keys, values);
  if (keys.extent(0) == 0) return;
  detail::sort::sort_with_values(context, keys, detail::as_pack(values), order);
}

RIFFLE_CALL_DIAGNOSTICS(sort_by_key, keys<MovedArray>, values<WrittenRows>, order<Optional<NoView>>)

}  // namespace riffle
