#pragma once

// The permutation of BucketShuffle, one place after the other, from its definition in words
// (riffle/shuffle/detail/bucket_definition.hpp) and with none of its code. Philox and the networks of the leaves
// are core's, which has tests of its own.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace riffle::test {

class BucketShuffleOracle {
 public:
  using Images = std::vector<std::uint32_t>;

  explicit BucketShuffleOracle(std::uint64_t seed);

  /// A permutation of n points by a tree of so many levels of splits; with none, RandomPermutation.
  Images images(std::uint32_t n, int levels) const;

  /// The digits of a node's n places.
  std::vector<std::uint8_t> digits(std::uint32_t n, std::uint64_t node) const;

  /// Where the part of each of a node's children begins, and where the last one ends.
  static std::vector<std::uint32_t> part_bounds(std::vector<std::uint8_t> const& digits);

  /// What a leaf of `size` places gives, from 0.
  Images leaf(std::uint32_t size, std::uint64_t node) const;

 private:
  /// Of the input's part [first, first + n).
  Images node(std::uint32_t n, std::uint32_t first, std::uint64_t number, int levels) const;

  std::uint64_t seed_;
  std::uint64_t leaf_seed_;
};

/// From so many points on there is a tree.
inline constexpr std::uint32_t bucket_shuffle_fewest_split = 1048576;

/// BucketShuffle's permutation. Kept, since tests of all execution spaces ask for the same ones.
BucketShuffleOracle::Images const& bucket_shuffle_images(std::uint32_t n, std::uint64_t seed);

}  // namespace riffle::test
