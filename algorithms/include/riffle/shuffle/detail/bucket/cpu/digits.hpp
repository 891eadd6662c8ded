#pragma once

#include <Kokkos_Core.hpp>

#include <bit>
#include <cstdint>

#include <riffle/backend/backend.hpp>
#include <riffle/random/philox_words.hpp>
#include <riffle/shuffle/detail/bucket/definition.hpp>

namespace riffle::detail::bucket_shuffle {

/// The digits of a node, a unit of 256 places at a time. Host only.
class Digits {
 public:
  Digits(std::uint64_t seed, Node node) : seed_(seed), node_(node) {}

  /// Draws the digits of places 256 unit, ..., 256 unit + 255.
  void draw(std::uint64_t unit) {
    blocks_.draw(seed_, node_, Purpose::digits, unit * digits_per_block);
  }

  /// The k-th group of sixteen places has its digits in group(k)[0], group(k)[4], ...
  unsigned char const* group(int k) const {
    return bytes() + byte_of_word(k % 4) + 4 * digits_per_block * (k / 4);
  }

  /// The digit of place i of the unit.
  unsigned at(int i) const { return group(i / digits_per_block)[4 * (i % digits_per_block)]; }

  /// All digits of the unit, in no particular order.
  unsigned char const* bytes() const {
    return reinterpret_cast<unsigned char const*>(blocks_.word(0));
  }

 private:
  static constexpr int byte_of_word(int k) {
    return std::endian::native == std::endian::little ? k : 3 - k;
  }

  std::uint64_t seed_;
  Node node_;
  BlocksOfUnit blocks_;  // a unit has as many
  static_assert(BlocksOfUnit::blocks == digits_per_block);
};

/// Adds to counts[k] how many of the places first, ..., last - 1 have digit k; first is a multiple of
/// 256.
inline void count_digits(std::uint64_t seed, Node node, std::uint64_t first, std::uint64_t last,
                         std::uint64_t* counts) {
  // Neighbouring places count in tables of their own: a count that is needed again at once would wait for its store.
  constexpr int tables = 4;
  std::uint64_t table[tables][buckets] = {};
  Digits digits(seed, node);
  std::uint64_t place = first;
  for (; place + places_per_unit <= last; place += places_per_unit) {
    digits.draw(place / places_per_unit);
    unsigned char const* const bytes = digits.bytes();
    for (int b = 0; b < places_per_unit; b += tables) {
      RIFFLE_UNROLL
      for (int t = 0; t < tables; ++t) ++table[t][bytes[b + t]];
    }
  }
  if (place < last) {
    digits.draw(place / places_per_unit);
    for (int i = 0; i < static_cast<int>(last - place); ++i) {
      ++table[0][digits.at(i)];
    }
  }
  for (int k = 0; k < buckets; ++k) {
    for (int t = 0; t < tables; ++t) counts[k] += table[t][k];
  }
}

}  // namespace riffle::detail::bucket_shuffle
