#pragma once

// What may be exchanged, as a list of exchange sets. It says the same of every kind of exchange: kernels know no blocks.

#include <cstdint>
#include <vector>

namespace riffle::detail {

/// `count` units of `size` positions each, any of which may change places. The positions of unit u are the `size` from
/// first + u size on in the layout's table; two units that change places exchange what they hold position by position.
struct ExchangeSet {
  std::uint32_t first;
  std::uint32_t first_unit;  // the number of units in all sets before
  std::uint32_t count;
  std::uint32_t size;
};

/// The sets stand in the order from the outermost, whose units are moved as wholes, to the innermost. Permuting the units
/// of each, in this order, gives each permutation of the group in exactly one way, since inner sets lie in a unit of an
/// outer one or apart from all: uniform choices in every set make a uniform permutation.
struct ExchangeLayout {
  std::uint32_t n = 0;
  std::vector<ExchangeSet> sets;
  std::vector<std::uint32_t> positions;
  std::uint32_t units = 0;

  /// Of each observation the unit of signs; empty where no sign changes.
  std::vector<std::uint32_t> sign_unit;
  std::uint32_t sign_units = 0;

  /// Of each observation its type, and of each unit of all sets its class among those of its set (alike.hpp); both are
  /// empty where no observations are alike.
  std::vector<std::uint32_t> types;
  std::vector<std::uint32_t> unit_class;

  /// Saturating (count_arrangements.hpp).
  std::uint64_t arrangements = 1;

  /// Adds a set inside of those before it. The positions are those of unit after unit; one unit alone is no set.
  void add_set(std::uint32_t count, std::vector<std::uint32_t> const& of_units) {
    if (count < 2) return;
    auto const size = static_cast<std::uint32_t>(of_units.size() / count);
    sets.push_back({static_cast<std::uint32_t>(positions.size()), units, count, size});
    positions.insert(positions.end(), of_units.begin(), of_units.end());
    units += count;
  }

  std::uint32_t position(ExchangeSet const& set, std::uint32_t unit, std::uint32_t k) const {
    return positions[set.first + unit * set.size + k];
  }
};

}  // namespace riffle::detail
