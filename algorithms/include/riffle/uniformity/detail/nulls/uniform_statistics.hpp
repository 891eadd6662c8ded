#pragma once

// Statistics whose values are all equally likely.

#include <cstddef>
#include <cstdint>

#include <riffle/errors.hpp>
#include <riffle/uniformity/detail/nulls/discrete_distribution.hpp>

namespace riffle::detail::uniformity {

/// The distribution of the parity of the number of inversions. It is uniform on 0 and 1 if n >= 2,
/// because then transpositions exist.
inline DiscreteDistribution parity_distribution(std::uint64_t n) {
  return uniform_distribution(n < 2 ? 1 : 2);
}

/// The maximum length of a block whose orders are counted.
inline constexpr std::uint64_t longest_block = 10;

/// The distribution of the rank, less than length!, of the order of `length` given values. The
/// orders of disjoint blocks are independent. Throws std::invalid_argument unless 1 <= length <=
/// 10.
inline DiscreteDistribution block_order_distribution(std::uint64_t length) {
  check(1 <= length && length <= longest_block, "block_order_distribution", "length = ", length,
        ": must be at least 1 and at most ", longest_block);
  std::size_t orders = 1;
  for (std::uint64_t i = 2; i <= length; ++i) orders *= i;
  return uniform_distribution(orders);
}

}  // namespace riffle::detail::uniformity
