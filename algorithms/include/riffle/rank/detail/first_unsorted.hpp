#pragma once

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/backend/floating_point.hpp>
#include <riffle/order.hpp>

namespace riffle::detail::rank {

/// The least i >= 1 that is out of order, by a reduction.
template <class Sorted, class Order>
struct FirstUnsorted {
  Sorted sorted;
  Order order;
  std::uint64_t n;

  KOKKOS_FUNCTION void operator()(std::uint64_t i, std::uint64_t& first) const {
    if (i < first && is_out_of_order(i)) first = i;
  }

 private:
  KOKKOS_FUNCTION bool is_out_of_order(std::uint64_t i) const {
    if (detail::is_nan(sorted(i)) != detail::is_nan(sorted(i - 1))) {
      // Where NaNs begin, they are out of order if the data begin with NaNs; where they end, if the data do not.
      return detail::is_nan(sorted(i)) == detail::is_nan(sorted(0));
    }
    if (detail::is_nan(sorted(i))) return false;
    return order(sorted(i), sorted(i - 1));
  }
};

}  // namespace riffle::detail::rank
