#pragma once

// Philox4x32 in 32-bit vectors of a CPU, which need not be known when the library is compiled.

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/lanes.hpp>
#include <riffle/philox.hpp>

namespace riffle::detail::bucket_shuffle {

/// x[j] holds word j of the counters, and afterwards of their random blocks, of `Vectors` vectors side
/// by side: a lane's result is Philox4x32(key)(counter). Host only.
template <class Words, int Vectors>
KOKKOS_FORCEINLINE_FUNCTION void apply_philox(std::uint64_t key, Words (&x)[4][Vectors]) {
  constexpr std::uint32_t multiplier_0 = static_cast<std::uint32_t>(Philox4x32::multiplier_0);
  constexpr std::uint32_t multiplier_1 = static_cast<std::uint32_t>(Philox4x32::multiplier_1);
  auto k0 = static_cast<std::uint32_t>(key);
  auto k1 = static_cast<std::uint32_t>(key >> 32);
  for (int round = 0; round < Philox4x32::rounds; ++round) {
    RIFFLE_UNROLL
    for (int v = 0; v < Vectors; ++v) {
      Words const high_0 = multiply_high(x[0][v], multiplier_0);
      Words const high_1 = multiply_high(x[2][v], multiplier_1);
      Words const low_0 = x[0][v] * multiplier_0;
      Words const low_1 = x[2][v] * multiplier_1;
      x[0][v] = high_1 ^ x[1][v] ^ k0;
      x[1][v] = low_1;
      x[2][v] = high_0 ^ x[3][v] ^ k1;
      x[3][v] = low_0;
    }
    k0 += Philox4x32::key_step_0;
    k1 += Philox4x32::key_step_1;
  }
}

}  // namespace riffle::detail::bucket_shuffle
