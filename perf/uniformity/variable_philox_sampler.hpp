#pragma once

// VariablePhilox as a sampler: see generators.hpp.

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/published/bijective_shuffle/variable_philox.hpp>

#include "uniformity/generators.hpp"

namespace perf::quality {

template <int... Rounds>
struct RoundsList {};

/// The number of rounds is a template parameter of the cipher, so a kernel supports only these numbers.
using VariablePhiloxRounds = RoundsList<1, 2, 3, 4, 6, 8, 10, 12, 16, 20, 24, 28, 32, 40, 48>;

/// The numbers of rounds in the list. One sampler serves all of them, and all kinds, so that one kernel is enough.
struct VariablePhiloxSampler {
  std::uint64_t seed;
  int rounds;
  int min_bits;  // of the domain of the bijection
  bool walks;    // cycle walking instead of compaction

  template <class Row>
  KOKKOS_FUNCTION void operator()(std::uint64_t n, std::uint64_t r, Row const& row) const {
    write_by_rounds(VariablePhiloxRounds{}, n, r, row);
  }

 private:
  template <int... Rounds, class Row>
  KOKKOS_FUNCTION void write_by_rounds(RoundsList<Rounds...>, std::uint64_t n, std::uint64_t r,
                                       Row const& row) const {
    ((rounds == Rounds ? write<Rounds>(n, r, row) : void()), ...);
  }

  template <int Rounds, class Row>
  KOKKOS_FUNCTION void write(std::uint64_t n, std::uint64_t r, Row const& row) const {
    int const bits = Kokkos::max(bits_for(n), min_bits);
    riffle::VariablePhilox<Rounds> const cipher(bits, seed, r);
    if (walks) {
      write_walked(cipher, n, row);
    } else {
      write_compacted(cipher, n, row);
    }
  }
};

}  // namespace perf::quality
