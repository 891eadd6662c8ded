#pragma once

// Variables in the forms that labels are multiplied with: coarse digits for nearly all statistics, whole values for the
// rest.

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/context.hpp>
#include <riffle/monte_carlo/alternative.hpp>
#include <riffle/monte_carlo/detail/variables/comparand.hpp>
#include <riffle/monte_carlo/detail/variables/gpu/coarse_terms.hpp>
#include <riffle/monte_carlo/detail/variables/gpu/digit_tiles.hpp>
#include <riffle/monte_carlo/detail/variables/gpu/tile_order.hpp>
#include <riffle/monte_carlo/detail/variables/gpu/tile_shape.hpp>
#include <riffle/monte_carlo/detail/variables/prepare.hpp>

namespace riffle::detail::variables {

template <class Memory, class Shape>
struct LabelTiles {
  DigitTiles<Memory, Shape> coarse;
  Matrix<Memory> values;  // in the order of the data
  Kokkos::View<CoarseTerms*, Memory> coarse_terms;
  Kokkos::View<TileTerms*, Memory> terms;

  KOKKOS_FUNCTION std::uint64_t count() const { return terms.extent(0) / Shape::variables; }
};

/// Factors have the other sign where less is more extreme.
template <class Memory, class Shape, class Order>
struct FillLabelTerms {
  WholeData<Memory> whole;
  Kokkos::View<VariableTerms*, Memory> terms;
  TileOrder<Order> order;
  Alternative alternative;
  double most_coarse;
  LabelTiles<Memory, Shape> tiles;
  CoarseScale<Memory> scale;

  KOKKOS_FUNCTION void operator()(std::uint64_t place) const {
    std::uint64_t const g = order.variable(place);
    TileTerms own = TileTerms::of(terms(g), g, order.is_variable(place));
    CoarseValues const coarse(Row<Memory>{whole.values, g}, whole.values.extent(1), most_coarse);
    scale.scales(place) = coarse.scale;
    tiles.coarse_terms(place) = MakeCoarseTerms(coarse, own, alternative)();
    if (alternative == Alternative::less) own.factor = -own.factor;
    tiles.terms(place) = own;
  }
};

/// Coarse numbers of so many pairs of digits.
template <class Shape, class Exec, class Order>
auto fill_label_tiles(Context<Exec> const& context,
                      WholeData<typename Exec::memory_space> const& whole,
                      Kokkos::View<VariableTerms*, typename Exec::memory_space> const& terms,
                      TileOrder<Order> const& order, Alternative alternative, int coarse_pairs) {
  using Memory = typename Exec::memory_space;
  std::uint64_t const places =
      order.tiles(Shape::variables) * static_cast<std::uint64_t>(Shape::variables);
  auto const named = [&](char const* name) {
    return Kokkos::view_alloc(context.exec(), Kokkos::WithoutInitializing, context.label() + name);
  };
  LabelTiles<Memory, Shape> tiles;
  tiles.coarse_terms = Kokkos::View<CoarseTerms*, Memory>(named("::coarse_terms"), places);
  tiles.terms = Kokkos::View<TileTerms*, Memory>(named("::tile_terms"), places);
  CoarseScale<Memory> const scale{Array<Memory>(named("::scales"), places)};
  context.named("terms").for_each(
      places, FillLabelTerms<Memory, Shape, Order>{whole, terms, order, alternative,
                                                   max_of_digit_pairs(coarse_pairs), tiles, scale});
  tiles.coarse = fill_digit_tiles<Shape>(context, whole, order, coarse_pairs, scale);
  tiles.values = whole.values;
  return tiles;
}

}  // namespace riffle::detail::variables
