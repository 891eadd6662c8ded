#pragma once

// Streams of a seed. A call that takes a seed and a stream draws different random numbers for each
// pair (seed, stream). docs/shuffle.md says which pairs are independent.

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/random/integers.hpp>
#include <riffle/random/philox.hpp>

namespace riffle {

namespace detail {

/// A bijection of 64-bit numbers that is keyed by `seed`. It is the Feistel network with four
/// rounds of M. Luby, C. Rackoff, "How to construct pseudorandom permutations from pseudorandom
/// functions", SIAM J. Comput. 17 (1988), whose round functions are Philox.
KOKKOS_INLINE_FUNCTION constexpr std::uint64_t keyed_number(std::uint64_t seed, std::uint64_t x) {
  auto left = static_cast<std::uint32_t>(x >> 32);
  auto right = static_cast<std::uint32_t>(x);
  for (std::uint64_t round = 0; round < 4; ++round) {
    std::uint32_t const sum = left ^ random_block(seed, right, Purpose::streams, round)[0];
    left = right;
    right = sum;
  }
  return std::uint64_t{left} << 32 | right;
}

}  // namespace detail

/// Returns a seed for calls that have no parameter `stream`. Stream 0 is the seed itself. For a
/// given seed, the function is a bijection of the streams, so that two streams never have the same
/// seed. For random pairs (seed, stream) with different seeds, the probability that two results are
/// equal is 2^-64.
KOKKOS_INLINE_FUNCTION constexpr std::uint64_t seed_of_stream(std::uint64_t seed,
                                                              std::uint64_t stream) {
  return seed ^ detail::keyed_number(seed, 0) ^ detail::keyed_number(seed, stream);
}

template <class... Numbers>
requires detail::LoseAFraction<Numbers...>
void seed_of_stream(Numbers const&...) = delete;

/// A seed and a stream, as riffle::shuffle passes them to its algorithm. An algorithm that takes
/// only a seed, a std::uint64_t, receives seed_of_stream(seed, stream).
struct SeedAndStream {
  std::uint64_t seed;
  std::uint64_t stream = 0;

  KOKKOS_FUNCTION constexpr SeedAndStream(std::uint64_t of_seed, std::uint64_t of_stream = 0)
      : seed(of_seed), stream(of_stream) {}

  KOKKOS_FUNCTION constexpr operator std::uint64_t() const { return seed_of_stream(seed, stream); }
};

}  // namespace riffle
