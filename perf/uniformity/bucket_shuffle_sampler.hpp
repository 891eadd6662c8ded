#pragma once

// BucketShuffle as a sampler: see generators.hpp.

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/random/random_permutation.hpp>
#include <riffle/shuffle/detail/bucket_definition.hpp>

namespace perf::quality {

/// Writes one place after another by the definition of the algorithm with one level of splits, for up to 2^30 points. The tree
/// has no streams, so each replicate has its own seed.
struct BucketShuffleSampler {
  std::uint64_t seed;

  template <class Row>
  KOKKOS_FUNCTION void operator()(std::uint64_t n, std::uint64_t r, Row const& row) const {
    if (n < riffle::detail::bucket_shuffle::min_split) {
      riffle::RandomPermutation const sigma(n, seed, r);
      for (std::uint64_t i = 0; i < n; ++i) row[i] = static_cast<std::uint32_t>(sigma(i));
    } else {
      write_digits(n, seed ^ r, row);
      replace_digits(n, seed ^ r, row);
    }
  }

 private:
  static constexpr int buckets = riffle::detail::bucket_shuffle::buckets;
  static constexpr riffle::detail::bucket_shuffle::Node root = riffle::detail::bucket_shuffle::root;

  template <class Row>
  KOKKOS_FUNCTION static void write_digits(std::uint64_t n, std::uint64_t seed, Row const& row) {
    using namespace riffle::detail::bucket_shuffle;
    for (std::uint64_t unit = 0; unit < n; unit += places_per_unit) {
      for (std::uint64_t lane = 0; lane < digits_per_block; ++lane) {
        auto const block = digit_block(seed, root, unit / digits_per_block + lane);
        for (int k = 0; k < digits_per_block; ++k) {
          std::uint64_t const i = unit + lane + static_cast<std::uint64_t>(digits_per_block * k);
          if (i < n) row[i] = static_cast<std::uint32_t>(digit(block, k));
        }
      }
    }
  }

  /// Replaces each digit, which is a bucket, by a place within this bucket: the next value of the bucket's permutation.
  template <class Row>
  KOKKOS_FUNCTION static void replace_digits(std::uint64_t n, std::uint64_t seed, Row const& row) {
    using namespace riffle::detail::bucket_shuffle;
    std::uint32_t sizes[buckets] = {};
    for (std::uint64_t i = 0; i < n; ++i) ++sizes[row[i]];
    std::uint32_t starts[buckets] = {};
    for (int k = 1; k < buckets; ++k) starts[k] = starts[k - 1] + sizes[k - 1];
    std::uint32_t ranks[buckets] = {};
    std::uint64_t const seed_of_leaves = leaf_seed(seed);
    for (std::uint64_t i = 0; i < n; ++i) {
      std::uint32_t const k = row[i];
      auto const network = leaf(sizes[k], seed_of_leaves, child(root, static_cast<int>(k)));
      row[i] = starts[k] + static_cast<std::uint32_t>(network(ranks[k]++));
    }
  }
};

}  // namespace perf::quality
