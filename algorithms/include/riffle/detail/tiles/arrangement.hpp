#pragma once

// Where the elements of a tile lie in a team's scratch memory, so that 32 lanes meet no bank twice, neither when they
// store the tile in one order nor when they load it in another.

#include <Kokkos_Core.hpp>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include <riffle/detail/bit_matrix.hpp>
#include <riffle/kernel/constant.hpp>

namespace riffle::detail::tiles {

/// Calls body(k), k = 0, ..., count - 1 a constant each, so that arrays that it indexes stay in registers.
template <int count, class Body>
KOKKOS_FORCEINLINE_FUNCTION void unrolled(Body const& body) {
  [&]<int... k>(std::integer_sequence<int, k...>) { (body(Constant<k>()), ...); }
  (std::make_integer_sequence<int, count>());
}

/// The exclusive or of the entries begin, ..., end - 1 of a table whose bits are set in x.
template <int begin, int end, class Word>
KOKKOS_FORCEINLINE_FUNCTION Word combine(Word const* table, std::uint32_t x) {
  if constexpr (begin < end) {
    Word const rest = combine<begin + 1, end>(table, x);
    return x >> begin & 1 ? rest ^ table[begin] : rest;
  } else {
    return 0;
  }
}

/// Lanes that one cycle of the banks, of 32 words of 4 bytes, serves, and where the bank stands in an
/// element's position. Elements of 8 and 16 bytes take several banks each, of 1 and 2 bytes share one; others have an
/// odd number of words, so that neighbours of 32 are in as many banks, or conflicts.
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

/// A linear map to `count` bits that is one to one on both of two spaces of `count` dimensions: rows, as numbers.
///
/// What the spaces share has values of its own, and so have the rests of both, in common; what is in neither is 0. This is the
/// diagonal arrangement of Kasagi, Nakano and Ito (2014, section 5) for any two spaces.
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

/// A matrix that has these `bank.count` rows of `map` from row `bank.first` on, and is invertible.
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

/// The position of element s when it is stored, and of element r when it is loaded: exclusive ors of the entries for
/// their bits.
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

/// For r = image s and elements of `size` bytes, where bits of s, or of r, from `stored_lane` or `loaded_lane` on are
/// those of the lane.
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
