#pragma once

// Checks the Views that are passed to permutations of bits and to transpositions.

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <limits>
#include <type_traits>

#include <riffle/backend/backend.hpp>
#include <riffle/errors.hpp>
#include <riffle/permute/detail/tiles/bit_tiling.hpp>
#include <riffle/permute/detail/tiles/gpu/tiles_by_teams.hpp>
#include <riffle/primitives/call.hpp>
#include <riffle/primitives/views.hpp>

namespace riffle::detail::tiles {

/// Whether teams move the tiles. A team moves a tile through its scratch memory, with coalesced global accesses and
/// without bank conflicts (A. Kasagi, K. Nakano, Y. Ito, 2014, section 5). Otherwise, on a CPU, a thread moves a tile
/// through a buffer in its cache, and uses streaming stores for large outputs (L. Carter, K. S. Gatlin, 1998).
template <class Exec>
inline constexpr bool moves_by_teams = !backend::is_cpu<SpaceOf<Exec>>;

template <class View>
Strided<typename View::non_const_value_type const> strided_source(View const& view) {
  return {view.data(), static_cast<std::uint64_t>(view.stride(0))};
}

template <class View>
Strided<typename View::value_type> strided(View const& view) {
  return {view.data(), static_cast<std::uint64_t>(view.stride(0))};
}

template <class In, class Out>
inline constexpr bool can_move =
    std::is_same_v<typename In::non_const_value_type, typename Out::value_type>&&
        std::is_trivially_copyable_v<typename Out::value_type>;

/// Explains in messages how many elements are required.
inline constexpr char const* size_of_bits = ", 2^m for m bits";

/// Throws unless `in` and `out` have n elements and do not overlap. `what` explains n in the message.
template <class In, class Out>
void check_move(char const* function, In const& in, Out const& out, std::uint64_t n,
                char const* what) {
  static_assert(can_move<In, Out>, "riffle: in and out hold one type, trivially copyable");
  check(in.extent(0) == n, function, "in.extent(0) = ", in.extent(0), ": must be ", n, what);
  check(out.extent(0) == n, function, "out.extent(0) = ", out.extent(0), ": must be ", n, what);
  check_disjoint(function, "in", in, "out", out);
}

/// Throws unless `data` has n elements and `map` is its own inverse.
template <class Data>
void check_in_place(char const* function, Data const& data, std::uint64_t n,
                    AffineBits const& map) {
  static_assert(can_move<Data, Data>, "riffle: data hold a trivially copyable type");
  check(data.extent(0) == n, function, "data.extent(0) = ", data.extent(0), ": must be ", n,
        size_of_bits);
  if (map.is_involution()) return;
  // Finds a u with map(map(u)) != u. It is enough to try 0 and each single bit, because the values at these points
  // determine an affine map.
  std::uint64_t u = 0;
  for (int k = 0; map(map(u)) == u; ++k) u = std::uint64_t{1} << k;
  check(false, function, "the permutation takes ", u, " to ", map(u), ", and that to ", map(map(u)),
        ": must be its own inverse");
}

// --- transpositions ---

/// Returns rows * columns. Throws if it is 2^63 or more.
inline std::uint64_t check_size(char const* function, std::uint64_t rows, std::uint64_t columns) {
  constexpr std::uint64_t most = std::numeric_limits<std::int64_t>::max();
  check(columns == 0 || rows <= most / columns, function, "rows = ", rows,
        " and columns = ", columns, ": their product must be less than 2^63");
  return rows * columns;
}

/// Throws unless `out` has the extents of the transpose of `in` and the Views do not overlap.
template <class In, class Out>
void check_transposed(char const* function, In const& in, Out const& out) {
  static_assert(can_move<In, Out>, "riffle: in and out hold one type, trivially copyable");
  check(in.extent(0) == out.extent(1), function, "in.extent(0) = ", in.extent(0),
        " and out.extent(1) = ", out.extent(1), ": must be equal");
  check(in.extent(1) == out.extent(0), function, "in.extent(1) = ", in.extent(1),
        " and out.extent(0) = ", out.extent(0), ": must be equal");
  check_disjoint(function, "in", in, "out", out);
}

}  // namespace riffle::detail::tiles
