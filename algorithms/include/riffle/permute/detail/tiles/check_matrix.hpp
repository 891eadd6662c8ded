#pragma once

// Checks of the Views that transpositions take.

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <limits>

#include <riffle/errors.hpp>
#include <riffle/permute/detail/tiles/check_bits.hpp>

namespace riffle::detail::tiles {

template <class In>
typename In::non_const_value_type const* source_of(In const& in) {
  return in.data();
}

/// Returns rows * columns; throws where that is 2^63 or more.
inline std::uint64_t check_size(char const* function, std::uint64_t rows, std::uint64_t columns) {
  constexpr std::uint64_t most = std::numeric_limits<std::int64_t>::max();
  check(columns == 0 || rows <= most / columns, function, "rows = ", rows,
        " and columns = ", columns, ": their product must be less than 2^63");
  return rows * columns;
}

/// Throws unless `out` can be the transpose of `in`.
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
