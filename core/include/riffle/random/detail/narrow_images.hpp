#pragma once

// Images of consecutive points under a MixedRadixFeistel with fewer than 2^32 points, evaluated by
// one lane of a GPU.

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/backend/backend.hpp>
#include <riffle/random/feistel_network.hpp>
#include <riffle/random/integers.hpp>

namespace riffle::detail {

/// The rounds of a MixedRadixFeistel with fewer than 2^32 points, in a form that is fast if one GPU
/// lane evaluates many points. Gives the same results as FeistelRounds. The number of rounds must
/// be even.
///
/// FeistelRounds stores the lower half of a point in the upper bits of its word, and uses a mask
/// and a shift in each pair of rounds. NarrowRounds stores it in the lower bits, and uses a
/// multiplication by a power of two and a shift. On a GPU this is faster, because multiplications
/// run on separate units that are less busy.
class NarrowRounds {
 public:
  /// keys[r], for r < rounds, are the keys of the network. Requires 1 <= low_bits <= 16.
  KOKKOS_FUNCTION NarrowRounds(std::uint32_t radix, int low_bits, int rounds,
                               std::uint32_t const* keys)
      : radix_(radix), low_bits_(low_bits), rounds_(rounds), keys_(keys) {}

  KOKKOS_FUNCTION std::uint32_t radix() const { return radix_; }
  KOKKOS_FUNCTION int low_bits() const { return low_bits_; }
  KOKKOS_FUNCTION std::uint32_t low_mask() const { return (std::uint32_t{1} << low_bits_) - 1; }
  KOKKOS_FUNCTION int rounds() const { return rounds_; }
  KOKKOS_FUNCTION std::uint32_t key(int round) const { return keys_[round]; }

  /// Returns the 32-bit hash of one half of a point. An even round adds the upper low_bits bits of
  /// the hash to the lower half. An odd round adds the upper 32 bits of the 64-bit product of hash
  /// and radix to the upper half.
  KOKKOS_FORCEINLINE_FUNCTION static std::uint32_t hash(std::uint32_t half, std::uint32_t key) {
    std::uint32_t const h = (half ^ key) * Rounds::multiplier_0;
    return (h ^ h >> Rounds::hash_shift) * Rounds::multiplier_1;
  }

  /// Applies the rounds to Width points.
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

/// Visits the images of consecutive points under a network, evaluated by one lane of a GPU.
class NarrowImages {
 public:
  static constexpr int side_by_side = 16;

  /// The bijection is on n points. Requires n <= 2^32 - 1.
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

  /// While any of the images is greater than the last point, replaces the largest image by its own
  /// image. While a lane does this, the other lanes of its warp wait.
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

  /// Evaluates the images of all points greater than the last one in advance. In contrast to
  /// send_on(), all lanes then do the same work. Called only if enough images are visited to pay
  /// for it.
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
  /// The number of points greater than `last_`.
  std::uint32_t beyond_;
  bool keeps_beyond_ = false;
  std::uint32_t images_beyond_[most_kept];
};

/// Visits the images of consecutive points under a network whose halves have at most 8 values (at
/// most 64 points), evaluated by one lane of a GPU. A round adds a function of one half of the
/// point to the other half. Since a half has at most 8 values, this function is stored as a table
/// of 8 bytes in two registers, and one instruction looks up four halves. The tables are computed
/// again for each batch of points. Example: a network of n = 40 points has 24 rounds, and its
/// halves have 5 and 8 values. To evaluate 20 images without tables takes 20 * 24 = 480 hashes; to
/// compute the tables takes only 12 * (5 + 8) = 156.
///
/// Four points are stored in two registers. The bytes of one register are the upper halves of the
/// points, the bytes of the other register the lower halves, with neighbouring points swapped:
///
///     upper halves   byte 3: point 3   byte 2: point 2   byte 1: point 1   byte 0: point 0
///     lower halves   byte 3: point 2   byte 2: point 3   byte 1: point 0   byte 0: point 1
///
/// Neighbours are swapped because a look-up takes its indices from half-bytes, and the
/// multiplication that moves the bytes to half-bytes swaps neighbours. An upper half h is stored as
/// h + 8 - radix. So bit 3 of the stored sum is set exactly if the sum of h and the addend is at
/// least the radix.
class ImagesInBytes {
 public:
  KOKKOS_FUNCTION static bool suits(NarrowRounds const& rounds) {
    return rounds.radix() <= 8 && 2 <= rounds.low_bits() && rounds.low_bits() <= 3;
  }

  KOKKOS_FUNCTION ImagesInBytes(NarrowRounds const& rounds, std::uint32_t n)
      : rounds_(rounds),
        points_(rounds.radix() << rounds.low_bits()),
        last_(n - 1),
        bias_((8 - rounds.radix()) * ones),
        low_mask_(rounds.low_mask() * ones) {}

  /// See NarrowImages::visit.
  template <class Visit>
  KOKKOS_FUNCTION void visit(std::uint32_t first, std::uint32_t count, Visit const& visit) const {
    std::uint32_t const end = first + count;
    for (std::uint32_t begin = first / 4 * 4; begin < end; begin += largest_batch) {
      std::uint32_t const behind = Kokkos::min(end, begin + largest_batch);
      visit_batch(Batch{begin, Kokkos::max(begin, first), behind}, visit);
    }
  }

 private:
  static constexpr std::uint32_t ones = 0x01010101u;
  static constexpr std::uint32_t largest_batch = 32;
  /// The number of words for the points greater than `last_`. A word stores four points, and there
  /// are fewer than 8 such points.
  static constexpr int beyond = 2;

  /// Words that each store four consecutive points, starting with point `begin`. Only the points
  /// first, ..., end - 1 are visited.
  struct Batch {
    std::uint32_t begin;
    std::uint32_t first;
    std::uint32_t end;
  };

  template <class Visit>
  KOKKOS_FUNCTION void visit_batch(Batch const& batch, Visit const& visit) const {
    std::uint32_t const size = batch.end - batch.begin;
    if (last_ + 1 == points_) {
      if (size <= 8) return visit_fours<2, 0>(batch, visit);
      if (size <= 20) return visit_fours<5, 0>(batch, visit);
      return visit_fours<8, 0>(batch, visit);
    }
    if (size <= 16) return visit_fours<4, beyond>(batch, visit);
    return visit_fours<8, beyond>(batch, visit);
  }

  template <int Fours, int Beyond, class Visit>
  KOKKOS_FUNCTION void visit_fours(Batch const& batch, Visit const& visit) const {
    constexpr int all = Fours + Beyond;
    std::uint32_t x[all];
    RIFFLE_UNROLL
    for (int f = 0; f < Fours; ++f) {
      std::uint32_t const begin = batch.begin + 4 * static_cast<std::uint32_t>(f);
      x[f] = four_from(begin < points_ ? begin : 0);
    }
    RIFFLE_UNROLL
    for (int f = Fours; f < all; ++f) {
      x[f] = four_from(points_ - 4 * static_cast<std::uint32_t>(all - f));
    }
    evaluate(x);
    RIFFLE_NO_UNROLL
    for (std::uint32_t i = batch.begin; i < batch.end; i += 4) {
      RIFFLE_UNROLL
      for (std::uint32_t j = 0; j < 4; ++j) {
        if (batch.first <= i + j && i + j < batch.end) {
          std::uint32_t image = x[0] >> 8 * j & 0xFFu;
          if constexpr (Beyond > 0) {
            while (image > last_) {
              image = backend::choose_bytes(x[all - 2], x[all - 1], image + 8 - points_) & 0xFFu;
            }
          }
          visit(std::uint64_t{i + j}, std::uint64_t{image});
        }
      }
      // Registers cannot be indexed by a number that is known only at run time.
      RIFFLE_UNROLL
      for (int f = 0; f + 1 < Fours; ++f) x[f] = x[f + 1];
    }
  }

  KOKKOS_FUNCTION static std::uint32_t four_from(std::uint32_t point) {
    return point * ones + 0x03020100u;
  }

  /// Applies the rounds to all points.
  template <int Fours>
  KOKKOS_FORCEINLINE_FUNCTION void evaluate(std::uint32_t (&x)[Fours]) const {
    int const low_bits = rounds_.low_bits();
    std::uint32_t high[Fours];
    std::uint32_t low[Fours];
    RIFFLE_UNROLL
    for (int f = 0; f < Fours; ++f) {
      high[f] = (x[f] >> low_bits & (0xFFu >> low_bits) * ones) + bias_;
      low[f] = exchange_neighbours(x[f] & low_mask_);
    }
    RIFFLE_NO_UNROLL
    for (int round = 0; round < rounds_.rounds(); round += 2) {
      Table const to_low = added_to_low(rounds_.key(round));
      RIFFLE_UNROLL
      for (int f = 0; f < Fours; ++f) low[f] = (low[f] + to_low.at(high[f])) & low_mask_;
      Table const to_high = added_to_high(rounds_.key(round + 1));
      RIFFLE_UNROLL
      for (int f = 0; f < Fours; ++f) {
        std::uint32_t const sum = high[f] + to_high.at(low[f]);
        high[f] = sum - (sum >> 3 & ones) * rounds_.radix();
      }
    }
    RIFFLE_UNROLL
    for (int f = 0; f < Fours; ++f) {
      x[f] = (high[f] - bias_) << low_bits | exchange_neighbours(low[f]);
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION static std::uint32_t exchange_neighbours(std::uint32_t bytes) {
    return backend::choose_bytes(bytes, 0, 0x2301);
  }

  /// A table of eight bytes.
  struct Table {
    std::uint32_t lower;
    std::uint32_t upper;

    /// Looks up four entries. Each byte of `places` is an index less than 8; the result contains
    /// the entries of the table at these indices, with the bytes of neighbours swapped.
    KOKKOS_FORCEINLINE_FUNCTION std::uint32_t at(std::uint32_t places) const {
      return backend::choose_bytes(lower, upper,
                                   backend::choose_bytes(places * 0x1001u, 0, 0x0031));
    }
  };

  KOKKOS_FORCEINLINE_FUNCTION Table added_to_low(std::uint32_t key) const {
    std::uint32_t const unused_halves = 8 - rounds_.radix();
    std::uint32_t h[8];
    RIFFLE_UNROLL
    for (std::uint32_t v = 0; v < 8; ++v) {
      // An upper half h is stored as h + 8 - radix, so the entries below 8 - radix are not used.
      h[v] = v < unused_halves ? 0 : NarrowRounds::hash(v - unused_halves, key);
    }
    int const unused_bits = 8 - rounds_.low_bits();
    return {bytes_of<3>(h[0], h[1], h[2], h[3]) >> unused_bits & low_mask_,
            bytes_of<3>(h[4], h[5], h[6], h[7]) >> unused_bits & low_mask_};
  }

  KOKKOS_FORCEINLINE_FUNCTION Table added_to_high(std::uint32_t key) const {
    std::uint32_t h[8];
    RIFFLE_UNROLL
    for (std::uint32_t v = 0; v < 8; ++v) {
      h[v] = multiply_high(NarrowRounds::hash(v, key), rounds_.radix());
    }
    return {bytes_of<0>(h[0], h[1], h[2], h[3]), bytes_of<0>(h[4], h[5], h[6], h[7])};
  }

  /// Returns byte `Byte` of each of four words, as one word.
  template <std::uint32_t Byte>
  KOKKOS_FORCEINLINE_FUNCTION static std::uint32_t bytes_of(std::uint32_t a, std::uint32_t b,
                                                            std::uint32_t c, std::uint32_t d) {
    constexpr std::uint32_t both = (4 + Byte) << 4 | Byte;
    return backend::choose_bytes(backend::choose_bytes(a, b, both),
                                 backend::choose_bytes(c, d, both), 0x5410);
  }

  NarrowRounds rounds_;
  std::uint32_t points_;
  std::uint32_t last_;
  std::uint32_t bias_;
  std::uint32_t low_mask_;
};

}  // namespace riffle::detail
