#pragma once

// What is sorted by splitters: numbers, or numbers with their indices.
//
// A kind has Elements, which passes move, and Words, which they compare; and Entries of team_sort that are as good as
// elements.

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <type_traits>

#include <riffle/kernel/radix_key.hpp>
#include <riffle/order.hpp>
#include <riffle/sort/block/entries.hpp>

namespace riffle::detail::sort::by_splitters {

/// Values in the data that a sort by bits would not leave in the order in which they are.
enum Oddity : std::uint32_t { has_nan = 1, has_negative_zero = 2, has_zero = 4 };

/// The oddities of one value.
template <class T>
KOKKOS_FUNCTION std::uint32_t oddity_of(T const& value) {
  if constexpr (std::is_floating_point_v<T>) {
    using Word = RadixWord<T>;
    auto const bits = Kokkos::bit_cast<Word>(value);
    constexpr Word sign = Word{1} << (8 * sizeof(Word) - 1);
    if (is_missing(value)) return has_nan;
    if (bits == sign) return has_negative_zero;
    return bits == 0 ? std::uint32_t{has_zero} : 0;
  } else {
    return 0;
  }
}

/// Numbers alone.
template <class T, class Order>
struct Numbers {
  using Element = T;
  using Word = RadixWord<T>;
  using Entries = team_sort::NumberEntries<T, Order>;

  KOKKOS_FUNCTION static Word word(Element const& element) { return Entries::entry(element, 0); }
  KOKKOS_FUNCTION static Element element(Word word) { return Entries::key(word); }
  KOKKOS_FUNCTION static std::uint32_t oddity(Element const& element) { return oddity_of(element); }
};

/// A number's code, where the number was, and what moves along with it. No two are alike.
struct alignas(16) IndexedCode {
  std::uint64_t code;
  std::uint32_t index;
  std::uint32_t companion;

  KOKKOS_FUNCTION friend bool operator<(IndexedCode const& a, IndexedCode const& b) {
    // There are no branches.
    return static_cast<bool>(
        static_cast<int>(a.code < b.code) |
        (static_cast<int>(a.code == b.code) & static_cast<int>(a.index < b.index)));
  }
  KOKKOS_FUNCTION friend bool operator==(IndexedCode const& a, IndexedCode const& b) {
    return a.code == b.code && a.index == b.index;
  }

  KOKKOS_FUNCTION static IndexedCode of_words(std::uint64_t const* words) {
    return {words[0], static_cast<std::uint32_t>(words[1] >> 32),
            static_cast<std::uint32_t>(words[1])};
  }
  KOKKOS_FUNCTION void to_words(std::uint64_t* words) const {
    words[0] = code;
    words[1] = std::uint64_t{index} << 32 | companion;
  }
};

struct IndexedCodeEntries {
  using Entry = IndexedCode;

  KOKKOS_FUNCTION static Entry entry(IndexedCode const& element, std::uint32_t) { return element; }
  KOKKOS_FUNCTION static Entry last() { return {~std::uint64_t{0}, ~std::uint32_t{0}, 0}; }
  KOKKOS_FUNCTION static IndexedCode key(Entry const& entry) { return entry; }
  KOKKOS_FUNCTION static bool is_before(Entry const& a, Entry const& b) { return a < b; }
  KOKKOS_FUNCTION static void put_in_order(Entry& a, Entry& b) {
    if (!(b < a)) return;
    Entry const other = a;
    a = b;
    b = other;
  }
};

/// A word's code: the number by which most words differ.
KOKKOS_INLINE_FUNCTION std::uint32_t code_of(std::uint32_t word) { return word; }
KOKKOS_INLINE_FUNCTION std::uint64_t code_of(std::uint64_t word) { return word; }
KOKKOS_INLINE_FUNCTION std::uint64_t code_of(IndexedCode const& word) { return word.code; }

/// Whether words have an index beside their code.
template <class Word>
inline constexpr bool has_index = std::is_same_v<Word, IndexedCode>;

/// The least and the greatest word of a code.
template <class Word, class Code>
KOKKOS_FUNCTION Word least_of_code(Code code) {
  if constexpr (has_index<Word>) {
    return {code, 0, 0};
  } else {
    return code;
  }
}
template <class Word, class Code>
KOKKOS_FUNCTION Word greatest_of_code(Code code) {
  if constexpr (has_index<Word>) {
    return {code, ~std::uint32_t{0}, 0};
  } else {
    return code;
  }
}

/// The kind of numbers with their indices, by their codes. Codes::oddity(code) is that of the number.
template <class Codes>
struct IndexedCodes {
  using Element = IndexedCode;
  using Word = IndexedCode;
  using Entries = IndexedCodeEntries;

  KOKKOS_FUNCTION static Word word(Element const& element) { return element; }
  KOKKOS_FUNCTION static Element element(Word const& word) { return word; }
  KOKKOS_FUNCTION static std::uint32_t oddity(Element const& element) {
    return Codes::oddity(element.code);
  }
};

}  // namespace riffle::detail::sort::by_splitters
