#pragma once

namespace riffle {

/// The lines of a matrix: its rows, or its columns.
enum class MatrixLines { rows, columns };

}  // namespace riffle
