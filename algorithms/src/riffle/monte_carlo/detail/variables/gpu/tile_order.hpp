#pragma once

// Which variable stands where in tiles.

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace riffle::detail::variables {

/// Tiles hold the variables order(skipped), order(skipped + 1), ...; behind the last stands the last again, as no
/// variable of its own.
template <class Order>
struct TileOrder {
  Order order;
  std::uint64_t skipped;

  KOKKOS_FUNCTION std::uint64_t last() const { return order.extent(0) - 1; }
  KOKKOS_FUNCTION bool is_variable(std::uint64_t place) const { return skipped + place <= last(); }
  KOKKOS_FUNCTION std::uint64_t variable(std::uint64_t place) const {
    return static_cast<std::uint64_t>(order(Kokkos::min(skipped + place, last())));
  }
  /// The tiles of `size` variables.
  std::uint64_t tiles(int size) const {
    auto const own = static_cast<std::uint64_t>(size);
    return (order.extent(0) - skipped + own - 1) / own;
  }
};
template <class Order>
TileOrder(Order, std::uint64_t) -> TileOrder<Order>;

}  // namespace riffle::detail::variables
