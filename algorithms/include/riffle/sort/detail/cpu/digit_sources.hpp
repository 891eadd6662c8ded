#pragma once

// What is sorted by digits: elements of a View, or items that are stored.

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/sort/detail/sorted.hpp>

namespace riffle::detail::sort {

/// What is sorted first: the keys of a View's elements, with their indices.
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

}  // namespace riffle::detail::sort
