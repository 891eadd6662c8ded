#pragma once

// Sorts keys with their indices on a GPU: by ranks or by parts, or by CUB's sort of keys that a kernel makes of the
// values.

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <riffle/backend/vendor_sort.hpp>
#include <riffle/context.hpp>
#include <riffle/primitives/scope.hpp>
#include <riffle/sort/detail/gpu/by_keys.hpp>
#include <riffle/sort/detail/gpu/by_parts/sort_by_parts.hpp>
#include <riffle/sort/detail/gpu/by_ranks/sort_by_ranks.hpp>
#include <riffle/sort/detail/sorted.hpp>
#include <riffle/sort/tuning.hpp>

namespace riffle::detail::sort {

/// The bytes that VendorSort takes to sort n pairs.
template <class Exec, class Word, class Value>
std::size_t pairs_bytes(Exec const& exec, std::uint64_t n, int bits) {
  backend::ArrayPair<Word> keys{};
  backend::ArrayPair<Value> values{};
  std::size_t bytes = 0;
  backend::VendorSort<Exec>::pairs(exec, nullptr, bytes, keys, values, n, 0, bits);
  return bytes;
}

/// Takes the arrays of a sort of n keys. The memory of the keys may later hold n numbers of type `Number`, which the
/// vendor's sort moves in it, unless that is void.
template <class Word, class Index, class Number, class Exec>
DeviceArrays<Word, Index> take_device_arrays(Context<Exec> const& context, Scope<Exec>& scope,
                                             std::uint64_t n, int bits) {
  std::uint64_t const room = room_for_whole_stores<Word>(n);
  std::size_t of_keys = room * sizeof(Word);
  std::size_t of_rest = pairs_bytes<Exec, Word, Index>(context.exec(), n, bits);
  if constexpr (!std::is_void_v<Number>) {
    of_keys = std::max(of_keys, room * sizeof(Number));
    of_rest =
        std::max(of_rest, pairs_bytes<Exec, Index, Number>(context.exec(), n, 8 * sizeof(Index)));
  }
  return scope.arrays([&](ArrayMemory& memory) {
    DeviceArrays<Word, Index> arrays{};
    arrays.keys.current = reinterpret_cast<Word*>(memory.take_bytes(of_keys));
    arrays.keys.spare = reinterpret_cast<Word*>(memory.take_bytes(of_keys));
    arrays.indices.current = memory.take<Index>(room);
    arrays.indices.spare = memory.take<Index>(room);
    arrays.rest = memory.take_bytes(of_rest);
    arrays.rest_bytes = of_rest;
    return arrays;
  });
}

/// Sorts n > 0 keys, and their indices with them. Where that is known to be so, they are too many to be sorted by ranks.
template <bool are_many, class Exec, class View, class Key, class Index>
SortedInMemory<Key, Index> sort_on_device(Context<Exec> const& context, View const& view,
                                          Key const& key,
                                          DeviceArrays<typename Key::Word, Index> arrays) {
  using T = typename View::non_const_value_type;
  // Wide indices are those of more elements than these sorts are for.
  if constexpr (sizeof(Index) <= 4) {
    SortedInMemory<Key, Index> const sorted{{key, arrays.keys.current, arrays.indices.current},
                                            arrays};
    if constexpr (!are_many) {
      if (view.extent(0) <= max_by_ranks) {
        by_ranks::sort_keys(context, view, key, arrays.keys.current, arrays.indices.current);
        return sorted;
      }
    }
    if constexpr (max_pairs_by_parts<T> != 0) {
      if (view.extent(0) <= max_pairs_by_parts<T>) {
        by_parts::sort_keys(context, view, key, arrays.keys.current, arrays.indices.current);
        return sorted;
      }
    }
  }
  SortByKeys<Exec, View, Key, Index> sort(context, view, key, arrays);
  if (SortByKeys<Exec, View, Key, Index>::has_many_bits && view.extent(0) >= few_bits_from) {
    sort.by_few_bits();
  } else {
    sort.by_all_bits();
  }
  arrays = sort.arrays();
  return {{key, arrays.keys.current, arrays.indices.current}, arrays};
}

}  // namespace riffle::detail::sort
