#pragma once

// Views of every layout with known values, for tests of rows.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <string>
#include <type_traits>
#include <vector>

namespace riffle::test {

/// A matrix of `Exec`'s memory. With LayoutStride, every other row and the inner columns of a
/// larger one.
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

/// A vector of `Exec`'s memory whose elements lie three apart.
template <class Exec, class T>
auto make_strided(std::size_t n) {
  using Space = typename Exec::memory_space;
  Kokkos::View<T**, Kokkos::LayoutRight, Space> const whole("strided", n, 3);
  return Kokkos::View<T*, Kokkos::LayoutStride, Space>(Kokkos::subview(whole, Kokkos::ALL, 1));
}

/// Fills a View of rank 1 or 2 from values in row-major order.
template <class View, class T>
void fill(View const& view, std::vector<T> const& values) {
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

/// The rows of a matrix.
template <class View>
auto to_rows(View const& view) {
  using T = typename View::non_const_value_type;
  Kokkos::View<T**, Kokkos::LayoutRight, typename View::memory_space> const contiguous(
      "contiguous", view.extent(0), view.extent(1));
  Kokkos::deep_copy(contiguous, view);
  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), contiguous);
  std::vector<std::vector<T>> rows(view.extent(0));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    T const* const row = host.data() + i * view.extent(1);
    rows[i].assign(row, row + view.extent(1));
  }
  return rows;
}

}  // namespace riffle::test
