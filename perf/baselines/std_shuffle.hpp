#pragma once

// std::shuffle on one thread: a row of table 3 of the paper.

#include <algorithm>
#include <cstdint>
#include <random>

#include "support/check_shuffle.hpp"

namespace perf {

/// Copies the input and shuffles the copy, because the other rows do not change the input either.
template <class Generator>
class StdShuffleBy {
 public:
  static constexpr std::uint64_t scratch_bytes_per_item = 0;

  StdShuffleBy(Exec const&, std::uint64_t) {}

  void operator()(Keys const& in, Keys const& out) const {
    Generator generator(1);
    std::copy_n(in.data(), in.extent(0), out.data());
    std::shuffle(out.data(), out.data() + out.extent(0), generator);
  }
};

}  // namespace perf
