#pragma once

// What a sort by digits reads, and to whom it hands what it has sorted. Both are known by the addresses of functions
// that each work on many items, so that the sort depends on the type of the items alone: one instance does for Views
// of all types, layouts and orders whose items are alike.

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/sort/detail/cpu/bucket_table.hpp>
#include <riffle/sort/detail/sorted.hpp>

namespace riffle::detail::sort {

/// A View without a count of its copies: loops that have a copy of their own keep its address in a register.
template <class View>
using Uncounted = Kokkos::View<typename View::data_type, typename View::array_layout,
                               typename View::device_type, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

/// The elements that are sorted, as items. A Source has, for element i, the item source(i) and its key source.word(i);
/// it outlives what is made of it. Count counts elements.
template <class Item, class Count>
class ItemSource {
 public:
  using Word = typename Item::Word;

  template <class Source>
  explicit ItemSource(Source const& source) : source_(&source), functions_(&functions<Source>) {}

  Word word(std::uint64_t i) const { return functions_->word(source_, i); }
  /// Whether elements first, ..., end - 1 do not ascend, or the first one is less than the one before it.
  bool descends(std::uint64_t first, std::uint64_t end) const {
    return functions_->descends(source_, first, end);
  }
  /// to[i] = the item of element i, for i < n.
  void copy(std::uint64_t n, Item* to) const { functions_->copy(source_, n, to); }
  /// Adds to counts[b] how many of the elements first, ..., end - 1 belong in bucket b.
  void count(std::uint64_t first, std::uint64_t end, BucketOf<Word> const& bucket_of,
             Count* counts) const {
    functions_->count(source_, first, end, bucket_of, counts);
  }
  /// Writes each of these elements to to[places[b]], with b its bucket, and adds one to places[b].
  void split(std::uint64_t first, std::uint64_t end, BucketOf<Word> const& bucket_of, Count* places,
             Item* to) const {
    functions_->split(source_, first, end, bucket_of, places, to);
  }

 private:
  struct Functions {
    Word (*word)(void const*, std::uint64_t);
    bool (*descends)(void const*, std::uint64_t, std::uint64_t);
    void (*copy)(void const*, std::uint64_t, Item*);
    void (*count)(void const*, std::uint64_t, std::uint64_t, BucketOf<Word>, Count*);
    void (*split)(void const*, std::uint64_t, std::uint64_t, BucketOf<Word>, Count*, Item*);
  };

  /// The functions of a type of sources. Loops have copies of their own, which nothing that they write can change.
  template <class Source>
  struct Of {
    static Source const& get(void const* source) { return *static_cast<Source const*>(source); }

    static Word word(void const* from, std::uint64_t i) { return get(from).word(i); }
    static bool descends(void const* from, std::uint64_t first, std::uint64_t end) {
      Source const source = get(from);
      Word before = source.word(first == 0 ? 0 : first - 1);
      for (std::uint64_t i = first; i < end; ++i) {
        Word const word = source.word(i);
        if (word < before) return true;
        before = word;
      }
      return false;
    }
    static void copy(void const* from, std::uint64_t n, Item* to) {
      Source const source = get(from);
      for (std::uint64_t i = 0; i < n; ++i) to[i] = source(i);
    }
    static void count(void const* from, std::uint64_t first, std::uint64_t end,
                      BucketOf<Word> bucket_of, Count* counts) {
      Source const source = get(from);
      for (std::uint64_t i = first; i < end; ++i) ++counts[bucket_of(source.word(i))];
    }
    static void split(void const* from, std::uint64_t first, std::uint64_t end,
                      BucketOf<Word> bucket_of, Count* places, Item* to) {
      Source const source = get(from);
      for (std::uint64_t i = first; i < end; ++i) {
        std::uint32_t const bucket = bucket_of(source.word(i));
        to[places[bucket]++] = source(i);
      }
    }
  };

  template <class Source>
  static constexpr Functions functions{&Of<Source>::word, &Of<Source>::descends, &Of<Source>::copy,
                                       &Of<Source>::count, &Of<Source>::split};

  void const* source_;
  Functions const* functions_;
};

/// The consumer of sorted items. For each bucket a thread calls bucket(first, items, count, free), with the items of the
/// places from `first` on, which tie with no other elements; `free` is memory for as many items. For very many tied
/// elements several threads call tied(first, items, count, start, end), each with some of the items of the places
/// start, ..., end - 1. A Use has both as member functions; it outlives what is made of it.
template <class Item>
class BucketUse {
 public:
  template <class Use>
  explicit BucketUse(Use const& use)
      : use_(&use), bucket_(&call_bucket<Use>), tied_(&call_tied<Use>) {}

  void bucket(std::uint64_t first, Item const* items, std::uint64_t count, Item* free) const {
    bucket_(use_, first, items, count, free);
  }
  void tied(std::uint64_t first, Item const* items, std::uint64_t count, std::uint64_t start,
            std::uint64_t end) const {
    tied_(use_, first, items, count, start, end);
  }

 private:
  template <class Use>
  static void call_bucket(void const* use, std::uint64_t first, Item const* items,
                          std::uint64_t count, Item* free) {
    static_cast<Use const*>(use)->bucket(first, items, count, free);
  }
  template <class Use>
  static void call_tied(void const* use, std::uint64_t first, Item const* items,
                        std::uint64_t count, std::uint64_t start, std::uint64_t end) {
    static_cast<Use const*>(use)->tied(first, items, count, start, end);
  }

  void const* use_;
  void (*bucket_)(void const*, std::uint64_t, Item const*, std::uint64_t, Item*);
  void (*tied_)(void const*, std::uint64_t, Item const*, std::uint64_t, std::uint64_t,
                std::uint64_t);
};

// --- Sources ---

/// The keys of a View's elements, with their indices.
template <class View, class Key, class Index>
struct EntriesOfView {
  using Word = typename Key::Word;

  Uncounted<View> view;
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
