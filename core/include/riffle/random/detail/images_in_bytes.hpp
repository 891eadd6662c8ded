#pragma once

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/backend/backend.hpp>
#include <riffle/random/detail/narrow_images.hpp>

namespace riffle::detail {

/// Visits consecutive images of a network whose halves have at most 8 values, that is of at most 64 points, by one lane of a
/// GPU. What a round adds is a table of 8 bytes, two registers, and one operation looks four halves up. Tables serve all
/// points of a batch and are then forgotten: of 20 points a network of 40 has 480 numbers to hash, its tables 156.
///
/// Four points are the bytes of two registers: byte j of one is the upper half of point j, byte j ^ 1 of the other the lower
/// half. For a look-up takes its places from half-bytes, and the product that moves bytes there exchanges neighbours. Upper
/// halves h are kept as h + 8 - radix: a sum that exceeds the radix then has bit 3.
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
  /// Fours that hold all points beyond the last, which are fewer than 8.
  static constexpr int beyond = 2;

  /// The fours from `begin` on, of which the points first, ..., end - 1 are visited.
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
      // Registers have no index that only the run knows.
      RIFFLE_UNROLL
      for (int f = 0; f + 1 < Fours; ++f) x[f] = x[f + 1];
    }
  }

  KOKKOS_FUNCTION static std::uint32_t four_from(std::uint32_t point) {
    return point * ones + 0x03020100u;
  }

  /// Replaces points by what the rounds make of them.
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

  /// Eight bytes.
  struct Table {
    std::uint32_t lower;
    std::uint32_t upper;

    /// Those at the places that the bytes of `places` name, each below 8: of neighbours, the one's at the other.
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
      // The radix is more than half of 8 or, with two lower bits, than 4.
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

  /// Byte `Byte` of each of four words.
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
