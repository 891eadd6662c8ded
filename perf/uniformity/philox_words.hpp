#pragma once

// A sequence of random words for sequential shuffles.

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/random/philox.hpp>

namespace perf::quality {

/// The words of one stream of Philox4x32-10 as a UniformRandomBitGenerator. Callable on host and device.
class PhiloxWords {
 public:
  using result_type = std::uint32_t;

  KOKKOS_FUNCTION PhiloxWords(std::uint64_t seed, std::uint64_t stream)
      : philox_(seed), stream_(stream) {}

  static constexpr result_type min() { return 0; }
  static constexpr result_type max() { return ~result_type{0}; }

  KOKKOS_FUNCTION result_type operator()() {
    if (drawn_ % 4 == 0) block_ = philox_(counter(drawn_ / 4));
    return block_[drawn_++ % 4];
  }

 private:
  // Riffle's own streams never have all of these bits set.
  static constexpr std::uint32_t purpose = 0xFFu << 24;

  KOKKOS_FUNCTION riffle::Philox4x32::Block counter(std::uint64_t block) const {
    return {static_cast<std::uint32_t>(block), static_cast<std::uint32_t>(block >> 32) | purpose,
            static_cast<std::uint32_t>(stream_), static_cast<std::uint32_t>(stream_ >> 32)};
  }

  riffle::Philox4x32 philox_;
  std::uint64_t stream_;
  std::uint64_t drawn_ = 0;
  riffle::Philox4x32::Block block_{};
};

/// Exactly uniform below bound > 0:
///   D. Lemire, "Fast random integer generation in an interval", ACM Trans. Modeling and Computer
///   Simulation 29 (2019), doi 10.1145/3230636, algorithm 5.
KOKKOS_INLINE_FUNCTION std::uint32_t draw_below(PhiloxWords& words, std::uint32_t bound) {
  std::uint64_t product = std::uint64_t{words()} * bound;
  if (static_cast<std::uint32_t>(product) < bound) {
    std::uint32_t const threshold = (0 - bound) % bound;
    while (static_cast<std::uint32_t>(product) < threshold) {
      product = std::uint64_t{words()} * bound;
    }
  }
  return static_cast<std::uint32_t>(product >> 32);
}

}  // namespace perf::quality
