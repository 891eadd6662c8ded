#pragma once

// Sorts the keys of a View on a GPU by the vendor's sort (CUB on CUDA), which passes over memory for every 8 bits. Of
// keys of 64 bits few bits matter: those that are the same in all keys do not, and once keys are sorted by as many bits
// as it takes to number the elements and some more, only a few neighbours are out of order, which are put in place one
// by one. Where that does not do, keys are sorted by all bits that vary.

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>

#include <riffle/backend/vendor_sort.hpp>
#include <riffle/context.hpp>
#include <riffle/primitives/loops.hpp>
#include <riffle/sort/detail/gpu/mend_order.hpp>
#include <riffle/sort/detail/sorted.hpp>

namespace riffle::detail::sort {

/// The number of elements that a thread stores at once.
template <class Word>
inline constexpr int words_at_once = 16 / sizeof(Word);

/// The elements that arrays of n elements have room for, so that the last store is a whole one.
template <class Word>
constexpr std::uint64_t room_for_whole_stores(std::uint64_t n) {
  constexpr std::uint64_t at_once = words_at_once<Word>;
  return (n + at_once - 1) / at_once * at_once;
}

template <class T, int count>
struct alignas(sizeof(T) * count) StoredAtOnce {
  T x[count];
};

/// Writes keys and indices of n elements, to arrays of room_for_whole_stores. Its result is an Or of the bits in
/// which keys differ from the first one.
template <class View, class Key, class Index>
struct MakeKeys {
  using Word = typename Key::Word;
  static constexpr int at_once = words_at_once<Word>;

  View view;
  Key key;
  std::uint64_t n;
  Word* keys;
  Index* indices;

  KOKKOS_FUNCTION void operator()(std::uint64_t number) const {
    Word varying = 0;
    (*this)(number, varying);
  }

  KOKKOS_FUNCTION void operator()(std::uint64_t number, Word& varying) const {
    std::uint64_t const first = number * at_once;
    StoredAtOnce<Word, at_once> own_keys;
    StoredAtOnce<Index, at_once> own_indices;
    Word const key_of_first = key(view(0));
    for (int e = 0; e < at_once; ++e) {
      std::uint64_t const i = first + static_cast<std::uint64_t>(e);
      own_keys.x[e] = key(view(i < n ? i : n - 1));
      own_indices.x[e] = static_cast<Index>(i);
      varying |= own_keys.x[e] ^ key_of_first;
    }
    *reinterpret_cast<StoredAtOnce<Word, at_once>*>(keys + first) = own_keys;
    *reinterpret_cast<StoredAtOnce<Index, at_once>*>(indices + first) = own_indices;
  }
};

/// The number of pairs of sampled keys that are alike by their upper bits, but not the same.
template <class Word>
struct CountAlikeInSample {
  static constexpr std::uint64_t size = 2048;

  Word const* keys;
  std::uint64_t distance;
  int first_bit;

  KOKKOS_FUNCTION void operator()(std::uint64_t pair, std::uint64_t& count) const {
    Word const a = keys[pair / size * distance];
    Word const b = keys[pair % size * distance];
    if (a < b && a >> first_bit == b >> first_bit) ++count;
  }
};

template <class Exec, class View, class Key, class Index>
class SortByKeys {
 public:
  using Word = typename Key::Word;
  using Arrays = DeviceArrays<Word, Index>;

  // As many keys of 64 bits as have wide indices do not fit into the memory of today's GPUs.
  static constexpr bool has_many_bits = Key::bits == 64 && sizeof(Index) <= 4;

  SortByKeys(Context<Exec> const& context, View const& view, Key const& key, Arrays const& arrays)
      : context_(context), view_(view), key_(key), arrays_(arrays) {}

  Arrays const& arrays() const { return arrays_; }

  void by_all_bits() {
    make_keys();
    sort(0, Key::bits);
  }

  /// Sorts by few bits, where they suffice. Fences.
  void by_few_bits() {
    if constexpr (has_many_bits) {
      Word const varying = make_keys_and_compare();
      if (varying == 0) return;
      int const lowest = std::countr_zero(varying);
      int const end = std::bit_width(varying);
      int const first = end - sorted_bits();
      // If each of n keys is alike 16 others, two keys of a sample are alike.
      bool const are_few = lowest < first && count_alike_in_sample(first) == 0;
      if (are_few) {
        sort(first, end);
        if (mend(first)) return;
        make_keys();
      }
      sort(lowest, end);
    }
  }

 private:
  static constexpr int digit_bits = 8;
  std::uint64_t n() const { return view_.extent(0); }

  /// Among 2^b random keys, 1 of 4096 is alike another by its upper b + 12 bits.
  int sorted_bits() const {
    int const wanted = std::bit_width(n() - 1) + 12;
    return (wanted + digit_bits - 1) / digit_bits * digit_bits;
  }

  auto key_maker() const {
    return MakeKeys<View, Key, Index>{view_, key_, n(), arrays_.keys.current,
                                      arrays_.indices.current};
  }
  auto key_range() const {
    return range(context_.exec(), 0, room_for_whole_stores<Word>(n()) / words_at_once<Word>);
  }

  void make_keys() const {
    Kokkos::parallel_for(context_.label() + "::keys", key_range(), key_maker());
  }

  Word make_keys_and_compare() const {
    Word varying = 0;
    Kokkos::parallel_reduce(context_.label() + "::keys", key_range(), key_maker(),
                            Kokkos::BOr<Word>(varying));
    return varying;
  }

  void sort(int first_bit, int end_bit) {
    backend::VendorSort<Exec>::pairs(context_.exec(), arrays_.rest, arrays_.rest_bytes,
                                     arrays_.keys, arrays_.indices, n(), first_bit, end_bit);
  }

  std::uint64_t count_alike_in_sample(int first_bit) const {
    using Count = CountAlikeInSample<Word>;
    std::uint64_t count = 0;
    Kokkos::parallel_reduce(context_.label() + "::sample",
                            range(context_.exec(), 0, Count::size * Count::size),
                            Count{arrays_.keys.current, n() / Count::size, first_bit}, count);
    return count;
  }

  /// Puts in order what the sort left out of order. Returns whether all is in order then.
  bool mend(int first_bit) const {
    // After the sort, its other array of keys is free.
    std::uint64_t* const count = arrays_.keys.spare;
    std::uint64_t* const lists = count + 1;
    using Count =
        Kokkos::View<std::uint64_t*, typename Exec::memory_space, Kokkos::MemoryUnmanaged>;
    context_.named("zero").for_each(1, FillZero<Count>{Count(count, 1)});
    AlikeKeys const alike{arrays_.keys.current, n(), first_bit};
    Disorder disorder;
    Kokkos::parallel_reduce(context_.label() + "::disorder", range(context_.exec(), 0, n() - 1),
                            FindDisorder{alike, count, lists, n() - 1},
                            Kokkos::Sum<Disorder>(disorder));
    if (disorder.is_lost != 0) return false;
    context_.named("mend").for_each(
        disorder.lists,
        MendLists<Index>{lists, arrays_.keys.current, arrays_.indices.current, n(), first_bit});
    return true;
  }

  Context<Exec> context_;
  View view_;
  Key key_;
  Arrays arrays_;
};

}  // namespace riffle::detail::sort
