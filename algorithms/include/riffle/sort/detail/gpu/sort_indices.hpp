#pragma once

// Sorts on a GPU: CUB's sort of keys that a kernel makes of the values, or merges where the values have no such keys.

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <riffle/context.hpp>
#include <riffle/lanes/vendor_sort.hpp>
#include <riffle/sort/detail/gpu/by_keys.hpp>
#include <riffle/sort/detail/gpu/by_merges.hpp>
#include <riffle/sort/detail/sorted.hpp>
#include <riffle/sort/detail/view_as_array.hpp>

namespace riffle::detail::sort {

template <class Index>
struct MakeIndices {
  Index* indices;

  KOKKOS_FUNCTION void operator()(std::uint64_t i) const { indices[i] = static_cast<Index>(i); }
};

/// The bytes that VendorSort takes to sort n pairs.
template <class Exec, class Word, class Value>
std::size_t pairs_bytes(Exec const& exec, std::uint64_t n, int bits) {
  lanes::ArrayPair<Word> keys{};
  lanes::ArrayPair<Value> values{};
  std::size_t bytes = 0;
  lanes::VendorSort<Exec>::pairs(exec, nullptr, bytes, keys, values, n, 0, bits);
  return bytes;
}

/// The bytes of an array of keys whose memory may later hold n numbers of type `Number`.
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

/// The arrays in `bytes` of memory, as many as device_sort_bytes says.
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
