#pragma once

// What the permutation problem is about: items that each know the cell that they go to.

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace riffle::detail::matrix_permute {

/// No item's label, since a matrix has less than 2^32 cells.
inline constexpr std::uint32_t no_label = ~std::uint32_t{0};

/// The label says where the value goes: to row `label` mod w, column `label` / w, of a matrix of w rows.
template <class T>
struct LabelledItem {
  std::uint32_t label;
  T value;
};

/// A matrix of items, as one of labels and one of values: so that elements of 4 bytes remain that, and a label can be read
/// alone.
template <class LabelMatrix, class ValueMatrix>
class LabelledItems {
 public:
  using value_type = LabelledItem<typename ValueMatrix::value_type>;

  KOKKOS_FUNCTION LabelledItems(LabelMatrix const& labels, ValueMatrix const& values)
      : labels_(labels), values_(values) {}

  KOKKOS_FUNCTION std::uint32_t rows() const { return labels_.rows(); }
  KOKKOS_FUNCTION std::uint32_t columns() const { return labels_.columns(); }

  KOKKOS_FUNCTION std::uint32_t label(std::uint32_t row, std::uint32_t column) const {
    return labels_.read(row, column);
  }
  KOKKOS_FUNCTION void set_label(std::uint32_t row, std::uint32_t column,
                                 std::uint32_t label) const {
    labels_.write(row, column, label);
  }
  KOKKOS_FUNCTION value_type read(std::uint32_t row, std::uint32_t column) const {
    return {labels_.read(row, column), values_.read(row, column)};
  }
  KOKKOS_FUNCTION void write(std::uint32_t row, std::uint32_t column,
                             value_type const& item) const {
    labels_.write(row, column, item.label);
    values_.write(row, column, item.value);
  }

 private:
  LabelMatrix labels_;
  ValueMatrix values_;
};

/// Labels of a matrix of `rows` x `columns` cells: the pairs (i, j) of the paper.
struct Labels {
  std::uint32_t rows;
  std::uint32_t columns;

  KOKKOS_FUNCTION std::uint32_t count() const { return rows * columns; }
  KOKKOS_FUNCTION std::uint32_t of(std::uint32_t row, std::uint32_t column) const {
    return column * rows + row;
  }
  KOKKOS_FUNCTION std::uint32_t row(std::uint32_t label) const { return label % rows; }
  KOKKOS_FUNCTION std::uint32_t column(std::uint32_t label) const { return label / rows; }

  /// Its place in row-major order; cells without an item come last.
  KOKKOS_FUNCTION std::uint32_t place(std::uint32_t label) const {
    return label == no_label ? no_label : row(label) * columns + column(label);
  }
};

template <class Matrix>
KOKKOS_FUNCTION Labels labels_of(Matrix const& matrix) {
  return {matrix.rows(), matrix.columns()};
}

}  // namespace riffle::detail::matrix_permute
