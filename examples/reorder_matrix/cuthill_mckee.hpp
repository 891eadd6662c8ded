#pragma once

#include <cstdint>
#include <vector>

#include "csr_matrix.hpp"

namespace reorder {

/// Reverse Cuthill-McKee: the new place of each row and column of a matrix with a symmetric pattern, for a small bandwidth.
/// Unknowns are numbered breadth first from a peripheral one, neighbours in the order of their degrees, and then reversed.
///   E. Cuthill, J. McKee, "Reducing the bandwidth of sparse symmetric matrices", Proc. 24th ACM National Conference
///   (1969); A. George, J. W. H. Liu, "An implementation of a pseudoperipheral node finder", ACM TOMS 5 (1979).
std::vector<std::uint32_t> reverse_cuthill_mckee(CsrMatrix const& matrix);

}  // namespace reorder
