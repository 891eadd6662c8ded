#pragma once

// What a result keeps of every replicate, on its way to the host.
//
// Memory that is new to a process costs page faults where it is touched first, which take far longer than a copy to it
// does. So a result's memory is of huge pages, and is touched while a device still counts.

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <vector>

#include <riffle/backend/backend.hpp>
#include <riffle/context.hpp>
#include <riffle/monte_carlo/detail/common.hpp>
#include <riffle/monte_carlo/detail/host_results.hpp>
#include <riffle/monte_carlo/detail/test_data.hpp>
#include <riffle/monte_carlo/detail/variables/host_copies.hpp>
#include <riffle/monte_carlo/detail/variables/observed.hpp>

namespace riffle::detail::variables {

/// Whether the host reads what kernels write without a copy.
template <class Memory>
inline constexpr bool is_on_host =
    Kokkos::SpaceAccessibility<Kokkos::HostSpace, Memory>::accessible;

/// Memory for so many, which is touched where a device is to copy to it. Does not fence.
template <class Exec>
HostMaxima memory_for_maxima(Context<Exec> const& context, std::uint64_t count) {
  HostMaxima maxima;
  maxima.statistics = decltype(maxima.statistics)(
      Kokkos::view_alloc(Kokkos::WithoutInitializing, context.label() + "::maxima"), count);
  maxima.comparands.reserve(count);
  backend::prefer_huge_pages(maxima.comparands.data(), count * sizeof(double));
  backend::prefer_huge_pages(maxima.statistics.data(), count * sizeof(double));
  if constexpr (!is_on_host<typename Exec::memory_space>) {
    maxima.comparands.resize(count);
    std::fill_n(maxima.statistics.data(), count, 0);
  }
  return maxima;
}

/// Reads the comparands from where kernels have them. Fences.
template <class Exec>
void read_comparands(Context<Exec> const& context, Array<typename Exec::memory_space> const& from,
                     HostMaxima& to) {
  std::uint64_t const count = to.statistics.extent(0);
  if constexpr (is_on_host<typename Exec::memory_space>) {
    context.exec().fence(context.label() + "::maxima");
    to.comparands.assign(from.data(), from.data() + count);
  } else {
    copy_to_host(context, from.data(), count, to.comparands.data());
  }
  to.has_comparands = true;
}

/// Reads function(comparand) of each. Fences.
template <class Exec, class Function>
void read_statistics(Context<Exec> const& context, Array<typename Exec::memory_space> const& from,
                     Function const& function, HostMaxima const& to) {
  using Memory = typename Exec::memory_space;
  std::uint64_t const count = to.statistics.extent(0);
  auto const map = [&](double* values) {
    context.named("maxima").for_each(count, MapValues<Memory, Function>{from, function, values});
  };
  if constexpr (is_on_host<Memory>) {
    map(to.statistics.data());
    context.exec().fence(context.label() + "::maxima");
  } else {
    Array<Memory> const found(Kokkos::view_alloc(context.exec(), Kokkos::WithoutInitializing,
                                                 context.label() + "::maxima"),
                              count);
    map(found.data());
    copy_to_host(context, found.data(), count, to.statistics.data());
  }
}

}  // namespace riffle::detail::variables
