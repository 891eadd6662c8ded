#pragma once

// Integers that two permutations have, drawn one after the other. MatchMeasure is in measures.hpp.

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/detail/uniformity/measures.hpp>
#include <riffle/detail/uniformity/nulls/uniform_statistics.hpp>
#include <riffle/detail/uniformity/sample.hpp>
#include <riffle/detail/uniformity/scalar_test.hpp>

namespace riffle::detail::uniformity {

/// 1 where a after the inverse of b is odd. The signs of both may be fair coins, and yet the second one
/// follow from the first.
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
