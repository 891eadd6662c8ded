#pragma once

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

namespace riffle::test {

/// A rank-1 View of `Exec`'s memory with the values of a vector.
template <class Exec, class T>
auto to_view(std::vector<T> const& values, std::string const& label = "values") {
  Kokkos::View<T*, typename Exec::memory_space> const view(label, values.size());
  auto const host = Kokkos::create_mirror_view(view);
  std::copy(values.begin(), values.end(), host.data());
  Kokkos::deep_copy(view, host);
  return view;
}

/// A rank-1 View of `Exec`'s memory, filled with zeros.
template <class Exec, class T>
auto zeros(std::size_t n) {
  return Kokkos::View<T*, typename Exec::memory_space>("zeros", n);
}

/// The values of a rank-1 View of any layout.
template <class View>
auto to_vector(View const& view) {
  using T = typename View::non_const_value_type;
  Kokkos::View<T*, typename View::memory_space> const contiguous("contiguous", view.extent(0));
  Kokkos::deep_copy(contiguous, view);
  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), contiguous);
  return std::vector<T>(host.data(), host.data() + host.extent(0));
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
