#pragma once

// Samples for tests of avalanche, that is, of how a permutation changes if one bit of the sample
// index changes. The term is from
//   H. Feistel, "Cryptography and computer privacy", Scientific American 228 (1973).

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace riffle::detail::uniformity {

/// A sampler for tests of pairs, which takes its samples from another sampler. Let q0 and q1 be the
/// binary number p after a bit 0 or a bit 1, respectively, is inserted at bit position p mod 64.
/// Samples 2 p and 2 p + 1 of this sampler are samples q0 and q1 of the other sampler. So q0 and q1
/// differ in only one bit.
///
/// If q0 and q1 were p and p with one bit flipped, many pairs would occur twice, and tests that
/// assume independent pairs would reject a correct generator. Here no pair occurs twice, although
/// some pairs share a sample. Consider the graph whose nodes are the samples and whose edges are
/// the pairs. The graph consists of paths, because an edge for bit b >= 6 joins two numbers that
/// are congruent to b modulo 64, and an edge for bit 0, ..., 5 joins numbers of the residue classes
/// 0 and 1, 1 and 3, 2 and 6, 3 and 11, 4 and 20, 5 and 37, respectively. Therefore the quotients
/// of the pairs are independent if the permutations of the other sampler are independent.
template <class Sampler>
struct Avalanche {
  Sampler sampler;

  /// Returns the index, in the other sampler, of sample r.
  KOKKOS_FUNCTION static constexpr std::uint64_t replicate(std::uint64_t r) {
    std::uint64_t const p = r / 2;
    std::uint64_t const bit = std::uint64_t{1} << (p % 64);
    std::uint64_t const below = p & (bit - 1);
    return (p - below) * 2 + (r % 2) * bit + below;
  }

  /// Takes a row to which the sample is written, or no row, like the wrapped sampler.
  template <class... Rows>
  KOKKOS_FUNCTION auto operator()(std::uint64_t n, std::uint64_t r, Rows const&... row) const
      -> decltype(sampler(n, replicate(r), row...)) {
    return sampler(n, replicate(r), row...);
  }
};

}  // namespace riffle::detail::uniformity
