#pragma once

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/backend/floating_point.hpp>
#include <riffle/context.hpp>
#include <riffle/order.hpp>
#include <riffle/primitives/loops.hpp>

namespace riffle::detail {

template <class View>
struct CountNaNs {
  View view;

  KOKKOS_FUNCTION void operator()(std::uint64_t i, std::uint64_t& count) const {
    if (detail::is_nan(view(i))) ++count;
  }
};

/// How many elements of a View are NaNs. Fences.
template <class Exec, class View>
std::uint64_t count_nans(Context<Exec> const& context, View const& view) {
  std::uint64_t count = 0;
  Kokkos::parallel_reduce(context.label(), range(context.exec(), 0, view.extent(0)),
                          CountNaNs<View>{view}, count);
  return count;
}

}  // namespace riffle::detail
