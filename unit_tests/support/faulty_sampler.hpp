#pragma once

// Samplers for riffle/uniformity.hpp: a correct one, and several with a known fault that a test must find.

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/published/bijective_shuffle/linear_congruential.hpp>
#include <riffle/published/bijective_shuffle/variable_philox.hpp>
#include <riffle/random/integers.hpp>
#include <riffle/random/mixed_radix_feistel.hpp>
#include <riffle/random/philox.hpp>

namespace riffle::test {

enum class Fault {
  none,
  even_only,         // a uniform shuffle; odd permutations get one more transposition
  fixed_position,    // point 0 stays
  biased_swap,       // every point is swapped with a random one: n^n equally likely outcomes
  repeated_seed,     // four consecutive replicates are equal
  seldom_repeated,   // one replicate in 512 equals the one before it
  few_rounds,        // a Feistel network of four rounds
  congruential,      // a linear congruential generator with compaction
  walked_philox,     // VariablePhilox on the next power of two, with cycle walking
  compacted_philox,  // VariablePhilox with compaction, as published
  rotations,         // n of the n! permutations
  nearly_sorted,     // a uniform shuffle, after which some neighbours are sorted
  seed_in_few_bits,  // only the lower eight bits of the replicate's number are used
};

/// The random words of one replicate.
class PhiloxWords {
 public:
  KOKKOS_FUNCTION PhiloxWords(std::uint64_t seed, std::uint64_t replicate)
      : philox_(seed), replicate_(replicate) {}

  KOKKOS_FUNCTION std::uint32_t next() {
    if (count_ % 4 == 0) {
      block_ = philox_({static_cast<std::uint32_t>(count_ / 4), 0xF15C4E5Au,
                        static_cast<std::uint32_t>(replicate_),
                        static_cast<std::uint32_t>(replicate_ >> 32)});
    }
    return block_[count_++ % 4];
  }

  /// Uniform below bound < 2^32: D. Lemire, "Fast random integer generation in an interval", ACM Trans.
  /// Model. Comput. Simul. 29 (2019).
  KOKKOS_FUNCTION std::uint32_t below(std::uint64_t bound) {
    std::uint64_t const threshold = (std::uint64_t{1} << 32) % bound;
    for (;;) {
      std::uint64_t const product = next() * bound;
      if (static_cast<std::uint32_t>(product) >= threshold)
        return static_cast<std::uint32_t>(product >> 32);
    }
  }

 private:
  Philox4x32 philox_;
  std::uint64_t replicate_;
  std::uint64_t count_ = 0;
  Philox4x32::Block block_{};
};

template <class Row>
KOKKOS_INLINE_FUNCTION void swap_places(Row const& row, std::uint64_t i, std::uint64_t j) {
  std::uint32_t const kept = row[i];
  row[i] = row[j];
  row[j] = kept;
}

/// A sampler for riffle/uniformity.hpp: (n, r, row) writes replicate r to `row`.
struct FaultySampler {
  Fault fault = Fault::none;
  std::uint64_t seed = 1;

  template <class Row>
  KOKKOS_FUNCTION void operator()(std::uint64_t n, std::uint64_t r, Row const& row) const {
    switch (fault) {
      case Fault::repeated_seed: return shuffle(n, r / 4, row);
      case Fault::seldom_repeated: return shuffle(n, r % 512 == 1 ? r - 1 : r, row);
      case Fault::seed_in_few_bits: return shuffle(n, r % 256, row);
      case Fault::biased_swap: return swap_with_any(n, r, row);
      case Fault::few_rounds: return write(n, MixedRadixFeistel(n, seed, r, 4), row);
      case Fault::congruential: return compact(n, LinearCongruential(bits(n), seed, r), row);
      case Fault::compacted_philox: return compact(n, VariablePhilox<24>(bits(n), seed, r), row);
      case Fault::walked_philox: return walk(n, VariablePhilox<24>(bits(n), seed, r), row);
      case Fault::rotations: return rotate(n, r, row);
      default: return shuffle(n, r, row);
    }
  }

 private:
  KOKKOS_FUNCTION static int bits(std::uint64_t n) { return detail::bit_width(n - 1); }

  /// R. Durstenfeld, "Algorithm 235: random permutation", CACM 7 (1964), changed by the fault.
  template <class Row>
  KOKKOS_FUNCTION void shuffle(std::uint64_t n, std::uint64_t r, Row const& row) const {
    PhiloxWords words(seed, r);
    for (std::uint64_t i = 0; i < n; ++i) row[i] = static_cast<std::uint32_t>(i);
    std::uint64_t const first = fault == Fault::fixed_position ? 1 : 0;
    bool is_odd = false;
    for (std::uint64_t i = n - 1; i > first; --i) {
      std::uint64_t const j = first + words.below(i + 1 - first);
      is_odd ^= i != j;
      swap_places(row, i, j);
    }
    if (fault == Fault::even_only && is_odd) swap_places(row, 0, 1);
    if (fault == Fault::nearly_sorted) {
      for (std::uint64_t i = 0; i + 1 < n; i += 16) {
        if (row[i] > row[i + 1]) swap_places(row, i, i + 1);
      }
    }
  }

  template <class Row>
  KOKKOS_FUNCTION void swap_with_any(std::uint64_t n, std::uint64_t r, Row const& row) const {
    PhiloxWords words(seed, r);
    for (std::uint64_t i = 0; i < n; ++i) row[i] = static_cast<std::uint32_t>(i);
    for (std::uint64_t i = 0; i < n; ++i) swap_places(row, i, words.below(n));
  }

  template <class Row>
  KOKKOS_FUNCTION void rotate(std::uint64_t n, std::uint64_t r, Row const& row) const {
    std::uint64_t const shift = PhiloxWords(seed, r).below(n);
    for (std::uint64_t i = 0; i < n; ++i) row[i] = static_cast<std::uint32_t>((i + shift) % n);
  }

  template <class Sigma, class Row>
  KOKKOS_FUNCTION static void write(std::uint64_t n, Sigma const& sigma, Row const& row) {
    for (std::uint64_t i = 0; i < n; ++i) row[i] = static_cast<std::uint32_t>(sigma(i));
  }

  template <class Sigma, class Row>
  KOKKOS_FUNCTION static void compact(std::uint64_t n, Sigma const& sigma, Row const& row) {
    std::uint64_t place = 0;
    for (std::uint64_t i = 0; i < sigma.size(); ++i) {
      std::uint64_t const image = sigma(i);
      if (image < n) row[place++] = static_cast<std::uint32_t>(image);
    }
  }

  template <class Sigma, class Row>
  KOKKOS_FUNCTION static void walk(std::uint64_t n, Sigma const& sigma, Row const& row) {
    for (std::uint64_t i = 0; i < n; ++i) {
      std::uint64_t image = sigma(i);
      while (image >= n) image = sigma(image);
      row[i] = static_cast<std::uint32_t>(image);
    }
  }
};

}  // namespace riffle::test
