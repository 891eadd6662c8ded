#pragma once

#include <riffle/random/random_permutation.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "support/uniformity_checks.hpp"

namespace riffle::test {

/// The images of RandomPermutation(n, seed), one at a time on the host.
inline std::vector<std::uint64_t> table(std::size_t n, std::uint64_t seed) {
  return arrangement(riffle::RandomPermutation(n, seed));
}

}  // namespace riffle::test
