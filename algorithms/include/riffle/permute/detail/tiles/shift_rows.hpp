#pragma once

// Moves the rows of a matrix together or apart, in place:
//
//     spread      | row 0 | gap | row 1 | gap | row 2 |
//     compact     | row 0 | row 1 | row 2 |

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <riffle/context.hpp>
#include <riffle/permute/detail/tiles/gpu/tiles_by_teams.hpp>
#include <riffle/permute/tuning.hpp>
#include <riffle/primitives/launch.hpp>
#include <riffle/primitives/scope.hpp>
#include <riffle/random/integers.hpp>

namespace riffle::detail::tiles {

/// Rows of `length` elements. Row i begins at i * length if rows are compact, and at i * (length + gap) if they are
/// spread.
class SpreadRows {
 public:
  SpreadRows(std::uint64_t rows, std::uint64_t length, std::uint64_t gap)
      : rows_(rows), length_(length), gap_(gap) {}

  bool is_moved() const { return rows_ > 1 && gap_ > 0; }
  KOKKOS_FUNCTION std::uint64_t elements() const { return rows_ * length_.divisor(); }
  std::uint64_t greatest_shift() const { return (rows_ - 1) * gap_; }
  /// Returns the index among spread rows for element k of the compact rows.
  KOKKOS_FUNCTION std::uint64_t spread(std::uint64_t k) const {
    return k + length_.quotient(k) * gap_;
  }

 private:
  std::uint64_t rows_;
  Divider<std::uint64_t> length_;
  std::uint64_t gap_;
};

/// Divides an array into tiles of `tile` elements, each of which a team moves. An element moves by at most `shift`
/// indices, so the teams of neighbouring tiles conflict only in the first `shift` elements of each tile. These elements
/// are saved before the tiles are moved.
struct ShiftTiles {
  explicit ShiftTiles(SpreadRows const& rows)
      : shift(rows.greatest_shift()),
        tile(std::max(min_shift_tile, tile_per_shift * shift)),
        tiles((rows.elements() + tile - 1) / tile) {}

  std::uint64_t shift;
  std::uint64_t tile;
  std::uint64_t tiles;
};

/// Saves the first tiles.shift elements of each tile.
template <class T>
struct SaveTileHeads {
  T const* data;
  T* saved;
  ShiftTiles tiles;
  std::uint64_t size;

  KOKKOS_FUNCTION void operator()(std::uint64_t k) const {
    std::uint64_t const tile = k / tiles.shift;
    std::uint64_t const place = tile * tiles.tile + (k - tile * tiles.shift);
    if (place < size) saved[k] = data[place];
  }
};

enum class Shift { together, apart };

/// Kernel in which each team moves one tile, chunk by chunk, through scratch memory. Chunks are moved in descending
/// order if rows move apart, and in ascending order if rows move together, so that the team does not overwrite elements
/// that it has not read yet.
template <class T, Shift direction>
struct ShiftRows {
  static constexpr int threads = 512;
  static constexpr int teams_per_processor = 3;
  static constexpr std::uint32_t chunk = std::max<std::uint32_t>((31 << 10) / sizeof(T), 1);
  static constexpr std::size_t scratch_bytes = chunk * sizeof(T) + vector_bytes;

  T* data;
  T const* saved;
  SpreadRows rows;
  ShiftTiles tiles;

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& member) const {
    auto* const stage = static_cast<Cell<T>*>(
        member.team_scratch(0).get_shmem_aligned(chunk * sizeof(T), vector_bytes));
    auto const tile = static_cast<std::uint64_t>(member.league_rank());
    std::uint64_t const begin = tile * tiles.tile;
    std::uint64_t const end = Kokkos::min(begin + tiles.tile, rows.elements());
    std::uint64_t const chunks = (end - begin + chunk - 1) / chunk;
    for (std::uint64_t k = 0; k < chunks; ++k) {
      std::uint64_t const first = begin + (direction == Shift::apart ? chunks - 1 - k : k) * chunk;
      auto const size = static_cast<std::uint32_t>(Kokkos::min(std::uint64_t{chunk}, end - first));
      read(member, tile, first, size, stage);
      member.team_barrier();
      for (auto i = static_cast<std::uint32_t>(member.team_rank()); i < size;
           i += static_cast<std::uint32_t>(member.team_size())) {
        data[direction == Shift::apart ? rows.spread(first + i) : first + i] = stage[i].value;
      }
      member.team_barrier();
    }
  }

 private:
  static constexpr int at_once = sizeof(T) <= 8 ? 8 : 4;

  template <class Member>
  KOKKOS_FUNCTION void read(Member const& member, std::uint64_t tile, std::uint64_t first,
                            std::uint32_t size, Cell<T>* stage) const {
    auto const step = static_cast<std::uint32_t>(member.team_size());
    for (auto i = static_cast<std::uint32_t>(member.team_rank()); i < size; i += at_once * step) {
      T x[at_once];
      unrolled<at_once>(
          [&](auto j) { x[j] = *source(tile, first + Kokkos::min(i + j * step, size - 1)); });
      unrolled<at_once>([&](auto j) {
        if (i + j * step < size) stage[i + j * step].value = x[j];
      });
    }
  }

  KOKKOS_FUNCTION T const* source(std::uint64_t tile, std::uint64_t k) const {
    if constexpr (direction == Shift::apart) {
      std::uint64_t const place = k - tile * tiles.tile;
      return place < tiles.shift ? saved + (tile * tiles.shift + place) : data + k;
    } else {
      std::uint64_t const from = rows.spread(k);
      std::uint64_t const next = (tile + 1) * tiles.tile;
      return from < next ? data + from : saved + ((tile + 1) * tiles.shift + (from - next));
    }
  }
};

/// Moves spread rows together, or compact rows apart.
template <Shift direction, class Exec, class T>
void shift_rows(Context<Exec> const& context, T* data, SpreadRows const& rows) {
  if (!rows.is_moved()) return;
  ShiftTiles const tiles(rows);
  std::uint64_t const heads = tiles.tiles + 1;
  Scope scope(context);
  T* const saved = scope.template take<T>(heads * tiles.shift);
  std::uint64_t const in_memory =
      direction == Shift::apart ? rows.elements() : rows.spread(rows.elements() - 1) + 1;
  context.named("keep").for_each(heads * tiles.shift,
                                 SaveTileHeads<T>{data, saved, tiles, in_memory});
  launch_teams(context, tiles.tiles, ShiftRows<T, direction>{data, saved, rows, tiles});
}

}  // namespace riffle::detail::tiles
