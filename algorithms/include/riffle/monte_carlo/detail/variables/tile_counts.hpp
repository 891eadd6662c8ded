#pragma once

#include <cstdint>

namespace riffle::detail::variables {

/// Where the counts of a batch go.
struct TileCounts {
  std::uint64_t* raw;  // of the first variable that is counted
  std::uint64_t*
      step_down;  // the same; of tiles of a GPU by how many they are more than of the variable before
  double* maxima;  // of the batch's first replicate
  std::uint64_t replicates;
};

}  // namespace riffle::detail::variables
