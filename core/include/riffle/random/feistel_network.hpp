#pragma once

// The rounds of a MixedRadixFeistel (mixed_radix_feistel.hpp), and variants of a MixedRadixFeistel
// that are faster in loops.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <riffle/backend/backend.hpp>
#include <riffle/random/detail/tabled_images.hpp>
#include <riffle/random/image_blocks.hpp>
#include <riffle/random/integers.hpp>

namespace riffle::detail {

/// The value of the template parameter Rounds if the number of rounds is known only at run time.
inline constexpr int any_rounds = -1;

/// Returns the key of a round, computed from the 32 bits that were drawn for the round.
template <class Word>
KOKKOS_INLINE_FUNCTION constexpr Word widened_key(std::uint32_t key) {
  return sizeof(Word) == 4 ? key : static_cast<Word>(key * 0x9E3779B97F4A7C15u);
}

/// A callback between two rounds that does nothing.
struct NothingBetween {
  KOKKOS_FORCEINLINE_FUNCTION void operator()() const {}
};

/// Applies the rounds of a MixedRadixFeistel, or their inverses, to several points at a time. The
/// points are words or vectors of words. A point is high * 2^low_bits + low with high < radix. Even
/// rounds add a hash of `high` to `low` modulo 2^low_bits, odd rounds add a hash of `low` to `high`
/// modulo the radix. MinLowBits, 0 or 1, tells the compiler that low_bits >= MinLowBits.
///
/// The lower half of a point is stored in the upper bits of its word:
///
///     | low | 0 ... 0 |     + hash of 32 (64) bits     = | low + hash mod 2^low_bits | masked to 0 |
///
/// So one addition scales the hash to the range [0, 2^low_bits) and reduces the sum modulo
/// 2^low_bits; a mask then clears the lower bits of the hash.
template <class Word, int MinLowBits>
class FeistelRounds {
 public:
  static constexpr int word_bits = 8 * sizeof(Word);
  static constexpr bool is_narrow = word_bits == 32;

  // Two odd multipliers and one shift, as in the finalizers of lowbias32 (found by a search of C.
  // Wellons) and SplitMix64 (S. Vigna).
  static constexpr auto multiplier_0 =
      static_cast<Word>(is_narrow ? 0x7FEB352Du : 0xBF58476D1CE4E5B9u);
  static constexpr auto multiplier_1 =
      static_cast<Word>(is_narrow ? 0x846CA68Bu : 0x94D049BB133111EBu);
  static constexpr int hash_shift = is_narrow ? 15 : 31;

  KOKKOS_FUNCTION FeistelRounds(std::uint64_t radix, int low_bits)
      : radix_(static_cast<Word>(radix)),
        low_bits_(low_bits),
        unused_bits_(word_bits - low_bits),
        mask_(static_cast<Word>(~(~Word{0} >> low_bits))) {
    // Shifting a word by all of its bits is undefined. If there is no lower half, the mask clears
    // the bits that were shifted.
    if (MinLowBits == 0 && low_bits == 0) unused_bits_ = word_bits - 1;
  }

  /// Applies rounds 0, ..., rounds - 1 to the points. A result may be any number less than radix *
  /// 2^low_bits, so it may be n or greater. keys[r] is the widened key of round r. `Rounds` equals
  /// `rounds`, or is any_rounds. Calls between() after each round; if the number of rounds is odd,
  /// not after the last one.
  template <int Rounds, class Words, int Width, class Keys, class Between = NothingBetween>
  KOKKOS_FORCEINLINE_FUNCTION void apply(Words (&x)[Width], Keys const& keys, int rounds,
                                         Between const& between = {}) const {
    Points<Words, together<Words, Width>> points[parts<Words, Width>];
    split(x, points);
    if constexpr (Rounds == any_rounds) {
      for (int round = 0; round + 1 < rounds; round += 2) {
        apply_two_rounds(points, keys, round, between);
      }
      if (rounds % 2 == 1) apply_even_round(points, keys[rounds - 1]);
    } else {
      static_assert(Rounds % 2 == 0);
      RIFFLE_UNROLL
      for (int round = 0; round < Rounds; round += 2) {
        apply_two_rounds(points, keys, round, between);
      }
    }
    join(points, x);
  }

  /// Returns the number that an even round adds, modulo 2^low_bits, to the lower half of points
  /// whose upper half is `high`.
  template <class Words>
  KOKKOS_FORCEINLINE_FUNCTION Words added_to_low(Words const& high, Word key) const {
    Words h[1] = {high};
    hash(h, key);
    return h[0] >> unused_bits_;
  }

  /// Returns the number that an odd round adds, modulo the radix, to the upper half of points whose
  /// lower half is `low`.
  template <class Words>
  KOKKOS_FORCEINLINE_FUNCTION Words added_to_high(Words const& low, Word key) const {
    Words h[1] = {low};
    hash(h, key);
    return multiply_high(h[0], radix_);
  }

  KOKKOS_FUNCTION Word radix() const { return radix_; }
  KOKKOS_FUNCTION int low_bits() const { return low_bits_; }

  /// Applies the inverse of apply() to one point.
  template <class Keys>
  KOKKOS_FORCEINLINE_FUNCTION Word undo(Word x, Keys const& keys, int rounds) const {
    Word const point[1] = {x};
    Points<Word, 1> points[1];
    split(point, points);
    int round = rounds - 1;
    if (rounds % 2 == 1) undo_even_round(points[0], keys[round--]);
    for (; round > 0; round -= 2) {
      undo_odd_round(points[0], keys[round]);
      undo_even_round(points[0], keys[round - 1]);
    }
    Word result[1];
    join(points, result);
    return result[0];
  }

 private:
  /// The number of points that advance together in a round: each operation is done for all of these points before the
  /// next operation. If points are vectors, all of them advance together, because out-of-order execution does not reach
  /// from one round into the next. If points are words, one point advances at a time, because there are few registers.
  template <class Words, int Width>
  static constexpr int together = std::is_integral_v<Words> ? 1 : Width;
  template <class Words, int Width>
  static constexpr int parts = Width / together<Words, Width>;

  template <class Words, int Count>
  struct Points {
    Words high[Count];
    Words low[Count];
  };

  template <class Words, int Width, int Count, int Parts>
  KOKKOS_FORCEINLINE_FUNCTION void split(Words const (&x)[Width],
                                         Points<Words, Count> (&points)[Parts]) const {
    RIFFLE_UNROLL
    for (int w = 0; w < Width; ++w) {
      auto& part = points[w / Count];
      part.high[w % Count] = x[w] >> low_bits_;
      part.low[w % Count] = x[w] << unused_bits_;
      if constexpr (MinLowBits == 0) part.low[w % Count] = part.low[w % Count] & mask_;
    }
  }

  template <class Words, int Width, int Count, int Parts>
  KOKKOS_FORCEINLINE_FUNCTION void join(Points<Words, Count> const (&points)[Parts],
                                        Words (&x)[Width]) const {
    RIFFLE_UNROLL
    for (int w = 0; w < Width; ++w) {
      auto const& part = points[w / Count];
      x[w] = part.high[w % Count] << low_bits_ | part.low[w % Count] >> unused_bits_;
    }
  }

  template <class Words, int Count, int Parts, class Keys, class Between>
  KOKKOS_FORCEINLINE_FUNCTION void apply_two_rounds(Points<Words, Count> (&points)[Parts],
                                                    Keys const& keys, int round,
                                                    Between const& between) const {
    apply_even_round(points, keys[round]);
    between();
    apply_odd_round(points, keys[round + 1]);
    between();
  }

  template <class Words, int Count, int Parts>
  KOKKOS_FORCEINLINE_FUNCTION void apply_even_round(Points<Words, Count> (&points)[Parts],
                                                    Word key) const {
    RIFFLE_UNROLL
    for (int p = 0; p < Parts; ++p) add_to_low(points[p], key);
  }

  template <class Words, int Count, int Parts>
  KOKKOS_FORCEINLINE_FUNCTION void apply_odd_round(Points<Words, Count> (&points)[Parts],
                                                   Word key) const {
    RIFFLE_UNROLL
    for (int p = 0; p < Parts; ++p) add_to_high(points[p], key);
  }

  template <class Words, int Count>
  KOKKOS_FORCEINLINE_FUNCTION void add_to_low(Points<Words, Count>& x, Word key) const {
    Words h[Count];
    hash_of_high(x, key, h);
    RIFFLE_UNROLL
    for (int w = 0; w < Count; ++w) x.low[w] = (x.low[w] + h[w]) & mask_;
  }

  // Reduces the sum modulo the radix. If sum < radix, then sum - radix wraps around and is greater than the sum, so
  // min() returns the sum.
  template <class Words, int Count>
  KOKKOS_FORCEINLINE_FUNCTION void add_to_high(Points<Words, Count>& x, Word key) const {
    using Kokkos::min;
    Words h[Count];
    hash_of_low(x, key, h);
    RIFFLE_UNROLL
    for (int w = 0; w < Count; ++w) {
      Words const sum = x.high[w] + multiply_high(h[w], radix_);
      x.high[w] = min(sum, sum - radix_);
    }
  }

  // The hash is masked before the subtraction, because its lower bits would cause a borrow.
  KOKKOS_FORCEINLINE_FUNCTION void undo_even_round(Points<Word, 1>& x, Word key) const {
    Word h[1];
    hash_of_high(x, key, h);
    x.low[0] -= h[0] & mask_;
  }

  // If the difference is negative, it has wrapped around to a large number. Adding the radix then gives the smaller of
  // the two numbers, which min() returns.
  KOKKOS_FORCEINLINE_FUNCTION void undo_odd_round(Points<Word, 1>& x, Word key) const {
    Word h[1];
    hash_of_low(x, key, h);
    Word const difference = x.high[0] - multiply_high(h[0], radix_);
    x.high[0] = Kokkos::min(difference, difference + radix_);
  }

  template <class Words, int Count>
  KOKKOS_FORCEINLINE_FUNCTION static void hash_of_high(Points<Words, Count> const& x, Word key,
                                                       Words (&h)[Count]) {
    RIFFLE_UNROLL
    for (int w = 0; w < Count; ++w) h[w] = x.high[w];
    hash(h, key);
  }

  template <class Words, int Count>
  KOKKOS_FORCEINLINE_FUNCTION void hash_of_low(Points<Words, Count> const& x, Word key,
                                               Words (&h)[Count]) const {
    RIFFLE_UNROLL
    for (int w = 0; w < Count; ++w) h[w] = x.low[w] >> unused_bits_;
    hash(h, key);
  }

  template <class Words, int Count>
  KOKKOS_FORCEINLINE_FUNCTION static void hash(Words (&h)[Count], Word key) {
    RIFFLE_UNROLL
    for (int w = 0; w < Count; ++w) h[w] = h[w] ^ key;
    RIFFLE_UNROLL
    for (int w = 0; w < Count; ++w) h[w] = h[w] * multiplier_0;
    RIFFLE_UNROLL
    for (int w = 0; w < Count; ++w) h[w] = h[w] ^ h[w] >> hash_shift;
    RIFFLE_UNROLL
    for (int w = 0; w < Count; ++w) h[w] = h[w] * multiplier_1;
  }

  Word radix_;
  int low_bits_;
  int unused_bits_;
  Word mask_;
};

/// Stores the keys of a network, widened to type Word. Used if many values are evaluated with the same keys.
template <class Word, int Rounds>
class StoredKeys {
 public:
  static constexpr int max_rounds = 32;

  template <class RoundKeys>
  KOKKOS_FUNCTION StoredKeys(RoundKeys const& keys, int rounds) {
    if constexpr (Rounds == any_rounds) {
      for (int round = 0; round < rounds; ++round) keys_[round] = widened_key<Word>(keys[round]);
    } else {
      RIFFLE_UNROLL
      for (int round = 0; round < Rounds; ++round) keys_[round] = widened_key<Word>(keys[round]);
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION Word operator[](int round) const { return keys_[round]; }

 private:
  Kokkos::Array<Word, Rounds == any_rounds ? max_rounds : Rounds> keys_{};
};

/// Accesses the keys of a network through a pointer. Each key is widened in the round that uses it. Used if few values
/// are evaluated, because StoredKeys widens all keys in advance.
template <class Word>
class BorrowedKeys {
 public:
  template <class RoundKeys>
  KOKKOS_FORCEINLINE_FUNCTION BorrowedKeys(RoundKeys const& keys, int) : keys_(&keys[0]) {}

  KOKKOS_FORCEINLINE_FUNCTION Word operator[](int round) const {
    return widened_key<Word>(keys_[round]);
  }

 private:
  std::uint32_t const* keys_;
};

/// A MixedRadixFeistel for inner loops: the compiler knows the width of words and, unless `Rounds` is any_rounds, the
/// number of rounds. Gives the same images as the MixedRadixFeistel. MinLowBits = 1 requires more than 2 points (see
/// FeistelRounds).
template <class Word, int Rounds, class Keys = StoredKeys<Word, Rounds>, int MinLowBits = 1>
class FeistelForm {
 public:
  /// The number of vectors that are evaluated together. Each vector is a chain of dependent operations. Although not
  /// all chains fit in registers, this number was the fastest on a CPU.
  static constexpr int vectors_side_by_side = 8;

  /// keys[r], for r < rounds, are the keys of the network.
  template <class RoundKeys>
  KOKKOS_FUNCTION FeistelForm(std::uint64_t n, std::uint64_t radix, int low_bits, int rounds,
                              RoundKeys const& keys)
      : last_(static_cast<Word>(n - 1)),
        network_(radix, low_bits),
        rounds_(rounds),
        keys_(keys, rounds) {}

  /// Returns the image of i. Requires i < n.
  KOKKOS_FUNCTION std::uint64_t operator()(std::uint64_t i) const {
    std::uint64_t image[1] = {i};
    replace_by_images(image);
    return image[0];
  }

  /// Replaces x[0], ..., x[Width - 1] by their images. Requires that all of them are less than n.
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

  /// Returns the i whose image is j. Requires j < n. Undoes the rounds until the result is less than n. This
  /// terminates, because the rounds permute the points, so that repeated undoing leads back to j.
  KOKKOS_FUNCTION std::uint64_t inverse(std::uint64_t j) const {
    auto point = static_cast<Word>(j);
    do {
      point = network_.undo(point, keys_, rounds_);
    } while (point > last_);
    return point;
  }

  /// Calls visit(begin, size, images) for consecutive blocks of the points first, ..., first +
  /// count - 1. images[k] is the image of begin + k for k < size; the array is valid until visit
  /// returns. Requires first + count <= n. Tables are computed once for all blocks. Host only.
  template <class Visit>
  void visit_blocks(std::uint64_t first, std::size_t count, Visit const& visit) const {
    if constexpr (sizeof(Word) == 4) {
      auto const from = static_cast<std::uint32_t>(first);
      if (RoundTables::suit(network_.radix(), network_.low_bits(), count)) {
        TabledImages(network_, keys_, rounds_, last_).visit_blocks(from, count, visit);
      } else {
        ImageBlock<FeistelForm>(*this).visit_blocks(from, count, visit);
      }
    } else {
      visit_blocks_of_images(first, count, *this, visit);
    }
  }

  /// Applies the rounds once to several words or vectors of words. A result may be n or greater
  /// (see FeistelRounds::apply).
  template <class Words, int Width>
  KOKKOS_FORCEINLINE_FUNCTION void apply_rounds(Words (&x)[Width]) const {
    network_.template apply<Rounds>(x, keys_, rounds_);
  }

  /// The largest point, n - 1.
  KOKKOS_FUNCTION Word last() const { return last_; }

 private:
  // Replaces images that are n or greater by their own images. Such images are rare, so the loop replaces one at a
  // time; then the code contains one copy of the rounds instead of Width copies.
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
  FeistelRounds<Word, MinLowBits> network_;
  int rounds_;
  Keys keys_;
};

}  // namespace riffle::detail
