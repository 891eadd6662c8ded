#pragma once

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace riffle::detail {

/// A permutation that is stored in a View.
template <class View>
struct ReadStored {
  View stored;

  KOKKOS_FUNCTION typename View::value_type operator()(std::uint64_t i) const { return stored(i); }
};

}  // namespace riffle::detail
