#pragma once

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <string>
#include <vector>

namespace riffle::test {

/// Whether the host can access the elements. Kokkos's copies would compile several kernels for each pair of types, which takes
/// longer than the rest of many tests.
template <class View>
inline constexpr bool host_can_access =
    Kokkos::SpaceAccessibility<Kokkos::HostSpace, typename View::memory_space>::accessible;

/// A rank-1 View in Exec's memory with the values of a vector.
template <class Exec, class T>
auto to_view(std::vector<T> const& values, std::string const& label = "values") {
  using View = Kokkos::View<T*, typename Exec::memory_space>;
  View const view(label, values.size());
  if constexpr (host_can_access<View>) {
    std::copy(values.begin(), values.end(), view.data());
  } else {
    auto const host = Kokkos::create_mirror_view(view);
    std::copy(values.begin(), values.end(), host.data());
    Kokkos::deep_copy(view, host);
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
  if constexpr (host_can_access<View>) {
    Kokkos::fence();
    if (view.stride(0) == 1) return std::vector<T>(view.data(), view.data() + view.extent(0));
    std::vector<T> values(view.extent(0));
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = view.data()[i * view.stride(0)];
    return values;
  } else {
    Kokkos::View<T*, typename View::memory_space> const contiguous("contiguous", view.extent(0));
    Kokkos::deep_copy(contiguous, view);
    auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), contiguous);
    return std::vector<T>(host.data(), host.data() + host.extent(0));
  }
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
