#pragma once

// Data in order, as sorts leave them: of each place, the element and where it was. Rankings read them as they
// read sorted Views, and write to where the elements were.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include <riffle/detail/scan/access.hpp>
#include <riffle/kernel/tile_tree.hpp>
#include <riffle/lanes/vendor_sort.hpp>

namespace riffle::detail::sort {

/// A key, and where its value was. On a CPU, in no more bytes than they have.
template <class Word_, class Index>
class Entry {
 public:
  using Word = Word_;

  Entry() = default;
  Entry(Word key, Index index) : index_(index) { std::memcpy(parts_, &key, sizeof key); }

  Word key() const {
    Word key;
    std::memcpy(&key, parts_, sizeof key);
    return key;
  }
  Index index() const { return index_; }

 private:
  // A wide key before a narrow index would be followed by padding.
  using Part = std::conditional_t<(sizeof(Word) > sizeof(Index)), Index, Word>;

  Part parts_[sizeof(Word) / sizeof(Part)];
  Index index_;
};

/// What a GPU sorts in: arrays of keys and indices, and temporary memory.
template <class Word, class Index>
struct DeviceArrays {
  lanes::ArrayPair<Word> keys;
  lanes::ArrayPair<Index> indices;
  void* rest;
  std::size_t rest_bytes;
};

/// Keys in order, and beside them where their values were.
template <class Key, class Index>
struct SortedKeys {
  using Item = typename Key::Word;
  static constexpr bool is_cheap = true;
  static constexpr bool has_addresses = true;

  KOKKOS_FUNCTION bool has_quads() const { return true; }
  KOKKOS_FUNCTION bool is_contiguous() const { return true; }
  KOKKOS_FUNCTION Item operator()(std::uint64_t i) const { return keys[i]; }
  KOKKOS_FUNCTION std::uint64_t index(std::uint64_t i) const { return indices[i]; }
  KOKKOS_FUNCTION bool is_missing(std::uint64_t i) const { return key.is_missing(keys[i]); }
  KOKKOS_FUNCTION Item const* address(std::uint64_t i) const { return keys + i; }

  KOKKOS_FUNCTION void read_quad(std::uint64_t i, Item (&x)[quad_size]) const {
    using Elements = typename scan::Quad<Item>::Elements;
    Elements const quad = *reinterpret_cast<Elements const*>(keys + i);
    for (int e = 0; e < quad_size; ++e) x[e] = quad.x[e];
  }

  Key key;
  Item const* keys;
  Index const* indices;
};

/// Those of a GPU, with the memory that they lie in.
template <class Key, class Index>
struct SortedInMemory : SortedKeys<Key, Index> {
  DeviceArrays<typename Key::Word, Index> memory;
};

/// Where the elements of a View are, in their order.
template <class View, class Index>
struct SortedIndices {
  using Item = typename View::non_const_value_type;
  static constexpr bool is_cheap = true;
  static constexpr bool has_addresses = false;

  KOKKOS_FUNCTION bool has_quads() const { return true; }
  KOKKOS_FUNCTION Item operator()(std::uint64_t i) const { return view(indices[i]); }
  KOKKOS_FUNCTION std::uint64_t index(std::uint64_t i) const { return indices[i]; }

  KOKKOS_FUNCTION void read_quad(std::uint64_t i, Item (&x)[quad_size]) const {
    for (int e = 0; e < quad_size; ++e) x[e] = (*this)(i + static_cast<std::uint64_t>(e));
  }

  View view;
  Index const* indices;
};

/// Where the ranks of sorted elements go: to where these were.
template <class Sorted, class View>
struct UnsortedSink {
  using Element = typename View::value_type;
  static constexpr bool takes_items = false;
  static constexpr bool has_addresses = false;

  KOKKOS_FUNCTION bool has_quads() const { return true; }

  template <class Value>
  KOKKOS_FUNCTION void operator()(std::uint64_t i, Value const& value) const {
    view(sorted.index(i)) = static_cast<Element>(value);
  }

  KOKKOS_FUNCTION Element read(std::uint64_t i) const { return view(sorted.index(i)); }

  template <class Value>
  KOKKOS_FUNCTION void write_quad(std::uint64_t i, Value const (&values)[quad_size]) const {
    for (int e = 0; e < quad_size; ++e) (*this)(i + static_cast<std::uint64_t>(e), values[e]);
  }

  Sorted sorted;
  View view;
};

}  // namespace riffle::detail::sort
