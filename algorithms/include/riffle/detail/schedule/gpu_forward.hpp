#pragma once

// One pass of a plan on a GPU: each team reads a tile, has its elements take their positions in scratch memory, and
// writes these in order.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

#include <riffle/detail/schedule/gpu_tile.hpp>
#include <riffle/detail/schedule/pass.hpp>
#include <riffle/detail/schedule/staging.hpp>
#include <riffle/kernel/tile_tree.hpp>
#include <riffle/lanes/lanes.hpp>

namespace riffle::detail::schedule {

/// Elements that do not fit scratch memory all at once take turns by windows of positions.
template <class Source, class Sink, class Memory>
class ForwardTiles {
 public:
  using T = typename Source::Item;
  static constexpr int threads = GpuTile::threads;
  /// As many as have registers.
  static constexpr int teams_per_processor = 2;

  ForwardTiles(Pass<Memory> const& pass, Source const& source, Sink const& sink,
               std::size_t scratch, bool from_last)
      : pass_(pass),
        source_(source),
        sink_(sink),
        scratch_(pass.runs_per_tile, scratch),
        from_last_(from_last) {}

  std::uint64_t teams() const { return pass_.tiles.count(); }
  std::size_t scratch_bytes() const { return scratch_.bytes(); }

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    TileOfTeam const tile(pass_.tiles, from_last_, team);
    bool const by_quads = tile.count == GpuTile::size && source_.has_quads();
    bool const at_once = scratch_.window_bits == GpuTile::bits;
    if (by_quads && at_once) {
      move<true, true>(team, tile);
    } else if (by_quads) {
      move<true, false>(team, tile);
    } else {
      move<false, false>(team, tile);
    }
  }

 private:
  // Larger ones are read once for each window.
  static constexpr bool holds_elements = sizeof(T) <= 8;

  /// What a thread has read of its tile.
  struct Elements {
    QuadOfPositions positions[GpuTile::quads_per_thread];
    T x[holds_elements ? GpuTile::per_thread : 1];
  };

  /// `Whole`: all elements are there, and can be read by quads. `AtOnce`: one window has all positions.
  template <bool Whole, bool AtOnce, class Member>
  KOKKOS_FUNCTION void move(Member const& team, TileOfTeam const& tile) const {
    // All that a thread reads it asks for before it waits.
    Elements elements;
    read<Whole>(tile, elements);
    PlacesOfThread<Memory> const places(pass_, tile.number, tile.thread);
    auto* const offsets = scratch_.offsets(team);
    T* const window = scratch_.window(team);
    places.share(offsets);
    int const windows = AtOnce ? 1 : 1 << (GpuTile::bits - scratch_.window_bits);
    for (int w = 0; w < windows; ++w) {
      if (!AtOnce && w > 0) team.team_barrier();
      fill<Whole, AtOnce>(tile, elements, static_cast<std::uint32_t>(w), window);
      team.team_barrier();
      write<Whole, AtOnce>(tile, places, offsets, w, window);
    }
  }

  template <bool Whole>
  KOKKOS_FUNCTION void read(TileOfTeam const& tile, Elements& elements) const {
    RIFFLE_UNROLL
    for (int k = 0; k < GpuTile::quads_per_thread; ++k) {
      std::uint32_t const first = GpuTile::element(tile.thread, k, 0);
      std::uint64_t const i = tile.begin + first;
      if constexpr (Whole) {
        elements.positions[k] = QuadOfPositions(pass_.order.data() + i);
        if constexpr (holds_elements) read_quad(i, elements, k);
      } else {
        for (int e = 0; e < quad_size; ++e) {
          if (first + static_cast<std::uint32_t>(e) >= tile.count) continue;
          std::uint64_t const j = i + static_cast<std::uint64_t>(e);
          elements.positions[k].set(e, pass_.order(j));
          if constexpr (holds_elements) elements.x[quad_size * k + e] = source_(j);
        }
      }
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION void read_quad(std::uint64_t i, Elements& elements, int k) const {
    T x[quad_size];
    source_.read_quad(i, x);
    RIFFLE_UNROLL
    for (int e = 0; e < quad_size; ++e) elements.x[quad_size * k + e] = x[e];
  }

  /// The elements whose positions are in window w.
  template <bool Whole, bool AtOnce>
  KOKKOS_FUNCTION void fill(TileOfTeam const& tile, Elements const& elements, std::uint32_t w,
                            T* window) const {
    int const bits = scratch_.window_bits;
    RIFFLE_UNROLL
    for (int j = 0; j < GpuTile::per_thread; ++j) {
      std::uint32_t const place = GpuTile::element(tile.thread, j / quad_size, j % quad_size);
      if (!Whole && place >= tile.count) continue;
      std::uint32_t const position = elements.positions[j / quad_size][j % quad_size];
      if (!AtOnce && position >> bits != w) continue;
      T& to = window[cell(AtOnce ? position : position & ((1u << bits) - 1))];
      if constexpr (holds_elements) {
        to = elements.x[j];
      } else {
        to = source_(tile.begin + place);
      }
    }
  }

  template <bool Whole, bool AtOnce>
  KOKKOS_FUNCTION void write(TileOfTeam const& tile, PlacesOfThread<Memory> const& places,
                             std::uint64_t const* offsets, int w, T const* window) const {
    int const bits = scratch_.window_bits;
    // A window has the positions of some k of all threads, or of a thread none.
    int const per_window =
        AtOnce ? GpuTile::per_thread : GpuTile::per_thread >> (GpuTile::bits - bits);
    // As many as leave registers for places.
    constexpr int batch = sizeof(T) <= 4 ? 1 : 4;
    RIFFLE_UNROLL
    for (int first = 0; first < GpuTile::per_thread; first += batch) {
      if (!AtOnce && first >= per_window) break;
      T x[batch];
      RIFFLE_UNROLL
      for (int j = 0; j < batch; ++j) {
        std::uint32_t const position = GpuTile::position(tile.thread, w * per_window + first + j);
        x[j] = window[cell(AtOnce ? position : position & ((1u << bits) - 1))];
      }
      RIFFLE_UNROLL
      for (int j = 0; j < batch; ++j) {
        if (!AtOnce && first + j >= per_window) break;
        int const k = w * per_window + first + j;
        std::uint64_t const place = places.place(k, offsets);
        if (Whole || GpuTile::position(tile.thread, k) < tile.count) sink_.write(place, x[j]);
      }
    }
  }

  Pass<Memory> pass_;
  Source source_;
  Sink sink_;
  TileScratch<T> scratch_;
  bool from_last_;
};

}  // namespace riffle::detail::schedule
