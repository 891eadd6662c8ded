#pragma once

// Where the run begins that reaches into a tile, and ends that reaches out of it, by a group of lanes. Most runs
// end nearby: the lanes look at the quads next to the tile, which lie in as few sectors of memory as there can
// be. Sectors, not the time that one takes, are the price of a search, so only of longer runs the ends are
// searched for, by few lanes.

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/detail/rank/search.hpp>
#include <riffle/detail/tile_tree.hpp>
#include <riffle/lanes.hpp>
#include <riffle/order.hpp>

namespace riffle::detail::rank {

/// What a group looks at first.
inline constexpr int near_elements = quad_size * lanes::width;
inline constexpr int searching_lanes = 8;

/// Bit e is set where element first + e is not tied.
template <class Source, class Index, class IsTied>
KOKKOS_FUNCTION std::uint32_t apart_in_quad(Source const& source, Index first,
                                            IsTied const& is_tied) {
  typename Source::Item x[quad_size];
  if (source.has_quads()) {
    source.read_quad(first, x);
  } else {
    for (int e = 0; e < quad_size; ++e) x[e] = source(first + static_cast<Index>(e));
  }
  std::uint32_t apart = 0;
  for (int e = 0; e < quad_size; ++e) apart |= is_tied(x[e]) ? 0u : 1u << e;
  return apart;
}

/// Where the run of element `begin` begins, which is a multiple of near_elements.
template <class Source, class Order, class Index>
KOKKOS_FUNCTION Index find_start(Source const& source, Order const& order, Index begin, int lane) {
  using T = typename Source::Item;
  if (begin == 0) return 0;
  T const value = source(begin);
  auto const is_tied = [&](T const& x) { return !differ(order, x, value); };
  Index const first = begin - near_elements + static_cast<Index>(quad_size * lane);
  std::uint32_t const apart = apart_in_quad(source, first, is_tied);
  std::uint32_t const any = lanes::ballot(apart != 0);
  if (any != 0) {
    Index const own = first + static_cast<Index>(apart == 0 ? 0 : lanes::highest_one(apart)) + 1;
    return lanes::from_lane(own, lanes::highest_one(any));
  }
  return begin - GroupSearch<searching_lanes, Index>(begin, lane, near_elements).run([&](Index k) {
    return is_tied(source(begin - k));
  });
}

/// Where the run of element behind - 1 ends, of n elements; `behind` is n or a multiple of near_elements.
template <class Source, class Order, class Index>
KOKKOS_FUNCTION Index find_end(Source const& source, Order const& order, Index n, Index behind,
                               int lane) {
  using T = typename Source::Item;
  if (behind == n) return n;
  T const value = source(behind - 1);
  auto const is_tied = [&](T const& x) { return !differ(order, value, x); };
  Index known = 0;
  if (near_elements <= n - behind) {
    Index const first = behind + static_cast<Index>(quad_size * lane);
    std::uint32_t const apart = apart_in_quad(source, first, is_tied);
    std::uint32_t const any = lanes::ballot(apart != 0);
    if (any != 0) {
      Index const own = first + static_cast<Index>(apart == 0 ? 0 : lanes::lowest_one(apart));
      return lanes::from_lane(own, lanes::lowest_one(any));
    }
    known = near_elements;
  }
  return behind + GroupSearch<searching_lanes, Index>(n - behind, lane, known).run([&](Index k) {
    return is_tied(source(behind + k - 1));
  });
}

}  // namespace riffle::detail::rank
