#pragma once

// Transposes squares that follow each other in memory, each in its own place.

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <type_traits>

#include <riffle/context.hpp>
#include <riffle/permute/detail/tiles/gpu/by_teams.hpp>
#include <riffle/permute/detail/tiles/run_transpose.hpp>
#include <riffle/permute/detail/tiles/transpose_route.hpp>

namespace riffle::detail::tiles {

/// The places of tiles in one square after the other.
template <int bits_>
class SquaresRoute : public TransposeRoute<bits_> {
 public:
  using Base = TransposeRoute<bits_>;

  struct Tile : Base::Tile {
    std::uint64_t begin;  // of the square
  };

  SquaresRoute(Base const& one, std::uint64_t squares, std::uint64_t size)
      : Base(one), squares_(squares), size_(size), tiles_(one.tiles()) {}

  std::uint64_t tiles() const { return squares_ * Base::tiles(); }

  KOKKOS_FUNCTION TilePair<Tile> pair(std::uint64_t t) const {
    std::uint64_t const square = t / tiles_;
    auto const pair = Base::pair(t - square * tiles_);
    std::uint64_t const begin = square * size_;
    return {{pair.own, begin}, {pair.other, begin}, pair.count};
  }

  template <int first>
  KOKKOS_FUNCTION typename Base::Walk reader(Tile const& tile, std::uint32_t s) const {
    auto walk = Base::template reader<first>(tile, s);
    walk.offset += tile.begin;
    return walk;
  }

  template <int first>
  KOKKOS_FUNCTION typename Base::Walk writer(Tile const& tile, std::uint32_t r) const {
    auto walk = Base::template writer<first>(tile, r);
    walk.offset += tile.begin;
    return walk;
  }

 private:
  std::uint64_t squares_;
  std::uint64_t size_;
  std::uint64_t tiles_;
};

template <class T, class Exec>
void transpose_squares(Context<Exec> const& context, T* data, std::uint64_t squares,
                       std::uint64_t side) {
  constexpr int bits = square_tile_bits<T>;
  Transposition const matrix{side, side, side, 1, side, 1};
  T const* const in = data;
  with_width<T>(has_wide_rows(matrix, in, in), [&](auto wide) {
    using Route = SquaresRoute<bits>;
    auto const lead = grid_lead(matrix, bits / 2, bits / 2, in, in);
    Route const route({matrix, bits / 2, lead}, squares, side * side);
    auto const arrangement = arrangement_of<T, wide.value, bits>(route.image());
    using Mover = TileMover<T, Route, wide.value>;
    launch_tiles(context, ExchangeTiles<Mover>{Mover(route, arrangement, {in, 1}, {data, 1})});
  });
}

}  // namespace riffle::detail::tiles
