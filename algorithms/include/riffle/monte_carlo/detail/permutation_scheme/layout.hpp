#pragma once

// The representation of a permutation scheme for kernels. It is a list of sets; each set consists of units that may
// change places with each other. All kinds of schemes are represented in this way.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace riffle::detail {

/// A set of `count` units with `size` positions each; any two units may change places. The positions of unit u are
/// positions[first + u size], ..., positions[first + (u + 1) size - 1] in SchemeLayout. Two units change places by
/// swapping their contents position by position.
struct UnitSet {
  std::uint32_t first;
  std::uint32_t first_unit;  // the number of units in all sets before
  std::uint32_t count;
  std::uint32_t size;
};

/// Sets are ordered from the outermost, whose units move as wholes, to the innermost. The positions of an inner set are
/// all inside one unit of an outer set, or all outside of the outer set. Each permutation of the group can be written
/// in exactly one way as permutations of the units of each set, applied in this order. Therefore, if a uniform random
/// permutation is applied to the units of every set, the result is uniform in the group.
///
///   blocks as wholes     { 0 1 2 | 3 4 5 | 6 7 8 }        one set: count = 3, size = 3
///   inside each block    { 0 | 1 | 2 } { 3 | 4 | 5 } ...  three sets: count = 3, size = 1
struct SchemeLayout {
  std::uint32_t n = 0;
  std::vector<UnitSet> sets;
  std::vector<std::uint32_t> positions;
  std::uint32_t units = 0;

  /// sign_unit[i] is the sign unit of observation i; the signs of all observations in a sign unit change together.
  /// Empty if signs do not change.
  std::vector<std::uint32_t> sign_unit;
  std::uint32_t sign_units = 0;

  /// types[i] is the type of observation i, and unit_class[first_unit + u] the class of unit u of a set;
  /// interchangeable units of a set have the same class. Both are empty if no observations are interchangeable.
  std::vector<std::uint32_t> types;
  std::vector<std::uint32_t> unit_class;

  /// The number of arrangements, capped at `saturated`.
  std::uint64_t arrangements = 1;

  /// Adds a set inside the sets that were added before. `of_units` contains the positions of its units, one unit after
  /// the other. A set with fewer than two units is not added.
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
// Tables with which kernels compute the arrangement of a given rank. In each set, the classes of the units at places 0,
// 1, ... form a sequence. The rank of an arrangement is a mixed-radix number with one digit per set; the digit numbers
// the distinct sequences of classes in this set.

/// Stands for 2^64 - 1 and all larger numbers.
inline constexpr std::uint64_t saturated = std::numeric_limits<std::uint64_t>::max();

/// Let a set with `units` units have `arrangements` distinct sequences of classes, and let a class have `left` units.
/// Returns how many of the sequences begin with this class: arrangements * left / units, which is a whole number. The
/// product arrangements * left may exceed 64 bits.
KOKKOS_INLINE_FUNCTION constexpr std::uint64_t share_of(std::uint64_t arrangements,
                                                        std::uint32_t left, std::uint32_t units) {
  return arrangements / units * left + arrangements % units * left / units;
}

/// The classes of a set's units. The units of class c are units_by_class[first_unit + i] for class_begins[first_class +
/// c] <= i < class_begins[first_class + c + 1], where first_unit is UnitSet::first_unit.
struct RankedSet {
  std::uint64_t arrangements;
  std::uint64_t observed;  // the lexicographic rank of the observed order of classes
  std::uint32_t first_class;
  std::uint32_t classes;
};

struct RankTables {
  std::vector<RankedSet> sets;
  std::vector<std::uint32_t> class_begins;
  std::vector<std::uint32_t> units_by_class;
  std::uint32_t scratch = 0;  // elements of scratch that a lane needs
};

/// Returns the tables for a layout, or empty tables if the layout has too many arrangements for ranks.
RankTables rank_tables(SchemeLayout const& layout);

}  // namespace riffle::detail
