#pragma once

// Philox4x32-10, the counter-based random number generator of
//   J. K. Salmon, M. A. Moraes, R. O. Dror, D. E. Shaw, "Parallel random numbers: as easy as 1, 2,
//   3", SC '11 (2011), doi 10.1145/2063384.2063405, section 4.3.
// It is the only source of random bits in Riffle. A block of 128 bits is a function of a 128-bit
// counter and a 64-bit key. So any lane can draw any block of any stream without keeping a state.

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/backend/backend.hpp>

namespace riffle {

/// A keyed bijection of 128-bit counters. Callable on host and device, trivially copyable, 8 bytes.
class Philox4x32 {
 public:
  using Block = Kokkos::Array<std::uint32_t, 4>;

  static constexpr int rounds = 10;
  static constexpr std::uint64_t multiplier_0 = 0xD2511F53u;
  static constexpr std::uint64_t multiplier_1 = 0xCD9E8D57u;
  static constexpr std::uint32_t key_step_0 = 0x9E3779B9u;  // golden ratio
  static constexpr std::uint32_t key_step_1 = 0xBB67AE85u;  // sqrt(3) - 1

  KOKKOS_FUNCTION constexpr explicit Philox4x32(std::uint64_t key)
      : key_{static_cast<std::uint32_t>(key), static_cast<std::uint32_t>(key >> 32)} {}

  /// Returns the four 32-bit words of the block of `counter`; they are independent and uniform.
  KOKKOS_FUNCTION constexpr Block operator()(Block const& counter) const {
    Block words = counter;
    std::uint32_t k0 = key_[0];
    std::uint32_t k1 = key_[1];
    for (int round = 0; round < rounds; ++round) {
      std::uint64_t const p0 = multiplier_0 * words[0];
      std::uint64_t const p1 = multiplier_1 * words[2];
      words = {static_cast<std::uint32_t>(p1 >> 32) ^ words[1] ^ k0, static_cast<std::uint32_t>(p1),
               static_cast<std::uint32_t>(p0 >> 32) ^ words[3] ^ k1,
               static_cast<std::uint32_t>(p0)};
      k0 += key_step_0;
      k1 += key_step_1;
    }
    return words;
  }

  /// Computes one block for each lane of a CPU vector. The lower 32 bits of lane l in words[j]
  /// contain, on entry, word j of this lane's counter, and on return, word j of its random block.
  /// The upper 32 bits are undefined on return. Host only.
  void transform(backend::Vector (&words)[4]) const {
    auto const m0 = backend::Vector::broadcast(multiplier_0);
    auto const m1 = backend::Vector::broadcast(multiplier_1);
    std::uint32_t k0 = key_[0];
    std::uint32_t k1 = key_[1];
    for (int round = 0; round < rounds; ++round) {
      backend::Vector const p0 = multiply_low(words[0], m0);
      backend::Vector const p1 = multiply_low(words[2], m1);
      words[0] = upper(p1) ^ words[1] ^ backend::Vector::broadcast(k0);
      words[1] = p1;
      words[2] = upper(p0) ^ words[3] ^ backend::Vector::broadcast(k1);
      words[3] = p0;
      k0 += key_step_0;
      k1 += key_step_1;
    }
  }

 private:
  std::uint32_t key_[2];
};

namespace detail {

/// The purpose for which a random block is used. Blocks with one seed and different purposes never
/// share a counter.
enum class Purpose : std::uint32_t {
  keys = 0,
  rank = 1,
  labels = 2,
  labels_redrawn = 3,
  digits = 4,
  leaf_seed = 5,
  fisher_yates = 6,
  team_permute = 7,
  signs = 8,
  permutations = 9,
  permutations_redrawn = 10,
  streams = 11,
  selection = 12,
  weights = 13,
  bootstrap = 14,
  segments = 15
};

/// Returns block `index` (less than 2^56) of stream `stream` of `seed`. The counter consists of the
/// index (56 bits), the purpose (8 bits) and the stream (64 bits).
KOKKOS_INLINE_FUNCTION constexpr Philox4x32::Block random_block(std::uint64_t seed,
                                                                std::uint64_t stream,
                                                                Purpose purpose,
                                                                std::uint64_t index) {
  auto const high = static_cast<std::uint32_t>(index >> 32) | static_cast<std::uint32_t>(purpose)
                                                                  << 24;
  return Philox4x32(seed)({static_cast<std::uint32_t>(index), high,
                           static_cast<std::uint32_t>(stream),
                           static_cast<std::uint32_t>(stream >> 32)});
}

/// Fills keys[0], ..., keys[count - 1] with independent 32-bit words of one stream.
template <class Keys>
KOKKOS_INLINE_FUNCTION constexpr void random_keys(std::uint64_t seed, std::uint64_t stream,
                                                  int count, Keys& keys) {
  for (int first = 0; first < count; first += 4) {
    auto const block =
        random_block(seed, stream, Purpose::keys, static_cast<std::uint64_t>(first / 4));
    for (int i = 0; i < 4 && first + i < count; ++i) keys[first + i] = block[i];
  }
}

}  // namespace detail
}  // namespace riffle
