#pragma once

// Labels and values in two matrices that are permuted together.

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace riffle::detail {

/// A value, and the label that determines its destination.
template <class T>
struct LabelledItem {
  std::uint32_t label;
  T value;
};

/// A matrix of items, stored as a matrix of labels and a matrix of values. So elements of 4 bytes
/// keep this size, and a label can be read without its value.
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

struct LabelOfItem {
  template <class T>
  KOKKOS_FUNCTION std::uint32_t operator()(LabelledItem<T> const& item) const {
    return item.label;
  }
};

}  // namespace riffle::detail
