#pragma once

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/detail/uniformity/sample.hpp>

namespace riffle::detail::uniformity {

/// Whether one flipped bit of a replicate's number gives an unrelated permutation, as pair tests tell it:
/// sample 2 p is the sampler's replicate p, sample 2 p + 1 that replicate whose number differs in bit p
/// modulo 64.
template <class Sampler>
struct Avalanche {
  Sampler sampler;

  KOKKOS_FUNCTION static std::uint64_t replicate(std::uint64_t r) {
    std::uint64_t const pair = r / 2;
    return r % 2 == 0 ? pair : pair ^ std::uint64_t{1} << pair % 64;
  }

  KOKKOS_FUNCTION auto operator()(std::uint64_t n, std::uint64_t r) const
      requires(!writes_rows<Sampler>) {
    return sampler(n, replicate(r));
  }

  KOKKOS_FUNCTION void operator()(std::uint64_t n, std::uint64_t r, Row const& row) const
      requires writes_rows<Sampler> {
    sampler(n, replicate(r), row);
  }
};

}  // namespace riffle::detail::uniformity
