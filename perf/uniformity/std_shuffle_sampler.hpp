#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>

#include "uniformity/philox_words.hpp"

namespace perf::quality {

/// std::shuffle, for host back ends with contiguous rows.
struct StdShuffleSampler {
  std::uint64_t seed;

  template <class Row>
  void operator()(std::uint64_t n, std::uint64_t r, Row const& row) const {
    std::uint32_t* const first = &row[0];
    std::iota(first, first + n, std::uint32_t{0});
    std::shuffle(first, first + n, PhiloxWords(seed, r));
  }
};

}  // namespace perf::quality
