#pragma once

// Applies a pass of a plan on a GPU. Forward: a team loads a tile sequentially, stores each element at its position in
// scratch memory, and writes the elements in the order of their positions, as runs:
//
//     tile in memory  -- sequence -->  registers  -- positions -->  scratch  -- runs -->  array
//
// Backward: a team loads the runs of a tile into scratch memory. Each element of the tile then receives the value at
// the element's position.

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/backend/backend.hpp>
#include <riffle/permute/detail/schedule/gpu/tile_kernel.hpp>
#include <riffle/primitives/tile_tree.hpp>

namespace riffle::detail::schedule {

template <class Source, class Sink, class Memory>
class ForwardTiles : public TileKernel<Source, Sink, Memory> {
  using Base = TileKernel<Source, Sink, Memory>;
  friend Base;

 public:
  using Base::Base;
  using typename Base::T;

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    this->template move_tile<true>(*this, team, source_.has_quads());
  }

 private:
  using Base::scratch_;
  using Base::sink_;
  using Base::source_;
  // If holds_elements is false, a thread reads its elements again for each window, because they do not fit into its
  // registers.
  using Base::holds_elements;
  using Tile = StagedTile<T, Memory>;

  /// The positions and elements that a thread has read.
  struct Elements {
    QuadOfPositions positions[GpuTile::quads_per_thread];
    T x[holds_elements ? GpuTile::per_thread : 1];
  };

  template <bool Whole, bool AtOnce, class Member>
  KOKKOS_FUNCTION void move(Member const& team, TileOfTeam const& from) const {
    // A thread issues all its loads before it waits for the first.
    Elements elements;
    read<Whole>(from, elements);
    Tile const tile = this->stage(team, from);
    int const windows = Windows<AtOnce>(scratch_.window_bits).count();
    for (int w = 0; w < windows; ++w) {
      if (!AtOnce && w > 0) team.team_barrier();
      fill<Whole, AtOnce>(tile, elements, w);
      team.team_barrier();
      write<Whole, AtOnce>(tile, w);
    }
  }

  template <bool Whole>
  KOKKOS_FUNCTION void read(TileOfTeam const& tile, Elements& elements) const {
    RIFFLE_UNROLL
    for (int k = 0; k < GpuTile::quads_per_thread; ++k) {
      elements.positions[k] = this->template read_positions<Whole>(tile, k);
      if constexpr (holds_elements) read_quad<Whole>(tile, k, elements.x + quad_size * k);
    }
  }

  template <bool Whole>
  KOKKOS_FORCEINLINE_FUNCTION void read_quad(TileOfTeam const& tile, int k, T* x) const {
    std::uint32_t const first = GpuTile::element(tile.thread, k, 0);
    if constexpr (Whole) {
      T quad[quad_size];
      source_.read_quad(tile.begin + first, quad);
      RIFFLE_UNROLL
      for (int e = 0; e < quad_size; ++e) x[e] = quad[e];
    } else {
      for (int e = 0; e < quad_size; ++e) {
        std::uint32_t const i = first + static_cast<std::uint32_t>(e);
        if (i < tile.count) x[e] = source_(tile.begin + i);
      }
    }
  }

  /// Stores to scratch memory the elements whose positions are in window w.
  template <bool Whole, bool AtOnce>
  KOKKOS_FUNCTION void fill(Tile const& tile, Elements const& elements, int w) const {
    Windows<AtOnce> const windows(scratch_.window_bits);
    RIFFLE_UNROLL
    for (int j = 0; j < GpuTile::per_thread; ++j) {
      std::uint32_t const i = tile.element(j);
      if (!Whole && !tile.has(i)) continue;
      std::uint32_t const position = elements.positions[j / quad_size][j % quad_size];
      if (!windows.has(w, position)) continue;
      if constexpr (holds_elements) {
        tile[windows.cell(position)] = elements.x[j];
      } else {
        tile[windows.cell(position)] = source_(tile.begin() + i);
      }
    }
  }

  template <bool Whole, bool AtOnce>
  KOKKOS_FUNCTION void write(Tile const& tile, int w) const {
    // The number of loads in flight. With more loads, the indices would not fit into registers.
    constexpr int batch = sizeof(T) <= 4 ? 1 : 4;
    Windows<AtOnce> const windows(scratch_.window_bits);
    int const per_window = windows.per_thread();
    RIFFLE_UNROLL_UNTIL_BREAK
    for (int first = 0; first < GpuTile::per_thread; first += batch) {
      if (!AtOnce && first >= per_window) break;
      T x[batch];
      RIFFLE_UNROLL
      for (int j = 0; j < batch; ++j) {
        x[j] = tile[windows.cell(tile.position(w * per_window + first + j))];
      }
      RIFFLE_UNROLL
      for (int j = 0; j < batch; ++j) {
        if (!AtOnce && first + j >= per_window) break;
        int const k = w * per_window + first + j;
        std::uint64_t const place = tile.place(k);
        if (Whole || tile.has(tile.position(k))) sink_.write(place, x[j]);
      }
    }
  }
};

// --- backward ---

template <class Source, class Sink, class Memory>
class BackwardTiles : public TileKernel<Source, Sink, Memory> {
  using Base = TileKernel<Source, Sink, Memory>;
  friend Base;

 public:
  using Base::Base;
  using typename Base::T;

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    this->template move_tile<holds_elements>(*this, team, sink_.has_quads());
  }

 private:
  using Base::scratch_;
  using Base::sink_;
  using Base::source_;
  // If holds_elements is false, a thread writes its elements of a window before the next window is filled, because the
  // elements of all windows do not fit into its registers.
  using Base::holds_elements;
  using Tile = StagedTile<T, Memory>;

  template <bool Whole, bool AtOnce, class Member>
  KOKKOS_FUNCTION void move(Member const& team, TileOfTeam const& to) const {
    QuadOfPositions positions[GpuTile::quads_per_thread];
    RIFFLE_UNROLL
    for (int k = 0; k < GpuTile::quads_per_thread; ++k) {
      positions[k] = this->template read_positions<Whole>(to, k);
    }
    Tile const tile = this->stage(team, to);
    T x[Whole && !AtOnce ? GpuTile::per_thread : 1];
    int const windows = Windows<AtOnce>(scratch_.window_bits).count();
    for (int w = 0; w < windows; ++w) {
      // The barrier makes the offsets visible, and waits until no thread reads the previous window.
      team.team_barrier();
      fill<Whole, AtOnce>(tile, w);
      team.team_barrier();
      if constexpr (AtOnce) {
        write_quads(to, [&](int k, int e) { return tile[cell(positions[k][e])]; });
      } else if constexpr (Whole) {
        take(tile, positions, w, x);
      } else {
        write_window(tile, positions, w);
      }
    }
    if constexpr (Whole && !AtOnce) {
      write_quads(to, [&](int k, int e) { return x[quad_size * k + e]; });
    }
  }

  /// Fills window w: loads, for each position in the window, the element at the corresponding index in the array. A
  /// batch of loads is issued before its stores, because the compiler must assume that a store to the window changes
  /// the source.
  template <bool Whole, bool AtOnce>
  KOKKOS_FUNCTION void fill(Tile const& tile, int w) const {
    constexpr int batch = GpuTile::per_thread / 2;
    Windows<AtOnce> const windows(scratch_.window_bits);
    int const per_window = windows.per_thread();
    RIFFLE_UNROLL
    for (int first = 0; first < GpuTile::per_thread; first += batch) {
      T x[batch];
      RIFFLE_UNROLL
      for (int j = 0; j < batch; ++j) {
        if (!AtOnce && first + j >= per_window) break;
        int const k = w * per_window + first + j;
        std::uint64_t const place = tile.place(k);
        if (Whole || tile.has(tile.position(k))) x[j] = source_(place);
      }
      RIFFLE_UNROLL
      for (int j = 0; j < batch; ++j) {
        if (!AtOnce && first + j >= per_window) break;
        std::uint32_t const position = tile.position(w * per_window + first + j);
        if (Whole || tile.has(position)) tile[windows.cell(position)] = x[j];
      }
    }
  }

  /// Reads the thread's elements whose positions are in window w.
  KOKKOS_FUNCTION void take(Tile const& tile, QuadOfPositions const* positions, int w, T* x) const {
    Windows<false> const windows(scratch_.window_bits);
    RIFFLE_UNROLL
    for (int j = 0; j < GpuTile::per_thread; ++j) {
      std::uint32_t const position = positions[j / quad_size][j % quad_size];
      if (windows.has(w, position)) x[j] = tile[windows.cell(position)];
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

  KOKKOS_FUNCTION void write_window(Tile const& tile, QuadOfPositions const* positions,
                                    int w) const {
    Windows<false> const windows(scratch_.window_bits);
    RIFFLE_UNROLL
    for (int j = 0; j < GpuTile::per_thread; ++j) {
      std::uint32_t const i = tile.element(j);
      if (!tile.has(i)) continue;
      std::uint32_t const position = positions[j / quad_size][j % quad_size];
      if (windows.has(w, position)) sink_.write(tile.begin() + i, tile[windows.cell(position)]);
    }
  }
};

}  // namespace riffle::detail::schedule
