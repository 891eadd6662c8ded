#pragma once

// The BucketShuffle tree for riffle/mpi, where one process owns only a part of each node. A place is an index in a
// node's output. This file makes available the definition of the tree, functions for the digits of consecutive places
// (on the host or in kernels), and functions with which a GPU team counts and riffles a chunk of places (detail/gpu/).

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <riffle/random/philox.hpp>
#include <riffle/shuffle/detail/bucket_definition.hpp>
#include <riffle/shuffle/detail/cpu/riffle_cpu.hpp>
#include <riffle/shuffle/detail/gpu/digit_tiles.hpp>
#include <riffle/shuffle/detail/gpu/riffle_gpu.hpp>
#include <riffle/shuffle/tuning.hpp>

namespace riffle::detail::bucket_shuffle {

/// Sets digits[i] to the digit at place 256 * unit + i of a node.
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
    std::uint64_t const unit_end = (unit + 1) * places_per_unit;
    for (std::uint64_t const end = unit_end < last ? unit_end : last; place < end; ++place) {
      visit(place, digits[place % places_per_unit]);
    }
  }
}

/// Sets counts[k] to the number of places p of a node with first <= p < last and digit k. Requires: counts[k] < 2^32.
KOKKOS_INLINE_FUNCTION void count_places(std::uint64_t seed, Node node, std::uint64_t first,
                                         std::uint64_t last, std::uint64_t* counts) {
  KOKKOS_IF_ON_HOST((if (first % places_per_unit == 0) {
    for (int k = 0; k < buckets; ++k) counts[k] = 0;
    count_digits(seed, node, first, last, counts);
    return;
  }))
  std::uint32_t table[buckets] = {};
  visit_digits(seed, node, first, last, [&](std::uint64_t, std::uint8_t digit) { ++table[digit]; });
  for (int k = 0; k < buckets; ++k) counts[k] = table[k];
}

/// Whether riffle_values() can move values from a View of type `From` to a View of type `To`.
template <class From, class To>
inline constexpr bool riffles_values =
    From::rank() == 1 && To::rank() == 1 &&
    std::is_same_v<typename From::value_type, typename To::value_type> &&
    sizeof(typename To::value_type) <= max_moved_bytes;

/// For first <= i < last, sets to(start + i) to the element that place i of a node takes. The places with digit k take
/// from(at[k]), from(at[k] + 1), ... in ascending order. Requires: `first` is a multiple of 256. Host only.
template <class From, class To>
void riffle_values(std::uint64_t seed, Node node, std::uint64_t first, std::uint64_t last,
                   From const& from, std::uint64_t const* at, To const& to, std::uint64_t start) {
  using T = typename To::value_type;
  Digits digits(seed, node);
  riffle_places(digits, first, last,
                Array<T>{from.data(), static_cast<std::ptrdiff_t>(from.stride(0))}, at,
                Array<T>{to.data(), static_cast<std::ptrdiff_t>(to.stride(0))}, start);
}

}  // namespace riffle::detail::bucket_shuffle
