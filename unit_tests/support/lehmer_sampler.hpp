#pragma once

// Samplers for riffle/uniformity.hpp that draw Lehmer codes: uniform by default, or with a fault in chosen digits.

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <vector>

#include <riffle/random/lehmer.hpp>
#include <riffle/uniformity/detail/worker.hpp>

namespace riffle::test {

using detail::uniformity::Row;

/// A uniform sampler. R. Durstenfeld, "Algorithm 235: random permutation", CACM 7 (1964).
struct FisherYates {
  std::uint64_t seed = 1;

  KOKKOS_FUNCTION void operator()(std::uint64_t n, std::uint64_t r, Row const& row) const {
    for (std::uint64_t i = 0; i < n; ++i) row[i] = static_cast<std::uint32_t>(i);
    for (std::uint64_t i = n; i > 1; --i) {
      std::uint64_t const j = uniform_below(i, seed, r * n + i - 1);
      std::uint32_t const kept = row[i - 1];
      row[i - 1] = row[j];
      row[j] = kept;
    }
  }
};

/// Each permutation of the sampler `times` times in a row.
template <class Sampler>
struct Repeated {
  std::uint64_t times;
  Sampler sampler;

  KOKKOS_FUNCTION void operator()(std::uint64_t n, std::uint64_t r, Row const& row) const {
    sampler(n, r / times, row);
  }
};

/// Digit i is fault(n - i, digit, chance) for a uniform digit and a random word. Digits from the 64th on are 0.
template <class Fault>
struct LehmerSampler {
  std::uint64_t seed = 1;
  Fault fault{};

  KOKKOS_FUNCTION void operator()(std::uint64_t n, std::uint64_t r, Row const& row) const {
    for (std::uint64_t i = 0; i < n; ++i) row[i] = static_cast<std::uint32_t>(i);
    for (std::uint64_t i = 0; i < n && i < 64; ++i) {
      std::uint64_t const digit = uniform_below(n - i, seed, r * 64 + i);
      std::uint64_t const chance = uniform_below(std::uint64_t{1} << 32, seed + 1, r * 64 + i);
      move_to_front(row, i, i + fault(n - i, digit, chance));
    }
  }

 private:
  // The remaining points keep their order, so that the digits form the Lehmer code.
  KOKKOS_FUNCTION static void move_to_front(Row const& row, std::uint64_t i, std::uint64_t from) {
    std::uint32_t const chosen = row[from];
    for (std::uint64_t k = from; k > i; --k) row[k] = row[k - 1];
    row[i] = chosen;
  }
};

/// Replicate r of a sampler, on the host.
template <class Sampler>
std::vector<std::uint32_t> permutation_of(Sampler const& sampler, std::uint64_t n,
                                          std::uint64_t r) {
  std::vector<std::uint32_t> sigma(n);
  sampler(n, r, Row{sigma.data(), 1});
  return sigma;
}

}  // namespace riffle::test
