#pragma once

// The form of a permutation scheme that kernels use: a list of sets whose units change places. All kinds of schemes
// have this form.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace riffle::detail {

/// `count` units of `size` positions each; any two units may change places. The positions of unit u are the elements
/// first + u size, ..., first + (u + 1) size - 1 of the layout's table. Units that change places swap their contents
/// position by position.
struct UnitSet {
  std::uint32_t first;
  std::uint32_t first_unit;  // the number of units in all sets before
  std::uint32_t count;
  std::uint32_t size;
};

/// Sets are ordered from the outermost, whose units move as wholes, to the innermost. Each inner set is inside one unit
/// of an outer set, or disjoint from the outer set. So permuting the units of each set, in this order, gives each
/// permutation of the group in exactly one way, and uniform choices in every set give a uniform permutation.
///
///   blocks as wholes     { 0 1 2 | 3 4 5 | 6 7 8 }        one set: count = 3, size = 3
///   inside each block    { 0 | 1 | 2 } { 3 | 4 | 5 } ...  three sets: count = 3, size = 1
struct SchemeLayout {
  std::uint32_t n = 0;
  std::vector<UnitSet> sets;
  std::vector<std::uint32_t> positions;
  std::uint32_t units = 0;

  /// The sign unit of each observation; empty if signs do not change. The signs of a unit change together.
  std::vector<std::uint32_t> sign_unit;
  std::uint32_t sign_units = 0;

  /// The type of each observation, and the class of each unit among the units of its set; interchangeable units have
  /// one class. Both are empty if no observations are interchangeable.
  std::vector<std::uint32_t> types;
  std::vector<std::uint32_t> unit_class;

  /// The number of arrangements, at most `saturated`.
  std::uint64_t arrangements = 1;

  /// Adds a set inside the sets before it. `of_units` are the positions, unit after unit. A set of one unit is left
  /// out.
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
// Tables by which kernels find the arrangement of a rank. The rank is a mixed-radix number with one digit for each set;
// the digit selects an order of the set's classes.

/// Stands for this number and all larger ones.
inline constexpr std::uint64_t saturated = std::numeric_limits<std::uint64_t>::max();

/// Returns arrangements * left / units, a whole number: how many arrangements of a set of `units` units begin with one
/// of the `left` units of a class. The product arrangements * left need not fit in 64 bits.
KOKKOS_INLINE_FUNCTION constexpr std::uint64_t share_of(std::uint64_t arrangements,
                                                        std::uint32_t left, std::uint32_t units) {
  return arrangements / units * left + arrangements % units * left / units;
}

/// The classes of a set's units. With b = class_begins from element first_class on, class c has the elements b[c], ...,
/// b[c + 1] - 1 of the set's part of units_by_class.
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

/// Returns empty tables if arrangements have no ranks.
RankTables rank_tables(SchemeLayout const& layout);

}  // namespace riffle::detail
