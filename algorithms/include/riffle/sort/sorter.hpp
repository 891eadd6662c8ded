#pragma once

// Finds the sorted order of a View: by a radix sort or samplesort if the elements have codes,
// otherwise by a merge sort. riffle/sort/tuning.hpp says which algorithm of a GPU sorts how many
// elements.

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <type_traits>

#include <riffle/backend/backend.hpp>
#include <riffle/context.hpp>
#include <riffle/primitives/indices.hpp>
#include <riffle/primitives/quads.hpp>
#include <riffle/primitives/radix_key.hpp>
#include <riffle/primitives/scope.hpp>
#include <riffle/primitives/source_sink.hpp>
#include <riffle/sort/detail/cpu/merge_sort_cpu.hpp>
#include <riffle/sort/detail/cpu/radix_sort.hpp>
#include <riffle/sort/detail/gpu/by_ranks.hpp>
#include <riffle/sort/detail/gpu/keys_gpu.hpp>
#include <riffle/sort/detail/gpu/merge_sort_gpu.hpp>
#include <riffle/sort/number_code.hpp>
#include <riffle/sort/tuning.hpp>

namespace riffle::detail::sort {

/// A source that reads a View's elements in sorted order: element i is view(indices[i]).
template <class View, class Index>
struct SortedIndices {
  using Item = typename View::non_const_value_type;

  KOKKOS_FUNCTION bool has_quads() const { return true; }
  KOKKOS_FUNCTION Item operator()(std::uint64_t i) const { return view(indices[i]); }
  KOKKOS_FUNCTION std::uint64_t index(std::uint64_t i) const { return indices[i]; }

  KOKKOS_FUNCTION void read_quad(std::uint64_t i, Item (&x)[quad_size]) const {
    read_quad_by_elements(*this, i, x);
  }

  View view;
  Index const* indices;
};

/// The codes by which numbers are sorted: numbers with different bits have different codes.
struct SortKeys {
  template <class T, class Order>
  static NumberCode<T, Order> key(bool) {
    return {};
  }
};

/// The codes by which numbers are ranked: numbers tie if neither is less than the other.
struct RankKeys {
  template <class T, class Order>
  static RadixKey<T, Order> key(bool has_nans_first) {
    return RadixKey<T, Order>(has_nans_first);
  }
};

/// Sorts n > 0 elements of a View, without changing it. `Number` is the type of the numbers that
/// move_to_places() writes after the sort, or void if it is not called.
template <class Exec, class View, class Order, class Keys = SortKeys, class Number = void>
class Sorter {
  static constexpr bool is_on_cpu = backend::is_cpu<Exec>;

 public:
  using T = typename View::non_const_value_type;
  /// Whether the elements have keys: a NumberCode, or a RadixKey, which supports the same types.
  static constexpr bool has_keys = has_number_code<T, Order>;
  /// Whether the caller uses run_by_buckets(), which passes on the sorted elements bucket by
  /// bucket, rather than run(), which passes on all of them at once.
  static constexpr bool has_buckets = has_keys && is_on_cpu;

  Sorter(Context<Exec> const& context, View const& view, Order const& order,
         bool has_nans_first = false)
      : context_(context), view_(view), order_(order), has_nans_first_(has_nans_first) {}

  /// Returns the order in which the sorted keys ascend. For codes this is Ascending, whatever the
  /// order of the elements.
  auto order_of_sorted() const {
    if constexpr (has_keys) {
      return Ascending{};
    } else {
      return order_;
    }
  }

  /// Sorts, then calls use(sorted), where `sorted` is a SortedInMemory or SortedIndices. The memory
  /// of `sorted` is part of the workspace and valid until `use` returns. Set `are_many` if
  /// stores_by_ranks() has returned false.
  template <bool are_many = false, class Use>
  void run(Use const& use) const {
    with_count_type([&]<class Index>(Index) {
      Scope scope(context_);
      if constexpr (has_keys) {
        use(sort_on_device<are_many>(
            context_, view_, key(),
            take_device_arrays<Word, Index, MovedNumber<Index>>(context_, scope, n(), Key::bits)));
      } else {
        use(SortedIndices<View, Index>{view_, sorted_indices<Index>(scope)});
      }
    });
  }

  /// On a GPU, if n <= max_by_ranks: stores the sorted order in `indices`, without the arrays that
  /// run() takes, and returns true. Otherwise returns false.
  template <class Indices>
  bool stores_by_ranks(Indices const& indices) const {
    if constexpr (has_keys && !is_on_cpu) {
      if (n() > max_by_ranks) return false;
      by_ranks::sort_indices(context_, view_, key(), indices);
      return true;
    } else {
      return false;
    }
  }

  /// Calls use(sort, source), where `sort` is a RadixSort with memory in the workspace, and
  /// `source` contains the elements that it is to sort.
  template <class Use>
  void run_by_buckets(Use const& use) const {
    with_count_type([&]<class Index>(Index) {
      Scope scope(context_);
      RadixSort<Exec, ItemWithValue<Word, Index>, Index> sort(context_, scope, n());
      use(sort, KeysWithIndices<View, Key, Index>{view_, key()});
    });
  }

 private:
  using Before = IsBefore<View, Order>;
  template <class Index>
  using MovedNumber = std::conditional_t<sizeof(Index) <= 4, Number, void>;
  using Key = std::conditional_t<has_keys, decltype(Keys::template key<T, Order>(false)),
                                 RadixKey<int, Ascending>>;
  using Word = typename Key::Word;

  std::uint64_t n() const { return view_.extent(0); }
  /// Calls use(Index{}) with an unsigned type that can represent n, the end of the last bucket.
  template <class Use>
  void with_count_type(Use const& use) const {
    with_index_type(n() + 1, use);
  }
  Key key() const { return Keys::template key<T, Order>(has_nans_first_); }

  template <class Index>
  Index const* sorted_indices(Scope<Exec>& scope) const {
    Before const before{view_, order_, has_nans_first_};
    if constexpr (is_on_cpu) {
      struct Arrays {
        Index* indices;
        Index* spare;
      };
      auto const [indices, spare] = scope.arrays([&](ArrayMemory& memory) {
        return Arrays{memory.take<Index>(n()), memory.take<Index>(n())};
      });
      return merge_sort<InitialItems::own_indices>(context_, n(), indices, spare, before);
    } else {
      auto const arrays = scope.arrays([&](ArrayMemory& memory) {
        return MergeArrays<Index>{memory.take<Index>(n()), memory.take<Index>(n()), n(), memory};
      });
      merge_sort_on_device(context_, n(), IndexItself<Index>(), arrays, before);
      return arrays.sorted;
    }
  }

  Context<Exec> context_;
  View view_;
  Order order_;
  bool has_nans_first_;
};

// --- the order as indices ---

template <class Sorted, class Out>
struct StoreIndices {
  Sorted sorted;
  Out out;

  KOKKOS_FUNCTION void operator()(std::uint64_t i) const {
    out(i) = static_cast<typename Out::value_type>(sorted.index(i));
  }
};

/// Stores the indices of the sorted items of a bucket.
template <class Out>
struct StoreIndicesOfBucket {
  Out out;

  template <class Item>
  void bucket(std::uint64_t first, Item const* entries, std::uint64_t count, Item*) const {
    using Index = typename Out::value_type;
    for (std::uint64_t k = 0; k < count; ++k)
      out(first + k) = static_cast<Index>(entries[k].index());
  }
};

/// Sets indices(k) to the index of sorted element k, for n > 0 elements.
template <class Exec, class Sorter, class Out>
void store_order(Context<Exec> const& context, Sorter const& sorter, Out const& indices) {
  if constexpr (Sorter::has_buckets) {
    sorter.run_by_buckets([&](auto& sort, auto const& source) {
      sort.run(source, StoreIndicesOfBucket<Out>{indices});
    });
  } else {
    if (sorter.stores_by_ranks(indices)) return;
    sorter.template run<true>([&]<class Sorted>(Sorted const& sorted) {
      context.named("indices").for_each(indices.extent(0),
                                        StoreIndices<Sorted, Out>{sorted, indices});
    });
  }
}

}  // namespace riffle::detail::sort
