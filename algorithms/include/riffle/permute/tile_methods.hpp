#pragma once

// The ways of moving elements to places that a formula tells: transposition and permutations of bits.

#include <type_traits>

#include <riffle/backend/backend.hpp>
#include <riffle/primitives/call.hpp>

namespace riffle {

/// A team of threads moves each tile through its scratch memory: reads and writes are coalesced, and scratch accesses
/// have no bank conflicts (A. Kasagi, K. Nakano, Y. Ito, 2014, section 5). For GPUs; runs on every back end.
struct TeamTiles {};

/// A thread moves each tile through a buffer in its cache, and writes past the caches to outputs that are larger (L.
/// Carter, K. S. Gatlin, 1998). CPUs only.
struct ThreadTiles {};

/// Each element moves by itself, in the order of reading: writes are not contiguous. The conventional algorithm of the
/// paper without its index array; the other methods also do so where there is less than a tile, or where elements are
/// larger than 32 bytes.
struct ElementByElement {};

/// TeamTiles on a GPU, ThreadTiles on a CPU.
struct DefaultTiles {};

namespace detail::tiles {

template <class Exec, class Method>
using method_for =
    std::conditional_t<std::is_same_v<Method, DefaultTiles>,
                       std::conditional_t<backend::is_cpu<SpaceOf<Exec>>, ThreadTiles, TeamTiles>,
                       Method>;

template <class Method, class Exec>
concept MethodFor = std::is_same_v<Method, DefaultTiles> || std::is_same_v<Method, TeamTiles> ||
    std::is_same_v<Method, ElementByElement> ||
    (std::is_same_v<Method, ThreadTiles>&& backend::is_cpu<SpaceOf<Exec>>);

}  // namespace detail::tiles
}  // namespace riffle
