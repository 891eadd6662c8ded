#pragma once

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace riffle::detail {

/// indices[i] = i.
template <class Index>
struct MakeIndices {
  Index* indices;

  KOKKOS_FUNCTION void operator()(std::uint64_t i) const { indices[i] = static_cast<Index>(i); }
};

}  // namespace riffle::detail
