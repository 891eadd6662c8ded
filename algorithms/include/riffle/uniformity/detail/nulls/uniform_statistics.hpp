#pragma once

// Statistics whose values are all equally likely.

#include <cstddef>
#include <cstdint>

#include <riffle/errors.hpp>
#include <riffle/uniformity/detail/nulls/discrete_distribution.hpp>

namespace riffle::detail::uniformity {

/// The sign, as the parity of the inversions: a fair coin where there is a transposition to compose with, that is, from
/// n = 2 on.
inline DiscreteDistribution parity_distribution(std::uint64_t n) {
  return uniform_distribution(n < 2 ? 1 : 2);
}

/// The length of the longest block whose orders are told apart.
inline constexpr std::uint64_t longest_block = 10;

/// The rank of the order among `length` given outputs, below length!; the orders of blocks that share no output are
/// independent. Throws std::invalid_argument unless 1 <= length <= 10.
inline DiscreteDistribution block_order_distribution(std::uint64_t length) {
  check(1 <= length && length <= longest_block, "block_order_distribution", "length = ", length,
        ": must be at least 1 and at most ", longest_block);
  std::size_t orders = 1;
  for (std::uint64_t i = 2; i <= length; ++i) orders *= i;
  return uniform_distribution(orders);
}

}  // namespace riffle::detail::uniformity
