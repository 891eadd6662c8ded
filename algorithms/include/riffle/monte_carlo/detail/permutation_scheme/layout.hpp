#pragma once

// What may be exchanged, as a list of exchange sets. It says the same of every kind of exchange: kernels know no blocks.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace riffle::detail {

/// `count` units of `size` positions each, any of which may change places. The positions of unit u are the `size` from
/// first + u size on in the layout's table; two units that change places exchange what they hold position by position.
struct UnitSet {
  std::uint32_t first;
  std::uint32_t first_unit;  // the number of units in all sets before
  std::uint32_t count;
  std::uint32_t size;
};

/// The sets stand in the order from the outermost, whose units are moved as wholes, to the innermost. Permuting the units
/// of each, in this order, gives each permutation of the group in exactly one way, since inner sets lie in a unit of an
/// outer one or apart from all: uniform choices in every set make a uniform permutation.
struct SchemeLayout {
  std::uint32_t n = 0;
  std::vector<UnitSet> sets;
  std::vector<std::uint32_t> positions;
  std::uint32_t units = 0;

  /// Of each observation the unit of signs; empty where no sign changes.
  std::vector<std::uint32_t> sign_unit;
  std::uint32_t sign_units = 0;

  /// Of each observation its type, and of each unit of all sets its class among those of its set; both are
  /// empty where no observations are alike.
  std::vector<std::uint32_t> types;
  std::vector<std::uint32_t> unit_class;

  /// Saturating.
  std::uint64_t arrangements = 1;

  /// Adds a set inside of those before it. The positions are those of unit after unit; one unit alone is no set.
  void add_set(std::uint32_t count, std::vector<std::uint32_t> const& of_units) {
    if (count < 2) return;
    auto const size = static_cast<std::uint32_t>(of_units.size() / count);
    sets.push_back({static_cast<std::uint32_t>(positions.size()), units, count, size});
    positions.insert(positions.end(), of_units.begin(), of_units.end());
    units += count;
  }

  std::uint32_t position(UnitSet const& set, std::uint32_t unit, std::uint32_t k) const {
    return positions[set.first + unit * set.size + k];
  }
};

// --- ranks of arrangements ---
//
// What kernels need to find the arrangement of a rank: the rank's digits choose an order of classes in each set.

/// What stands for this number and all larger ones.
inline constexpr std::uint64_t saturated = std::numeric_limits<std::uint64_t>::max();

/// The share left / units of a set's arrangements, a whole number: those that begin with one of the `left` units of a
/// class. The product of count and `left` would not fit.
KOKKOS_INLINE_FUNCTION constexpr std::uint64_t share_of(std::uint64_t arrangements,
                                                        std::uint32_t left, std::uint32_t units) {
  return arrangements / units * left + arrangements % units * left / units;
}

/// The classes of a set's units, as a rank knows them. Class c has the units by_class[c], ..., by_class[c + 1] - 1 of the
/// set's part of a table, from first_class on in a table of such beginnings.
struct RankedSet {
  std::uint64_t arrangements;
  std::uint64_t observed;  // the lexicographic rank of the order of classes that the data have
  std::uint32_t first_class;
  std::uint32_t classes;
};

struct RankTables {
  std::vector<RankedSet> sets;
  std::vector<std::uint32_t> class_begins;
  std::vector<std::uint32_t> units_by_class;
  std::uint32_t scratch = 0;  // entries that a lane needs
};

/// Empty where arrangements have no ranks.
RankTables rank_tables(SchemeLayout const& layout);

}  // namespace riffle::detail
