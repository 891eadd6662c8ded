#pragma once

// What is sorted by digits: elements of a View, or items that are stored; and chunks of them (part of
// riffle/detail/sort/by_digits.hpp)

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>

#include <riffle/detail/sort/sorted.hpp>

namespace riffle::detail::sort {

/// What is sorted first: keys of a View's elements.
template <class View, class Key, class Index>
struct EntriesOfView {
  using Word = typename Key::Word;

  View view;
  Key key;

  Word word(std::uint64_t i) const { return key(view(i)); }
  Entry<Word, Index> operator()(std::uint64_t i) const { return {word(i), static_cast<Index>(i)}; }
};

template <class Item>
struct StoredItems {
  using Word = typename Item::Word;

  Item const* items;

  Word word(std::uint64_t i) const { return items[i].key(); }
  Item operator()(std::uint64_t i) const { return items[i]; }
};

/// Consecutive chunks of n elements, as even as may be.
struct Chunks {
  std::uint64_t n;
  std::uint64_t count;

  std::uint64_t begin(std::uint64_t chunk) const {
    return chunk * (n / count) + std::min(chunk, n % count);
  }
};

}  // namespace riffle::detail::sort
