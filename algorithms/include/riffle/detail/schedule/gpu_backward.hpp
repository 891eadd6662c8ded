#pragma once

// One pass of a plan undone on a GPU: each team reads the runs of a tile into scratch memory, and has each element take
// what is at its position.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

#include <riffle/detail/schedule/gpu_tile.hpp>
#include <riffle/detail/schedule/pass.hpp>
#include <riffle/detail/schedule/staging.hpp>
#include <riffle/kernel/tile_tree.hpp>
#include <riffle/lanes/lanes.hpp>

namespace riffle::detail::schedule {

/// As ForwardTiles, from places to elements.
template <class Source, class Sink, class Memory>
class BackwardTiles {
 public:
  using T = typename Source::Item;
  static constexpr int threads = GpuTile::threads;
  static constexpr int teams_per_processor = 2;

  BackwardTiles(Pass<Memory> const& pass, Source const& source, Sink const& sink,
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
    bool const by_quads = tile.count == GpuTile::size && sink_.has_quads();
    bool const at_once = scratch_.window_bits == GpuTile::bits;
    if (by_quads && at_once) {
      move<true, true>(team, tile);
    } else if (by_quads && holds_elements) {
      move<holds_elements, false>(team, tile);
    } else {
      move<false, false>(team, tile);
    }
  }

 private:
  // Larger ones are written as they come.
  static constexpr bool holds_elements = sizeof(T) <= 8;

  /// `Whole`: all elements are there, and can be written by quads. `AtOnce`: one window has all positions.
  template <bool Whole, bool AtOnce, class Member>
  KOKKOS_FUNCTION void move(Member const& team, TileOfTeam const& tile) const {
    QuadOfPositions positions[GpuTile::quads_per_thread];
    read_positions<Whole>(tile, positions);
    PlacesOfThread<Memory> const places(pass_, tile.number, tile.thread);
    auto* const offsets = scratch_.offsets(team);
    T* const window = scratch_.window(team);
    places.share(offsets);
    T x[Whole && !AtOnce ? GpuTile::per_thread : 1];
    int const windows = AtOnce ? 1 : 1 << (GpuTile::bits - scratch_.window_bits);
    for (int w = 0; w < windows; ++w) {
      // For the offsets, and for what others still read of the window before.
      team.team_barrier();
      fill<Whole, AtOnce>(tile, places, offsets, w, window);
      team.team_barrier();
      if constexpr (AtOnce) {
        write_quads(tile, [&](int k, int e) { return window[cell(positions[k][e])]; });
      } else if constexpr (Whole) {
        take(positions, static_cast<std::uint32_t>(w), window, x);
      } else {
        write_window(tile, positions, static_cast<std::uint32_t>(w), window);
      }
    }
    if constexpr (Whole && !AtOnce) {
      write_quads(tile, [&](int k, int e) { return x[quad_size * k + e]; });
    }
  }

  template <bool Whole>
  KOKKOS_FUNCTION void read_positions(TileOfTeam const& tile, QuadOfPositions* positions) const {
    RIFFLE_UNROLL
    for (int k = 0; k < GpuTile::quads_per_thread; ++k) {
      std::uint32_t const first = GpuTile::element(tile.thread, k, 0);
      if constexpr (Whole) {
        positions[k] = QuadOfPositions(pass_.order.data() + tile.begin + first);
      } else {
        for (int e = 0; e < quad_size; ++e) {
          std::uint32_t const i = first + static_cast<std::uint32_t>(e);
          if (i < tile.count) positions[k].set(e, pass_.order(tile.begin + i));
        }
      }
    }
  }

  /// Window w, from where its positions are in the array. Some are asked for before any is waited for: the compiler
  /// does not know that what is put in the window is nothing that is read.
  template <bool Whole, bool AtOnce>
  KOKKOS_FUNCTION void fill(TileOfTeam const& tile, PlacesOfThread<Memory> const& places,
                            std::uint64_t const* offsets, int w, T* window) const {
    constexpr int batch = GpuTile::per_thread / 2;
    int const bits = scratch_.window_bits;
    int const per_window =
        AtOnce ? GpuTile::per_thread : GpuTile::per_thread >> (GpuTile::bits - bits);
    RIFFLE_UNROLL
    for (int first = 0; first < GpuTile::per_thread; first += batch) {
      T x[batch];
      RIFFLE_UNROLL
      for (int j = 0; j < batch; ++j) {
        if (!AtOnce && first + j >= per_window) break;
        int const k = w * per_window + first + j;
        std::uint64_t const place = places.place(k, offsets);
        if (Whole || GpuTile::position(tile.thread, k) < tile.count) x[j] = source_(place);
      }
      RIFFLE_UNROLL
      for (int j = 0; j < batch; ++j) {
        if (!AtOnce && first + j >= per_window) break;
        std::uint32_t const position = GpuTile::position(tile.thread, w * per_window + first + j);
        if (!Whole && position >= tile.count) continue;
        window[cell(AtOnce ? position : position & ((1u << bits) - 1))] = x[j];
      }
    }
  }

  /// The elements whose positions are in window w.
  KOKKOS_FUNCTION void take(QuadOfPositions const* positions, std::uint32_t w, T const* window,
                            T* x) const {
    int const bits = scratch_.window_bits;
    RIFFLE_UNROLL
    for (int j = 0; j < GpuTile::per_thread; ++j) {
      std::uint32_t const position = positions[j / quad_size][j % quad_size];
      if (position >> bits == w) x[j] = window[cell(position & ((1u << bits) - 1))];
    }
  }

  template <class Value>
  KOKKOS_FORCEINLINE_FUNCTION void write_quads(TileOfTeam const& tile, Value const& value) const {
    RIFFLE_UNROLL
    for (int k = 0; k < GpuTile::quads_per_thread; ++k) {
      T quad[quad_size];
      RIFFLE_UNROLL
      for (int e = 0; e < quad_size; ++e) quad[e] = value(k, e);
      sink_.write_quad(tile.begin + GpuTile::element(tile.thread, k, 0), quad);
    }
  }

  KOKKOS_FUNCTION void write_window(TileOfTeam const& tile, QuadOfPositions const* positions,
                                    std::uint32_t w, T const* window) const {
    int const bits = scratch_.window_bits;
    RIFFLE_UNROLL
    for (int j = 0; j < GpuTile::per_thread; ++j) {
      std::uint32_t const place = GpuTile::element(tile.thread, j / quad_size, j % quad_size);
      if (place >= tile.count) continue;
      std::uint32_t const position = positions[j / quad_size][j % quad_size];
      if (position >> bits != w) continue;
      sink_.write(tile.begin + place, window[cell(position & ((1u << bits) - 1))]);
    }
  }

  Pass<Memory> pass_;
  Source source_;
  Sink sink_;
  TileScratch<T> scratch_;
  bool from_last_;
};

}  // namespace riffle::detail::schedule
