#pragma once

// Labels and what they are the labels of, in matrices of their own that are moved as one

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/key_value.hpp>

namespace riffle::detail::matrix_partition {

/// The label of an item that is its key.
struct LabelIsKey {
  template <class Value>
  KOKKOS_FUNCTION std::uint32_t operator()(KeyValue<std::uint32_t, Value> const& item) const {
    return item.key;
  }
};

/// A matrix of labels with their values. Whoever accesses one accesses a bank twice, so that accesses of several processors
/// meet in no bank if those to a single matrix do not.
template <class Labels, class Values>
class LabelledMatrix {
 public:
  using value_type = KeyValue<std::uint32_t, typename Values::value_type>;

  /// Both are of the same shape.
  KOKKOS_FUNCTION LabelledMatrix(Labels const& labels, Values const& values)
      : labels_(labels), values_(values) {}

  KOKKOS_FUNCTION std::uint32_t rows() const { return labels_.rows(); }
  KOKKOS_FUNCTION std::uint32_t columns() const { return labels_.columns(); }

  KOKKOS_FUNCTION value_type read(std::uint32_t row, std::uint32_t column) const {
    return {labels_.read(row, column), values_.read(row, column)};
  }
  KOKKOS_FUNCTION void write(std::uint32_t row, std::uint32_t column,
                             value_type const& item) const {
    labels_.write(row, column, item.key);
    values_.write(row, column, item.value);
  }

 private:
  Labels labels_;
  Values values_;
};

}  // namespace riffle::detail::matrix_partition
