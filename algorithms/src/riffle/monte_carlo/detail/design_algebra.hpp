#pragma once

// The linear algebra of linear models, which is computed by Eigen.

#include <cstddef>
#include <string>
#include <vector>

#include <riffle/monte_carlo/linear_model.hpp>

namespace riffle::detail {

/// Returns the bases of X and Z. Throws std::invalid_argument if rows of the contrast are 0 or linearly dependent, or if
/// columns of the design are linearly dependent; the message names them. Throws std::runtime_error if this library was
/// compiled without Eigen.
DesignBases bases_of_design(RowMajor const& design, RowMajor const& contrast,
                            std::vector<std::string> const& names);

/// Returns rank [nuisance interest] - rank nuisance, after the mean of each orbit is subtracted from every column.
/// Requires: the columns are orthonormal.
std::size_t rank_within(std::vector<int> const& orbits, RowMajor const& nuisance,
                        RowMajor const& interest);

/// Returns "column 3 (age)", or "column 3" for a design without names.
std::string column_name(std::size_t column, std::vector<std::string> const& names);

}  // namespace riffle::detail
