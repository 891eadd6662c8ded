#pragma once

// Sorted floats to rank. Each equals the one before it with the recurring probability of section IV of J. Liang et al. (see
// rank.cpp), and otherwise is the next larger float. The bits of floats are incremented, because adding to a float could not
// give 2^27 different values.

#include <Kokkos_Core.hpp>

#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <string>

#include "baselines/split_mix.hpp"
#include "support/exec.hpp"

namespace perf {

using Values = Kokkos::View<float*, Exec>;

/// Writes the values by a scan of their changes.
struct WriteRecurring {
  Values values;
  double probability;

  KOKKOS_FUNCTION bool changes(std::uint64_t i) const {
    // A multiple of 2^-53 in [0, 1): never below probability 0, always below probability 1.
    double const uniform = static_cast<double>(mix(i) >> 11) * 0x1p-53;
    return i > 0 && uniform >= probability;
  }

  KOKKOS_FUNCTION void operator()(std::uint64_t i, std::uint32_t& changes_so_far,
                                  bool is_final) const {
    constexpr std::uint32_t bits_of_first = 0x20000000;
    if (changes(i)) ++changes_so_far;
    if (is_final) values(i) = Kokkos::bit_cast<float>(bits_of_first + changes_so_far);
  }
};

struct CountTies {
  Values values;

  KOKKOS_FUNCTION void operator()(std::uint64_t i, std::uint64_t& ties) const {
    if (i > 0 && values(i - 1) == values(i)) ++ties;
  }
};

/// Throws if the number of ties is too unlikely.
inline void check_ties(Exec const& exec, Values const& values, double probability) {
  constexpr double deviations = 6;
  std::uint64_t ties = 0;
  Kokkos::parallel_reduce("perf::count_ties", range(exec, values.extent(0)), CountTies{values},
                          ties);
  auto const pairs = static_cast<double>(values.extent(0) - 1);
  double const deviation = std::sqrt(pairs * probability * (1 - probability));
  if (std::abs(static_cast<double>(ties) - pairs * probability) > deviations * deviation) {
    throw std::logic_error("no data of that recurring probability: " + std::to_string(ties) +
                           " ties");
  }
}

/// Values for n > 0; they depend only on n and the probability.
inline Values recurring_values(Exec const& exec, std::uint64_t n, double probability) {
  Values const values = allocate<float>(exec, "perf::values", n);
  Kokkos::parallel_scan("perf::recurring", range(exec, n), WriteRecurring{values, probability});
  check_ties(exec, values, probability);
  return values;
}

}  // namespace perf
