#pragma once

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <numeric>
#include <string>
#include <type_traits>
#include <vector>

#include "support/device_bytes.hpp"

namespace riffle::test {

/// Whether the host can access the elements.
template <class View>
inline constexpr bool host_can_access =
    Kokkos::SpaceAccessibility<Kokkos::HostSpace, typename View::memory_space>::accessible;

/// The elements of a View of rank 1 or 2 on the host: the View's own memory if the host can access it, otherwise a copy of all
/// memory from the first element to the last.
template <class View>
class HostElements {
 public:
  using Value = typename View::non_const_value_type;

  explicit HostElements(View const& view)
      : view_(view), rows_(view.extent(0)), row_stride_(view.stride(0)) {
    if constexpr (View::rank() == 2) {
      columns_ = view.extent(1);
      column_stride_ = view.stride(1);
    }
    if constexpr (host_can_access<View>) {
      Kokkos::fence();
      data_ = view.data();
    } else {
      copy_ = std::make_unique<Value[]>(length());
      data_ = copy_.get();
      copy_to_host(copy_.get(), view.data(), length() * sizeof(Value));
    }
  }

  std::size_t rows() const { return rows_; }
  std::size_t columns() const { return columns_; }

  auto& operator()(std::size_t i, std::size_t j = 0) const {
    return data_[i * row_stride_ + j * column_stride_];
  }

  /// Writes the elements to the View.
  void store() const {
    if constexpr (!host_can_access<View>) {
      copy_to_device(view_.data(), copy_.get(), length() * sizeof(Value));
    }
  }

 private:
  /// The number of elements from the first to the last. (The span of a View with strides can be longer.)
  std::size_t length() const {
    if (rows_ == 0 || columns_ == 0) return 0;
    return (rows_ - 1) * row_stride_ + (columns_ - 1) * column_stride_ + 1;
  }

  View view_;
  std::size_t rows_;
  std::size_t row_stride_;
  std::size_t columns_ = 1;
  std::size_t column_stride_ = 0;
  std::unique_ptr<Value[]> copy_;
  std::conditional_t<host_can_access<View>, typename View::pointer_type, Value*> data_ = nullptr;
};

/// Fills a View of rank 1 or 2 from values in row-major order. Elements without a value are set to {}.
template <class View, class T>
void fill(View const& view, std::vector<T> const& values) {
  HostElements<View> const elements(view);
  std::size_t const columns = elements.columns();
  std::size_t k = 0;
  for (std::size_t i = 0; i < elements.rows(); ++i) {
    for (std::size_t j = 0; j < columns; ++j, ++k) {
      if (k < values.size()) {
        elements(i, j) = values[k];
      } else {
        elements(i, j) = {};
      }
    }
  }
  elements.store();
}

/// Sets all elements of a View of rank 1 or 2 to `value`.
template <class View>
void fill_with(View const& view, typename View::non_const_value_type const& value) {
  fill(view, std::vector<typename View::non_const_value_type>(view.size(), value));
}

/// A rank-1 View in Exec's memory with the values of a vector.
template <class Exec, class T>
auto to_view(std::vector<T> const& values, std::string const& label = "values") {
  using View = Kokkos::View<T*, typename Exec::memory_space>;
  View const view(Kokkos::view_alloc(label, Kokkos::WithoutInitializing), values.size());
  if constexpr (host_can_access<View>) {
    std::copy(values.begin(), values.end(), view.data());
  } else {
    copy_to_device(view.data(), values.data(), values.size() * sizeof(T));
  }
  return view;
}

/// A rank-1 View in Exec's memory with zeros.
template <class Exec, class T>
auto zeros(std::size_t n) {
  return Kokkos::View<T*, typename Exec::memory_space>("zeros", n);
}

/// The values of a rank-1 View of any layout.
template <class View>
auto to_vector(View const& view) {
  using T = typename View::non_const_value_type;
  HostElements<View> const elements(view);
  std::size_t const n = view.extent(0);
  if (view.stride(0) == 1 && n > 0) return std::vector<T>(&elements(0), &elements(0) + n);
  std::vector<T> values(n);
  for (std::size_t i = 0; i < n; ++i) values[i] = elements(i);
  return values;
}

/// Whether all bits are equal; zeros of different signs and different NaNs differ.
template <class T>
bool are_same_bits(std::vector<T> const& a, std::vector<T> const& b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

/// 0, 1, ..., n - 1.
template <class T>
std::vector<T> iota(std::size_t n) {
  std::vector<T> values(n);
  std::iota(values.begin(), values.end(), T{});
  return values;
}

/// Whether `values` are 0, ..., n - 1 in some order.
template <class T>
bool is_permutation_of_iota(std::vector<T> values) {
  std::sort(values.begin(), values.end());
  return values == iota<T>(values.size());
}

}  // namespace riffle::test
