#pragma once

// Views of every layout with known values, for tests of matrices.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <string>
#include <type_traits>
#include <vector>

#include "support/views.hpp"

namespace riffle::test {

/// A matrix in Exec's memory. For LayoutStride it is every other row and the inner columns of a larger matrix.
template <class Exec, class T, class Layout>
auto make_matrix(std::size_t rows, std::size_t columns) {
  using Space = typename Exec::memory_space;
  if constexpr (std::is_same_v<Layout, Kokkos::LayoutStride>) {
    Kokkos::View<T***, Kokkos::LayoutRight, Space> const whole("matrix", rows, 2, columns + 3);
    return Kokkos::View<T**, Kokkos::LayoutStride, Space>(Kokkos::subview(
        whole, Kokkos::ALL, 1, Kokkos::pair<std::size_t, std::size_t>(2, columns + 2)));
  } else {
    return Kokkos::View<T**, Layout, Space>("matrix", rows, columns);
  }
}

/// A vector in Exec's memory with stride 3.
template <class Exec, class T>
auto make_strided(std::size_t n) {
  using Space = typename Exec::memory_space;
  Kokkos::View<T**, Kokkos::LayoutRight, Space> const whole("strided", n, 3);
  return Kokkos::View<T*, Kokkos::LayoutStride, Space>(Kokkos::subview(whole, Kokkos::ALL, 1));
}

/// The elements of a View of rank 1 or 2 in memory that the host can access.
template <class View>
struct HostElements {
  typename View::pointer_type data;
  std::size_t row_stride;
  std::size_t column_stride = 0;

  explicit HostElements(View const& view) : data(view.data()), row_stride(view.stride(0)) {
    if constexpr (View::rank() == 2) column_stride = view.stride(1);
  }

  auto& operator()(std::size_t i, std::size_t j) const {
    return data[i * row_stride + j * column_stride];
  }
};

/// Fills a View of rank 1 or 2 from values in row-major order.
template <class View, class T>
void fill(View const& view, std::vector<T> const& values) {
  if constexpr (host_can_access<View>) {
    Kokkos::fence();
    HostElements<View> const elements(view);
    std::size_t const rows = view.extent(0);
    std::size_t const columns = View::rank() == 1 ? 1 : view.extent(1);
    std::size_t k = 0;
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t j = 0; j < columns; ++j, ++k) {
        if (k < values.size()) {
          elements(i, j) = values[k];
        } else {
          elements(i, j) = {};
        }
      }
    }
  } else {
    using Contiguous = Kokkos::View<typename View::non_const_data_type, Kokkos::LayoutRight,
                                    typename View::memory_space>;
    Contiguous contiguous;
    if constexpr (View::rank() == 1) {
      contiguous = Contiguous("contiguous", view.extent(0));
    } else {
      contiguous = Contiguous("contiguous", view.extent(0), view.extent(1));
    }
    auto const host = Kokkos::create_mirror_view(contiguous);
    for (std::size_t i = 0; i < values.size(); ++i) host.data()[i] = values[i];
    Kokkos::deep_copy(contiguous, host);
    Kokkos::deep_copy(view, contiguous);
  }
}

/// The elements of a matrix in row-major order.
template <class View>
auto row_major(View const& view) {
  using T = typename View::non_const_value_type;
  if constexpr (host_can_access<View>) {
    Kokkos::fence();
    HostElements<View> const elements(view);
    std::size_t const rows = view.extent(0);
    std::size_t const columns = view.extent(1);
    std::vector<T> values(rows * columns);
    T* value = values.data();
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t j = 0; j < columns; ++j) *value++ = elements(i, j);
    }
    return values;
  } else {
    Kokkos::View<T**, Kokkos::LayoutRight, typename View::memory_space> const contiguous(
        "contiguous", view.extent(0), view.extent(1));
    Kokkos::deep_copy(contiguous, view);
    auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), contiguous);
    return std::vector<T>(host.data(), host.data() + host.size());
  }
}

/// The rows of a matrix.
template <class View>
auto to_rows(View const& view) {
  auto const elements = row_major(view);
  std::vector<std::vector<typename View::non_const_value_type>> rows(view.extent(0));
  auto row = elements.begin();
  for (auto& elements_of_row : rows) {
    auto const end = row + static_cast<std::ptrdiff_t>(view.extent(1));
    elements_of_row.assign(row, end);
    row = end;
  }
  return rows;
}

}  // namespace riffle::test
