#pragma once

// Sorts some thousands of elements on a GPU in a launch or two: each is put where its rank says, which it has by
// comparisons with all others [1], or in chunks, and by searches in all other chunks. Nothing depends on how keys are
// spread.
//
// [1] D. E. Knuth, "The Art of Computer Programming", vol. 3, sec. 5.2, "Comparison counting".

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <riffle/context.hpp>
#include <riffle/primitives/launch.hpp>
#include <riffle/primitives/scope.hpp>
#include <riffle/sort/block/number_code.hpp>
#include <riffle/sort/detail/gpu/by_ranks/kernels.hpp>
#include <riffle/sort/detail/gpu/by_ranks/rows.hpp>

namespace riffle::detail::sort::by_ranks {

/// How many make a chunk where there is more than one: comparing more takes longer where codes have 8 bytes, and fewer
/// chunks less time to search.
template <class Code>
inline constexpr Index merged_chunk = sizeof(Code) <= 4 ? 512 : 1024;

/// A second place for n rows.
template <class Exec, class SomeRows>
auto take_second(Scope<Exec>& scope, SomeRows const& rows, std::uint64_t n) {
  return scope.arrays([&](ArrayMemory& memory) { return take_rows_like(rows, memory, n); });
}

/// Sorts n > 0 rows in chunks to a second place, and merges them. launch(name, kernel) launches kernels in order.
template <class Encode, class From, class Second, class To, class Launch>
void sort_in_chunks(Index n, Encode const& encode, From const& from, Second const& second,
                    To const& to, Launch const& launch) {
  constexpr Index chunk = merged_chunk<CodeOf<Encode, From>>;
  launch("chunks", SortChunks<Encode, From, Second>{encode, from, second, n, chunk});
  launch("merge", MergeChunks<Encode, Second, To>{encode, second, to, {n, chunk}});
}

/// launch(name, kernel), which launches a kernel as a part of the call of `context`. The context outlives it.
template <class Exec>
auto launches_by_need(Context<Exec> const& context) {
  return [&context](char const* part, auto const& kernel) {
    launch_teams(context.named(part), static_cast<std::uint64_t>(kernel.teams()), kernel,
                 kernel.needed_bytes());
  };
}

/// Sorts n > 0 rows from one place to another.
template <class Exec, class Encode, class From, class To>
void sort_rows(Context<Exec> const& context, Index n, Encode const& encode, From const& from,
               To const& to) {
  auto const launch = launches_by_need(context);
  if (n <= max_chunk) {
    launch("counts", SortChunks<Encode, From, To>{encode, from, to, n, max_chunk});
    return;
  }
  Scope scope(context);
  sort_in_chunks(n, encode, from, take_second(scope, from, n), to, launch);
}

/// Sorts n > 0 rows in place.
template <class Exec, class Encode, class SomeRows>
void sort_rows_in_place(Context<Exec> const& context, Index n, Encode const& encode,
                        SomeRows const& rows) {
  auto const launch = launches_by_need(context);
  Scope scope(context);
  auto const second = take_second(scope, rows, n);
  using Second = std::decay_t<decltype(second)>;
  if (n > max_chunk) {
    sort_in_chunks(n, encode, rows, second, rows, launch);
    return;
  }
  launch("counts", SortInPlace<Encode, SomeRows, Second>{{encode, rows, second, n, max_chunk},
                                                         LastTeam(context)});
}

/// Sorts n > 0 numbers from `in` to `out`, which may be the same.
template <class Order, class Exec, class In, class Out>
void sort_numbers(Context<Exec> const& context, In const& in, Out const& out) {
  using Key = team_sort::NumberCode<typename Out::non_const_value_type, Order>;
  auto const n = static_cast<Index>(out.extent(0));
  if (static_cast<void const*>(in.data()) == static_cast<void const*>(out.data())) {
    sort_rows_in_place(context, n, Key(), Rows<Out>{out, {}});
  } else {
    sort_rows(context, n, Key(), Rows<In>{in, {}}, Rows<Out>{out, {}});
  }
}

/// Sorts n > 0 numbers, and values with them.
template <class Order, class Exec, class Keys, class Values>
void sort_pairs(Context<Exec> const& context, Keys const& keys, Values const& values) {
  using Key = team_sort::NumberCode<typename Keys::non_const_value_type, Order>;
  sort_rows_in_place(context, static_cast<Index>(keys.extent(0)), Key(),
                     Rows<Keys, Values>{keys, values});
}

/// The codes of a View's elements, called as a View is.
template <class View, class Key>
struct CodesOfView {
  KOKKOS_FUNCTION typename Key::Word operator()(std::uint64_t i) const { return key(view(i)); }

  View view;
  Key key;
};

/// Rows whose keys are codes.
struct IsCode {
  template <class Word>
  KOKKOS_FUNCTION Word operator()(Word code) const {
    return code;
  }
};

/// Sorts the codes of n > 0 elements, and the elements' indices with them, from a View to anywhere.
template <class RowIndex, class Exec, class View, class Key, class To>
void sort_codes(Context<Exec> const& context, View const& view, Key const& key, To const& to) {
  using From = Rows<CodesOfView<View, Key>, OwnIndices<RowIndex>>;
  sort_rows(context, static_cast<Index>(view.extent(0)), IsCode(), From{{view, key}, {}}, to);
}

/// Writes the keys of n > 0 elements, sorted, and the elements' indices.
template <class Exec, class View, class Key, class RowIndex>
void sort_keys(Context<Exec> const& context, View const& view, Key const& key,
               typename Key::Word* keys, RowIndex* indices) {
  sort_codes<RowIndex>(context, view, key,
                       Rows<ArrayOf<typename Key::Word>, ArrayOf<RowIndex>>{{keys}, {indices}});
}

/// Writes the indices of n > 0 elements in the order of their keys.
template <class Exec, class View, class Key, class Indices>
void sort_indices(Context<Exec> const& context, View const& view, Key const& key,
                  Indices const& indices) {
  sort_codes<Index>(context, view, key, ValuesOfRows<Indices>{indices});
}

}  // namespace riffle::detail::sort::by_ranks
