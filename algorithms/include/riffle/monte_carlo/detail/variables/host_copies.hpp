#pragma once

// Copies between the host and the memory of kernels, on the caller's instance. All fence it.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <riffle/context.hpp>

namespace riffle::detail::variables {

/// A copy of a contiguous View on the host.
template <class Exec, class View>
auto to_host(Context<Exec> const& context, View const& view) {
  auto const host = Kokkos::create_mirror(
      Kokkos::view_alloc(Kokkos::HostSpace{}, Kokkos::WithoutInitializing), view);
  Kokkos::deep_copy(context.exec(), host, view);
  context.exec().fence(context.label() + "::to_host");
  return host;
}

/// The first `count` values of a View, straight to where they stay.
template <class T, class Exec, class View>
std::vector<T> to_std_vector(Context<Exec> const& context, View const& view, std::size_t count) {
  std::vector<T> values(count);
  if constexpr (std::is_same_v<T, typename View::non_const_value_type> &&
                !std::is_same_v<typename View::array_layout, Kokkos::LayoutStride>) {
    using Unmanaged = Kokkos::View<T*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;
    Kokkos::deep_copy(context.exec(), Unmanaged(values.data(), count),
                      Kokkos::subview(view, std::make_pair(std::size_t{0}, count)));
    context.exec().fence(context.label() + "::to_std_vector");
  } else {
    auto const host = to_host(context, view);
    for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<T>(host(i));
  }
  return values;
}
template <class T, class Exec, class View>
std::vector<T> to_std_vector(Context<Exec> const& context, View const& view) {
  return to_std_vector<T>(context, view, view.extent(0));
}

/// A host array in the memory of kernels.
template <class T, class Exec>
auto upload(Context<Exec> const& context, std::vector<T> const& values) {
  using Memory = typename Exec::memory_space;
  using Unmanaged = Kokkos::View<T const*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;
  Kokkos::View<T*, Memory> const to(
      Kokkos::view_alloc(context.exec(), Kokkos::WithoutInitializing, context.label() + "::upload"),
      values.size());
  Kokkos::deep_copy(context.exec(), to, Unmanaged(values.data(), values.size()));
  context.exec().fence(context.label() + "::upload");
  return to;
}

}  // namespace riffle::detail::variables
