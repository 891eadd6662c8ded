#pragma once

// Variables and columns of replicates as doubles, in the order in which units that multiply doubles read them.

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/backend/backend.hpp>
#include <riffle/context.hpp>
#include <riffle/monte_carlo/detail/variables/comparand.hpp>
#include <riffle/monte_carlo/detail/variables/gpu/tile_order.hpp>
#include <riffle/monte_carlo/detail/variables/gpu/tile_shape.hpp>
#include <riffle/monte_carlo/detail/variables/prepare.hpp>

namespace riffle::detail::variables {

struct alignas(16) PairOfDoubles {
  double of[2];
};

inline constexpr std::uint64_t observations_per_product = 4;

/// Lane l has of step s of a tile the observation 4 s + l % 4 of the variables that are the columns l / 4 and 8 + l / 4 of
/// B.
template <class Memory, class Shape>
struct ValueTiles {
  static_assert(Shape::column_tiles == 2);
  Kokkos::View<PairOfDoubles*, Memory> values;
  Kokkos::View<VariableTerms*, Memory> terms;
  Kokkos::View<TileTerms*, Memory> tile_terms;
  std::uint64_t steps = 0;

  KOKKOS_FUNCTION std::uint64_t count() const { return terms.extent(0) / Shape::variables; }
  KOKKOS_FUNCTION PairOfDoubles const* tile(std::uint64_t t) const {
    return values.data() + t * steps * backend::width;
  }
};

template <class Memory, class Shape, class Order>
struct FillValueTiles {
  WholeData<Memory> whole;
  Kokkos::View<VariableTerms*, Memory> terms;
  TileOrder<Order> order;
  ValueTiles<Memory, Shape> tiles;

  KOKKOS_FUNCTION void operator()(std::uint64_t at) const {
    std::uint64_t const lane = at % backend::width;
    std::uint64_t const step = at / backend::width % tiles.steps;
    std::uint64_t const tile = at / backend::width / tiles.steps;
    std::uint64_t const i = step * observations_per_product + lane % 4;
    for (std::uint64_t j = 0; j < 2; ++j) {
      auto const own = Shape::variable_of_b(static_cast<int>(8 * j + lane / 4));
      std::uint64_t const g =
          order.variable(tile * Shape::variables + static_cast<std::uint64_t>(own));
      tiles.values(at).of[j] = i < whole.values.extent(1) ? whole.values(g, i) : 0;
    }
    if (step == 0 && lane < Shape::variables) fill_terms(tile * Shape::variables + lane);
  }

 private:
  KOKKOS_FUNCTION void fill_terms(std::uint64_t place) const {
    std::uint64_t const g = order.variable(place);
    tiles.terms(place) = terms(g);
    tiles.tile_terms(place) = TileTerms::of(terms(g), g, order.is_variable(place));
  }
};

template <class Shape, class Exec, class Order>
auto fill_value_tiles(Context<Exec> const& context,
                      WholeData<typename Exec::memory_space> const& whole,
                      Kokkos::View<VariableTerms*, typename Exec::memory_space> const& terms,
                      TileOrder<Order> const& order) {
  using Memory = typename Exec::memory_space;
  std::uint64_t const count = order.tiles(Shape::variables);
  auto const named = [&](char const* name) {
    return Kokkos::view_alloc(context.exec(), Kokkos::WithoutInitializing, context.label() + name);
  };
  ValueTiles<Memory, Shape> tiles;
  tiles.steps = (whole.values.extent(1) + observations_per_product - 1) / observations_per_product;
  tiles.values =
      Kokkos::View<PairOfDoubles*, Memory>(named("::tiles"), count * tiles.steps * backend::width);
  tiles.terms = Kokkos::View<VariableTerms*, Memory>(named("::terms"), count * Shape::variables);
  tiles.tile_terms =
      Kokkos::View<TileTerms*, Memory>(named("::tile_terms"), count * Shape::variables);
  context.named("tiles").for_each(tiles.values.extent(0),
                                  FillValueTiles<Memory, Shape, Order>{whole, terms, order, tiles});
  return tiles;
}

/// Columns of the replicates of a batch. Lane l has of step s of a column the observation 4 s + l % 4 of the replicates
/// l / 4 and 8 + l / 4 of each tile of 16.
template <class Memory, class Shape>
struct ColumnTiles {
  static constexpr int width = Shape::replicates;
  Kokkos::View<PairOfDoubles*, Memory> entries;
  std::uint64_t n = 0;
  std::uint64_t steps = 0;
  int columns = 0;

  KOKKOS_FUNCTION PairOfDoubles const* chunk(std::uint64_t c, int column) const {
    return entries.data() + begin(c, column);
  }
  KOKKOS_FUNCTION std::uint64_t chunk_size() const {
    return static_cast<std::uint64_t>(columns) * steps *
           static_cast<std::uint64_t>(Shape::row_tiles * backend::width);
  }

  // What a drawn replicate is put to (replicate_columns.hpp).
  KOKKOS_FUNCTION void begin(std::uint64_t r) const {
    for (int k = 0; k < columns; ++k) {
      for (std::uint64_t i = n; i < steps * observations_per_product; ++i) put(r, k, i, 0);
    }
  }
  KOKKOS_FUNCTION void put(std::uint64_t r, int column, std::uint64_t i, double x) const {
    std::uint64_t const in_chunk = r % width;
    std::uint64_t const tile = in_chunk / 16;
    std::uint64_t const lane = in_chunk % 8 * 4 + i % 4;
    std::uint64_t const at =
        begin(r / width, column) + (i / 4 * Shape::row_tiles + tile) * backend::width + lane;
    entries(at).of[in_chunk % 16 / 8] = x;
  }

 private:
  KOKKOS_FUNCTION std::uint64_t begin(std::uint64_t c, int column) const {
    return (c * static_cast<std::uint64_t>(columns) + static_cast<std::uint64_t>(column)) * steps *
           static_cast<std::uint64_t>(Shape::row_tiles * backend::width);
  }
};

}  // namespace riffle::detail::variables
