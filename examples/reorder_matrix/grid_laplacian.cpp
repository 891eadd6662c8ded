#include "grid_laplacian.hpp"

namespace reorder {

CsrMatrix grid_laplacian(std::uint32_t width, std::uint32_t height,
                         std::vector<std::uint32_t> const& numbers) {
  std::vector<std::uint32_t> points(numbers.size());
  for (std::uint32_t point = 0; point < numbers.size(); ++point) points[numbers[point]] = point;

  CsrMatrix matrix;
  auto const add = [&](std::uint32_t point, double value) {
    matrix.columns.push_back(numbers[point]);
    matrix.values.push_back(value);
  };
  for (std::uint32_t const point : points) {
    std::uint32_t const x = point % width;
    std::uint32_t const y = point / width;
    if (y > 0) add(point - width, -1);
    if (x > 0) add(point - 1, -1);
    add(point, 4);
    if (x + 1 < width) add(point + 1, -1);
    if (y + 1 < height) add(point + width, -1);
    matrix.row_begins.push_back(matrix.columns.size());
  }
  return matrix;
}

}  // namespace reorder
