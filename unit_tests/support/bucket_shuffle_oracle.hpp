#pragma once

// BucketShuffle's permutation by a sequential program that follows the definition
// (riffle/shuffle/detail/bucket_definition.hpp) and shares no code with the implementation, except for Philox and the
// Feistel networks of the leaves, which core's tests check.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace riffle::test {

class BucketShuffleOracle {
 public:
  using Images = std::vector<std::uint32_t>;

  explicit BucketShuffleOracle(std::uint64_t seed);

  /// A permutation of n points by a tree of this number of levels; with 0 levels, RandomPermutation.
  Images images(std::uint32_t n, int levels) const;

  /// The digits of a node's n places.
  std::vector<std::uint8_t> digits(std::uint32_t n, std::uint64_t node) const;

  /// The first input place of each child, and the end of the last child's.
  static std::vector<std::uint32_t> part_bounds(std::vector<std::uint8_t> const& digits);

  /// The permutation of a leaf of `size` places, with values from 0.
  Images leaf(std::uint32_t size, std::uint64_t node) const;

 private:
  /// The permutation of a node whose inputs are [first, first + n).
  Images node(std::uint32_t n, std::uint32_t first, std::uint64_t number, int levels) const;

  std::uint64_t seed_;
  std::uint64_t leaf_seed_;
};

/// The smallest n for which the definition splits the root.
inline constexpr std::uint32_t bucket_shuffle_fewest_split = 1048576;

/// BucketShuffle's permutation; cached, since the tests of all execution spaces use the same ones.
BucketShuffleOracle::Images const& bucket_shuffle_images(std::uint32_t n, std::uint64_t seed);

}  // namespace riffle::test
