#pragma once

// Sorted data: for each place, the element and where it was. Rankings read them as they read sorted Views, and write to
// where the elements were.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include <riffle/backend/vendor_sort.hpp>
#include <riffle/primitives/quads.hpp>
#include <riffle/primitives/source_sink.hpp>
#include <riffle/primitives/tile_tree.hpp>

namespace riffle::detail::sort {

/// A key, and where its value was, in no more bytes than the two have. For a CPU.
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
  backend::ArrayPair<Word> keys;
  backend::ArrayPair<Index> indices;
  void* rest;
  std::size_t rest_bytes;
};

/// Keys in order, and beside them where their values were.
template <class Key, class Index>
struct SortedKeys {
  using Item = typename Key::Word;

  KOKKOS_FUNCTION bool has_quads() const { return true; }
  KOKKOS_FUNCTION bool is_contiguous() const { return true; }
  KOKKOS_FUNCTION Item operator()(std::uint64_t i) const { return keys[i]; }
  KOKKOS_FUNCTION std::uint64_t index(std::uint64_t i) const { return indices[i]; }
  KOKKOS_FUNCTION bool is_missing(std::uint64_t i) const { return key.is_missing(keys[i]); }
  KOKKOS_FUNCTION Item const* address(std::uint64_t i) const { return keys + i; }

  KOKKOS_FUNCTION void read_quad(std::uint64_t i, Item (&x)[quad_size]) const {
    load_quad<Item>(keys + i, x);
  }

  Key key;
  Item const* keys;
  Index const* indices;
};

/// The sorted keys of a GPU, with the memory that they lie in.
template <class Key, class Index>
struct SortedInMemory : SortedKeys<Key, Index> {
  DeviceArrays<typename Key::Word, Index> memory;
};

/// The indices of a View's elements, in the order of the elements.
template <class View, class Index>
struct SortedIndices {
  using Item = typename View::non_const_value_type;

  KOKKOS_FUNCTION bool has_quads() const { return true; }
  KOKKOS_FUNCTION Item operator()(std::uint64_t i) const { return view(indices[i]); }
  KOKKOS_FUNCTION std::uint64_t index(std::uint64_t i) const { return indices[i]; }

  KOKKOS_FUNCTION void read_quad(std::uint64_t i, Item (&x)[quad_size]) const {
    read_each(*this, i, x);
  }

  View view;
  Index const* indices;
};

/// Writes the ranks of sorted elements to where the elements were.
template <class Sorted, class View>
struct UnsortedSink {
  using Element = typename View::value_type;

  KOKKOS_FUNCTION bool has_quads() const { return true; }

  template <class Value>
  KOKKOS_FUNCTION void operator()(std::uint64_t i, Value const& value) const {
    view(sorted.index(i)) = static_cast<Element>(value);
  }

  KOKKOS_FUNCTION Element read(std::uint64_t i) const { return view(sorted.index(i)); }

  template <class Value>
  KOKKOS_FUNCTION void write_quad(std::uint64_t i, Value const (&values)[quad_size]) const {
    write_each(*this, i, values);
  }

  Sorted sorted;
  View view;
};

}  // namespace riffle::detail::sort
