#pragma once

// Variables as digits of base 128, for the units that multiply bytes.
//
// A whole number y below 2^(7 D) / 2 is the sum of d_k 128^k with digits from -64 to 63, D of them. Two digits share an
// accumulator: that of the lower is multiplied with labels 1, that of the higher with labels of -128, which is a byte
// where +128 is none, and so its sign is turned here. Sums of the pairs are below 2^31 where n <= 2^17.

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/backend/backend.hpp>
#include <riffle/context.hpp>
#include <riffle/monte_carlo/detail/variables/gpu/tile_order.hpp>
#include <riffle/monte_carlo/detail/variables/prepare.hpp>

namespace riffle::detail::variables {

/// Digits of the lane's bytes (backend::ByteColumns) for two tiles of columns: its first word and its second for the
/// first, then for the second.
struct alignas(16) DigitQuad {
  std::uint32_t words[4];
};

inline constexpr std::uint64_t observations_per_step = 32;
inline constexpr std::uint64_t max_observations_by_digits = std::uint64_t{1} << 17;
inline constexpr std::uint64_t max_observations_of_coarse_pair = 128;

/// The largest whole number of so many pairs of digits: all of them 63.
inline constexpr double max_of_digit_pairs(int pairs) {
  double largest = 0;
  for (int digit = 0; digit < 2 * pairs; ++digit) largest = 128 * largest + 63;
  return largest;
}

/// The observation of byte `byte` of a lane's word `half` (0 or 1) in a step. Bit b of a replicate's word of labels is
/// observation b, so that a lane's labels are (word >> (lane % 4 + 4 half)) & 0x01010101.
KOKKOS_INLINE_FUNCTION std::uint64_t observation_of_byte(std::uint64_t step, int lane, int half,
                                                         int byte) {
  return step * observations_per_step + static_cast<std::uint64_t>(8 * byte + lane % 4 + 4 * half);
}

/// Tiles of digits: quad ((tile * steps + step) * digits + digit) * quads + q) * 32 + lane.
template <class Memory, class Shape>
struct DigitTiles {
  static constexpr int quads = Shape::column_tiles / 2;

  Kokkos::View<DigitQuad*, Memory> digits;
  std::uint64_t steps = 0;
  int digit_count = 0;

  KOKKOS_FUNCTION std::uint64_t quads_per_tile() const {
    return steps * static_cast<std::uint64_t>(digit_count * quads * backend::width);
  }
  KOKKOS_FUNCTION DigitQuad const* tile(std::uint64_t t) const {
    return digits.data() + t * quads_per_tile();
  }
};

/// scale(place, value) is the whole number that stands for a value of the variable at a place.
template <class Memory, class Shape, class Order, class Scale>
struct FillDigitTiles {
  using Tiles = DigitTiles<Memory, Shape>;
  WholeData<Memory> whole;
  TileOrder<Order> order;
  Scale scale;
  Tiles tiles;

  KOKKOS_FUNCTION void operator()(std::uint64_t at) const {
    int const lane = static_cast<int>(at % backend::width);
    std::uint64_t rest = at / backend::width;
    auto const quad = static_cast<int>(rest % Tiles::quads);
    rest /= Tiles::quads;
    auto const digit = static_cast<int>(rest % static_cast<std::uint64_t>(tiles.digit_count));
    rest /= static_cast<std::uint64_t>(tiles.digit_count);
    std::uint64_t const step = rest % tiles.steps;
    std::uint64_t const tile = rest / tiles.steps;
    DigitQuad found{};
    for (int w = 0; w < 4; ++w) {
      int const column = Shape::variable_of_b(8 * (2 * quad + w / 2) + lane / 4);
      std::uint64_t const place = tile * Shape::variables + static_cast<std::uint64_t>(column);
      std::uint64_t const g = order.variable(place);
      for (int byte = 0; byte < 4; ++byte) {
        std::uint64_t const i = observation_of_byte(step, lane, w % 2, byte);
        if (i >= whole.values.extent(1)) continue;
        double const value = scale(place, whole.values(g, i));
        found.words[w] |= byte_of_digit(value, digit) << (8 * byte);
      }
    }
    tiles.digits(at) = found;
  }

 private:
  KOKKOS_FUNCTION static std::uint32_t byte_of_digit(double value, int digit) {
    auto left = static_cast<std::int64_t>(value);
    std::int64_t own = 0;
    for (int k = 0; k <= digit; ++k) {
      own = ((left + 64) & 127) - 64;
      left = (left - own) / 128;
    }
    if (digit % 2 == 1) own = -own;
    return static_cast<std::uint32_t>(own) & 0xFF;
  }
};

template <class Shape, class Exec, class Order, class Scale>
auto fill_digit_tiles(Context<Exec> const& context,
                      WholeData<typename Exec::memory_space> const& whole,
                      TileOrder<Order> const& order, int digit_pairs, Scale const& scale) {
  using Memory = typename Exec::memory_space;
  std::uint64_t const n = whole.values.extent(1);
  DigitTiles<Memory, Shape> tiles;
  tiles.steps = (n + observations_per_step - 1) / observations_per_step;
  tiles.digit_count = 2 * digit_pairs;
  tiles.digits = Kokkos::View<DigitQuad*, Memory>(
      Kokkos::view_alloc(context.exec(), Kokkos::WithoutInitializing, context.label() + "::digits"),
      order.tiles(Shape::variables) * tiles.quads_per_tile());
  context.named("digits").for_each(
      tiles.digits.extent(0),
      FillDigitTiles<Memory, Shape, Order, Scale>{whole, order, scale, tiles});
  return tiles;
}

}  // namespace riffle::detail::variables
