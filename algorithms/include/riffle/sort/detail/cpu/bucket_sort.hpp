#pragma once

// Sorts the items of a bucket by their keys, with one thread of a CPU. A pass distributes the items
// to slots, by a digit of the keys that begins at the highest bit in which keys differ. Most slots
// then contain a few items. A slot that contains many items is distributed again, by a lower digit.
// Finally one insertion sort of the whole bucket sorts the items within each slot. Since bits that
// are equal in all keys are not part of a digit, a bucket of equal keys takes only one pass over
// the items, and keys that differ in few bits take only few digits. An item is any type with a
// function key() that returns a Word.

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <riffle/sort/tuning.hpp>

namespace riffle::detail::sort {

/// Bits shift, ..., shift + bits - 1 of a key.
template <class Word>
struct Digit {
  int shift;
  int bits;

  std::size_t values() const { return std::size_t{1} << bits; }
  std::size_t operator()(Word key) const {
    return static_cast<std::size_t>(key >> shift) & (values() - 1);
  }
};

/// Returns the digit whose highest bit is the highest set bit of `varying`. The digit has at most
/// `bits` bits. Requires: varying != 0.
template <class Word>
Digit<Word> highest_digit(Word varying, int bits) {
  int const top = std::bit_width(varying);
  int const taken = std::min(bits, top);
  return {top - taken, taken};
}

/// Sorts at most 2^31 items. Host only.
template <class Item>
class BucketSort {
  using Word = typename Item::Word;

  static constexpr int max_bits = max_digit_bits;
  static constexpr int bits_of_two_digits = max_bits + 3;
  static constexpr int max_digits = (8 * sizeof(Word) + max_bits - 1) / max_bits;

 public:
  /// The number of counters that a sort needs. When a slot is distributed again, its counters
  /// follow the counters of the digits above.
  static constexpr std::size_t max_counts = std::size_t{max_digits} << max_bits;

  explicit BucketSort(std::uint32_t* counts) : counts_(counts) {}

  /// Sorts `count` items. Returns the sorted array: `items`, or `other`, which does not overlap it.
  /// Both are overwritten.
  Item* sort(Item* items, Item* other, std::size_t count) const {
    if (count == 0) return items;
    // If counts fit in 16 bits, 16-bit counters are used, so that more of the first-level cache is
    // left for items.
    if (count < std::size_t{1} << 16) {
      return sort(items, other, count, reinterpret_cast<std::uint16_t*>(counts_));
    }
    return sort(items, other, count, counts_);
  }

 private:
  template <class Count>
  Item* sort(Item* items, Item* other, std::size_t count, Count* counts) const {
    if (count <= max_insertion_sorted) {
      insert_each(items, count);
      return items;
    }
    Word const varying = varying_bits(items, count);
    if (varying == 0) return items;
    auto const digit = highest_digit(varying, bits_for(count));
    std::uint32_t const most = split(items, other, count, digit, counts);
    if (most > max_insertion_sorted) sort_large_slots(other, items, digit.values(), counts);
    insert_each(other, count);
    return other;
  }

  /// The number of bits of the next digit. The digit has somewhat more values than there are items.
  static int bits_for(std::size_t count) {
    int const wanted = std::bit_width(count);
    return wanted < bits_of_two_digits ? std::min(wanted, max_bits) : max_bits - 3;
  }

  /// Moves items to slots in `to`, and sets ends[d] to the end of slot d. Returns the number of
  /// items in the largest slot.
  template <class Count>
  static std::uint32_t split(Item const* from, Item* to, std::size_t count,
                             Digit<Word> const& digit, Count* ends) {
    std::fill_n(ends, digit.values(), Count{0});
    for (std::size_t k = 0; k < count; ++k) ++ends[digit(from[k].key())];
    Count before = 0;
    Count most = 0;
    for (std::size_t d = 0; d < digit.values(); ++d) {
      most = std::max(most, ends[d]);
      before = static_cast<Count>(before + std::exchange(ends[d], before));
    }
    for (std::size_t k = 0; k < count; ++k) to[ends[digit(from[k].key())]++] = from[k];
    return most;
  }

  /// Sorts each slot in `items` with more than max_insertion_sorted items, in place.
  template <class Count>
  void sort_large_slots(Item* items, Item* other, std::size_t slots, Count* ends) const {
    std::uint32_t begin = 0;
    for (std::size_t d = 0; d < slots; ++d) {
      std::uint32_t const count = ends[d] - begin;
      if (count > max_insertion_sorted) {
        Item* const sorted = sort(items + begin, other + begin, count, ends + slots);
        if (sorted != items + begin) std::copy_n(sorted, count, items + begin);
      }
      begin = ends[d];
    }
  }

  static Word varying_bits(Item const* items, std::size_t count) {
    Word varying = 0;
    Word const first = items[0].key();
    for (std::size_t k = 1; k < count; ++k) varying |= items[k].key() ^ first;
    return varying;
  }

  static void insert_each(Item* items, std::size_t count) {
    Word before = items[0].key();
    for (std::size_t k = 1; k < count; ++k) {
      Word const key = items[k].key();
      if (!(key < before)) {
        before = key;
        continue;
      }
      Item const item = items[k];
      std::size_t place = k;
      do {
        items[place] = items[place - 1];
        --place;
      } while (place > 0 && key < items[place - 1].key());
      items[place] = item;
    }
  }

  std::uint32_t* counts_;
};

}  // namespace riffle::detail::sort
