#pragma once

// Philox4x32 in CPU vectors of 32-bit words, whose width need not be known at compile time.

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/backend/backend.hpp>
#include <riffle/random/philox.hpp>

namespace riffle::detail {

/// Computes one random block in each lane of `Vectors` vectors. On entry, a lane of x[j] contains
/// word j of the lane's counter, on return, word j of Philox4x32(key)(counter). Host only.
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

/// Sixteen consecutive random blocks. Host only.
class BlocksOfUnit {
 public:
  static constexpr int blocks = 16;

  /// Draws blocks first, first + 1, ..., first + 15 of `stream`.
  void draw(std::uint64_t seed, std::uint64_t stream, Purpose purpose, std::uint64_t first) {
    backend::call_with_words(Draw{*this, seed, stream, purpose, first});
  }

  /// word(j)[b] is word j of block b.
  std::uint32_t const* word(int j) const { return words_[j]; }

 private:
  struct Draw {
    BlocksOfUnit& unit;
    std::uint64_t seed;
    std::uint64_t stream;
    Purpose purpose;
    std::uint64_t first;

    template <class Words>
    KOKKOS_FORCEINLINE_FUNCTION void call() const {
      // The number of vectors per word of the block. Two fit in registers; one is enough if a
      // vector has all sixteen lanes.
      constexpr int vectors = Words::width < blocks ? 2 : 1;
      for (int lane = 0; lane < blocks; lane += vectors * Words::width) {
        std::uint64_t const block = first + static_cast<std::uint64_t>(lane);
        std::uint32_t const high =
            static_cast<std::uint32_t>(block >> 32) | static_cast<std::uint32_t>(purpose) << 24;
        Words x[4][vectors];
        RIFFLE_UNROLL
        for (int v = 0; v < vectors; ++v) {
          x[0][v] = Words::iota(static_cast<std::uint32_t>(block)) +
                    static_cast<std::uint32_t>(v * Words::width);
          x[1][v] = Words::broadcast(high);
          x[2][v] = Words::broadcast(static_cast<std::uint32_t>(stream));
          x[3][v] = Words::broadcast(static_cast<std::uint32_t>(stream >> 32));
        }
        apply_philox(seed, x);
        RIFFLE_UNROLL
        for (int j = 0; j < 4; ++j) {
          RIFFLE_UNROLL
          for (int v = 0; v < vectors; ++v) x[j][v].store(unit.words_[j] + lane + v * Words::width);
        }
      }
    }
  };

  alignas(backend::cache_line) std::uint32_t words_[4][blocks];
};

}  // namespace riffle::detail
