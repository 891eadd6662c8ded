#pragma once

// Sorts on a GPU: CUB's of keys that a kernel makes of the values, or merges where the values have no such keys.

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <riffle/context.hpp>
#include <riffle/detail/sort/by_keys.hpp>
#include <riffle/detail/sort/by_merges_on_device.hpp>
#include <riffle/detail/sort/sorted.hpp>
#include <riffle/detail/sort/view_as_array.hpp>
#include <riffle/lanes/vendor_sort.hpp>

namespace riffle::detail::sort {

template <class Index>
struct MakeIndices {
  Index* indices;

  KOKKOS_FUNCTION void operator()(std::uint64_t i) const { indices[i] = static_cast<Index>(i); }
};

/// What VendorSort takes to sort n pairs.
template <class Exec, class Word, class Value>
std::size_t pairs_bytes(Exec const& exec, std::uint64_t n, int bits) {
  lanes::ArrayPair<Word> keys{};
  lanes::ArrayPair<Value> values{};
  std::size_t bytes = 0;
  lanes::VendorSort<Exec>::pairs(exec, nullptr, bytes, keys, values, n, 0, bits);
  return bytes;
}

/// Bytes of an array of keys, in the place of which there may be n numbers of `Number` later.
template <class Word, class Number>
std::size_t key_array_bytes(std::uint64_t n) {
  return aligned(n * std::max(sizeof(Word), sizeof(Number)));
}

template <class Exec, class Word, class Index, class Number>
std::size_t device_sort_bytes(Exec const& exec, std::uint64_t n, int bits) {
  std::size_t const rest = std::max(pairs_bytes<Exec, Word, Index>(exec, n, bits),
                                    pairs_bytes<Exec, Index, Number>(exec, n, 8 * sizeof(Index)));
  return 2 * key_array_bytes<Word, Number>(n) + 2 * aligned(n * sizeof(Index)) + rest;
}

/// In `bytes` of memory, as many as device_sort_bytes says.
template <class Word, class Index, class Number>
DeviceArrays<Word, Index> device_arrays(std::uint64_t n, void* memory, std::size_t bytes) {
  auto* const begin = static_cast<std::byte*>(memory);
  std::size_t used = 0;
  auto const take = [&](std::size_t size) { return begin + std::exchange(used, used + size); };
  std::size_t const of_keys = key_array_bytes<Word, Number>(n);
  std::size_t const of_indices = aligned(n * sizeof(Index));
  DeviceArrays<Word, Index> arrays{};
  arrays.keys.current = reinterpret_cast<Word*>(take(of_keys));
  arrays.keys.spare = reinterpret_cast<Word*>(take(of_keys));
  arrays.indices.current = reinterpret_cast<Index*>(take(of_indices));
  arrays.indices.spare = reinterpret_cast<Index*>(take(of_indices));
  arrays.rest = begin + used;
  arrays.rest_bytes = bytes - used;
  return arrays;
}

template <class Exec, class View, class Key, class Index>
SortedInMemory<Key, Index> sort_on_device(Context<Exec> const& context, View const& view,
                                          Key const& key,
                                          DeviceArrays<typename Key::Word, Index> arrays) {
  SortByKeys<Exec, View, Key, Index> sort(context, view, key, arrays);
  if (SortByKeys<Exec, View, Key, Index>::has_many_bits && view.extent(0) >= few_bits_from) {
    sort.by_few_bits();
  } else {
    sort.by_all_bits();
  }
  arrays = sort.arrays();
  return {{key, arrays.keys.current, arrays.indices.current}, arrays};
}

// --- back to where the elements were ---

/// From how many elements on their places are further apart than a GPU's cache has room for.
inline constexpr std::uint64_t windows_from = std::uint64_t{1} << 22;
/// Of consecutive places that are written together.
inline constexpr int window_bits = 20;

template <class Sorted, class View>
struct WriteToPlaces {
  using Number = typename View::non_const_value_type;

  Sorted sorted;
  Number const* numbers;
  View view;

  KOKKOS_FUNCTION void operator()(std::uint64_t k) const { view(sorted.index(k)) = numbers[k]; }
};

/// The numbers that are to go to where the sorted elements were, to be written before move_to_places.
template <class Number, class Sorted>
Number* numbers_of_sorted(Sorted const& sorted) {
  return reinterpret_cast<Number*>(sorted.memory.keys.spare);
}

/// view(sorted.index(k)) = numbers_of_sorted(k). Writing to places at random takes a sector of memory for each
/// number; they are brought together by window first. What was sorted is lost.
template <class Exec, class Sorted, class View>
void move_to_places(Context<Exec> const& context, Sorted sorted, View const& view) {
  using Number = typename View::non_const_value_type;
  std::uint64_t const n = view.extent(0);
  auto& memory = sorted.memory;
  lanes::ArrayPair<Number> numbers{reinterpret_cast<Number*>(memory.keys.spare),
                                   reinterpret_cast<Number*>(memory.keys.current)};
  lanes::VendorSort<Exec>::pairs(context.exec(), memory.rest, memory.rest_bytes, memory.indices,
                                 numbers, n, window_bits, std::bit_width(n - 1));
  sorted.indices = memory.indices.current;
  context.named("places").for_each(n, WriteToPlaces<Sorted, View>{sorted, numbers.current, view});
}

// --- by a comparison ---

template <class Index>
std::size_t device_merge_bytes(std::uint64_t n) {
  return 2 * aligned(n * sizeof(Index)) + tiles_of_merges<Index>(n) * sizeof(TwoRuns);
}

template <class Index, class Exec, class Before>
Index const* sort_indices_on_device(Context<Exec> const& context, std::uint64_t n,
                                    Before const& before, void* memory) {
  std::size_t const of_indices = aligned(n * sizeof(Index));
  auto* const indices = static_cast<Index*>(memory);
  auto* const spare = static_cast<std::byte*>(memory) + of_indices;
  context.named("indices").for_each(n, MakeIndices<Index>{indices});
  return sort_by_merges_on_device(context, n, indices, reinterpret_cast<Index*>(spare),
                                  reinterpret_cast<TwoRuns*>(spare + of_indices), before);
}

}  // namespace riffle::detail::sort
