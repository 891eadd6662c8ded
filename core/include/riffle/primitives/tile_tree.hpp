#pragma once

// The order in which a scan combines elements. It depends on n alone.
//
//     4 elements are a quad, 32 quads a row (128 elements), 32 rows a tile (2^12), 32 tiles a bundle (2^17)
//
// The members of a quad, row, tile or bundle are scanned by J. Sklansky's conditional-sum network (IRE Trans. EC-9,
// 1960): the lower half and the upper half are scanned, and then the total of the lower half is combined from the left
// with each prefix of the upper half. So the total of a complete bundle is the balanced binary tree over its 2^17
// elements. Bundles are combined from left to right. The reduction of everything before bundle g is G(g):
//   G(0) = init,  G(g + 1) = G(g) + total of bundle g.
// The prefix of an element is
//   (((G + E_tile) + E_row) + E_quad) + the element's prefix inside its quad, where
//   E_tile is the total of the earlier tiles of the element's bundle,
//   E_row  is the total of the earlier rows of the element's tile,
//   E_quad is the total of the earlier quads of the element's row.
// Missing elements at the end are replaced by the identity.

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/backend/backend.hpp>

namespace riffle::detail {

inline constexpr int quad_size = 4;
inline constexpr int row_size = quad_size * backend::width;
inline constexpr int tile_rows = backend::width;
inline constexpr int tile_size = row_size * tile_rows;
inline constexpr int bundle_tiles = backend::width;

/// Sets x[j] to the combination of x[0], ..., x[j].
template <class Op, class T>
KOKKOS_INLINE_FUNCTION void scan_quad(Op const& op, T (&x)[quad_size]) {
  x[1] = op(x[0], x[1]);
  T const upper = op(x[2], x[3]);
  x[2] = op(x[1], x[2]);
  x[3] = op(x[1], upper);
}

/// Returns the combination of the values at positions 0, ..., `place` of a warp on a GPU. x is the value at position
/// `place`. All lanes of the warp must call it. Places::lane(p) is the lane that holds the value at position p.
template <class Places, class Op, class T>
KOKKOS_INLINE_FUNCTION T scan_places(Op const& op, int place, T x) {
  for (int half = 1; half < backend::width; half *= 2) {
    T const lower = backend::from_lane(x, Places::lane((place & ~(2 * half - 1)) | (half - 1)));
    if (place & half) x = op(lower, x);
  }
  return x;
}

struct PlacesInOrder {
  KOKKOS_FUNCTION static constexpr int lane(int place) { return place; }
};

/// Returns the combination of the values in lanes 0, ..., `lane`. All lanes of the warp must call it.
template <class Op, class T>
KOKKOS_INLINE_FUNCTION T scan_lanes(Op const& op, int lane, T x) {
  return scan_places<PlacesInOrder>(op, lane, x);
}

/// Scans the values of 32 lanes on a CPU, in the order of scan_lanes: sets x[l] to the combination of x[0], ..., x[l].
template <class Op, class T>
KOKKOS_INLINE_FUNCTION void scan_all_lanes(Op const& op, T (&x)[backend::width]) {
  for (int half = 1; half < backend::width; half *= 2) {
    for (int begin = half; begin < backend::width; begin += 2 * half) {
      T const lower = x[begin - 1];
      for (int lane = begin; lane < begin + half; ++lane) x[lane] = op(lower, x[lane]);
    }
  }
}

}  // namespace riffle::detail
