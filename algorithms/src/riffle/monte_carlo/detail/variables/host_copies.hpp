#pragma once

// Copies between host memory and the memory of kernels, on the caller's execution space instance. All functions that copy
// fence the instance.
//
// The first access to each page of newly allocated memory causes a page fault. Memory is requested in huge pages, so
// that there are fewer page faults.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <functional>
#include <vector>

#include <riffle/backend/backend.hpp>
#include <riffle/context.hpp>
#include <riffle/primitives/scope.hpp>

namespace riffle::detail::variables {

/// Returns `count` values of 0.
template <class T>
std::vector<T> zeros_on_host(std::size_t count) {
  std::vector<T> values;
  values.reserve(count);
  backend::prefer_huge_pages(values.data(), count * sizeof(T));
  values.resize(count);
  return values;
}

/// Copies values from the memory of kernels to the host.
template <class T, class Exec>
void copy_to_host(Context<Exec> const& context, T const* values, std::size_t count, T* to) {
  using Kernels = Kokkos::View<T const*, typename Exec::memory_space, Kokkos::MemoryUnmanaged>;
  using Host = Kokkos::View<T*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;
  Kokkos::deep_copy(context.exec(), Host(to, count), Kernels(values, count));
  context.exec().fence(context.label() + "::copy_to_host");
}

/// Returns the values of a contiguous View.
template <class T, class Exec, class View>
std::vector<T> to_std_vector(Context<Exec> const& context, View const& view) {
  auto values = zeros_on_host<T>(view.extent(0));
  copy_to_host<T>(context, view.data(), values.size(), values.data());
  return values;
}

/// Whether kernels can write to host memory.
template <class Exec>
inline constexpr bool can_access_host =
    Kokkos::SpaceAccessibility<Exec, Kokkos::HostSpace>::accessible;

/// Host arrays that kernels fill. Kernels that cannot access host memory write to copies of the arrays, which are in the
/// workspace of the context.
template <class Exec>
class HostArrays {
 public:
  explicit HostArrays(Context<Exec> const& context) : context_(context), scope_(context) {}

  /// Returns the View to which kernels write the values of `array`.
  template <class T>
  auto view(T* array, std::size_t count) {
    using View = Kokkos::View<T*, typename Exec::memory_space>;
    if constexpr (can_access_host<Exec>) {
      return View(array, count);
    } else {
      T* const values = scope_.template take<T>(count);
      copies_.push_back([=, this] { copy_to_host<T>(context_, values, count, array); });
      return View(values, count);
    }
  }

  /// Completes the arrays, after all kernels that write them have been enqueued. Fences.
  void read() const {
    context_.exec().fence(context_.label() + "::to_host");
    for (auto const& copy : copies_) copy();
  }

 private:
  Context<Exec> const& context_;
  Scope<Exec> scope_;
  std::vector<std::function<void()>> copies_;
};

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
