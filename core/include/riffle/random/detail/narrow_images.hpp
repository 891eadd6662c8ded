#pragma once

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/backend/backend.hpp>
#include <riffle/random/feistel_rounds.hpp>
#include <riffle/random/wide_integer.hpp>

namespace riffle::detail {

/// The rounds of a MixedRadixFeistel of less than 2^32 points as a lane of a GPU evaluates them for many points: those of
/// FeistelRounds, bit by bit, of an even number. The lower halves stay in the lower bits of their words, since a product
/// with a power of two and a shift to the right cost less there than a mask and a shift: multiplications have units of
/// their own, which have less to do.
class NarrowRounds {
 public:
  /// keys[r], r < rounds, are the network's. Requires 1 <= low_bits <= 16.
  KOKKOS_FUNCTION NarrowRounds(std::uint32_t radix, int low_bits, int rounds,
                               std::uint32_t const* keys)
      : radix_(radix), low_bits_(low_bits), rounds_(rounds), keys_(keys) {}

  KOKKOS_FUNCTION std::uint32_t radix() const { return radix_; }
  KOKKOS_FUNCTION int low_bits() const { return low_bits_; }
  KOKKOS_FUNCTION std::uint32_t low_mask() const { return (std::uint32_t{1} << low_bits_) - 1; }
  KOKKOS_FUNCTION int rounds() const { return rounds_; }
  KOKKOS_FUNCTION std::uint32_t key(int round) const { return keys_[round]; }

  /// A random number of 32 bits that belongs to half of a point: its upper bits are added to the lower half, its product
  /// with the radix to the upper half.
  KOKKOS_FORCEINLINE_FUNCTION static std::uint32_t hash(std::uint32_t half, std::uint32_t key) {
    std::uint32_t const h = (half ^ key) * Rounds::multiplier_0;
    return (h ^ h >> Rounds::hash_shift) * Rounds::multiplier_1;
  }

  /// Replaces points, side by side, by what the rounds make of them.
  template <int Width>
  KOKKOS_FORCEINLINE_FUNCTION void apply(std::uint32_t (&x)[Width]) const {
    std::uint32_t const scale = std::uint32_t{1} << unused_bits();
    std::uint32_t high[Width];
    std::uint32_t low[Width];
    RIFFLE_UNROLL
    for (int w = 0; w < Width; ++w) {
      high[w] = x[w] >> low_bits_;
      low[w] = x[w] & low_mask();
    }
    RIFFLE_NO_UNROLL
    for (int round = 0; round < rounds_; round += 2) {
      std::uint32_t const even_key = keys_[round];
      std::uint32_t const odd_key = keys_[round + 1];
      RIFFLE_UNROLL
      for (int w = 0; w < Width; ++w) {
        low[w] = (hash(high[w], even_key) + low[w] * scale) >> unused_bits();
      }
      RIFFLE_UNROLL
      for (int w = 0; w < Width; ++w) {
        std::uint32_t const sum = high[w] + multiply_high(hash(low[w], odd_key), radix_);
        high[w] = Kokkos::min(sum, sum - radix_);
      }
    }
    RIFFLE_UNROLL
    for (int w = 0; w < Width; ++w) x[w] = high[w] << low_bits_ | low[w];
  }

 private:
  using Rounds = FeistelRounds<std::uint32_t, 1>;

  KOKKOS_FUNCTION int unused_bits() const { return 32 - low_bits_; }

  std::uint32_t radix_;
  int low_bits_;
  int rounds_;
  std::uint32_t const* keys_;
};

/// Visits consecutive images of such a network, by one lane of a GPU. G values/s of a permutation test by images, with
/// 4, 8 and 16 side by side (H200): 313, 323 and 338 at n = 400, 253, 273 and 298 at n = 4000.
class NarrowImages {
 public:
  static constexpr int side_by_side = 16;

  /// Images below n. Requires n <= 2^32 - 1.
  KOKKOS_FUNCTION NarrowImages(NarrowRounds const& rounds, std::uint32_t n)
      : rounds_(rounds), last_(n - 1), beyond_((rounds.radix() << rounds.low_bits()) - n) {}

  /// Calls visit(i, image of i) for first <= i < first + count <= n, in this order.
  template <class Visit>
  KOKKOS_FUNCTION void visit(std::uint32_t first, std::uint32_t count, Visit const& visit) {
    keeps_beyond_ = 0 < beyond_ && beyond_ <= most_kept && count / least_images_per_kept >= beyond_;
    if (keeps_beyond_) evaluate_beyond();
    std::uint32_t const end = first + count;
    visit_groups<side_by_side>(first, end, visit);
    visit_groups<4>(first, end, visit);
    visit_groups<1>(first, end, visit);
  }

 private:
  static constexpr std::uint32_t most_kept = 64;
  static constexpr std::uint32_t least_images_per_kept = 8;

  template <int Width, class Visit>
  KOKKOS_FORCEINLINE_FUNCTION void visit_groups(std::uint32_t& i, std::uint32_t end,
                                                Visit const& visit) const {
    RIFFLE_NO_UNROLL
    for (; end - i >= Width; i += Width) {
      std::uint32_t x[Width];
      RIFFLE_UNROLL
      for (int w = 0; w < Width; ++w) x[w] = i + static_cast<std::uint32_t>(w);
      rounds_.apply(x);
      send_on(x);
      RIFFLE_UNROLL
      for (int w = 0; w < Width; ++w) {
        visit(std::uint64_t{i} + static_cast<std::uint64_t>(w), std::uint64_t{x[w]});
      }
    }
  }

  /// Replaces images above the last point by theirs, the largest first, until there is none. A lane that has one keeps its
  /// warp waiting.
  template <int Width>
  KOKKOS_FORCEINLINE_FUNCTION void send_on(std::uint32_t (&x)[Width]) const {
    for (;;) {
      std::uint32_t largest = x[0];
      RIFFLE_UNROLL
      for (int w = 1; w < Width; ++w) largest = Kokkos::max(largest, x[w]);
      if (largest <= last_) return;
      std::uint32_t const image = image_beyond(largest);
      RIFFLE_UNROLL
      for (int w = 0; w < Width; ++w) x[w] = x[w] == largest ? image : x[w];
    }
  }

  KOKKOS_FUNCTION std::uint32_t image_beyond(std::uint32_t point) const {
    if (keeps_beyond_) return images_beyond_[point - last_ - 1];
    std::uint32_t x[1] = {point};
    rounds_.apply(x);
    return x[0];
  }

  /// Before all others, since lanes then do the same, where many images make it worth while.
  KOKKOS_FUNCTION void evaluate_beyond() {
    constexpr int width = 4;
    for (std::uint32_t k = 0; k < beyond_; k += width) {
      std::uint32_t x[width];
      RIFFLE_UNROLL
      for (int w = 0; w < width; ++w) x[w] = last_ + 1 + k + static_cast<std::uint32_t>(w);
      rounds_.apply(x);
      RIFFLE_UNROLL
      for (int w = 0; w < width; ++w) images_beyond_[k + static_cast<std::uint32_t>(w)] = x[w];
    }
  }

  NarrowRounds rounds_;
  std::uint32_t last_;
  /// How many points are above the last.
  std::uint32_t beyond_;
  bool keeps_beyond_ = false;
  std::uint32_t images_beyond_[most_kept];
};

}  // namespace riffle::detail
