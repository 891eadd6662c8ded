#pragma once

#include <cstdint>

namespace riffle::detail::variables {

/// Where the counts of a batch go.
struct TileCounts {
  /// Counts of the first variable that is counted.
  std::uint64_t* raw;
  /// Step-down counts of that variable. Tiles of a GPU store differences from the count of the variable before.
  std::uint64_t* step_down;
  /// Maxima of the batch's first replicate.
  double* maxima;
  std::uint64_t replicates;
};

}  // namespace riffle::detail::variables
