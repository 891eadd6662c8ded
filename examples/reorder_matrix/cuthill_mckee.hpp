#pragma once

#include <cstdint>
#include <vector>

#include "csr_matrix.hpp"

namespace reorder {

/// Reverse Cuthill-McKee: where each row and column of a matrix with a symmetric pattern should go, for a small
/// bandwidth. Breadth first from an unknown at the rim, neighbours of few neighbours first, and then all in reverse.
///   E. Cuthill, J. McKee, "Reducing the bandwidth of sparse symmetric matrices", Proc. 24th ACM National Conference
///   (1969); A. George, J. W. H. Liu, "An implementation of a pseudoperipheral node finder", ACM TOMS 5 (1979).
std::vector<std::uint32_t> reverse_cuthill_mckee(CsrMatrix const& matrix);

}  // namespace reorder
