#pragma once

// The representations of variables for products with labels: coarse digits, which decide nearly all comparisons of
// statistics, and whole values for the others.

#include <Kokkos_Core.hpp>

#include <cmath>
#include <cstdint>

#include <riffle/backend/backend.hpp>
#include <riffle/backend/floating_point.hpp>
#include <riffle/context.hpp>
#include <riffle/monte_carlo/alternative.hpp>
#include <riffle/monte_carlo/detail/variables/gpu/tile_walk.hpp>
#include <riffle/monte_carlo/detail/variables/test_statistic.hpp>
#include <riffle/monte_carlo/detail/variables/whole_values.hpp>
#include <riffle/monte_carlo/tuning.hpp>

namespace riffle::detail::variables {

// --- digit tiles ---
//
// Values are represented by digits of base 128, for matrix units that multiply bytes.
//
// A whole number whose magnitude is at most max_of_digit_pairs(D / 2) is written as the sum of d_k 128^k over D digits
// d_k from -64 to 63. Two consecutive digits form a pair, whose products are added in one accumulator: the labels that
// multiply the lower digit are 0 and 1, and the labels that multiply the higher digit are 0 and -128. (128 does not fit
// in a signed byte, so the higher digit is stored with its sign reversed.) The sums of a pair are below 2^31 if n <=
// 2^17.

/// The bytes that a lane passes to the matrix units (backend::ByteColumns) for one digit of two column tiles: two words
/// for the first tile, then two words for the second.
struct alignas(16) DigitQuad {
  std::uint32_t words[4];
};

inline constexpr std::uint64_t observations_per_step = 32;
inline constexpr std::uint64_t max_observations_by_digits = std::uint64_t{1} << 17;

/// Returns the largest whole number that `pairs` pairs of digits represent. All of its digits are 63.
inline constexpr double max_of_digit_pairs(int pairs) {
  double largest = 0;
  for (int digit = 0; digit < 2 * pairs; ++digit) largest = 128 * largest + 63;
  return largest;
}

/// Returns the index of the observation whose digit is in byte `byte` of a lane's word `half` (0 or 1), in a given step
/// of 32 observations. Bit b of a word of labels is the label of observation b of the step. Therefore the labels that
/// match the four bytes of word `half` are (word >> (lane % 4 + 4 half)) & 0x01010101.
KOKKOS_INLINE_FUNCTION std::uint64_t observation_of_byte(std::uint64_t step, int lane, int half,
                                                         int byte) {
  return step * observations_per_step + static_cast<std::uint64_t>(8 * byte + lane % 4 + 4 * half);
}

/// Tiles of digits. Quad q of a digit, for one lane, has index (((tile * steps + step) * digits + digit) * quads + q) *
/// 32 + lane.
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

/// Fills the tiles. scale(place, value) returns the whole number that represents a value of the variable at position
/// `place` in the order.
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

// --- coarse terms ---
//
// Lower and upper bounds for a test statistic, given its coarse sum.
//
// The values y of a variable are approximated by whole numbers c with few digits, c = round(s y) with a scale s. Let T
// be the sum of the numbers c over any set of observations, and S the sum of the values y over the same set. T and s S
// differ by at most
//   e = max(sum of all amounts by which s y is rounded up, sum of all amounts by which it is rounded down).
// Therefore S exceeds a threshold t if T - e > s t, and does not exceed it if T + e < s t. Few sums T satisfy neither
// condition. The upper bounds that are compared with running maxima are derived in the same way. Comparisons are in
// float; the margins below exceed all rounding errors.

/// Coefficients of linear functions of a coarse sum x, or of |x| if the test is two-sided.
struct alignas(16) CoarseTerms {
  float slope;
  float start;
  float factor;
  float slack;

  /// Returns 1 if the statistic certainly reaches its threshold, 0 if it certainly does not, and a number between 0 and
  /// 1 if more digits are needed to decide.
  KOKKOS_FORCEINLINE_FUNCTION float reaches(float x) const {
    return backend::saturate(Kokkos::fma(x, slope, start));
  }
  /// Returns an upper bound of the test statistic.
  KOKKOS_FORCEINLINE_FUNCTION float bound(float x) const { return Kokkos::fma(x, factor, slack); }
  /// Returns a lower bound of the test statistic.
  KOKKOS_FORCEINLINE_FUNCTION float least(float x) const { return Kokkos::fma(x, factor, -slack); }
};

/// Properties of the numbers c of a variable: the scale s, the error e, and a bound for T.
struct CoarseValues {
  double scale = 1;
  /// The error e.
  double error = 0;
  /// The sum of |c|, an upper bound for |T|.
  double size = 0;

  template <class Values>
  KOKKOS_FUNCTION CoarseValues(Values const& values, std::uint64_t n, double most) {
    double largest = 0;
    for (std::uint64_t i = 0; i < n; ++i) largest = Kokkos::max(largest, Kokkos::abs(values(i)));
    if (largest > most) scale = most / largest;
    double up = 0;
    double down = 0;
    for (std::uint64_t i = 0; i < n; ++i) {
      double const coarse = rounded(values(i), scale);
      double const rest = Kokkos::fma(values(i), scale, -coarse);
      up += Kokkos::max(rest, 0.0);
      down += Kokkos::max(-rest, 0.0);
      size += Kokkos::abs(coarse);
    }
    error = Kokkos::max(up, down);
  }

  KOKKOS_FUNCTION static double rounded(double value, double scale) {
    return Kokkos::floor(Kokkos::fma(value, scale, 0.5));
  }
};

class MakeCoarseTerms {
 public:
  KOKKOS_FUNCTION MakeCoarseTerms(CoarseValues const& values, TileTerms const& own,
                                  Alternative alternative)
      : values_(values),
        threshold_(own.threshold),
        factor_(own.factor),
        is_two_sided_(alternative == Alternative::two_sided),
        sign_(alternative == Alternative::less ? -1.0f : 1.0f) {}

  KOKKOS_FUNCTION CoarseTerms operator()() const {
    CoarseTerms terms = always();
    set_bound(terms);
    // If the test statistic is not a positive multiple of the sum, or if a number is NaN, all digits are needed.
    if (!(factor_ > 0) || detail::is_nan(threshold_)) return undecided(terms);
    // A finite number that is larger than all |sums|.
    double const reach = 2 * (values_.size + values_.error + 1);
    double const at = threshold_ / factor_ * values_.scale;
    if (at > reach) {
      terms.start = -HUGE_VALF;
    } else if (at >= (is_two_sided_ ? 0 : -reach)) {
      set_threshold(at, terms);
    }
    return terms;
  }

 private:
  /// Floats represent all whole numbers up to this exactly.
  static constexpr double most_exact = 0x1p24;

  KOKKOS_FUNCTION static CoarseTerms always() { return {0, HUGE_VALF, 0, HUGE_VALF}; }
  KOKKOS_FUNCTION static CoarseTerms undecided(CoarseTerms terms) {
    terms.start = 0.5f;
    terms.slope = 0;
    return terms;
  }

  KOKKOS_FUNCTION void set_bound(CoarseTerms& terms) const {
    double const factor = factor_ / values_.scale * (1 + 0x1p-20);
    if (!(factor > 1e-30 && factor < 1e30)) return;
    terms.factor = sign_ * static_cast<float>(factor);
    terms.slack = static_cast<float>((values_.error + 0x1p-18 * (values_.size + 1)) * factor);
  }

  KOKKOS_FUNCTION void set_threshold(double at, CoarseTerms& terms) const {
    if (values_.scale == 1 && values_.error == 0 && values_.size < most_exact) {
      terms.slope = sign_;
      terms.start = static_cast<float>(1 - least_that_reaches(at));
      return;
    }
    // reaches() is between 0 and 1 in the window [at - half, at + half]. The error bounds of the threshold are at least
    // 1/18 of the window away from its ends, so rounding does not move them outside.
    double const half =
        1.125 * (values_.error + 0x1p-19 * (Kokkos::abs(at) + values_.size) + 0x1p-10);
    terms.slope = sign_ * static_cast<float>(0.5 / half);
    terms.start = static_cast<float>(0.5 - at / (2 * half));
  }

  /// Returns the least whole number whose test statistic reaches the threshold. It is close to `at`.
  KOKKOS_FUNCTION double least_that_reaches(double at) const {
    double least = Kokkos::ceil(at);
    while ((least - 1) * factor_ >= threshold_) --least;
    while (least * factor_ < threshold_) ++least;
    return least;
  }

  CoarseValues values_;
  double threshold_;
  double factor_;
  bool is_two_sided_;
  float sign_;
};

/// Returns the whole number c that represents a value by coarse digits.
template <class Memory>
struct CoarseScale {
  Array<Memory> scales;
  KOKKOS_FUNCTION double operator()(std::uint64_t place, double value) const {
    return CoarseValues::rounded(value, scales(place));
  }
};

// --- tiles ---

template <class Memory, class Shape>
struct LabelTiles {
  DigitTiles<Memory, Shape> coarse;
  Matrix<Memory> values;  // in the order of the data
  Kokkos::View<CoarseTerms*, Memory> coarse_terms;
  Kokkos::View<TileTerms*, Memory> terms;

  KOKKOS_FUNCTION std::uint64_t count() const { return terms.extent(0) / Shape::variables; }
};

/// Fills the terms of variables. For Alternative::less the factors are negated.
template <class Memory, class Shape, class Order>
struct FillLabelTerms {
  WholeData<Memory> whole;
  Kokkos::View<VariableTerms*, Memory> terms;
  TileOrder<Order> order;
  Alternative alternative;
  double most_coarse;
  LabelTiles<Memory, Shape> tiles;
  CoarseScale<Memory> scale;

  KOKKOS_FUNCTION void operator()(std::uint64_t place) const {
    std::uint64_t const g = order.variable(place);
    TileTerms own = TileTerms::of(terms(g), g, order.is_variable(place));
    CoarseValues const coarse(Row<Memory>{whole.values, g}, whole.values.extent(1), most_coarse);
    scale.scales(place) = coarse.scale;
    tiles.coarse_terms(place) = MakeCoarseTerms(coarse, own, alternative)();
    if (alternative == Alternative::less) own.factor = -own.factor;
    tiles.terms(place) = own;
  }
};

/// Makes tiles in which values are represented by `coarse_pairs` pairs of digits.
template <class Shape, class Exec, class Order>
auto fill_label_tiles(Context<Exec> const& context,
                      WholeData<typename Exec::memory_space> const& whole,
                      Kokkos::View<VariableTerms*, typename Exec::memory_space> const& terms,
                      TileOrder<Order> const& order, Alternative alternative, int coarse_pairs) {
  using Memory = typename Exec::memory_space;
  std::uint64_t const places =
      order.tiles(Shape::variables) * static_cast<std::uint64_t>(Shape::variables);
  auto const named = [&](char const* name) {
    return Kokkos::view_alloc(context.exec(), Kokkos::WithoutInitializing, context.label() + name);
  };
  LabelTiles<Memory, Shape> tiles;
  tiles.coarse_terms = Kokkos::View<CoarseTerms*, Memory>(named("::coarse_terms"), places);
  tiles.terms = Kokkos::View<TileTerms*, Memory>(named("::tile_terms"), places);
  CoarseScale<Memory> const scale{Array<Memory>(named("::scales"), places)};
  context.named("terms").for_each(
      places, FillLabelTerms<Memory, Shape, Order>{whole, terms, order, alternative,
                                                   max_of_digit_pairs(coarse_pairs), tiles, scale});
  tiles.coarse = fill_digit_tiles<Shape>(context, whole, order, coarse_pairs, scale);
  tiles.values = whole.values;
  return tiles;
}

}  // namespace riffle::detail::variables
