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

/// The elements of a matrix in row-major order.
template <class View>
auto row_major(View const& view) {
  HostElements<View> const elements(view);
  std::size_t const columns = elements.columns();
  std::vector<typename View::non_const_value_type> values(elements.rows() * columns);
  auto* value = values.data();
  for (std::size_t i = 0; i < elements.rows(); ++i) {
    for (std::size_t j = 0; j < columns; ++j) *value++ = elements(i, j);
  }
  return values;
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
