#pragma once

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace riffle::detail {

template <class View>
struct FillZero {
  View out;

  KOKKOS_FUNCTION void operator()(std::uint64_t i) const { out(i) = 0; }
};

}  // namespace riffle::detail
