#pragma once

// Copies between host memory and the memory of kernels, on the caller's execution space instance. All of these
// functions fence the instance.
//
// The first access to each page of newly allocated memory causes a page fault. Memory is requested in huge pages, so
// that there are fewer page faults.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <riffle/backend/backend.hpp>
#include <riffle/context.hpp>

namespace riffle::detail::variables {

/// Returns a copy of a contiguous View in host memory.
template <class Exec, class View>
auto to_host(Context<Exec> const& context, View const& view) {
  auto const host = Kokkos::create_mirror(
      Kokkos::view_alloc(Kokkos::HostSpace{}, Kokkos::WithoutInitializing), view);
  backend::prefer_huge_pages(host.data(), host.span() * sizeof(typename View::value_type));
  Kokkos::deep_copy(context.exec(), host, view);
  context.exec().fence(context.label() + "::to_host");
  return host;
}

/// Copies values from the memory of kernels to the host.
template <class T, class Exec>
void copy_to_host(Context<Exec> const& context, T const* values, std::size_t count, T* to) {
  using Kernels = Kokkos::View<T const*, typename Exec::memory_space, Kokkos::MemoryUnmanaged>;
  using Host = Kokkos::View<T*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;
  Kokkos::deep_copy(context.exec(), Host(to, count), Kernels(values, count));
  context.exec().fence(context.label() + "::copy_to_host");
}

/// Returns the first `count` values of a View, without an intermediate copy if possible.
template <class T, class Exec, class View>
std::vector<T> to_std_vector(Context<Exec> const& context, View const& view, std::size_t count) {
  std::vector<T> values;
  values.reserve(count);
  backend::prefer_huge_pages(values.data(), count * sizeof(T));
  values.resize(count);
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

/// Copies to.extent(0) values from host memory to a View.
template <class Exec, class View>
void copy_to_kernels(Context<Exec> const& context, typename View::value_type const* values,
                     View const& to) {
  using Unmanaged =
      Kokkos::View<typename View::const_value_type*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;
  Kokkos::deep_copy(context.exec(), to, Unmanaged(values, to.extent(0)));
  context.exec().fence(context.label() + "::copy_to_kernels");
}

/// Returns a copy of a host array in the memory of kernels.
template <class T, class Exec>
auto upload(Context<Exec> const& context, std::vector<T> const& values) {
  using Memory = typename Exec::memory_space;
  Kokkos::View<T*, Memory> const to(
      Kokkos::view_alloc(context.exec(), Kokkos::WithoutInitializing, context.label() + "::upload"),
      values.size());
  copy_to_kernels(context, values.data(), to);
  return to;
}

}  // namespace riffle::detail::variables
