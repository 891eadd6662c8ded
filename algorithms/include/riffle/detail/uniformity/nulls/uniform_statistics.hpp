#pragma once

// Statistics whose values are all equally likely.

#include <cstddef>
#include <cstdint>

#include <riffle/detail/uniformity/nulls/discrete_distribution.hpp>
#include <riffle/errors.hpp>

namespace riffle::detail::uniformity {

/// The sign, as the parity of the inversions: a fair coin where there is a transposition to compose
/// with, that is from n = 2 on.
inline DiscreteDistribution parity_distribution(std::uint64_t n) {
  return uniform_distribution(n < 2 ? 1 : 2);
}

/// Digit i of the Lehmer code, the number of j > i with sigma(j) < sigma(i), on 0, ..., n - 1 - i.
/// The digits are independent of each other. Throws std::invalid_argument unless i < n.
inline DiscreteDistribution lehmer_digit_distribution(std::uint64_t n, std::uint64_t i) {
  check(i < n, "lehmer_digit_distribution", "i = ", i, ": must be less than n = ", n);
  return uniform_distribution(static_cast<std::size_t>(n - i));
}

/// The longest block whose orders are told apart.
inline constexpr std::uint64_t longest_block = 10;

/// The rank of the order among `length` given outputs, below length!; orders of blocks that share
/// no output are independent. Throws std::invalid_argument unless 1 <= length <= 10.
inline DiscreteDistribution block_order_distribution(std::uint64_t length) {
  check(1 <= length && length <= longest_block, "block_order_distribution", "length = ", length,
        ": must be at least 1 and at most ", longest_block);
  std::size_t orders = 1;
  for (std::uint64_t i = 2; i <= length; ++i) orders *= i;
  return uniform_distribution(orders);
}

}  // namespace riffle::detail::uniformity
