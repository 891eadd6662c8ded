#pragma once

// The order of tiles by where their runs lie in memory: which tile's runs lie before those of another.

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/backend/backend.hpp>

namespace riffle::detail::tiles {

/// The step from where one tile is read and written to where another is, by exclusive or.
template <class Index>
struct TileStep {
  Index source = 0;
  Index target = 0;
};

/// The runs of one side, and the tiles whose runs lie before those of a tile.
template <class Index>
class RunsBefore {
 public:
  RunsBefore(int run_bits, std::uint32_t lead)
      : run_bits_(run_bits), lead_(lead & ((1u << run_bits) - 1)) {}

  bool can_grow() const { return lead_ != 0 && bits_ < max_bits; }

  /// The lowest bit of a run's place that is not counted yet.
  int next_bit() const { return run_bits_ + bits_; }

  /// Counts that bit, too. Host only.
  void grow(TileStep<Index> const& step) {
    TileStep<Index> const last = bits_ == 0 ? TileStep<Index>{} : steps_[bits_ - 1];
    steps_[bits_] = {last.source ^ step.source, last.target ^ step.target};
    top_ = 1u << bits_++;
  }

  /// The step from the tile at `place` on this side to the tile before. Counting down changes the bits up to the lowest
  /// one.
  KOKKOS_FUNCTION TileStep<Index> step(Index place) const {
    return steps_[backend::lowest_one(static_cast<std::uint32_t>(place >> run_bits_) | top_)];
  }

  /// Whether an element of a run is taken from the run before.
  KOKKOS_FUNCTION bool is_before(std::uint32_t place_in_run) const {
    return ((place_in_run + lead_) >> run_bits_ & 1) != 0;
  }

  KOKKOS_FUNCTION std::uint32_t place_in_run(std::uint32_t place) const {
    return place & ((1u << run_bits_) - 1);
  }

 private:
  // One block of 256 is then moved in parts.
  static constexpr int max_bits = 8;

  int run_bits_;
  int bits_ = 0;
  std::uint32_t lead_;
  std::uint32_t top_ = 1;
  TileStep<Index> steps_[max_bits] = {};
};

}  // namespace riffle::detail::tiles
