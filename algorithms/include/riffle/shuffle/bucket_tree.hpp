#pragma once

// The tree of BucketShuffle, for those who walk it by parts of its places (riffle/mpi): what it is, and the digits of
// consecutive places on any processor.

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/random/philox.hpp>
#include <riffle/shuffle/detail/bucket/cpu/digits.hpp>
#include <riffle/shuffle/detail/bucket/definition.hpp>

namespace riffle::detail::bucket_shuffle {

/// digits[i] is the digit of a node's place 256 unit + i.
KOKKOS_INLINE_FUNCTION void draw_unit(std::uint64_t seed, Node node, std::uint64_t unit,
                                      std::uint8_t (&digits)[places_per_unit]) {
  KOKKOS_IF_ON_HOST(
      (Digits drawn(seed, node); drawn.draw(unit); for (int i = 0; i < places_per_unit; ++i) {
        digits[i] = static_cast<std::uint8_t>(drawn.at(i));
      }))
  KOKKOS_IF_ON_DEVICE((for (int lane = 0; lane < digits_per_block; ++lane) {
    auto const block =
        digit_block(seed, node, unit * digits_per_block + static_cast<unsigned>(lane));
    for (int k = 0; k < digits_per_block; ++k) {
      digits[lane + digits_per_block * k] = static_cast<std::uint8_t>(digit(block, k));
    }
  }))
}

/// Calls visit(place, digit) for the places first, ..., last - 1 of a node, in order.
template <class Visit>
KOKKOS_INLINE_FUNCTION void visit_digits(std::uint64_t seed, Node node, std::uint64_t first,
                                         std::uint64_t last, Visit const& visit) {
  std::uint8_t digits[places_per_unit];
  for (std::uint64_t place = first; place < last;) {
    std::uint64_t const unit = place / places_per_unit;
    draw_unit(seed, node, unit, digits);
    std::uint64_t const behind = (unit + 1) * places_per_unit;
    for (std::uint64_t const end = behind < last ? behind : last; place < end; ++place) {
      visit(place, digits[place % places_per_unit]);
    }
  }
}

}  // namespace riffle::detail::bucket_shuffle
