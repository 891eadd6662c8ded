#pragma once

#include <Kokkos_Core.hpp>

namespace riffle::detail {

/// A constant as an argument. Unlike that of std::integral_constant its conversion can be called from a kernel.
template <int value>
struct Constant {
  KOKKOS_FORCEINLINE_FUNCTION constexpr operator int() const { return value; }
};

}  // namespace riffle::detail
