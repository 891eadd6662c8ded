#pragma once

// Sorts numbers on a CPU, alone or with one value each.

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include <riffle/context.hpp>
#include <riffle/order.hpp>
#include <riffle/primitives/indices.hpp>
#include <riffle/primitives/radix_key.hpp>
#include <riffle/primitives/scope.hpp>
#include <riffle/sort/detail/cpu/radix_sort.hpp>
#include <riffle/sort/detail/view_as_array.hpp>
#include <riffle/sort/number_code.hpp>

namespace riffle::detail::sort {

// --- sources ---

template <class View, class Order>
struct NumbersOfView {
  using Number = typename View::non_const_value_type;
  using Item = NumberAlone<StoredCode<sizeof(Number)>>;
  using Word = typename Item::Word;

  Uncounted<View> view;

  Item operator()(std::uint64_t i) const { return Item(word(i)); }
  Word word(std::uint64_t i) const { return NumberCode<Number, Order>::encode(view(i)); }
};

template <class Keys, class Values, class Order>
struct PairsOfViews {
  using Number = typename Keys::non_const_value_type;
  using Value = typename Values::non_const_value_type;
  using Item = ItemWithValue<Number, Value>;
  using Word = typename Item::Word;

  Uncounted<Keys> keys;
  Uncounted<Values> values;

  Item operator()(std::uint64_t i) const { return {word(i), Value(values(i))}; }
  Word word(std::uint64_t i) const { return NumbersOfView<Keys, Order>{keys}.word(i); }
};

// --- consumers ---

/// Writes sorted numbers to a View. The items may be in the View's own memory; if so, item k has
/// the address to which number first + k is written.
template <class View, class Order>
struct StoreNumbers {
  Uncounted<View> view;

  template <class Item>
  void bucket(std::uint64_t first, Item const* items, std::uint64_t count, Item*) const {
    using Code = NumberCode<typename View::value_type, Order>;
    auto const to = view;
    for (std::uint64_t k = 0; k < count; ++k) to(first + k) = Code::decode(items[k].key());
  }
};

template <class Keys, class Values, class Order>
struct StorePairs {
  Uncounted<Keys> keys;
  Uncounted<Values> values;

  template <class Item>
  void bucket(std::uint64_t first, Item const* items, std::uint64_t count, Item*) const {
    using Code = NumberCode<typename Keys::value_type, Order>;
    using Value = typename Values::value_type;
    auto const to_keys = keys;
    auto const to_values = values;
    for (std::uint64_t k = 0; k < count; ++k) {
      to_keys(first + k) = Code::decode(items[k].key());
      to_values(first + k) = items[k].template value<Value>();
    }
  }
};

// --- sorts ---

/// Sorts numbers from `in` to `out`, which may be the same View.
template <class Order, class Exec, class In, class Out>
void sort_numbers(Context<Exec> const& context, In const& in, Out const& out) {
  using Source = NumbersOfView<In, Order>;
  using Item = typename Source::Item;
  std::uint64_t const n = out.extent(0);
  Source const source{in};
  if (are_known_sorted(context, n, ItemsOf<Source, Item, std::uint64_t>(source))) {
    copy_unless_same(context, in, out);
    return;
  }
  // Once all numbers are read, the memory of `out` can hold items.
  Item* const free = is_contiguous(out) ? reinterpret_cast<Item*>(out.data()) : nullptr;
  // Count must be able to represent n, because n is the end of the last bucket.
  with_index_type(n + 1, [&]<class Count>(Count) {
    using Sort = RadixSort<Exec, Item, Count>;
    Scope scope(context);
    Sort(context, scope, n, free).run(source, StoreNumbers<Out, Order>{out});
  });
}

/// Sorts keys, and one value with each.
template <class Order, class Exec, class Keys, class Values>
void sort_pairs(Context<Exec> const& context, Keys const& keys, Values const& values) {
  using Source = PairsOfViews<Keys, Values, Order>;
  std::uint64_t const n = keys.extent(0);
  using Item = typename Source::Item;
  Source const source{keys, values};
  if (are_known_sorted(context, n, ItemsOf<Source, Item, std::uint64_t>(source))) return;
  with_index_type(n + 1, [&]<class Count>(Count) {
    using Sort = RadixSort<Exec, Item, Count>;
    Scope scope(context);
    Sort(context, scope, n).run(source, StorePairs<Keys, Values, Order>{keys, values});
  });
}

/// Whether values are moved together with keys in the sort, rather than gathered afterwards.
template <class Value>
inline constexpr bool moves_with_keys_on_cpu = std::is_trivially_copyable_v<Value> &&
                                               sizeof(Value) <= 16;

}  // namespace riffle::detail::sort
