#pragma once

// Integer statistics of two successive permutations. MatchMeasure is in measures.hpp.

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/uniformity/detail/measures.hpp>
#include <riffle/uniformity/detail/nulls/uniform_statistics.hpp>
#include <riffle/uniformity/detail/sample.hpp>
#include <riffle/uniformity/detail/scalar_test.hpp>

namespace riffle::detail::uniformity {

/// 1 if a after the inverse of b is odd, otherwise 0. It detects generators whose signs are fair
/// coins, but in which the first sign determines the second.
struct QuotientSignMeasure : PairMeasure {
  static constexpr char const* name = "sign of the quotient of pairs";
  static constexpr bool needs_cycles = true;

  static Null null(std::uint64_t n) { return exact_null(parity_distribution(n)); }

  template <class Worker>
  KOKKOS_FUNCTION static std::int64_t of(Worker const&, Sample const& a, Sample const& b) {
    return (parity(a) + parity(b)) % 2;
  }
};

}  // namespace riffle::detail::uniformity
