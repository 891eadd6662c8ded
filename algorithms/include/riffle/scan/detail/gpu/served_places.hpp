#pragma once

// The places of the tiles of a team that is served its prefixes. In each step each tile is in another place, and then
// moves on by one:
//
//        reading        ->     scanned     ->     waiting, Depth places     ->
//     it is asked for,        its total is        at the last of them its
//     and scanned             sent                prefixes are written
//
// The totals of a tile's rows stay in one of Depth + 2 places, from the step in which it is scanned to that in which it is
// written.

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/scan/detail/gpu/tickets.hpp>

namespace riffle::detail::scan {

/// The numbers of tiles, of which the first `full` are full. Any other number, such as no_tile, means that the place is
/// empty.
template <int Depth>
class ServedPlaces {
 public:
  static constexpr int row_places = Depth + 2;

  KOKKOS_FUNCTION explicit ServedPlaces(std::uint32_t full) : full_(full) {
    for (int k = 0; k < Depth; ++k) waiting_[k] = no_tile;
  }

  KOKKOS_FUNCTION std::uint32_t reading() const { return reading_; }
  KOKKOS_FUNCTION std::uint32_t scanned() const { return scanned_; }
  KOKKOS_FUNCTION std::uint32_t next_to_leave() const {
    if constexpr (Depth == 1) return scanned_;
    return waiting_[Depth > 1 ? Depth - 2 : 0];
  }
  KOKKOS_FUNCTION std::uint32_t leaving() const { return waiting_[Depth - 1]; }

  KOKKOS_FUNCTION bool has_reading() const { return reading_ < full_; }
  KOKKOS_FUNCTION bool has_scanned() const { return scanned_ < full_; }
  KOKKOS_FUNCTION bool has_next_to_leave() const { return next_to_leave() < full_; }
  KOKKOS_FUNCTION bool has_leaving() const { return leaving() < full_; }
  KOKKOS_FUNCTION bool has_any() const {
    bool any = has_reading() || has_scanned();
    for (int k = 0; k < Depth; ++k) any = any || waiting_[k] < full_;
    return any;
  }

  KOKKOS_FUNCTION int rows_of_reading() const { return rows_ == row_places - 1 ? 0 : rows_ + 1; }
  KOKKOS_FUNCTION int rows_of_scanned() const { return rows_; }
  KOKKOS_FUNCTION int rows_of_leaving() const { return rows_ < Depth ? rows_ + 2 : rows_ - Depth; }

  /// 0 and 1 in turns.
  KOKKOS_FUNCTION int turn() const { return turn_; }
  KOKKOS_FUNCTION int next_turn() const { return 1 - turn_; }

  /// At the beginning of a step. A partial tile is kept aside: there is one at most, the one behind all full ones.
  KOKKOS_FUNCTION void begin_reading(std::uint32_t tile) {
    reading_ = tile;
    if (tile == full_) partial_ = tile;
  }

  /// At its end. The tile that was leaving is done, and its rows' place is free.
  KOKKOS_FUNCTION void move_on() {
    rows_ = rows_of_reading();
    for (int k = Depth - 1; k > 0; --k) waiting_[k] = waiting_[k - 1];
    waiting_[0] = scanned_;
    scanned_ = reading_;
    reading_ = no_tile;
    turn_ = next_turn();
  }

  /// The tile behind all full ones, if it came, or no_tile.
  KOKKOS_FUNCTION std::uint32_t partial() const { return partial_; }

 private:
  std::uint32_t full_;
  std::uint32_t reading_ = no_tile;
  std::uint32_t scanned_ = no_tile;
  std::uint32_t waiting_[Depth];
  std::uint32_t partial_ = no_tile;
  int rows_ = 0;
  int turn_ = 0;
};

}  // namespace riffle::detail::scan
