#pragma once

// The words that are sorted by splitters: codes, which are unsigned integers in the order of what is sorted, or codes
// with indices.

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <type_traits>

namespace riffle::detail::sort::by_splitters {

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

}  // namespace riffle::detail::sort::by_splitters
