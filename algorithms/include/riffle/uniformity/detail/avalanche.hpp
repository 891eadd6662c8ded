#pragma once

// What one bit of the replicate's number changes in the permutation. The word is from
//   H. Feistel, "Cryptography and computer privacy", Scientific American 228 (1973).

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace riffle::detail::uniformity {

/// A sampler for tests of pairs. Its samples 2 p and 2 p + 1 are those samples of another sampler whose numbers are p
/// with a 0 and with a 1 inserted at bit p mod 64, and so differ in that bit alone.
///
/// Were they p and p with a bit flipped, many pairs would come twice, and tests that take pairs for independent would
/// find fault with a true generator. As it is, no pair does. Some pairs share a sample, but as edges of a graph they
/// form paths: a bit from 6 on joins numbers that are that bit modulo 64, and bits 0 to 5 join class 0 to 1, 1 to 3, 2
/// to 6, 3 to 11, 4 to 20 and 5 to 37. So the quotients of the pairs are independent where the wrapped sampler's
/// permutations are.
template <class Sampler>
struct Avalanche {
  Sampler sampler;

  /// The number that the wrapped sampler uses for sample r.
  KOKKOS_FUNCTION static constexpr std::uint64_t replicate(std::uint64_t r) {
    std::uint64_t const p = r / 2;
    std::uint64_t const bit = std::uint64_t{1} << (p % 64);
    std::uint64_t const below = p & (bit - 1);
    return (p - below) * 2 + (r % 2) * bit + below;
  }

  /// Takes a row to write to, or none, as the wrapped sampler does.
  template <class... Rows>
  KOKKOS_FUNCTION auto operator()(std::uint64_t n, std::uint64_t r, Rows const&... row) const
      -> decltype(sampler(n, replicate(r), row...)) {
    return sampler(n, replicate(r), row...);
  }
};

}  // namespace riffle::detail::uniformity
