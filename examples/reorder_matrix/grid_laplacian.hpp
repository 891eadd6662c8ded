#pragma once

#include <cstdint>
#include <vector>

#include "csr_matrix.hpp"

namespace reorder {

/// The five-point Laplacian on a grid of width x height points. Point (x, y) is unknown numbers[y * width + x].
CsrMatrix grid_laplacian(std::uint32_t width, std::uint32_t height,
                         std::vector<std::uint32_t> const& numbers);

}  // namespace reorder
