#pragma once

// Values in the order of their keys.

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <type_traits>

#include <riffle/errors.hpp>
#include <riffle/order.hpp>
#include <riffle/primitives/call.hpp>
#include <riffle/primitives/mistakes.hpp>
#include <riffle/primitives/row_sets.hpp>
#include <riffle/primitives/views.hpp>
#include <riffle/sort/detail/with_values.hpp>
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

}  // namespace detail

/// Sorts keys, and moves with each key its value; stable: the values of tied keys stay in the order in which they lie.
///
/// - exec: an execution space instance, or a Context of one. Memory: numbers with one rank-1 View of values of up to 16
///   bytes (on a GPU, of words of up to 8) take about as much as both have, on a CPU twice, by splitters up to 23 bytes
///   a key and values of more than 4 bytes once more; other data take what argsort takes, or a copy of the largest View
///   where that is more, and n indices.
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

RIFFLE_EXPLAIN_MISTAKES(sort_by_key, keys<MovedArray>, values<WrittenRows>, order<Optional<NoView>>)

}  // namespace riffle
