#pragma once

// Statistics whose values are all equally likely.

#include <cstddef>
#include <cstdint>

#include <riffle/errors.hpp>
#include <riffle/uniformity/detail/nulls/discrete_distribution.hpp>

namespace riffle::detail::uniformity {

/// The parity of the number of inversions: a fair coin if there is a transposition, that is, for n
/// >= 2.
inline DiscreteDistribution parity_distribution(std::uint64_t n) {
  return uniform_distribution(n < 2 ? 1 : 2);
}

/// The maximal length of a block whose orders are counted.
inline constexpr std::uint64_t longest_block = 10;

/// The rank of the order among `length` given values, less than length!. The orders of disjoint
/// blocks are independent. Throws std::invalid_argument unless 1 <= length <= 10.
inline DiscreteDistribution block_order_distribution(std::uint64_t length) {
  check(1 <= length && length <= longest_block, "block_order_distribution", "length = ", length,
        ": must be at least 1 and at most ", longest_block);
  std::size_t orders = 1;
  for (std::uint64_t i = 2; i <= length; ++i) orders *= i;
  return uniform_distribution(orders);
}

}  // namespace riffle::detail::uniformity
