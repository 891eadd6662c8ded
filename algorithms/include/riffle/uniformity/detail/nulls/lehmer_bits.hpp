#pragma once

// Bits from permutations. The digits of the Lehmer code of a uniform permutation are independent,
// and digit i is uniform on 0, ..., n - 1 - i (D. H. Lehmer, "Teaching combinatorial tricks to a
// computer", Proc. Symp. Appl. Math. 10 (1960)). Let w be floor(log2(n - i)). If the digit is less
// than 2^w, it yields its w bits, otherwise no bits. Given which digits yield bits, all bits are
// independent tosses of a fair coin. So if the number of bits is known, the distribution of any
// statistic of the bits is known exactly. The number of bits is therefore also counted.

#include <Kokkos_Core.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <riffle/random/integers.hpp>
#include <riffle/uniformity/detail/nulls/discrete_distribution.hpp>

namespace riffle::detail::uniformity {

/// The number of digits that can yield bits. The last digit is always 0.
KOKKOS_INLINE_FUNCTION constexpr std::uint64_t bit_digits(std::uint64_t n) {
  constexpr std::uint64_t most = 64;
  return n < 2 ? 0 : n - 1 < most ? n - 1 : most;
}

/// The number of bits that digit i yields, unless it yields no bits: w, as defined above.
KOKKOS_INLINE_FUNCTION constexpr int bits_of_digit(std::uint64_t n, std::uint64_t i) {
  return bit_width(n - i) - 1;
}

/// The distribution of the number of bits that a permutation yields in total.
inline DiscreteDistribution bit_count_distribution(std::uint64_t n) {
  std::vector<double> p{1.0};
  for (std::uint64_t i = 0; i < bit_digits(n); ++i) {
    auto const width = static_cast<std::size_t>(bits_of_digit(n, i));
    double const gives = std::ldexp(1.0, static_cast<int>(width)) / static_cast<double>(n - i);
    p.resize(p.size() + width);
    for (std::size_t k = p.size(); k-- > 0;)
      p[k] = (1 - gives) * p[k] + (k < width ? 0 : gives * p[k - width]);
  }
  return {0, p};
}

}  // namespace riffle::detail::uniformity
