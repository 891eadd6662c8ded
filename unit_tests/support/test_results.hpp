#pragma once

// Results of permutation tests, constructed without a test.

#include <cstdint>

#include <riffle/monte_carlo/permutation_test.hpp>

namespace riffle::test {

inline PermutationTestResult random_result(std::uint64_t m, std::uint64_t less_equal,
                                           std::uint64_t greater_equal, Alternative alternative,
                                           std::uint64_t as_far = 0) {
  return {0.5, m, less_equal, greater_equal, as_far, false, alternative};
}

inline PermutationTestResult exact_result(std::uint64_t m, std::uint64_t less_equal,
                                          std::uint64_t greater_equal, Alternative alternative,
                                          std::uint64_t as_far = 0) {
  return {0.5, m, less_equal, greater_equal, as_far, true, alternative};
}

}  // namespace riffle::test
