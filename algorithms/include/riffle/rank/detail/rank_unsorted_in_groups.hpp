#pragma once

// Ranks within groups of data in any order. A stable sort by value and then a stable sort by group give the order by
// group and value. The sorted data are ranked, and each rank is written to the index of its element:
//
//     by_value   = argsort of the values
//     places     = argsort of the groups, where the groups are read in the order of by_value
//     places[k]  = by_value[places[k]]                   element k in the order by group and value
//     ranks(places[k]) = rank of data(places[k]) within its group, in data(places[0]), data(places[1]), ...

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

#include <riffle/backend/floating_point.hpp>
#include <riffle/context.hpp>
#include <riffle/order.hpp>
#include <riffle/primitives/loops.hpp>
#include <riffle/primitives/radix_key.hpp>
#include <riffle/primitives/scope.hpp>
#include <riffle/primitives/source_sink.hpp>
#include <riffle/rank/detail/matrix_lines.hpp>
#include <riffle/rank/detail/rank_elements.hpp>
#include <riffle/rank/detail/rank_in_groups.hpp>
#include <riffle/rank/detail/sources.hpp>
#include <riffle/rank/rank_options.hpp>
#include <riffle/sort/argsort.hpp>

namespace riffle::detail::rank {

// --- how elements are grouped: the key of each element, and the groups of sorted elements ---

/// Groups of elements with equal keys, which are numbers. All NaNs are one group; zeros of either sign are equal.
template <class Keys>
struct GroupingByKey {
  using Key = typename Keys::non_const_value_type;
  using Words = RadixKey<Key, Ascending>;
  using Source = ViewSource<Keys>;

  template <class Index>
  using Groups = GroupsByKey<KeySource<GatherSource<Source, Index>, Words>>;

  Keys keys;

  template <class Exec, class Places>
  Source keys_of_elements(Context<Exec> const&, Places const&) const {
    return Source(keys);
  }

  template <class Index>
  Groups<Index> groups(Index const* places) const {
    return {{{Source(keys), places}, Words()}};
  }
};

/// Groups of elements between offsets. The key of an element is the index at which its segment begins. The sort does
/// not change where segments begin and end.
template <class Offsets>
struct GroupingByOffset {
  template <class Index>
  using Groups = GroupsByOffset<Offsets>;

  Offsets offsets;

  template <class Exec, class Places>
  ViewSource<Places> keys_of_elements(Context<Exec> const& context, Places const& spare) const {
    Groups<typename Places::value_type>{offsets}.find_firsts(context.named("groups"), spare,
                                                             NoneMissing{});
    return ViewSource<Places>(spare);
  }

  template <class Index>
  Groups<Index> groups(Index const*) const {
    return {offsets};
  }
};

/// Groups of `length` consecutive elements: lines of a matrix.
struct GroupingByLine {
  template <class Index>
  using Groups = GroupsOfLength;

  std::uint64_t length;

  template <class Exec, class Places>
  auto keys_of_elements(Context<Exec> const&, Places const&) const {
    return LineOf<typename Places::value_type>(length);
  }

  template <class Index>
  GroupsOfLength groups(Index const*) const {
    return {length};
  }
};

// --- what is sorted ---

/// A numerical order with NaNs at one end, for values that have no radix keys.
template <class Order>
struct OrderWithNans {
  Order order;
  bool has_nans_first;

  template <class T>
  KOKKOS_FUNCTION bool operator()(T const& a, T const& b) const {
    if (detail::is_nan(a) || detail::is_nan(b))
      return detail::is_nan(a) != detail::is_nan(b) && detail::is_nan(a) == has_nans_first;
    return order(a, b);
  }
};

/// The elements that are sorted, and their order. If values can be NaNs and their type has radix keys, the radix keys
/// are sorted, so that NaNs come to the end that the caller chose. Otherwise the values themselves are sorted.
template <class Source, class Order>
struct SortedValues {
  using T = typename Source::Item;
  static constexpr bool are_words = can_be_missing<T, Order> && has_radix_key<T, Order>;

  Source source;
  Order order;
  bool has_nans_first;

  auto elements() const {
    if constexpr (are_words) {
      using Key = RadixKey<T, Order>;
      return KeySource<Source, Key>{source, Key(has_nans_first)};
    } else {
      return source;
    }
  }

  auto order_of_elements() const {
    if constexpr (are_words) {
      return Ascending{};
    } else if constexpr (can_be_missing<T, Order>) {
      return OrderWithNans<Order>{order, has_nans_first};
    } else {
      return order;
    }
  }
};

/// Sets places[k] = next[places[k]].
template <class Index>
struct ComposePlaces {
  Index const* next;
  Index* places;

  KOKKOS_FUNCTION void operator()(std::uint64_t k) const { places[k] = next[places[k]]; }
};

// --- the ranking ---

/// Ranks n > 0 elements of a source, in any order, in groups that a `Grouping` (one of the types above) describes.
template <class Exec, class Grouping, class Source, class Sink, class Rule, class Order>
class RankUnsortedInGroups {
 public:
  RankUnsortedInGroups(Context<Exec> const& context, std::uint64_t n, Grouping const& grouping,
                       Source const& source, Sink const& sink, Rule const& rule,
                       RankOptions<Order> const& options)
      : context_(context),
        n_(n),
        grouping_(grouping),
        source_(source),
        sink_(sink),
        values_{source, options.order, options.missing == Missing::first},
        ranking_(context, n, rule, options) {}

  void run() const {
    with_index<Exec>(n_, [&]<class Index>(Index) { run_with<Index>(); });
  }

 private:
  using T = typename Source::Item;
  static_assert(std::is_trivially_copyable_v<T>, "riffle: values are copied as bytes");

  template <class Item>
  using Array = Kokkos::View<Item*, typename Exec::memory_space, Kokkos::MemoryUnmanaged>;

  template <class Index>
  void run_with() const {
    using Value = typename decltype(values_.elements())::Item;
    using Key = typename decltype(grouping_.keys_of_elements(context_, Array<Index>()))::Item;
    struct Arrays {
      Index* by_value;
      Index* places;
      void* elements;
    };
    Scope scope(context_);
    auto const arrays = scope.arrays([&](ArrayMemory& memory) {
      return Arrays{memory.take<Index>(n_), memory.take<Index>(n_),
                    memory.take<std::byte>(n_ * std::max(sizeof(Value), sizeof(Key)))};
    });
    Array<Index> const by_value(arrays.by_value, n_);
    Array<Index> const places(arrays.places, n_);
    sort("values", values_.elements(), arrays.elements, values_.order_of_elements(), by_value);
    auto const keys = grouping_.keys_of_elements(context_, places);
    sort("keys",
         with_ties(GatherSource<std::decay_t<decltype(keys)>, Index>{keys, by_value.data()}),
         arrays.elements, Ascending{}, places);
    context_.named("places").for_each(n_, ComposePlaces<Index>{by_value.data(), places.data()});
    ranking_.template run_with<Index>(grouping_.groups(places.data()),
                                      GatherSource<Source, Index>{source_, places.data()},
                                      ScatterSink<Sink, Index>{sink_, places.data()});
  }

  /// The keys as radix keys, so that the sort treats -0 and 0 as equal, and all NaNs as equal.
  template <class Keys>
  static auto with_ties(Keys const& keys) {
    using Key = typename Keys::Item;
    if constexpr (std::is_floating_point_v<Key> && has_radix_key<Key, Ascending>) {
      using Word = RadixKey<Key, Ascending>;
      return KeySource<Keys, Word>{keys, Word(false)};
    } else {
      return keys;
    }
  }

  /// Writes the stable argsort of a source's items to `places`. The items are stored in `memory` first.
  template <class Items, class ItemOrder, class Places>
  void sort(std::string const& what, Items const& source, void* memory, ItemOrder const& order,
            Places const& places) const {
    using Item = typename Items::Item;
    auto* const items = static_cast<Item*>(memory);
    context_.named(what).for_each(n_, StoreElements<Items, Item>{source, items});
    argsort(context_.named(what), Array<Item>(items, n_), places, order);
  }

  Context<Exec> context_;
  std::uint64_t n_;
  Grouping grouping_;
  Source source_;
  Sink sink_;
  SortedValues<Source, Order> values_;
  RankInGroups<Exec, T, Rule, Order> ranking_;
};

}  // namespace riffle::detail::rank
