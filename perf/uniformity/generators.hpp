#pragma once

// The generators of permutations under test, as samplers of riffle/uniformity.hpp: callable on the device, with permutation r of
// n points under a master seed. They are Riffle's generators and
//   [1] R. Mitchell, D. Stokes, E. Frank, G. Holmes, "Bandwidth-optimal random shuffling for GPUs",
//       ACM Trans. Parallel Comput. 9 (2022), doi 10.1145/3505287, sections 3 and 4: a bijection on the
//       next power of two, whose values below n are kept in their order;
//   [2] R. Durstenfeld, "Algorithm 235: random permutation", CACM 7 (1964), with unbiased numbers:
//       the reference for all others.

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/published/bijective_shuffle/linear_congruential.hpp>
#include <riffle/random/integers.hpp>
#include <riffle/random/mixed_radix_feistel.hpp>
#include <riffle/random/random_permutation.hpp>

#include "uniformity/philox_words.hpp"

namespace perf::quality {

struct RiffleSampler {
  std::uint64_t seed;

  KOKKOS_FUNCTION riffle::RandomPermutation operator()(std::uint64_t n, std::uint64_t r) const {
    return {n, seed, r};
  }
};

/// Riffle's network for more than 20 points, usable at any n.
struct FeistelSampler {
  std::uint64_t seed;
  int rounds;

  KOKKOS_FUNCTION riffle::MixedRadixFeistel operator()(std::uint64_t n, std::uint64_t r) const {
    return {n, seed, r, rounds};
  }
};

/// The number of bits of the numbers below n, n >= 1.
KOKKOS_INLINE_FUNCTION int bits_for(std::uint64_t n) { return riffle::detail::bit_width(n - 1); }

/// Writes the values below n of a larger bijection, in order: section 4 of [1].
template <class Bijection, class Row>
KOKKOS_INLINE_FUNCTION void write_compacted(Bijection const& bijection, std::uint64_t n,
                                            Row const& row) {
  std::uint64_t kept = 0;
  for (std::uint64_t i = 0; kept < n; ++i) {
    std::uint64_t const image = bijection(i);
    if (image < n) row[kept++] = static_cast<std::uint32_t>(image);
  }
}

/// Writes for each i the first value below n of bijection(i), bijection(bijection(i)), ... (cycle walking).
template <class Bijection, class Row>
KOKKOS_INLINE_FUNCTION void write_walked(Bijection const& bijection, std::uint64_t n,
                                         Row const& row) {
  for (std::uint64_t i = 0; i < n; ++i) {
    std::uint64_t image = bijection(i);
    while (image >= n) image = bijection(image);
    row[i] = static_cast<std::uint32_t>(image);
  }
}

struct LcgSampler {
  std::uint64_t seed;

  template <class Row>
  KOKKOS_FUNCTION void operator()(std::uint64_t n, std::uint64_t r, Row const& row) const {
    write_compacted(riffle::LinearCongruential(bits_for(n), seed, r), n, row);
  }
};

/// [2]
struct FisherYatesSampler {
  std::uint64_t seed;

  template <class Row>
  KOKKOS_FUNCTION void operator()(std::uint64_t n, std::uint64_t r, Row const& row) const {
    PhiloxWords words(seed, r);
    for (std::uint32_t i = 0; i < n; ++i) {
      std::uint32_t const j = draw_below(words, i + 1);
      row[i] = i;
      Kokkos::kokkos_swap(row[i], row[j]);
    }
  }
};

}  // namespace perf::quality
