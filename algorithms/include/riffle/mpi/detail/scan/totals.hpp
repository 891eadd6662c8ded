#pragma once

// The totals of a rank's bundles, and their combination over bundles. Both combine in the order
// that riffle/primitives/tile_tree.hpp defines.

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <riffle/backend/backend.hpp>
#include <riffle/context.hpp>
#include <riffle/primitives/launch.hpp>
#include <riffle/primitives/tile_tree.hpp>

namespace riffle::detail::mpi {

/// Combines value(0), ..., value(Count - 1) in a balanced tree; Count is a power of two.
template <int Count, class Op, class Values>
KOKKOS_INLINE_FUNCTION typename Op::value_type balanced_total(Op const& op, Values const& values) {
  constexpr int levels = 13;
  static_assert(Count <= 1 << (levels - 1));
  typename Op::value_type blocks[levels];
  typename Op::value_type total{};
  for (int i = 0; i < Count; ++i) {
    total = values(i);
    int level = 0;
    for (; i >> level & 1; ++level) total = op(blocks[level], total);
    blocks[level] = total;
  }
  return total;
}

/// Sets totals[t] to the total of tile t. Requires: the tile is complete.
template <class Elements, class Op>
struct TotalTile {
  using Value = typename Op::value_type;

  Elements elements;
  Op op;
  Value* totals;

  KOKKOS_FUNCTION void operator()(std::uint64_t tile) const {
    totals[tile] = balanced_total<tile_size>(
        op, [&](int i) { return elements(tile * tile_size + static_cast<std::uint64_t>(i)); });
  }
};

/// Combines one value per lane of a warp, in a balanced tree. Only lane 0 receives the result.
/// Every lane must call this function.
template <class Op, class T>
KOKKOS_INLINE_FUNCTION T total_of_lanes(Op const& op, int lane, T x) {
  RIFFLE_UNROLL
  for (int half = 1; half < backend::width; half *= 2) {
    T const upper = backend::from_lane(x, (lane + half) % backend::width);
    // Combines neighbours only, in ascending order, because op need not be commutative.
    if (lane % (2 * half) == 0) x = op(x, upper);
  }
  return x;
}

/// Team kernel for GPUs that does the work of TotalTile. A warp reads one row of the tile at a
/// time, so that neighbouring lanes read neighbouring elements.
template <class Elements, class Op>
struct TotalTileByTeam {
  using Value = typename Op::value_type;

  static constexpr int threads = 256;
  static constexpr int teams_per_processor = 4;
  struct State {
    Value rows[tile_rows];
  };
  static constexpr std::size_t scratch_bytes = team_state_bytes<State>;
  static constexpr int rows_of_warp = tile_rows * backend::width / threads;

  Elements elements;
  Op op;
  Value* totals;

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    State& state = team_state<State>(team);
    auto const tile = static_cast<std::uint64_t>(team.league_rank());
    int const lane = team.team_rank() % backend::width;
    int const warp = team.team_rank() / backend::width;
    Value quads[rows_of_warp];
    RIFFLE_UNROLL
    for (int r = 0; r < rows_of_warp; ++r) {
      int const first = (warp * rows_of_warp + r) * row_size + lane * quad_size;
      quads[r] = total_of_quad(tile * tile_size + static_cast<std::uint64_t>(first));
    }
    RIFFLE_UNROLL
    for (int r = 0; r < rows_of_warp; ++r) {
      Value const total = total_of_lanes(op, lane, quads[r]);
      if (lane == 0) state.rows[warp * rows_of_warp + r] = total;
    }
    team.team_barrier();
    if (warp > 0) return;
    Value const total = total_of_lanes(op, lane, state.rows[lane]);
    if (lane == 0) totals[tile] = total;
  }

 private:
  KOKKOS_FUNCTION Value total_of_quad(std::uint64_t first) const {
    Value const lower = op(elements(first), elements(first + 1));
    return op(lower, op(elements(first + 2), elements(first + 3)));
  }
};

/// Sets totals[b] to the total of bundle b, computed from the totals of the bundle's tiles.
template <class Op>
struct TotalBundle {
  using Value = typename Op::value_type;

  Op op;
  Value const* tiles;
  Value* totals;

  KOKKOS_FUNCTION void operator()(std::uint64_t bundle) const {
    totals[bundle] = balanced_total<bundle_tiles>(
        op, [&](int t) { return tiles[bundle * bundle_tiles + static_cast<std::uint64_t>(t)]; });
  }
};

/// Sets before[0] to the combination of init and the totals of all bundles before bundle `first`.
/// Sets before[1] likewise for bundle `last`. One thread does this, because each step needs the
/// result of the previous step.
template <class Op>
struct CombineBundles {
  using Value = typename Op::value_type;

  Op op;
  Value init;
  std::uint64_t first;
  std::uint64_t last;
  Value const* totals;
  Value* before;

  KOKKOS_FUNCTION void operator()(std::uint64_t) const {
    Value prefix = init;
    for (std::uint64_t b = 0; b < last; ++b) {
      if (b == first) before[0] = prefix;
      prefix = op(prefix, totals[b]);
    }
    if (first == last) before[0] = prefix;
    before[1] = prefix;
  }
};

/// Team kernel for GPUs that does the work of CombineBundles. All threads load totals; one thread
/// combines them.
template <class Op>
struct CombineByTeam {
  using Value = typename Op::value_type;

  static constexpr int threads = 128;
  static constexpr int teams_per_processor = 1;
  static constexpr std::uint64_t at_once =
      std::clamp<std::uint64_t>(8192 / sizeof(Value), 1, threads);
  struct State {
    Value totals[at_once];
  };
  static constexpr std::size_t scratch_bytes = team_state_bytes<State>;

  CombineBundles<Op> of;

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    State& state = team_state<State>(team);
    auto const thread = static_cast<std::uint64_t>(team.team_rank());
    Value prefix = of.init;
    for (std::uint64_t begin = 0; begin < of.last; begin += at_once) {
      std::uint64_t const left = of.last - begin;
      std::uint64_t const count = left < at_once ? left : at_once;
      if (thread < count) state.totals[thread] = of.totals[begin + thread];
      team.team_barrier();
      for (std::uint64_t k = 0; k < count && thread == 0; ++k) {
        if (begin + k == of.first) of.before[0] = prefix;
        prefix = of.op(prefix, state.totals[k]);
      }
      team.team_barrier();
    }
    if (thread > 0) return;
    if (of.first == of.last) of.before[0] = prefix;
    of.before[1] = prefix;
  }
};

/// Computes the totals of `bundles` complete bundles from the totals of their tiles. elements(0) is
/// the first element of the first bundle.
template <class Exec, class Elements, class Op, class Value = typename Op::value_type>
void total_bundles(Context<Exec> const& context, std::uint64_t bundles, Elements const& elements,
                   Op const& op, Value* tiles, Value* totals) {
  if constexpr (backend::is_cpu<Exec>) {
    context.for_each(bundles * bundle_tiles, TotalTile<Elements, Op>{elements, op, tiles});
  } else {
    launch_teams(context, bundles * bundle_tiles,
                 TotalTileByTeam<Elements, Op>{elements, op, tiles});
  }
  context.for_each(bundles, TotalBundle<Op>{op, tiles, totals});
}

template <class Exec, class Op>
void combine_bundles(Context<Exec> const& context, CombineBundles<Op> const& combine) {
  if constexpr (backend::is_cpu<Exec>) {
    context.for_each(1, combine);
  } else {
    launch_teams(context, 1, CombineByTeam<Op>{combine});
  }
}

}  // namespace riffle::detail::mpi
