// The kernels that count replicates by matrix units, run on an emulated GPU and compared with plain loops.

#include <Kokkos_Core.hpp>
#include <riffle/monte_carlo/detail/variables/gpu/count_columns.hpp>
#include <riffle/monte_carlo/detail/variables/gpu/count_labels_gpu.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include <riffle/context.hpp>

#include "support/emulated_gpu.hpp"
#include "support/tile_problems.hpp"
#include "support/views.hpp"

namespace riffle::test::count_tiles_test {
namespace {

using namespace detail::variables;

using Host = Kokkos::DefaultHostExecutionSpace;
using Memory = Host::memory_space;
using Generator = std::mt19937_64;

// --- problems ---

/// From -3 to 3, so that there are ties.
double small(Generator& generator) { return static_cast<double>(generator() % 7) - 3; }

double zero_or_one(Generator& generator) { return static_cast<double>(generator() % 2); }

/// Values at which digits change: all digits 63 or -64, one more, one less, and any value between.
struct ValueOfDigits {
  int pairs;

  double operator()(Generator& generator) const {
    double const most = max_of_digit_pairs(pairs);
    auto const kind = generator() % 8;
    double const sign = generator() % 2 == 0 ? 1 : -1;
    auto const power =
        std::exp2(static_cast<double>(7 * (generator() % (2 * static_cast<unsigned>(pairs)))));
    double const digit = static_cast<double>(generator() % 64);
    double const step = static_cast<double>(generator() % 3) - 1;
    if (kind == 0) return sign * most;
    if (kind < 6) return sign * std::min(digit * power + step, most);
    return sign * std::floor(most * static_cast<double>(generator() >> 11) * 0x1p-53);
  }
};

TileProblem problem_of_labels(TileProblemMaker const& maker, int pairs = 1) {
  if (pairs == 0) return maker.make(small, small, true);
  return maker.make(ValueOfDigits{pairs}, small, true);
}

TileProblem problem_of_columns(TileProblemMaker const& maker) {
  bool const is_welch = maker.form == Form::welch;
  // With two values, so that Welch's t is sometimes infinite.
  if (is_welch) return maker.make(zero_or_one, small, true);
  return maker.make(small, small, false);
}

// --- data of kernels ---

struct OnDevice {
  WholeData<Memory> whole;
  Kokkos::View<VariableTerms*, Memory> terms;
  Kokkos::View<std::uint64_t*, Memory> order;
};

OnDevice on_device(TileProblem const& problem) {
  OnDevice result;
  result.whole.values = Matrix<Memory>("values", problem.values.size(), problem.n);
  for (std::size_t g = 0; g < problem.values.size(); ++g) {
    for (std::size_t i = 0; i < problem.n; ++i) result.whole.values(g, i) = problem.values[g][i];
  }
  result.terms = to_view<Host>(problem.terms);
  result.order = to_view<Host>(problem.order);
  return result;
}

template <class To>
void put_replicates(TileProblem const& problem, To const& to) {
  for (std::size_t r = 0; r < problem.replicates.size(); ++r) {
    to.begin(r);
    for (std::size_t at = 0; at < problem.replicates[r].size(); ++at) {
      to.put(r, static_cast<int>(at / problem.n), at % problem.n, problem.replicates[r][at]);
    }
  }
}

template <class AnyShape>
std::uint64_t chunks_of(TileProblem const& problem) {
  return (problem.replicates.size() + AnyShape::replicates - 1) / AnyShape::replicates;
}

// --- counting ---

/// The order in which teams run on the emulated GPU.
struct Turns {
  int resident = 2;
  std::uint64_t seed = 1;
};

/// Calls run(kernel) with the counts of the batch, and checks that memory before and after them is not changed.
template <class MakeKernel>
TileCounted counted_by(TileProblem const& problem, Turns const& turns, MakeKernel const& make) {
  constexpr std::uint64_t first = 3;
  constexpr double untouched = -7;
  std::size_t const tested = problem.order.size() - problem.skipped;
  std::size_t const padded =
      (tested + ColumnShape::variables - 1) / ColumnShape::variables * ColumnShape::variables;
  std::vector<std::uint64_t> raw(problem.skipped + padded + 1);
  auto step_down = raw;
  Numbers maxima(first + problem.replicates.size() + 2, untouched);
  auto const kernel =
      make(BatchCounts{raw.data() + problem.skipped, step_down.data() + problem.skipped,
                       maxima.data() + first, problem.replicates.size()});
  using Kernel = decltype(kernel);
  EmulatedGpu gpu(turns.resident, turns.seed);
  gpu.run(static_cast<int>(std::decay_t<Kernel>::Walk::teams(problem.replicates.size())),
          std::decay_t<Kernel>::threads, std::decay_t<Kernel>::scratch_bytes, kernel);
  // Step-down counts are stored as differences.
  auto const begin = step_down.begin() + static_cast<std::ptrdiff_t>(problem.skipped);
  std::partial_sum(begin, step_down.end() - 1, begin);
  EXPECT_EQ(raw.back(), 0u);
  EXPECT_EQ(step_down.back(), 0u);
  for (std::size_t r = 0; r < maxima.size(); ++r) {
    bool const is_of_batch = r >= first && r < first + problem.replicates.size();
    EXPECT_TRUE(is_of_batch || maxima[r] == untouched) << r;
  }
  raw.resize(problem.order.size());
  step_down.resize(problem.order.size());
  return {raw, step_down, Numbers(maxima.begin() + first, maxima.end() - 2)};
}

template <int CoarsePairs, int Steps, bool IsTwoSided>
TileCounted count_labels(TileProblem const& problem, Turns const& turns) {
  constexpr std::uint64_t width = LabelShape::replicates;
  auto const data = on_device(problem);
  auto const tiles = fill_label_tiles<LabelShape>(Context<Host>(Host()), data.whole, data.terms,
                                                  TileOrder{data.order, problem.skipped},
                                                  problem.comparison.alternative, CoarsePairs);
  LabelWords<Memory, width> labels;
  labels.steps = tiles.coarse.steps;
  labels.words = Kokkos::View<std::uint32_t*, Memory>(
      "labels", chunks_of<LabelShape>(problem) * labels.steps * width);
  Kokkos::deep_copy(labels.words, 0xDEADBEEF);
  put_replicates(problem, ToLabelWords<Memory, width>{labels});
  return counted_by(problem, turns, [&](BatchCounts const& counts) {
    return CountLabels<Memory, CoarsePairs, Steps, IsTwoSided>{tiles, labels, counts};
  });
}

template <int CoarsePairs, int Steps>
TileCounted count_by_steps(TileProblem const& problem, Turns const& turns) {
  return problem.comparison.alternative == Alternative::two_sided
             ? count_labels<CoarsePairs, Steps, true>(problem, turns)
             : count_labels<CoarsePairs, Steps, false>(problem, turns);
}

/// Two coarse digits, with labels in registers if they fit.
TileCounted count_by_labels(TileProblem const& problem, Turns const& turns = {}) {
  switch ((problem.n + 31) / 32) {
    case 1: return count_by_steps<1, 1>(problem, turns);
    case 2: return count_by_steps<1, 2>(problem, turns);
    case 3: return count_by_steps<1, 3>(problem, turns);
    case 4: return count_by_steps<1, 4>(problem, turns);
    default: return count_by_steps<1, 0>(problem, turns);
  }
}

template <ColumnFormula formula>
TileCounted count_by_formula(TileProblem const& problem, Turns const& turns) {
  auto const data = on_device(problem);
  auto const tiles = fill_value_tiles<ColumnShape>(Context<Host>(Host()), data.whole, data.terms,
                                                   TileOrder{data.order, problem.skipped});
  ColumnTiles<Memory, ColumnShape> columns;
  columns.n = problem.n;
  columns.steps = tiles.steps;
  columns.columns = static_cast<int>(problem.width());
  columns.entries = Kokkos::View<PairOfDoubles*, Memory>(
      "columns", chunks_of<ColumnShape>(problem) * columns.chunk_size());
  for (std::size_t at = 0; at < columns.entries.extent(0); ++at) {
    columns.entries(at) = {{1e6, std::nan("")}};
  }
  put_replicates(problem, columns);
  return counted_by(problem, turns, [&](BatchCounts const& counts) {
    return CountColumns<Memory, formula>{tiles, columns, problem.comparison, counts};
  });
}

TileCounted count_by_columns(TileProblem const& problem, Turns const& turns = {}) {
  switch (formula_of(problem.comparison)) {
    case ColumnFormula::adjusted: return count_by_formula<ColumnFormula::adjusted>(problem, turns);
    case ColumnFormula::share: return count_by_formula<ColumnFormula::share>(problem, turns);
    case ColumnFormula::welch: return count_by_formula<ColumnFormula::welch>(problem, turns);
    default: return count_by_formula<ColumnFormula::simple>(problem, turns);
  }
}

// --- expectations ---

std::vector<std::uint64_t> bits_of(Numbers const& values) {
  std::vector<std::uint64_t> bits;
  for (double const x : values) bits.push_back(Kokkos::bit_cast<std::uint64_t>(x));
  return bits;
}

void expect_same(TileCounted const& found, TileCounted const& expected) {
  EXPECT_EQ(found.raw, expected.raw);
  EXPECT_EQ(found.step_down, expected.step_down);
  EXPECT_EQ(found.maxima, expected.maxima);
  EXPECT_EQ(bits_of(found.maxima), bits_of(expected.maxima));
}

std::string described(TileProblemMaker const& maker, int pairs) {
  return std::to_string(maker.n) + " observations of " + std::to_string(maker.variables) +
         " variables, " + std::to_string(maker.untested) + " of them not tested, " +
         std::to_string(maker.replicates) + " replicates, " + std::to_string(pairs) +
         " pairs of digits, alternative " + std::to_string(static_cast<int>(maker.alternative));
}

/// `pairs` of digits; 0 for small values, which need one.
void expect_labels(TileProblemMaker const& maker, int pairs) {
  SCOPED_TRACE(described(maker, pairs));
  auto const problem = problem_of_labels(maker, pairs);
  auto const expected = count_one_by_one(problem);
  expect_same(count_by_labels(problem), expected);
  // The forms for many observations, with any number of them.
  expect_same(count_by_steps<1, 0>(problem, {}), expected);
  expect_same(count_by_steps<2, 0>(problem, {}), expected);
}

void expect_columns(TileProblemMaker const& maker) {
  SCOPED_TRACE(described(maker, 0) + ", form " + std::to_string(static_cast<int>(maker.form)));
  auto const problem = problem_of_columns(maker);
  expect_same(count_by_columns(problem), count_one_by_one(problem));
}

constexpr Alternative alternatives[] = {Alternative::two_sided, Alternative::greater,
                                        Alternative::less};

// --- tiles of digits ---

/// Returns the value of observation i of a tile's variable, from its digits.
double value_of_digits(DigitTiles<Memory, LabelShape> const& tiles, std::uint64_t tile,
                       int variable, std::uint64_t i) {
  // In each group of eight variables, the first four are in even columns.
  int const column = variable / 8 * 8 + variable % 4 * 2 + variable % 8 / 4;
  std::uint64_t const step = i / 32;
  std::uint64_t const in_step = i % 32;
  // Byte b of half h of a lane is observation 8 b + 4 h + lane % 4 of the step.
  std::uint64_t const lane = static_cast<std::uint64_t>(column % 8) * 4 + in_step % 4;
  std::uint64_t const word = static_cast<std::uint64_t>(column / 8) * 2 + in_step / 4 % 2;
  std::uint64_t const byte = in_step / 8;
  auto const digits = static_cast<std::uint64_t>(tiles.digit_count);
  double value = 0;
  for (std::uint64_t d = digits; d-- > 0;) {
    auto const& quad = tiles.digits(((tile * tiles.steps + step) * digits + d) * 32 + lane);
    auto const digit = static_cast<std::int8_t>(quad.words[word] >> (8 * byte) & 0xFF);
    EXPECT_LE(std::abs(int{digit}), 64);
    value = 128 * value + (d % 2 == 1 ? -int{digit} : int{digit});
  }
  return value;
}

/// The values themselves, which get the digits that they need.
struct AsTheyAre {
  KOKKOS_FUNCTION double operator()(std::uint64_t, double value) const { return value; }
};

TEST(DigitTiles, HoldValues) {
  for (int const pairs : {1, 2, 3}) {
    TileProblemMaker maker;
    maker.n = 45;
    maker.variables = 21;
    maker.untested = 2;
    auto const problem = problem_of_labels(maker, pairs);
    auto const data = on_device(problem);
    auto const tiles =
        fill_digit_tiles<LabelShape>(Context<Host>(Host()), data.whole,
                                     TileOrder{data.order, std::uint64_t{2}}, pairs, AsTheyAre());
    ASSERT_EQ(tiles.steps, 2u);
    ASSERT_EQ(tiles.digits.extent(0), 2 * tiles.quads_per_tile());
    for (std::uint64_t place = 0; place < 32; ++place) {
      auto const g = problem.order[std::min<std::uint64_t>(2 + place, 20)];
      for (std::uint64_t i = 0; i < 64; ++i) {
        EXPECT_EQ(value_of_digits(tiles, place / 16, static_cast<int>(place % 16), i),
                  i < 45 ? problem.values[g][i] : 0);
      }
    }
  }
}

TEST(LabelTiles, HoldTerms) {
  TileProblemMaker maker;
  maker.variables = 21;
  maker.untested = 2;
  auto const problem = problem_of_labels(maker, 2);
  auto const data = on_device(problem);
  auto const tiles =
      fill_label_tiles<LabelShape>(Context<Host>(Host()), data.whole, data.terms,
                                   TileOrder{data.order, std::uint64_t{2}}, Alternative::less, 1);
  ASSERT_EQ(tiles.count(), 2u);
  for (std::uint64_t place = 0; place < 32; ++place) {
    auto const g = problem.order[std::min<std::uint64_t>(2 + place, 20)];
    EXPECT_EQ(tiles.terms(place).variable, g);
    EXPECT_EQ(tiles.terms(place).factor, -problem.terms[g].factor) << "less is more extreme";
    EXPECT_EQ(tiles.terms(place).threshold,
              2 + place <= 20 ? problem.terms[g].threshold : HUGE_VAL);
  }
}

TEST(DigitTiles, LargestValuesOfPairs) {
  EXPECT_EQ(max_of_digit_pairs(1), 63 * 129);
  EXPECT_EQ(max_of_digit_pairs(2), 133160895);
  EXPECT_EQ(max_of_digit_pairs(3), 63 * (0x1p42 - 1) / 127);
}

// --- labels ---

TEST(CountLabelsOnEmulatedGpu, Observations) {
  for (std::size_t const n : {1u, 20u, 31u, 32u, 33u, 64u, 65u, 96u, 97u, 100u, 128u, 129u}) {
    TileProblemMaker maker;
    maker.n = n;
    maker.variables = 12;
    expect_labels(maker, n % 32 == 1 ? 0 : 2);
  }
}

TEST(CountLabelsOnEmulatedGpu, DigitsAndSides) {
  for (std::size_t const n : {20u, 40u, 70u}) {
    for (int const pairs : {1, 2, 3}) {
      for (auto const alternative : alternatives) {
        if (n > 20 && alternative != (n > 64 ? Alternative::less : Alternative::two_sided))
          continue;
        TileProblemMaker maker;
        maker.n = n;
        maker.variables = n > 64 ? 5 : 17;
        maker.replicates = 20;
        maker.alternative = alternative;
        maker.seed = n + static_cast<std::uint64_t>(pairs);
        expect_labels(maker, pairs);
      }
    }
  }
}

// The largest sums: of all observations; and empty sums.
TEST(CountLabelsOnEmulatedGpu, AllLabelsOneAndAllLabelsZero) {
  for (double const sign : {1.0, -1.0}) {
    TileProblemMaker maker;
    maker.n = 100;
    maker.variables = 3;
    maker.replicates = 2;
    maker.alternative = Alternative::less;
    auto problem =
        maker.make([&](Generator&) { return sign * max_of_digit_pairs(3); }, small, true);
    problem.replicates[0].assign(100, 1);
    problem.replicates[1].assign(100, 0);
    auto const found = count_by_labels(problem);
    expect_same(found, count_one_by_one(problem));
    EXPECT_EQ(bits_of(found.maxima)[1], 0u) << "0, not -0";
  }
}

TEST(CountLabelsOnEmulatedGpu, Variables) {
  for (std::size_t const variables : {1u, 15u, 16u, 17u, 40u}) {
    for (std::size_t const untested : {0u, 3u}) {
      TileProblemMaker maker;
      maker.variables = variables + untested;
      maker.untested = untested;
      maker.alternative = alternatives[(variables + untested) % 3];
      expect_labels(maker, 0);
    }
  }
}

TEST(CountLabelsOnEmulatedGpu, MoreThanAWindow) {
  TileProblemMaker maker;
  maker.n = 7;
  maker.variables = 1024 + 20 + 2;
  maker.untested = 2;
  maker.replicates = 9;
  expect_labels(maker, 1);
}

// Around the replicates of a tile, of a warp, and of a team.
TEST(CountLabelsOnEmulatedGpu, Replicates) {
  for (std::size_t const replicates : {1u, 31u, 32u, 33u, 127u, 128u, 129u, 200u}) {
    TileProblemMaker maker;
    maker.replicates = replicates;
    expect_labels(maker, 0);
  }
}

// --- thresholds ---

/// Whether a threshold is below an earlier one, and whether two are equal.
bool thresholds_fall(TileProblem const& problem) {
  return !std::is_sorted(problem.order.begin() + static_cast<std::ptrdiff_t>(problem.skipped),
                         problem.order.end(), [&](std::uint64_t a, std::uint64_t b) {
                           return problem.terms[a].threshold < problem.terms[b].threshold;
                         });
}

// Tolerances of ties differ between variables: a large one makes a threshold smaller than the thresholds of many
// earlier tiles.
TEST(CountLabelsOnEmulatedGpu, ThresholdsAreMadeMonotonic) {
  for (double const tolerance : {0.0, 0.5, 3.0}) {
    for (auto const alternative : alternatives) {
      TileProblemMaker maker;
      maker.variables = 50;
      maker.replicates = 40;
      maker.tolerance = tolerance;
      maker.alternative = alternative;
      EXPECT_EQ(thresholds_fall(problem_of_labels(maker, 2)), tolerance > 0);
      expect_labels(maker, 2);
    }
  }
}

TEST(CountLabelsOnEmulatedGpu, EqualThresholds) {
  TileProblemMaker maker;
  maker.variables = 50;
  maker.untested = 1;
  maker.tolerance = 0;
  for (auto const alternative : alternatives) {
    maker.alternative = alternative;
    // Few distinct values, or one.
    auto const constant = maker.make([](Generator&) { return -1.0; }, small, true);
    expect_same(count_by_labels(constant), count_one_by_one(constant));
    auto const few =
        maker.make([](Generator& generator) { return static_cast<double>(generator() % 20 == 0); },
                   small, true);
    expect_same(count_by_labels(few), count_one_by_one(few));
  }
}

// --- maxima ---

/// Variables of the first tile have any values; later ones are 0, except for every ninth, which is far from 0 in one
/// observation. So maxima rarely grow. Thresholds are test statistics of the first tile, in ascending order.
TileProblem problem_of_rare_growth(Alternative alternative) {
  TileProblemMaker maker;
  maker.n = 30;
  maker.variables = 64;
  maker.replicates = 100;
  maker.alternative = alternative;
  auto problem = problem_of_labels(maker, 0);
  Numbers thresholds;
  for (std::size_t at = 0; at < problem.order.size(); ++at) {
    auto const g = problem.order[at];
    if (at < 16) {
      thresholds.push_back(test_statistic(problem, g, at));
      for (std::size_t r = 20; r < 23; ++r) thresholds.push_back(test_statistic(problem, g, r));
      continue;
    }
    problem.values[g].assign(maker.n, 0);
    if (at % 9 == 0) problem.values[g][at % maker.n] = alternative == Alternative::less ? -50 : 50;
  }
  std::sort(thresholds.begin(), thresholds.end());
  for (std::size_t at = 0; at < problem.order.size(); ++at) {
    auto& terms = problem.terms[problem.order[at]];
    terms.threshold = terms.step_down_threshold = thresholds[at];
  }
  return problem;
}

TEST(CountLabelsOnEmulatedGpu, MaximaThatRarelyGrow) {
  for (auto const alternative : alternatives) {
    auto const problem = problem_of_rare_growth(alternative);
    expect_same(count_by_labels(problem), count_one_by_one(problem));
  }
}

// The bits of negative numbers have the reverse order. The values of each variable are equal, so that all variables of
// a tile exceed all of the tiles before it.
TEST(CountLabelsOnEmulatedGpu, NegativeMaxima) {
  for (double const sign : {-1.0, 1.0}) {
    TileProblemMaker maker;
    maker.variables = 60;
    maker.alternative = sign < 0 ? Alternative::greater : Alternative::less;
    std::size_t drawn = 0;
    auto const value = [&](Generator&) {
      return sign * static_cast<double>(1 + drawn++ / maker.n);
    };
    auto const problem = maker.make(value, small, true);
    auto const expected = count_one_by_one(problem);
    EXPECT_LT(*std::max_element(expected.maxima.begin(), expected.maxima.end()), 0);
    expect_same(count_by_labels(problem), expected);
  }
}

// --- columns ---

TEST(CountColumnsOnEmulatedGpu, Correlations) {
  for (int const adjustments : {0, 1, 3}) {
    for (auto const alternative : alternatives) {
      TileProblemMaker maker;
      maker.n = 7;
      maker.alternative = alternative;
      maker.adjustments = adjustments;
      expect_columns(maker);
    }
  }
}

TEST(CountColumnsOnEmulatedGpu, Shares) {
  for (int const effects : {1, 2, 4}) {
    for (int const adjustments : {0, 2}) {
      TileProblemMaker maker;
      maker.n = 7;
      maker.variables = 20;
      maker.alternative = Alternative::greater;
      maker.form = Form::share;
      maker.effects = effects;
      maker.adjustments = adjustments;
      expect_columns(maker);
    }
  }
}

TEST(CountColumnsOnEmulatedGpu, Observations) {
  for (std::size_t const n : {1u, 3u, 4u, 5u, 8u, 20u, 33u}) {
    TileProblemMaker maker;
    maker.n = n;
    maker.variables = 20;
    maker.untested = 2;
    expect_columns(maker);
  }
}

TEST(CountColumnsOnEmulatedGpu, Replicates) {
  for (std::size_t const replicates : {1u, 31u, 32u, 33u, 127u, 128u, 129u, 200u}) {
    TileProblemMaker maker;
    maker.n = 6;
    maker.replicates = replicates;
    expect_columns(maker);
  }
}

TEST(CountColumnsOnEmulatedGpu, MoreThanAWindow) {
  TileProblemMaker maker;
  maker.n = 3;
  maker.variables = 1024 + 5 + 1;
  maker.untested = 1;
  maker.replicates = 9;
  expect_columns(maker);
}

// Two constant samples that differ, in the data and in replicates.
TEST(CountColumnsOnEmulatedGpu, InfiniteWelchT) {
  for (auto const alternative : alternatives) {
    TileProblemMaker maker;
    maker.n = 5;
    maker.variables = 33;
    maker.replicates = 50;
    maker.form = Form::welch;
    maker.alternative = alternative;
    auto const problem = problem_of_columns(maker);
    auto const expected = count_one_by_one(problem);
    EXPECT_EQ(*std::max_element(expected.maxima.begin(), expected.maxima.end()), HUGE_VAL);
    EXPECT_EQ(problem.terms[problem.order.back()].threshold, HUGE_VAL);
    expect_same(count_by_columns(problem), expected);
  }
}

// --- order of teams ---

TEST(CountTilesOnEmulatedGpu, TurnsDoNotChangeResults) {
  TileProblemMaker maker;
  maker.n = 5;
  maker.variables = 33;
  maker.replicates = 260;
  auto const labels = problem_of_labels(maker, 0);
  auto const columns = problem_of_columns(maker);
  auto const expected_labels = count_one_by_one(labels);
  auto const expected_columns = count_one_by_one(columns);
  for (Turns const& turns : {Turns{1, 1}, Turns{2, 2}, Turns{3, 3}}) {
    expect_same(count_by_labels(labels, turns), expected_labels);
    expect_same(count_by_columns(columns, turns), expected_columns);
  }
}

}  // namespace
}  // namespace riffle::test::count_tiles_test
