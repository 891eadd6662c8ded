#pragma once

// Sorts of a GPU: its maker's, of keys that a kernel makes of the values.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

#include <riffle/detail/range.hpp>
#include <riffle/detail/sort/sorted.hpp>
#include <riffle/detail/vendor_sort.hpp>

namespace riffle::detail::sort {

template <class View, class Key, class Index>
struct MakeKeys {
  View view;
  Key key;
  typename Key::Word* keys;
  Index* indices;

  KOKKOS_FUNCTION void operator()(std::uint64_t i) const {
    keys[i] = key(view(i));
    indices[i] = static_cast<Index>(i);
  }
};

template <class Index>
struct MakeIndices {
  Index* indices;

  KOKKOS_FUNCTION void operator()(std::uint64_t i) const { indices[i] = static_cast<Index>(i); }
};

/// Rounded up, so that what lies behind is aligned.
constexpr std::size_t aligned(std::size_t bytes) { return (bytes + 255) / 256 * 256; }

template <class Exec, class Word, class Index>
std::size_t device_sort_bytes(Exec const& exec, std::uint64_t n, int bits) {
  lanes::ArrayPair<Word> keys{};
  lanes::ArrayPair<Index> indices{};
  std::size_t bytes = 0;
  lanes::VendorSort<Exec>::pairs(exec, nullptr, bytes, keys, indices, n, bits);
  return 2 * aligned(n * sizeof(Word)) + 2 * aligned(n * sizeof(Index)) + bytes;
}

template <class Index, class Exec, class View, class Key>
SortedKeys<Key, Index> sort_on_device(std::string const& label, Exec const& exec, View const& view,
                                      Key const& key, void* memory, std::size_t bytes) {
  using Word = typename Key::Word;
  std::uint64_t const n = view.extent(0);
  auto* next = static_cast<std::byte*>(memory);
  auto* const end = next + bytes;
  auto const take = [&]<class T>(T*& array) {
    array = reinterpret_cast<T*>(next);
    next += aligned(n * sizeof(T));
  };
  lanes::ArrayPair<Word> keys{};
  lanes::ArrayPair<Index> indices{};
  take(keys.current);
  take(keys.spare);
  take(indices.current);
  take(indices.spare);
  Kokkos::parallel_for(label + "::keys", range(exec, 0, n),
                       MakeKeys<View, Key, Index>{view, key, keys.current, indices.current});
  auto rest = static_cast<std::size_t>(end - next);
  lanes::VendorSort<Exec>::pairs(exec, next, rest, keys, indices, n, Key::bits);
  return {key, keys.current, indices.current};
}

template <class Exec, class Index, class Before>
std::size_t device_merge_bytes(Exec const& exec, std::uint64_t n, Before const& before) {
  std::size_t bytes = 0;
  lanes::VendorSort<Exec>::by_comparison(exec, nullptr, bytes, static_cast<Index*>(nullptr), n,
                                         before);
  return aligned(n * sizeof(Index)) + bytes;
}

template <class Index, class Exec, class Before>
Index const* sort_indices_on_device(std::string const& label, Exec const& exec, std::uint64_t n,
                                    Before const& before, void* memory, std::size_t bytes) {
  auto* const indices = static_cast<Index*>(memory);
  std::size_t const used = aligned(n * sizeof(Index));
  std::size_t rest = bytes - used;
  Kokkos::parallel_for(label + "::indices", range(exec, 0, n), MakeIndices<Index>{indices});
  lanes::VendorSort<Exec>::by_comparison(exec, static_cast<std::byte*>(memory) + used, rest,
                                         indices, n, before);
  return indices;
}

}  // namespace riffle::detail::sort
