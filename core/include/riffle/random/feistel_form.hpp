#pragma once

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/lanes/lanes.hpp>
#include <riffle/random/detail/image_block.hpp>
#include <riffle/random/wide_integer.hpp>

namespace riffle::detail {

/// In place of a number of rounds that only the run knows.
inline constexpr int any_rounds = -1;

/// A MixedRadixFeistel on n > 2 points as the inside of a loop wants it: the compiler knows the width
/// of its words and, unless `Rounds` is any_rounds, the number of its rounds. The images are those of
/// the network, bit by bit; MixedRadixFeistel says what the rounds are.
///
/// The lower half of a point is kept in the upper bits of its word, above zeros. There one addition
/// scales a hash to the lower radix, a power of two, and adds it modulo that radix; what of the hash
/// lies below is masked away.
template <class Word, int Rounds>
class FeistelForm {
 public:
  static constexpr int max_rounds = 32;
  /// So many chains of dependent operations keep a CPU busiest (measured), though its registers hold
  /// fewer.
  static constexpr int vectors_side_by_side = 8;
  using Keys = Kokkos::Array<std::uint32_t, max_rounds>;

  static constexpr int word_bits = 8 * sizeof(Word);
  static constexpr bool is_narrow = word_bits == 32;

  // Of the hash that a round adds.
  static constexpr auto multiplier_0 =
      static_cast<Word>(is_narrow ? 0x7FEB352Du : 0xBF58476D1CE4E5B9u);
  static constexpr auto multiplier_1 =
      static_cast<Word>(is_narrow ? 0x846CA68Bu : 0x94D049BB133111EBu);
  static constexpr int hash_shift = is_narrow ? 15 : 31;

  /// keys[r], r < rounds, are the network's.
  template <class RoundKeys>
  KOKKOS_FUNCTION FeistelForm(std::uint64_t n, std::uint64_t radix, int low_bits, int rounds,
                              RoundKeys const& keys)
      : last_(static_cast<Word>(n - 1)),
        radix_(static_cast<Word>(radix)),
        low_bits_(low_bits),
        unused_bits_(word_bits - low_bits),
        mask_(static_cast<Word>(~Word{0} << unused_bits_)),
        rounds_(rounds) {
    if constexpr (Rounds == any_rounds) {
      for (int round = 0; round < rounds; ++round) keys_[round] = widened(keys[round]);
    } else {
      RIFFLE_UNROLL
      for (int round = 0; round < Rounds; ++round) keys_[round] = widened(keys[round]);
    }
  }

  /// The image of i < n.
  KOKKOS_FUNCTION std::uint64_t operator()(std::uint64_t i) const {
    std::uint64_t image[1] = {i};
    replace_by_images(image);
    return image[0];
  }

  /// Puts the images of x[0], ..., x[Width - 1], all below n, in their places.
  template <int Width>
  KOKKOS_FUNCTION void replace_by_images(std::uint64_t (&x)[Width]) const {
    Word y[Width];
    RIFFLE_UNROLL
    for (int w = 0; w < Width; ++w) y[w] = static_cast<Word>(x[w]);
    apply_rounds(y);
    walk(y);
    RIFFLE_UNROLL
    for (int w = 0; w < Width; ++w) x[w] = y[w];
  }

  /// out[k] is the image of first + k, below n, for k < count. Host only.
  template <class Index>
  void images_block(std::uint64_t first, std::size_t count, Index* out) const {
    if constexpr (is_narrow) {
      evaluate_images(*this, first, count, out);
    } else {
      for (std::size_t k = 0; k < count; ++k) out[k] = static_cast<Index>((*this)(first + k));
    }
  }

  /// Applies the rounds once, to words or to vectors of words, side by side. The results may be as
  /// large as the product of the radices.
  template <class Words, int Width>
  KOKKOS_FORCEINLINE_FUNCTION void apply_rounds(Words (&x)[Width]) const {
    Words high[Width];
    Words low[Width];
    RIFFLE_UNROLL
    for (int w = 0; w < Width; ++w) {
      high[w] = x[w] >> low_bits_;
      low[w] = x[w] << unused_bits_;
    }
    if constexpr (Rounds == any_rounds) {
      for (int round = 0; round + 1 < rounds_; round += 2) apply_two_rounds(high, low, round);
      if (rounds_ % 2 == 1) add_to_low(low, high, keys_[rounds_ - 1]);
    } else {
      static_assert(Rounds % 2 == 0);
      RIFFLE_UNROLL
      for (int round = 0; round < Rounds; round += 2) apply_two_rounds(high, low, round);
    }
    RIFFLE_UNROLL
    for (int w = 0; w < Width; ++w) x[w] = high[w] << low_bits_ | low[w] >> unused_bits_;
  }

  /// The largest of the points, n - 1.
  KOKKOS_FUNCTION Word last() const { return last_; }

 private:
  KOKKOS_FUNCTION static constexpr Word widened(std::uint32_t key) {
    return is_narrow ? key : static_cast<Word>(key * 0x9E3779B97F4A7C15u);
  }

  template <class Words>
  KOKKOS_FORCEINLINE_FUNCTION static Words hash(Words const& half, Word key) {
    Words const h = (half ^ key) * multiplier_0;
    return (h ^ h >> hash_shift) * multiplier_1;
  }

  template <class Words, int Width>
  KOKKOS_FORCEINLINE_FUNCTION void apply_two_rounds(Words (&high)[Width], Words (&low)[Width],
                                                    int round) const {
    add_to_low(low, high, keys_[round]);
    add_to_high(high, low, keys_[round + 1]);
  }

  template <class Words, int Width>
  KOKKOS_FORCEINLINE_FUNCTION void add_to_low(Words (&low)[Width], Words const (&high)[Width],
                                              Word key) const {
    RIFFLE_UNROLL
    for (int w = 0; w < Width; ++w) low[w] = (low[w] + hash(high[w], key)) & mask_;
  }

  // A sum below the radix wraps around when that is subtracted, and is then the smaller one.
  template <class Words, int Width>
  KOKKOS_FORCEINLINE_FUNCTION void add_to_high(Words (&high)[Width], Words const (&low)[Width],
                                               Word key) const {
    using Kokkos::min;
    RIFFLE_UNROLL
    for (int w = 0; w < Width; ++w) {
      Words const half = low[w] >> unused_bits_;
      Words const sum = high[w] + multiply_high(hash(half, key), radix_);
      high[w] = min(sum, sum - radix_);
    }
  }

  // Few points lie beyond n, so the loop that sends one of them on holds the rounds once, not once
  // for each of the Width.
  template <int Width>
  KOKKOS_FUNCTION void walk(Word (&x)[Width]) const {
    for (;;) {
      int beyond = -1;
      Word point[1] = {};
      RIFFLE_UNROLL
      for (int w = 0; w < Width; ++w) {
        if (x[w] > last_) {
          beyond = w;
          point[0] = x[w];
        }
      }
      if (beyond < 0) return;
      apply_rounds(point);
      RIFFLE_UNROLL
      for (int w = 0; w < Width; ++w) {
        if (w == beyond) x[w] = point[0];
      }
    }
  }

  Word last_;
  Word radix_;
  int low_bits_;
  int unused_bits_;
  Word mask_;
  int rounds_;
  Kokkos::Array<Word, Rounds == any_rounds ? max_rounds : Rounds> keys_{};
};

}  // namespace riffle::detail
