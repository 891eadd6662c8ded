#pragma once

// The parts that both directions of a pass share on a GPU: the tile of a team, and the windows of positions for which
// the elements of a tile take turns in scratch memory where they do not fit it all at once.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

#include <riffle/permute/detail/schedule/gpu/staging.hpp>
#include <riffle/permute/detail/schedule/gpu/tile.hpp>
#include <riffle/permute/detail/schedule/pass.hpp>
#include <riffle/primitives/launch.hpp>
#include <riffle/primitives/tile_tree.hpp>

namespace riffle::detail::schedule {

/// The tile of a team and its scratch memory, held by each of its threads.
template <class T, class Memory>
class StagedTile {
 public:
  /// The thread reads its part of the plan. A team barrier must follow before places are asked for.
  template <class Member>
  KOKKOS_FUNCTION StagedTile(Pass<Memory> const& pass, TileScratch<T> const& scratch,
                             Member const& team, TileOfTeam const& tile)
      : tile_(tile),
        places_(pass, tile.number, tile.thread),
        offsets_(scratch.offsets(team)),
        window_(scratch.window(team)) {
    places_.share(offsets_);
  }

  KOKKOS_FORCEINLINE_FUNCTION std::uint64_t begin() const { return tile_.begin; }
  /// Whether there is an element, or a position, of this number.
  KOKKOS_FORCEINLINE_FUNCTION bool has(std::uint32_t i) const { return i < tile_.count; }

  /// The number of element j of the thread.
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t element(int j) const {
    return GpuTile::element(tile_.thread, j / quad_size, j % quad_size);
  }
  /// Position k of the thread, and its place in the array. place() is called by whole warps.
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t position(int k) const {
    return GpuTile::position(tile_.thread, k);
  }
  KOKKOS_FORCEINLINE_FUNCTION std::uint64_t place(int k) const {
    return places_.place(k, offsets_);
  }

  KOKKOS_FORCEINLINE_FUNCTION T& operator[](std::uint32_t cell) const { return window_[cell]; }

 private:
  TileOfTeam tile_;
  PlacesOfThread<Memory> places_;
  std::uint64_t* offsets_;
  T* window_;
};

/// The windows of positions for which a tile's elements take turns. `AtOnce`: one window has all positions. Each
/// function that needs windows makes its own from what the kernel knows: a copy that lived as long as the tile made
/// nvcc 13.0 spill registers.
template <bool AtOnce>
class Windows {
 public:
  KOKKOS_FORCEINLINE_FUNCTION explicit Windows(int bits) : bits_(bits) {}

  KOKKOS_FORCEINLINE_FUNCTION int count() const {
    return AtOnce ? 1 : 1 << (GpuTile::bits - bits_);
  }
  /// How many positions of each window a thread has. A window has the positions of some k of all threads.
  KOKKOS_FORCEINLINE_FUNCTION int per_thread() const {
    return AtOnce ? GpuTile::per_thread : GpuTile::per_thread >> (GpuTile::bits - bits_);
  }
  KOKKOS_FORCEINLINE_FUNCTION bool has(int w, std::uint32_t position) const {
    return AtOnce || position >> bits_ == static_cast<std::uint32_t>(w);
  }
  /// The cell of a position in the scratch memory of its window.
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t cell(std::uint32_t position) const {
    return schedule::cell(AtOnce ? position : position & ((1u << bits_) - 1));
  }

 private:
  int bits_;
};

/// The base of ForwardTiles and BackwardTiles. `Whole`: the tile has all its elements, and they move by quads.
/// `AtOnce`: one window has all positions.
template <class Source, class Sink, class Memory>
class TileKernel {
 public:
  using T = typename Source::Item;
  static constexpr int threads = GpuTile::threads;
  /// As many teams as have registers.
  static constexpr int teams_per_processor = 2;
  static constexpr std::size_t scratch_bytes = max_scratch_bytes;

  TileKernel(Pass<Memory> const& pass, Source const& source, Sink const& sink, std::size_t scratch,
             bool from_last)
      : pass_(pass),
        source_(source),
        sink_(sink),
        scratch_(pass.runs_per_tile, scratch),
        from_last_(from_last) {}

  std::uint64_t teams() const { return pass_.tiles.count(); }
  std::size_t used_scratch_bytes() const { return scratch_.bytes(); }

 protected:
  /// Whether a thread can hold the elements of its tile. There are no registers for larger elements.
  static constexpr bool holds_elements = sizeof(T) <= 8;

  /// Calls kernel.move<Whole, AtOnce>(team, tile). `ByWindows`: elements can move by quads also where they take turns.
  template <bool ByWindows, class Kernel, class Member>
  KOKKOS_FUNCTION void move_tile(Kernel const& kernel, Member const& team, bool has_quads) const {
    TileOfTeam const tile(pass_.tiles, from_last_, team);
    bool const by_quads = tile.count == GpuTile::size && has_quads;
    bool const at_once = scratch_.window_bits == GpuTile::bits;
    if (by_quads && at_once) {
      kernel.template move<true, true>(team, tile);
    } else if (by_quads && ByWindows) {
      kernel.template move<ByWindows, false>(team, tile);
    } else {
      kernel.template move<false, false>(team, tile);
    }
  }

  template <class Member>
  KOKKOS_FUNCTION StagedTile<T, Memory> stage(Member const& team, TileOfTeam const& tile) const {
    return {pass_, scratch_, team, tile};
  }

  /// The positions of quad k of the thread.
  template <bool Whole>
  KOKKOS_FORCEINLINE_FUNCTION QuadOfPositions read_positions(TileOfTeam const& tile, int k) const {
    std::uint32_t const first = GpuTile::element(tile.thread, k, 0);
    if constexpr (Whole) {
      return QuadOfPositions(pass_.order.data() + tile.begin + first);
    } else {
      QuadOfPositions positions;
      for (int e = 0; e < quad_size; ++e) {
        std::uint32_t const i = first + static_cast<std::uint32_t>(e);
        if (i < tile.count) positions.set(e, pass_.order(tile.begin + i));
      }
      return positions;
    }
  }

  Pass<Memory> pass_;
  Source source_;
  Sink sink_;
  TileScratch<T> scratch_;
  bool from_last_;
};

}  // namespace riffle::detail::schedule
