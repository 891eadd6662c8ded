#pragma once

// A matrix in memory with banks. Each row is in one bank.
//   P. Afshani, N. Sitchinava, "Sorting and Permuting without Bank Conflicts on GPUs", ESA 2015, arXiv 1507.01391 [1],
//   section 1, based on
//   Y. Dotsenko et al., "Fast Scan Algorithms on Graphics Processors", ICS 2008.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include <riffle/backend/backend.hpp>

namespace riffle {

/// A matrix in a team's scratch memory. Each of its `Rows` rows is in one bank (a GPU has 32 banks
/// of 4-byte words).
///
/// If T has 4 bytes, the element in row r and column c is element c * Rows + r of an array of T (column-major order).
/// Larger elements are stored word by word: for each column, the words 0 of all elements come first, then the words 1,
/// and so on. So an access to an element consists of one access per word, without conflicts if the processors access
/// different rows. A smaller element occupies one word.
///
/// Requires: T is trivially copyable and has a default constructor; Rows * columns < 2^31. A copy
/// of the matrix refers to the same elements.
template <class T, std::uint32_t Rows = static_cast<std::uint32_t>(backend::width)>
class BankedMatrix {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  using value_type = T;

  /// Returns the number of bytes of a matrix.
  KOKKOS_FUNCTION static constexpr std::size_t bytes(std::uint32_t columns) {
    return std::size_t{4} * words * Rows * columns;
  }

  /// Requires: `memory` points to bytes(columns) bytes and is aligned to 4.
  KOKKOS_FUNCTION BankedMatrix(void* memory, std::uint32_t columns)
      : cells_(static_cast<Cell*>(memory)), columns_(columns) {}

  KOKKOS_FUNCTION static constexpr std::uint32_t rows() { return Rows; }
  KOKKOS_FUNCTION std::uint32_t columns() const { return columns_; }

  KOKKOS_FUNCTION T read(std::uint32_t row, std::uint32_t column) const {
    if constexpr (is_one_word) {
      return cells_[cell(row, column, 0)];
    } else {
      std::uint32_t bits[words];
      for (std::uint32_t word = 0; word < words; ++word) {
        bits[word] = cells_[cell(row, column, word)];
      }
      T value;
      memcpy(&value, bits, sizeof(T));
      return value;
    }
  }

  KOKKOS_FUNCTION void write(std::uint32_t row, std::uint32_t column, T const& value) const {
    if constexpr (is_one_word) {
      cells_[cell(row, column, 0)] = value;
    } else {
      std::uint32_t bits[words] = {};
      memcpy(bits, &value, sizeof(T));
      for (std::uint32_t word = 0; word < words; ++word) {
        cells_[cell(row, column, word)] = bits[word];
      }
    }
  }

 private:
  static constexpr bool is_one_word = sizeof(T) == 4 && alignof(T) == 4;
  static constexpr std::uint32_t words = (sizeof(T) + 3) / 4;
  using Cell = std::conditional_t<is_one_word, T, std::uint32_t>;

  KOKKOS_FUNCTION static std::uint32_t cell(std::uint32_t row, std::uint32_t column,
                                            std::uint32_t word) {
    return (column * words + word) * Rows + row;
  }

  Cell* cells_;
  std::uint32_t columns_;
};

}  // namespace riffle
