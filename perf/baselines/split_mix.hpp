#pragma once

// The random numbers of the baselines: SplitMix64 of
//   G. L. Steele, D. Lea, C. H. Flood, "Fast splittable pseudorandom number generators", OOPSLA '14
//   (2014), doi 10.1145/2660193.2660195, with the constants of S. Vigna's splitmix64.c.
// It is about as fast as a generator of 64 bits can be, so baselines are not limited by random numbers.

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <limits>

namespace perf {

/// The finalizer: mixes a counter into 64 random bits.
KOKKOS_INLINE_FUNCTION constexpr std::uint64_t mix(std::uint64_t x) {
  x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
  x = (x ^ x >> 27) * 0x94D049BB133111EBu;
  return x ^ x >> 31;
}

/// Satisfies UniformRandomBitGenerator of the standard library.
class SplitMix64 {
 public:
  using result_type = std::uint64_t;

  KOKKOS_FUNCTION constexpr explicit SplitMix64(std::uint64_t seed) : state_(seed) {}

  static constexpr result_type min() { return 0; }
  static constexpr result_type max() { return std::numeric_limits<result_type>::max(); }

  KOKKOS_FUNCTION constexpr result_type operator()() { return mix(state_ += 0x9E3779B97F4A7C15u); }

 private:
  std::uint64_t state_;
};

}  // namespace perf
