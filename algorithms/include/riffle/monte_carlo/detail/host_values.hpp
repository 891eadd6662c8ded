#pragma once

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <vector>

#include <riffle/context.hpp>

namespace riffle::detail {

template <class View, class Out>
struct CopyValues {
  View view;
  Out out;

  KOKKOS_FUNCTION void operator()(std::uint64_t i) const {
    out(i) = static_cast<typename Out::non_const_value_type>(view(i));
  }
};

/// The values of a View, or of what is read like one. Fences.
template <class Exec, class View>
std::vector<double> host_values(Context<Exec> const& context, View const& view) {
  using Values = Kokkos::View<double*, typename Exec::memory_space>;
  Values const values(Kokkos::view_alloc(context.exec(), Kokkos::WithoutInitializing,
                                         context.label() + "::host_values"),
                      view.extent(0));
  context.named("copy").for_each(values.extent(0), CopyValues<View, Values>{view, values});
  std::vector<double> host(values.extent(0));
  Kokkos::deep_copy(
      context.exec(),
      Kokkos::View<double*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(host.data(), host.size()),
      values);
  context.exec().fence(context.label() + "::host_values");
  return host;
}

}  // namespace riffle::detail
