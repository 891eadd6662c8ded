#pragma once

// Reduces one number per row to one number that all rows know.

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace riffle::detail::matrix_permute {

/// A sum and a maximum over rows, which are reduced together.
struct Tally {
  std::uint64_t sum;
  std::uint64_t most;
};

KOKKOS_INLINE_FUNCTION Tally combine(Tally const& a, Tally const& b) {
  return {a.sum + b.sum, a.most < b.most ? b.most : a.most};
}

/// Returns the combination of own(p) over all processors p, in O(log w) time. A tree of rows
/// combines the values into row 0, and sends the result back to all rows. Requires that `tallies`
/// has one column of Tally.
template <class Processors, class Tallies, class Own>
KOKKOS_FUNCTION Tally combine_rows(Processors& processors, Tallies const& tallies, Own const& own) {
  std::uint32_t const rows = processors.rows();
  processors.step([&](std::uint32_t p) { tallies.write(p, 0, own(p)); });
  std::uint32_t distance = 1;
  for (; distance < rows; distance *= 2) {
    processors.step([&](std::uint32_t p) {
      if (p % (2 * distance) != 0 || p + distance >= rows) return;
      Tally const below = tallies.read(p + distance, 0);
      tallies.write(p, 0, combine(tallies.read(p, 0), below));
    });
  }
  for (distance /= 2; distance > 0; distance /= 2) {
    processors.step([&](std::uint32_t p) {
      if (p % (2 * distance) != 0 || p + distance >= rows) return;
      tallies.write(p + distance, 0, tallies.read(p, 0));
    });
  }
  Tally all{};
  processors.step([&](std::uint32_t p) { all = tallies.read(p, 0); });
  return all;
}

}  // namespace riffle::detail::matrix_permute
