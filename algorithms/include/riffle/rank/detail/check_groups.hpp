#pragma once

// Checks of the keys and offsets that rankings within groups take.

#include <Kokkos_Core.hpp>

#include <riffle/errors.hpp>
#include <riffle/primitives/views.hpp>

namespace riffle::detail::rank {

/// Throws unless there is a key for each element of `data`, which the caller calls `name`.
template <class Keys, class Data, class Ranks>
void check_keys(char const* function, Keys const& keys, char const* name, Data const& data,
                Ranks const& ranks) {
  check(keys.extent(0) == data.extent(0), function, "keys.extent(0) = ", keys.extent(0), " and ",
        name, ".extent(0) = ", data.extent(0), ": must be equal");
  check_disjoint(function, "keys", keys, "ranks", ranks);
}

/// Throws unless there is an offset, or there is nothing to rank.
template <class Offsets, class Data, class Ranks>
void check_offsets(char const* function, Offsets const& offsets, char const* name, Data const& data,
                   Ranks const& ranks) {
  check(offsets.extent(0) > 0 || data.extent(0) == 0, function, "offsets.extent(0) = 0 and ", name,
        ".extent(0) = ", data.extent(0), ": there must be one offset more than there are segments");
  check_disjoint(function, "offsets", offsets, "ranks", ranks);
}

}  // namespace riffle::detail::rank
