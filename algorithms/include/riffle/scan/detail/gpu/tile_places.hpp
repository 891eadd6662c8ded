#pragma once

// The places of four tiles of a team in flight. In each step each tile is in another place, and then moves on by one:
//
//        reading    ->    scanned    ->    looking    ->    leaving    ->
//     elements are     its total is     warps look       prefixes are
//     asked for        sent             back             written
//     in registers     in registers     parked           in registers
//
// The totals of a tile's rows stay in one of three places, from `scanned` to `leaving`.

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/scan/detail/gpu/tickets.hpp>

namespace riffle::detail::scan {

/// The numbers of tiles, of which the first `full` are full. Any other number, such as no_tile, means that the place is
/// empty.
class TilePlaces {
 public:
  static constexpr int row_places = 3;

  KOKKOS_FUNCTION TilePlaces(Tickets const& tickets, std::uint32_t full)
      : full_(full), reading_(tickets.next), scanned_(tickets.now) {}

  KOKKOS_FUNCTION std::uint32_t reading() const { return reading_; }
  KOKKOS_FUNCTION std::uint32_t scanned() const { return scanned_; }
  KOKKOS_FUNCTION std::uint32_t looking() const { return looking_; }
  KOKKOS_FUNCTION std::uint32_t leaving() const { return leaving_; }

  KOKKOS_FUNCTION bool has_reading() const { return reading_ < full_; }
  KOKKOS_FUNCTION bool has_scanned() const { return scanned_ < full_; }
  KOKKOS_FUNCTION bool has_looking() const { return looking_ < full_; }
  KOKKOS_FUNCTION bool has_leaving() const { return leaving_ < full_; }

  KOKKOS_FUNCTION int rows_of_scanned() const { return rows_; }
  KOKKOS_FUNCTION int rows_of_looking() const { return rows_ == 0 ? row_places - 1 : rows_ - 1; }
  KOKKOS_FUNCTION int rows_of_leaving() const {
    return row_places - rows_of_scanned() - rows_of_looking();
  }

  /// Moves each tile on by one place. The tile that was leaving is done, and its rows' place is free. A partial tile is
  /// kept aside.
  KOKKOS_FUNCTION void move_on() {
    rows_ = rows_of_leaving();
    leaving_ = looking_;
    looking_ = has_scanned() ? scanned_ : no_tile;
    keep_aside(scanned_);
    scanned_ = reading_;
    reading_ = no_tile;
  }
  KOKKOS_FUNCTION void begin_reading(std::uint32_t tile) { reading_ = tile; }

  /// The partial tile, if it came, or no_tile. To be called when no full tile is left.
  KOKKOS_FUNCTION std::uint32_t take_partial() {
    keep_aside(scanned_);
    keep_aside(reading_);
    return partial_;
  }

 private:
  /// There is one partial tile at most, the one behind all full ones.
  KOKKOS_FUNCTION void keep_aside(std::uint32_t tile) {
    if (tile == full_) partial_ = tile;
  }

  std::uint32_t full_;
  std::uint32_t reading_;
  std::uint32_t scanned_;
  std::uint32_t looking_ = no_tile;
  std::uint32_t leaving_ = no_tile;
  std::uint32_t partial_ = no_tile;
  int rows_ = 0;
};

}  // namespace riffle::detail::scan
