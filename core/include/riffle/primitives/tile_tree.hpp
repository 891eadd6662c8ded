#pragma once

// The order in which a scan combines, which depends on n alone.
//
// The sequence is cut into quads of 4 elements, rows of 32 quads, tiles of 32 rows and bundles of 32
// tiles. Inside each of these the members are scanned by J. Sklansky's conditional-sum network (IRE
// Trans. EC-9, 1960): a scan of the lower half, a scan of the upper half, and the lower half's total
// combined from the left with each prefix of the upper half. So the total of a complete bundle is the
// balanced binary tree over its 2^17 elements. Bundles follow each other from left to right:
//   G(0) = init,  G(g + 1) = G(g) + total of bundle g,
// and with E the total of what is before a member inside its parent, the prefix of an element is
//   (((G + E_tile) + E_row) + E_quad) + its prefix inside the quad.
// Missing elements at the end are the identity.

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/backend/backend.hpp>

namespace riffle::detail {

inline constexpr int quad_size = 4;
inline constexpr int row_size = quad_size * backend::width;
inline constexpr int tile_rows = backend::width;
inline constexpr int tile_size = row_size * tile_rows;
inline constexpr int bundle_tiles = backend::width;

/// x[j] becomes the combination of x[0], ..., x[j].
template <class Op, class T>
KOKKOS_INLINE_FUNCTION void scan_quad(Op const& op, T (&x)[quad_size]) {
  x[1] = op(x[0], x[1]);
  T const upper = op(x[2], x[3]);
  x[2] = op(x[1], x[2]);
  x[3] = op(x[1], upper);
}

/// The combination of the values at places 0, ..., `place` of a warp, on a GPU. Every lane of the warp calls it.
/// Places::lane(place) is the lane that has the value at a place.
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

/// The combination of the values of lanes 0, ..., `lane`.
template <class Op, class T>
KOKKOS_INLINE_FUNCTION T scan_lanes(Op const& op, int lane, T x) {
  return scan_places<PlacesInOrder>(op, lane, x);
}

/// The same for all lanes at once, on a CPU.
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
