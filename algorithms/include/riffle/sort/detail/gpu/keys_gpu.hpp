#pragma once

// Sorts keys with their indices on a GPU: by ranks, by a one-level samplesort, or by CUB's radix
// sort, which takes a pass for every 8 bits. To save passes, many 64-bit keys are sorted by only
// some of their bits. Bits that are equal in all keys are left out. CUB sorts by the upper
// bit_width(n - 1) + 12 or more of the bits that vary. After that, only a few keys are out of
// order, all of them next to keys with equal upper bits. An insertion sort corrects their order:
//
//     keys         | bits equal in all keys | sorted by CUB | not sorted       |
//     after CUB    a run of keys with equal upper bits may be unsorted: 5.3 5.1 5.2 | 6.0 | 7.8
//
// If unsorted runs are too long, or too many, CUB sorts by all bits that vary.

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <riffle/backend/vendor_sort.hpp>
#include <riffle/context.hpp>
#include <riffle/primitives/loops.hpp>
#include <riffle/primitives/quads.hpp>
#include <riffle/primitives/scope.hpp>
#include <riffle/sort/detail/gpu/by_ranks.hpp>
#include <riffle/sort/detail/gpu/device_sort.hpp>
#include <riffle/sort/detail/gpu/samplesort/one_level.hpp>
#include <riffle/sort/tuning.hpp>

namespace riffle::detail::sort {

// --- sorted keys ---

/// The memory of a sort: two arrays of keys, two arrays of indices, and temporary memory for CUB.
template <class Word, class Index>
struct DeviceArrays {
  backend::ArrayPair<Word> keys;
  backend::ArrayPair<Index> indices;
  void* temp_storage;
  std::size_t temp_storage_bytes;
};

/// Sorted keys, and for each the index of its element.
template <class Key, class Index>
struct SortedKeys {
  using Item = typename Key::Word;

  KOKKOS_FUNCTION bool has_quads() const { return true; }
  KOKKOS_FUNCTION bool is_contiguous() const { return true; }
  KOKKOS_FUNCTION Item operator()(std::uint64_t i) const { return keys[i]; }
  KOKKOS_FUNCTION std::uint64_t index(std::uint64_t i) const { return indices[i]; }
  KOKKOS_FUNCTION bool is_missing(std::uint64_t i) const { return key.is_nan_key(keys[i]); }
  KOKKOS_FUNCTION Item const* address(std::uint64_t i) const { return keys + i; }

  KOKKOS_FUNCTION void read_quad(std::uint64_t i, Item (&x)[quad_size]) const {
    load_quad<Item>(keys + i, x);
  }

  Key key;
  Item const* keys;
  Index const* indices;
};

/// Sorted keys, with the memory that contains them.
template <class Key, class Index>
struct SortedInMemory : SortedKeys<Key, Index> {
  DeviceArrays<typename Key::Word, Index> memory;
};

// --- keys that are sorted by their upper bits ---

/// Keys that are sorted by their upper bits, that is, by bit first_bit and all higher bits. A run
/// is a sequence of keys with equal upper bits.
struct KeysByUpperBits {
  std::uint64_t const* keys;
  std::uint64_t n;
  int first_bit;

  KOKKOS_FUNCTION std::uint64_t upper(std::uint64_t k) const { return keys[k] >> first_bit; }
  KOKKOS_FUNCTION bool have_equal_upper_bits(std::uint64_t j, std::uint64_t k) const {
    return upper(j) == upper(k);
  }

  /// Returns the index of the first key in the run that contains key k. Looks at up to `most` keys
  /// before k.
  KOKKOS_FUNCTION std::uint64_t begin_of(std::uint64_t k, std::uint64_t most) const {
    std::uint64_t begin = k;
    while (begin > 0 && k - begin < most && have_equal_upper_bits(begin - 1, k)) --begin;
    return begin;
  }

  /// Returns the index after the last key in the run that contains key k. Looks at up to `most`
  /// keys after k.
  KOKKOS_FUNCTION std::uint64_t end_of(std::uint64_t k, std::uint64_t most) const {
    std::uint64_t end = k + 1;
    while (end < n && end - k <= most && have_equal_upper_bits(end, k)) ++end;
    return end;
  }
};

/// The result of FindUnsortedRuns: the number of unsorted runs in its list, and whether a full sort
/// is needed instead of sorting these runs.
struct UnsortedRuns {
  std::uint64_t runs = 0;
  std::uint64_t needs_full_sort = 0;

  KOKKOS_FUNCTION UnsortedRuns& operator+=(UnsortedRuns const& other) {
    runs += other.runs;
    needs_full_sort |= other.needs_full_sort;
    return *this;
  }
};

}  // namespace riffle::detail::sort

namespace Kokkos {

template <>
struct reduction_identity<riffle::detail::sort::UnsortedRuns> {
  KOKKOS_FUNCTION static riffle::detail::sort::UnsortedRuns sum() { return {}; }
};

}  // namespace Kokkos

namespace riffle::detail::sort {

/// Lists the unsorted runs: stores in `begins` the index at which each of them begins, in any
/// order. `begins` has `capacity` elements. Requires: *count is 0. A full sort is needed instead if
/// an unsorted run has more than max_run_size keys, if there are more than `capacity` unsorted
/// runs, or if keys are not sorted by their upper bits. Called for each key but the last.
struct FindUnsortedRuns {
  static constexpr std::uint64_t max_run_size = 16;

  KeysByUpperBits keys;
  std::uint64_t* count;
  std::uint64_t* begins;
  std::uint64_t capacity;

  KOKKOS_FUNCTION void operator()(std::uint64_t k, UnsortedRuns& found) const {
    if (keys.keys[k] <= keys.keys[k + 1]) return;
    std::uint64_t const begin = keys.begin_of(k, max_run_size);
    bool const are_few = keys.have_equal_upper_bits(k, k + 1) &&
                         keys.end_of(begin, max_run_size) - begin <= max_run_size;
    if (!are_few) {
      found.needs_full_sort = 1;
    } else if (is_first_descent(begin, k)) {
      std::uint64_t const place = Kokkos::atomic_fetch_add(count, std::uint64_t{1});
      if (place < capacity) {
        begins[place] = begin;
        ++found.runs;
      } else {
        found.needs_full_sort = 1;
      }
    }
  }

 private:
  KOKKOS_FUNCTION bool is_first_descent(std::uint64_t begin, std::uint64_t k) const {
    for (std::uint64_t j = begin; j < k; ++j) {
      if (keys.keys[j] > keys.keys[j + 1]) return false;
    }
    return true;
  }
};

/// Sorts the keys of each listed run by insertion, with their indices. Stable.
template <class Index>
struct SortRuns {
  std::uint64_t const* begins;
  std::uint64_t* keys;
  Index* indices;
  std::uint64_t n;
  int first_bit;

  KOKKOS_FUNCTION void operator()(std::uint64_t number) const {
    std::uint64_t const begin = begins[number];
    std::uint64_t const end =
        KeysByUpperBits{keys, n, first_bit}.end_of(begin, FindUnsortedRuns::max_run_size);
    for (std::uint64_t k = begin + 1; k < end; ++k) insert(begin, k);
  }

 private:
  KOKKOS_FUNCTION void insert(std::uint64_t begin, std::uint64_t k) const {
    std::uint64_t const key = keys[k];
    Index const index = indices[k];
    std::uint64_t place = k;
    for (; place > begin && key < keys[place - 1]; --place) {
      keys[place] = keys[place - 1];
      indices[place] = indices[place - 1];
    }
    keys[place] = key;
    indices[place] = index;
  }
};

// --- by CUB's radix sort ---

/// The number of elements that a thread stores by one instruction: 16 bytes.
template <class Word>
inline constexpr int words_at_once = 16 / sizeof(Word);

/// n, rounded up to a multiple of words_at_once, so that the last store is not partial.
template <class Word>
constexpr std::uint64_t room_for_whole_stores(std::uint64_t n) {
  constexpr std::uint64_t at_once = words_at_once<Word>;
  return (n + at_once - 1) / at_once * at_once;
}

template <class T, int count>
struct alignas(sizeof(T) * count) StoredAtOnce {
  T x[count];
};

/// Writes the keys and indices of n elements, to arrays of room_for_whole_stores(n) elements. Is
/// also the functor of a reduction by bitwise or, whose result is the set of bits in which any key
/// differs from the first key.
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

/// Counts pairs of sampled keys that differ but have equal upper bits.
template <class Word>
struct CountEqualUpperBits {
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

  // Wider indices are only used for 2^32 keys or more, for which few GPUs have enough memory.
  static constexpr bool has_many_bits = Key::bits == 64 && sizeof(Index) <= 4;

  SortByKeys(Context<Exec> const& context, View const& view, Key const& key, Arrays const& arrays)
      : context_(context), view_(view), key_(key), arrays_(arrays) {}

  Arrays const& arrays() const { return arrays_; }

  void by_all_bits() {
    make_keys();
    sort(0, Key::bits);
  }

  /// Sorts by few bits if that is enough, otherwise by all varying bits. Fences.
  void by_few_bits() {
    if constexpr (has_many_bits) {
      Word const varying = make_keys_and_compare();
      if (varying == 0) return;
      int const lowest = std::countr_zero(varying);
      int const end = std::bit_width(varying);
      int const first = end - sorted_bits();
      // The sample shows whether too many keys have equal upper bits. For example, if each of n
      // keys has the same upper bits as 16 others, the sample contains 2^25 / n such pairs on
      // average.
      bool const are_few = lowest < first && count_equal_upper_bits_in_sample(first) == 0;
      if (are_few) {
        sort(first, end);
        if (sort_unsorted_runs(first)) return;
        make_keys();
      }
      sort(lowest, end);
    }
  }

 private:
  static constexpr int digit_bits = 8;
  std::uint64_t n() const { return view_.extent(0); }

  /// Returns the number of upper bits by which CUB sorts. Of 2^b random keys, about one in 4096 has
  /// the same upper b + 12 bits as another key.
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
    DeviceSort<Exec>::pairs(context_.exec(), arrays_.temp_storage, arrays_.temp_storage_bytes,
                            arrays_.keys, arrays_.indices, n(), first_bit, end_bit);
  }

  std::uint64_t count_equal_upper_bits_in_sample(int first_bit) const {
    using Count = CountEqualUpperBits<Word>;
    std::uint64_t count = 0;
    Kokkos::parallel_reduce(context_.label() + "::sample",
                            range(context_.exec(), 0, Count::size * Count::size),
                            Count{arrays_.keys.current, n() / Count::size, first_bit}, count);
    return count;
  }

  /// Sorts the runs that the sort by upper bits has left unsorted. Returns false if a full sort is
  /// needed.
  bool sort_unsorted_runs(int first_bit) const {
    // After CUB's sort, the content of its second array of keys is not needed any more.
    std::uint64_t* const count = arrays_.keys.spare;
    std::uint64_t* const begins = count + 1;
    using Count =
        Kokkos::View<std::uint64_t*, typename Exec::memory_space, Kokkos::MemoryUnmanaged>;
    context_.named("zero").for_each(1, FillZero<Count>{Count(count, 1)});
    KeysByUpperBits const keys{arrays_.keys.current, n(), first_bit};
    UnsortedRuns found;
    Kokkos::parallel_reduce(
        context_.label() + "::unsorted_runs", range(context_.exec(), 0, n() - 1),
        FindUnsortedRuns{keys, count, begins, n() - 1}, Kokkos::Sum<UnsortedRuns>(found));
    if (found.needs_full_sort != 0) return false;
    context_.named("sort_runs")
        .for_each(found.runs, SortRuns<Index>{begins, arrays_.keys.current, arrays_.indices.current,
                                              n(), first_bit});
    return true;
  }

  Context<Exec> context_;
  View view_;
  Key key_;
  Arrays arrays_;
};

// --- choice of the algorithm ---

/// The bytes of temporary memory that DeviceSort takes to sort n pairs.
template <class Exec, class Word, class Value>
std::size_t pairs_bytes(Exec const& exec, std::uint64_t n, int bits) {
  backend::ArrayPair<Word> keys{};
  backend::ArrayPair<Value> values{};
  std::size_t bytes = 0;
  DeviceSort<Exec>::pairs(exec, nullptr, bytes, keys, values, n, 0, bits);
  return bytes;
}

/// Allocates the memory for a sort of n keys. If `Number` is not void, each array of keys can also
/// hold n values of that type, and CUB's temporary memory is enough to sort these values by index
/// (move_to_places).
template <class Word, class Index, class Number, class Exec>
DeviceArrays<Word, Index> take_device_arrays(Context<Exec> const& context, Scope<Exec>& scope,
                                             std::uint64_t n, int bits) {
  std::uint64_t const room = room_for_whole_stores<Word>(n);
  std::size_t of_keys = room * sizeof(Word);
  std::size_t of_temp_storage = pairs_bytes<Exec, Word, Index>(context.exec(), n, bits);
  if constexpr (!std::is_void_v<Number>) {
    of_keys = std::max(of_keys, room * sizeof(Number));
    of_temp_storage = std::max(
        of_temp_storage, pairs_bytes<Exec, Index, Number>(context.exec(), n, 8 * sizeof(Index)));
  }
  return scope.arrays([&](ArrayMemory& memory) {
    DeviceArrays<Word, Index> arrays{};
    arrays.keys.current = reinterpret_cast<Word*>(memory.take_bytes(of_keys));
    arrays.keys.spare = reinterpret_cast<Word*>(memory.take_bytes(of_keys));
    arrays.indices.current = memory.take<Index>(room);
    arrays.indices.spare = memory.take<Index>(room);
    arrays.temp_storage = memory.take_bytes(of_temp_storage);
    arrays.temp_storage_bytes = of_temp_storage;
    return arrays;
  });
}

/// Sorts n > 0 keys, and their indices with them. If `are_many`, n is known to be more than
/// max_by_ranks.
template <bool are_many, class Exec, class View, class Key, class Index>
SortedInMemory<Key, Index> sort_on_device(Context<Exec> const& context, View const& view,
                                          Key const& key,
                                          DeviceArrays<typename Key::Word, Index> arrays) {
  using T = typename View::non_const_value_type;
  // Wider indices are only used for more elements than these algorithms sort.
  if constexpr (sizeof(Index) <= 4) {
    SortedInMemory<Key, Index> const sorted{{key, arrays.keys.current, arrays.indices.current},
                                            arrays};
    if constexpr (!are_many) {
      if (view.extent(0) <= max_by_ranks) {
        by_ranks::sort_keys(context, view, key, arrays.keys.current, arrays.indices.current);
        return sorted;
      }
    }
    if constexpr (max_pairs_one_level<T> != 0) {
      if (view.extent(0) <= max_pairs_one_level<T>) {
        samplesort::one_level::sort_keys(context, view, key, arrays.keys.current,
                                         arrays.indices.current);
        return sorted;
      }
    }
  }
  SortByKeys<Exec, View, Key, Index> sort(context, view, key, arrays);
  if (SortByKeys<Exec, View, Key, Index>::has_many_bits && view.extent(0) >= min_by_few_bits) {
    sort.by_few_bits();
  } else {
    sort.by_all_bits();
  }
  arrays = sort.arrays();
  return {{key, arrays.keys.current, arrays.indices.current}, arrays};
}

}  // namespace riffle::detail::sort
