#pragma once

// How a permutation known beforehand is cut into passes over contiguous memory.
//
// The array is cut into tiles of 2^tile_bits elements. A level moves each element into the region of its bucket: the
// tiles whose numbers have the same high digit as its destination's. Regions are where the result's elements belong,
// so that buckets need no memory of their own, and all levels have the same tiles. When the digits of all levels have
// been dealt with, an element lies in the tile of its destination, and a last pass sorts each tile.

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <vector>

#include <riffle/random/integers.hpp>

namespace riffle::detail::schedule {

/// One distribution: of the elements of each group of tiles to its buckets, which are groups of the next level.
struct Level {
  int group_bits;   // a group has 2^group_bits tiles
  int bucket_bits;  // and 2^bucket_bits buckets

  KOKKOS_FUNCTION std::uint64_t buckets() const { return std::uint64_t{1} << bucket_bits; }

  /// The bucket, in its group, of an element that goes to `tile`.
  KOKKOS_FUNCTION std::uint32_t bucket(std::uint64_t tile) const {
    std::uint64_t const in_group = tile & ((std::uint64_t{1} << group_bits) - 1);
    return static_cast<std::uint32_t>(in_group >> (group_bits - bucket_bits));
  }

  /// Where a tile's count of a bucket stands, so that a scan of all counts says where each run goes: by group, then by
  /// bucket, then by tile.
  KOKKOS_FUNCTION std::uint64_t place_of_count(std::uint64_t tile, std::uint64_t bucket) const {
    std::uint64_t const group = tile >> group_bits;
    std::uint64_t const in_group = tile & ((std::uint64_t{1} << group_bits) - 1);
    return (((group << bucket_bits) | bucket) << group_bits) | in_group;
  }

  std::uint64_t count_places(std::uint64_t tiles) const {
    std::uint64_t const groups = ((tiles - 1) >> group_bits) + 1;
    return groups << (bucket_bits + group_bits);
  }
};

/// All tiles of an array, the last of which may be shorter.
struct Tiles {
  std::uint64_t n;
  int bits;

  KOKKOS_FUNCTION std::uint32_t size() const { return std::uint32_t{1} << bits; }
  KOKKOS_FUNCTION std::uint64_t count() const { return n == 0 ? 0 : ((n - 1) >> bits) + 1; }
  KOKKOS_FUNCTION std::uint64_t begin(std::uint64_t tile) const { return tile << bits; }
  KOKKOS_FUNCTION std::uint32_t size_of(std::uint64_t tile) const {
    std::uint64_t const rest = n - begin(tile);
    return rest < size() ? static_cast<std::uint32_t>(rest) : size();
  }
};

/// As few levels as possible with at most 2^max_bits buckets each. Their digits are as even as possible, and the first
/// levels, whose buckets lie furthest apart, have the shorter digits.
inline std::vector<Level> levels_of(std::uint64_t tiles, int max_bits) {
  int rest = tiles < 2 ? 0 : bit_width(tiles - 1);
  int count = (rest + max_bits - 1) / max_bits;
  std::vector<Level> levels;
  for (; count > 0; --count) {
    int const bits = rest / count;
    levels.push_back({rest, bits});
    rest -= bits;
  }
  return levels;
}

}  // namespace riffle::detail::schedule
