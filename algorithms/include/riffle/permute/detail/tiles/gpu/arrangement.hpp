#pragma once

// Where the elements of a tile lie in a team's scratch memory, so that 32 lanes meet no bank twice, either when they
// store the tile in one order or when they load it in another.

#include <Kokkos_Core.hpp>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include <riffle/permute/detail/tiles/bit_matrix.hpp>
#include <riffle/random/integers.hpp>

namespace riffle::detail::tiles {

/// Calls body(k) for k = 0, ..., count - 1, each a constant, so that arrays that it indexes stay in registers.
template <int count, class Body>
KOKKOS_FORCEINLINE_FUNCTION void unrolled(Body const& body) {
  [&]<int... k>(std::integer_sequence<int, k...>) { (body(Constant<k>()), ...); }
  (std::make_integer_sequence<int, count>());
}

/// The exclusive or of those entries k of a table, begin <= k < end, whose bit k is set in x.
template <int begin, int end, class Word>
KOKKOS_FORCEINLINE_FUNCTION Word combine(Word const* table, std::uint32_t x) {
  if constexpr (begin < end) {
    Word const rest = combine<begin + 1, end>(table, x);
    return x >> begin & 1 ? rest ^ table[begin] : rest;
  } else {
    return 0;
  }
}

/// The bits of an element's position that tell its bank: the first, and their number, the log2 of the lanes that one
/// cycle of the banks, of 32 words of 4 bytes, serves. Elements of 8 and 16 bytes take several banks each, those of 1
/// and 2 bytes share one; others have an odd number of words, so that 32 neighbours are in as many banks, or conflicts.
struct BankBits {
  int first;
  int count;
};

constexpr BankBits bank_bits(std::size_t element) {
  if (element == 1) return {2, 5};
  if (element == 2) return {1, 5};
  if (element == 8) return {0, 4};
  if (element == 16) return {0, 3};
  return {0, 5};
}

/// A linear map to `count` bits that is one to one on each of two spaces of `count` dimensions, which are given by
/// vectors that span them.
///
/// Vectors that the spaces share have values of their own; the rests of both have the other values in common; vectors
/// outside both have the value 0. This is the diagonal arrangement of Kasagi, Nakano and Ito (2014, section 5) for any
/// two spaces.
inline BitMatrix separating_map(int size, std::vector<std::uint64_t> const& first,
                                std::vector<std::uint64_t> const& second) {
  BitSpan in_first;
  for (auto const x : first) in_first.insert(x);
  BitMatrix basis(size);
  BitMatrix values(size);
  BitSpan span;
  int next = 0;
  int value = 0;
  auto const add = [&](std::uint64_t vector, std::uint64_t its_value) {
    if (!span.insert(vector)) return false;
    basis.column(next) = vector;
    values.column(next++) = its_value;
    return true;
  };
  for (std::uint64_t chosen = 1; chosen < std::uint64_t{1} << second.size(); ++chosen) {
    std::uint64_t shared = 0;
    for (std::size_t k = 0; k < second.size(); ++k) shared ^= chosen >> k & 1 ? second[k] : 0;
    if (in_first.contains(shared) && add(shared, std::uint64_t{1} << value)) ++value;
  }
  for (auto const* space : {&first, &second}) {
    int its_value = value;
    for (auto const x : *space) {
      if (add(x, std::uint64_t{1} << its_value)) ++its_value;
    }
  }
  for (int k = 0; k < size; ++k) add(std::uint64_t{1} << k, 0);
  return values * basis.inverse();
}

/// An invertible matrix that has the `bank.count` rows of `map` as its rows from `bank.first` on.
inline BitMatrix completed_map(BitMatrix const& map, BankBits const& bank) {
  BitMatrix const rows = map.transposed();
  BitMatrix result(map.size());
  BitSpan span;
  for (int k = 0; k < bank.count; ++k) {
    span.insert(rows.column(k));
    result.column(bank.first + k) = rows.column(k);
  }
  int next = 0;
  for (int k = 0; k < map.size(); ++k) {
    if (next == bank.first) next += bank.count;
    if (span.insert(std::uint64_t{1} << k)) result.column(next++) = std::uint64_t{1} << k;
  }
  return result.transposed();
}

/// The position of element s when it is stored, and of element r when it is loaded, is the exclusive or of the entries
/// for its bits.
template <int bits>
struct Arrangement {
  std::uint32_t of_stored[bits];
  std::uint32_t of_loaded[bits];

  template <int begin, int end>
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t stored(std::uint32_t s) const {
    return combine<begin, end>(of_stored, s);
  }

  template <int begin, int end>
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t loaded(std::uint32_t r) const {
    return combine<begin, end>(of_loaded, r);
  }
};

/// The arrangement for r = image s and elements of `size` bytes. The bits of s from `stored_lane` on, and those of r
/// from `loaded_lane` on, are those of the lane.
template <int bits>
Arrangement<bits> make_arrangement(BitMatrix const& image, std::size_t size, int stored_lane,
                                   int loaded_lane) {
  BankBits const bank = bank_bits(size);
  BitMatrix const inverse = image.inverse();
  std::vector<std::uint64_t> stored;
  std::vector<std::uint64_t> loaded;
  for (int k = 0; k < bank.count; ++k) {
    stored.push_back(std::uint64_t{1} << (stored_lane + k));
    loaded.push_back(inverse.column(loaded_lane + k));
  }
  BitMatrix const position = completed_map(separating_map(bits, stored, loaded), bank);
  Arrangement<bits> arrangement;
  for (int k = 0; k < bits; ++k) {
    arrangement.of_stored[k] = static_cast<std::uint32_t>(position.column(k));
    arrangement.of_loaded[k] = static_cast<std::uint32_t>(position * inverse.column(k));
  }
  return arrangement;
}

}  // namespace riffle::detail::tiles
