#pragma once

// Entries of one bucket in the order of their keys, by one thread of a CPU: by their highest digit that is not the
// same in all of them, into buckets of a few, and each of those again; a few are put in place one by one. What
// all keys have in common is found first, so that equal keys cost one look, and keys that differ in few bits few
// digits.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <riffle/detail/sort/sorted.hpp>

namespace riffle::detail::sort {

/// Some consecutive bits of a key, or none.
template <class Word>
struct Digit {
  int shift;
  int bits;

  std::size_t values() const { return std::size_t{1} << bits; }
  std::size_t operator()(Word key) const {
    return bits == 0 ? 0 : static_cast<std::size_t>(key >> shift) & (values() - 1);
  }
};

/// The digit of at most `bits` bits that begins with the highest of those that vary, at least one of which does.
template <class Word>
Digit<Word> highest_digit(Word varying, int bits) {
  int const top = std::bit_width(varying);
  int const taken = bits < top ? bits : top;
  return {top - taken, taken};
}

/// Of at most 2^31 entries. Host only.
template <class Word, class Index>
class BucketSort {
 public:
  using Item = Entry<Word, Index>;

  /// The entries at `from` in order to `to`, which may be the same or else shares none; both are written.
  void sort(Item* from, Item* to, Item* spare, std::size_t count) {
    counts_used_ = 0;
    sort_by_digits(from, to == from ? spare : to, count, to == from);
  }

 private:
  static constexpr std::size_t most_inserted = 16;
  static constexpr int most_bits = 11;
  // Of one digit after the other, none of which is taken twice.
  static constexpr std::size_t most_counts = (64 / most_bits + 1) << most_bits;

  /// To `other` unless they are to stay.
  void sort_by_digits(Item* items, Item* other, std::size_t count, bool stay) {
    if (count <= most_inserted) {
      insert_each(items, count);
      if (!stay) copy(items, other, count);
      return;
    }
    Word const varying = varying_bits(items, count);
    if (varying == 0) {
      if (!stay) copy(items, other, count);
      return;
    }
    // A few in each bucket, if all are as many.
    int const wanted = std::bit_width(count) - 2;
    int const digits = (wanted + most_bits - 1) / most_bits;
    auto const digit = highest_digit(varying, (wanted + digits - 1) / digits);
    std::uint32_t* const ends = counts_ + counts_used_;
    counts_used_ += digit.values();
    split(items, other, count, digit, ends);
    std::uint32_t begin = 0;
    for (std::size_t d = 0; d < digit.values(); ++d) {
      std::uint32_t const end = ends[d];
      if (begin != end) sort_by_digits(other + begin, items + begin, end - begin, !stay);
      begin = end;
    }
    counts_used_ -= digit.values();
  }

  /// To buckets in `to`, which end at ends[digit].
  static void split(Item const* from, Item* to, std::size_t count, Digit<Word> const& digit,
                    std::uint32_t* ends) {
    for (std::size_t d = 0; d < digit.values(); ++d) ends[d] = 0;
    for (std::size_t k = 0; k < count; ++k) ++ends[digit(from[k].key)];
    std::uint32_t before = 0;
    for (std::size_t d = 0; d < digit.values(); ++d) before += std::exchange(ends[d], before);
    for (std::size_t k = 0; k < count; ++k) to[ends[digit(from[k].key)]++] = from[k];
  }

  static Word varying_bits(Item const* items, std::size_t count) {
    Word varying = 0;
    Word const first = items[0].key;
    for (std::size_t k = 1; k < count; ++k) varying |= items[k].key ^ first;
    return varying;
  }

  static void insert_each(Item* items, std::size_t count) {
    for (std::size_t k = 1; k < count; ++k) {
      Item const item = items[k];
      std::size_t place = k;
      for (; place > 0 && item.key < items[place - 1].key; --place) items[place] = items[place - 1];
      items[place] = item;
    }
  }

  static void copy(Item const* from, Item* to, std::size_t count) {
    for (std::size_t k = 0; k < count; ++k) to[k] = from[k];
  }

  std::uint32_t counts_[most_counts];
  std::size_t counts_used_ = 0;
};

}  // namespace riffle::detail::sort
