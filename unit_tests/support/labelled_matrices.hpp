#pragma once

// Items with destinations in a matrix on the memory model with banks.

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include <riffle/published/bank_conflict_free_sorting/detail/permute/communication.hpp>
#include <riffle/published/offline_permutation/model_processors.hpp>

#include "support/model_matrices.hpp"

namespace riffle::test {

using Index = std::uint32_t;

/// The initial value of the item in a cell; it differs from the cell and from the label.
inline Index value_in_cell(Index cell) { return cell * 2654435761u + 12345; }

/// A w x m matrix of items on a model of its own, and the memory to permute it.
class LabelledMatrix {
 public:
  using Words = ModelMatrix<Index>;
  using Tallies = ModelMatrix<detail::matrix_permute::Tally>;
  using Items = detail::LabelledItems<Words, Words>;

  LabelledMatrix(Index w, Index m)
      : processors(w),
        labels(processors.matrix<Index>(m)),
        values(processors.matrix<Index>(m)),
        items(labels, values),
        memory{processors.matrix<Index>(m),
               {processors.matrix<Index>(m), processors.matrix<Index>(m)},
               processors.matrix<detail::matrix_permute::Tally>(1)} {}

  Index rows() const { return labels.rows(); }
  Index columns() const { return labels.columns(); }
  Index cells() const { return rows() * columns(); }
  std::string shape() const { return test::shape(rows(), columns()); }

  /// Sets each cell's label, and its value to value_in_cell().
  void set(std::vector<Index> const& all_labels) {
    for (Index cell = 0; cell < cells(); ++cell) {
      labels.data()[cell] = all_labels[cell];
      values.data()[cell] = value_in_cell(cell);
    }
  }
  std::vector<Index> cells_of(Words const& matrix) const {
    return {matrix.data(), matrix.data() + cells()};
  }

  ModelProcessors processors;
  Words labels;
  Words values;
  Items items;
  detail::matrix_permute::Memory<Words, Words, Tallies> memory;
};

/// The values after each item of set() has moved to the cell that its label names.
inline std::vector<Index> permuted_values(std::vector<Index> const& labels) {
  std::vector<Index> result(labels.size());
  for (Index cell = 0; cell < labels.size(); ++cell) result[labels[cell]] = value_in_cell(cell);
  return result;
}

// Labels of the cells of a w x m matrix: cell c is in row c mod w, column c / w.

inline std::vector<Index> identity(Index w, Index m) {
  std::vector<Index> labels(w * m);
  std::iota(labels.begin(), labels.end(), Index{0});
  return labels;
}

inline std::vector<Index> reversed_labels(Index w, Index m) {
  auto labels = identity(w, m);
  std::reverse(labels.begin(), labels.end());
  return labels;
}

inline std::vector<Index> random_labels(Index w, Index m) {
  auto labels = identity(w, m);
  std::shuffle(labels.begin(), labels.end(), std::mt19937(w * 65537 + m));
  return labels;
}

/// The permutation from column-major to row-major order.
inline std::vector<Index> transposed_labels(Index w, Index m) {
  auto labels = identity(w, m);
  for (Index c = 0; c < w * m; ++c) labels[c] = c % m * w + c / m;
  return labels;
}

/// Each item moves to the next row.
inline std::vector<Index> next_row_labels(Index w, Index m) {
  auto labels = identity(w, m);
  for (Index c = 0; c < w * m; ++c) labels[c] = c / w * w + (c % w + 1) % w;
  return labels;
}

/// Each item moves within its m x m square of rows, from row i and column j of the square to row j and column i. If the
/// algorithm transposed squares without random shifts, all items with one destination row would be in one row.
inline std::vector<Index> transposed_square_labels(Index w, Index m) {
  auto labels = identity(w, m);
  for (Index c = 0; c < w / m * m * m; ++c) {
    Index const row = c % (w / m * m), column = c / (w / m * m);
    labels[column * w + row] = row % m * w + row / m * m + column;
  }
  return labels;
}

using Labelling = std::vector<Index> (*)(Index, Index);
inline constexpr Labelling matrix_labellings[] = {identity,        reversed_labels,
                                                  random_labels,   transposed_labels,
                                                  next_row_labels, transposed_square_labels};

}  // namespace riffle::test
