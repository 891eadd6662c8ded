#pragma once

// The scans on a CPU. Each thread takes some tiles, computes their totals, finds the reduction of everything before
// these tiles, and writes the prefixes while the elements are still in its cache. A single thread writes the prefixes
// without computing totals first.

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <riffle/primitives/look_back.hpp>
#include <riffle/primitives/tile_tree.hpp>
#include <riffle/scan/detail/cpu/scalar_tiles.hpp>
#include <riffle/scan/detail/cpu/vector_tiles.hpp>

namespace riffle::detail::scan {

/// Scans all tiles in order on one thread.
template <class Tiles, class Op>
struct SequentialScan {
  using Value = typename Op::value_type;

  Tiles tiles;
  Op op;
  Value init;

  void operator()(std::uint64_t) const {
    Value before_bundle = init;
    std::uint64_t const count = tiles.count();
    for (std::uint64_t first = 0; first < count; first += bundle_tiles) {
      RunningPrefix<Op> in_bundle(op);
      std::uint64_t const end = std::min<std::uint64_t>(first + bundle_tiles, count);
      for (std::uint64_t tile = first; tile < end; ++tile) {
        in_bundle.push(tiles.advance(tile, in_bundle.after(before_bundle)));
      }
      before_bundle = in_bundle.after(before_bundle);
    }
    tiles.finish();
  }
};

/// A scan by several threads. A thread takes one unit at a time; a unit is several consecutive tiles of one bundle. The
/// thread reads each tile twice: first from memory, to compute the tile's total, then from its cache, to write the
/// prefixes.
///
///     thread:   totals of unit 1 | write unit 1     | write unit 2     | ...
///                                | totals of unit 2 | totals of unit 3 |
///
/// While a thread writes a unit, it computes the totals of its next unit, alternating between the two units after each
/// tile. So memory is read and written at the same time, and totals are sent long before other threads wait for them.
template <class Tiles, class Op>
class PipelinedScan {
 public:
  using Value = typename Op::value_type;

  /// Requires that `tiles_per_unit` divides bundle_tiles.
  PipelinedScan(Tiles const& tiles, int tiles_per_unit, LookBack<Op> const& look_back)
      : tiles_(tiles), tiles_per_unit_(tiles_per_unit), look_back_(look_back) {}

  /// Does the work of one thread.
  void operator()(std::uint64_t) const {
    Unit units[2];
    Unit* current = &units[0];
    Unit* next = &units[1];
    take(*current);
    for (int t = 0; t < current->count; ++t) send_total(*current, t);
    while (current->count > 0) {
      look_back_.replace_totals_by_prefixes(current->first, current->count, current->epoch,
                                            current->values);
      take(*next);
      for (int t = 0; t < current->count; ++t) {
        auto const number = static_cast<std::uint64_t>(t);
        tiles_.write(current->first + number, current->values[t], current->rows[t],
                     next->first + number);
        if (t < next->count) send_total(*next, t);
      }
      std::swap(current, next);
    }
    tiles_.finish();
    look_back_.finish(current->epoch);
  }

 private:
  /// A unit: consecutive tiles of one bundle. `values` contains their totals first, and their prefixes later.
  struct Unit {
    std::uint64_t first;
    int count;
    std::uint32_t epoch;
    Value values[bundle_tiles];
    typename Tiles::RowTotals rows[bundle_tiles];
  };

  /// Takes the next unit. The unit has no tiles if all tiles have been taken.
  void take(Unit& unit) const {
    Ticket const ticket = look_back_.take_ticket();
    auto const size = static_cast<std::uint64_t>(tiles_per_unit_);
    unit.epoch = ticket.epoch;
    unit.first = std::min(ticket.number * size, tiles_.count());
    unit.count = static_cast<int>(std::min(size, tiles_.count() - unit.first));
  }

  void send_total(Unit& unit, int t) const {
    std::uint64_t const tile = unit.first + static_cast<std::uint64_t>(t);
    unit.values[t] = tiles_.total(tile, unit.rows[t]);
    look_back_.send_tile_total(tile, unit.epoch, unit.values[t]);
  }

  Tiles tiles_;
  int tiles_per_unit_;
  LookBack<Op> look_back_;
};

}  // namespace riffle::detail::scan
