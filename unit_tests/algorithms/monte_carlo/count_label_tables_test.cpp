// The kernel that counts replicates of labels on a CPU by tables of partial sums, compared with plain loops.

#include <Kokkos_Core.hpp>
#include <riffle/monte_carlo/detail/variables/cpu/count_labels_cpu.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <riffle/context.hpp>

#include "support/tile_problems.hpp"
#include "support/views.hpp"

namespace riffle::test::count_label_tables_test {
namespace {

using namespace detail::variables;

using Host = Kokkos::DefaultHostExecutionSpace;
using Generator = std::mt19937_64;

/// From -3 to 3, so that there are ties, also between variables.
double small(Generator& generator) { return static_cast<double>(generator() % 7) - 3; }

/// So large that sums of 128 values need 52 bits.
double large(Generator& generator) {
  double const value = std::floor(0x1p45 * static_cast<double>(generator() >> 11) * 0x1p-53);
  return generator() % 2 == 0 ? value : -value;
}

TileProblem problem_of(TileProblemMaker const& maker) { return maker.make(small, small, true); }

template <class Exec>
struct OnDevice {
  using Memory = typename Exec::memory_space;
  WholeData<Memory> whole;
  Kokkos::View<VariableTerms*, Memory> terms;
  Kokkos::View<std::uint64_t*, Memory> order;
  ColumnModel model;

  explicit OnDevice(TileProblem const& problem)
      : terms(to_view<Exec>(problem.terms)), order(to_view<Exec>(problem.order)) {
    whole.values = Matrix<Memory>("values", problem.values.size(), problem.n);
    for (std::size_t g = 0; g < problem.values.size(); ++g) {
      for (std::size_t i = 0; i < problem.n; ++i) whole.values(g, i) = problem.values[g][i];
    }
    model.n = problem.n;
    model.is_of_labels = true;
  }
};

/// Returns a function that draws replicates begin, ..., begin + count - 1 of the problem.
auto drawing(TileProblem const& problem, std::size_t begin, std::size_t count) {
  return [&problem, begin, count](auto const& to) {
    if (to.to.bytes.size() > 0) Kokkos::deep_copy(to.to.bytes, 0xFF);
    for (std::size_t r = 0; r < count; ++r) {
      to.begin(r);
      for (std::size_t i = 0; i < problem.n; ++i) {
        to.put(r, 0, i, problem.replicates[begin + r][i]);
      }
    }
  };
}

/// Counts in batches, and checks that memory before and after the counts is not changed.
template <class Exec>
TileCounted count_by_tables(TileProblem const& problem, std::vector<std::size_t> const& batches) {
  constexpr std::size_t guard = 4;
  OnDevice<Exec> const data(problem);
  LabelCounter<Exec> counting(Context<Exec>(Exec()), data.whole, data.terms, data.order,
                              problem.skipped, data.model, problem.comparison);
  std::size_t const variables = problem.order.size();
  std::vector<std::uint64_t> raw(variables + guard);
  auto step_down = raw;
  Numbers maxima(problem.replicates.size() + guard, -7);
  std::size_t begin = 0;
  for (std::size_t const count : batches) {
    counting.count({raw.data(), step_down.data(), maxima.data() + begin, count},
                   drawing(problem, begin, count));
    Exec().fence("test");
    begin += count;
  }
  EXPECT_EQ(begin, problem.replicates.size());
  for (std::size_t g = 0; g < variables + guard; ++g) {
    bool const is_tested = g >= problem.skipped && g < variables;
    EXPECT_TRUE(is_tested || (raw[g] == 0 && step_down[g] == 0)) << g;
  }
  for (std::size_t r = begin; r < maxima.size(); ++r) EXPECT_EQ(maxima[r], -7);
  raw.resize(variables);
  step_down.resize(variables);
  maxima.resize(begin);
  return {raw, step_down, maxima};
}

std::vector<std::uint64_t> bits_of(Numbers const& values) {
  std::vector<std::uint64_t> bits;
  for (double const x : values) bits.push_back(Kokkos::bit_cast<std::uint64_t>(x));
  return bits;
}

void expect_same(TileCounted const& found, TileCounted const& expected) {
  EXPECT_EQ(found.raw, expected.raw);
  EXPECT_EQ(found.step_down, expected.step_down);
  EXPECT_EQ(bits_of(found.maxima), bits_of(expected.maxima));
}

void expect_counts(TileProblem const& problem, std::vector<std::size_t> const& batches) {
  SCOPED_TRACE(std::to_string(problem.n) + " observations of " +
               std::to_string(problem.order.size()) + " variables, " +
               std::to_string(problem.skipped) + " of them not tested, " +
               std::to_string(problem.replicates.size()) + " replicates");
  auto const expected = count_one_by_one(problem);
  expect_same(count_by_tables<Host>(problem, batches), expected);
#if defined(KOKKOS_ENABLE_SERIAL)
  expect_same(count_by_tables<Kokkos::Serial>(problem, batches), expected);
#endif
}

void expect_counts(TileProblemMaker const& maker) {
  expect_counts(problem_of(maker), {maker.replicates});
}

// A table has 6 observations, a pass 8 tables.
TEST(CountLabelTables, Observations) {
  for (std::size_t const n : {1,  5,  6,  7,   8,   9,   12,  13,  31,  33,   48,   49,
                              54, 96, 97, 127, 128, 129, 130, 144, 145, 1000, 1024, 1025}) {
    TileProblemMaker maker;
    maker.n = n;
    maker.variables = 9;
    maker.seed = n;
    expect_counts(maker);
  }
}

// Units have 32 to 512 replicates, depending on their number and the number of threads.
TEST(CountLabelTables, Replicates) {
  for (std::size_t const replicates :
       {1, 2, 15, 16, 17, 31, 32, 33, 255, 256, 257, 511, 512, 513, 1023, 1025, 2049}) {
    TileProblemMaker maker;
    maker.n = 13;
    maker.variables = 6;
    maker.replicates = replicates;
    expect_counts(maker);
  }
}

// Blocks have 4 variables.
TEST(CountLabelTables, Variables) {
  for (std::size_t const variables : {1, 2, 3, 4, 5, 7, 8, 9, 64}) {
    for (std::size_t const untested : {0, 1, 4, 6}) {
      if (untested >= variables) continue;
      TileProblemMaker maker;
      maker.variables = variables;
      maker.untested = untested;
      expect_counts(maker);
    }
  }
}

TEST(CountLabelTables, Alternatives) {
  for (auto const alternative : {Alternative::two_sided, Alternative::greater, Alternative::less}) {
    for (double const tolerance : {0.0, 0.25}) {
      TileProblemMaker maker;
      maker.alternative = alternative;
      maker.tolerance = tolerance;
      maker.replicates = 100;
      expect_counts(maker);
    }
  }
}

// Many replicates tie with the data: sums are from -9 to 9.
TEST(CountLabelTables, Ties) {
  TileProblemMaker maker;
  maker.n = 9;
  maker.tolerance = 0;
  maker.replicates = 300;
  auto const problem = problem_of(maker);
  auto const expected = count_one_by_one(problem);
  std::uint64_t ties = 0;
  for (std::size_t r = 1; r < maker.replicates; ++r) {
    for (auto const g : problem.order) {
      ties += test_statistic(problem, g, r) == problem.terms[g].threshold ? 1u : 0u;
    }
  }
  EXPECT_GT(ties, 100u);
  expect_counts(problem, {maker.replicates});
}

TEST(CountLabelTables, SumsOf52Bits) {
  TileProblemMaker maker;
  for (std::size_t const n : {38, 128}) {
    maker.n = n;
    expect_counts(maker.make(large, small, true), {maker.replicates});
  }
}

TEST(CountLabelTables, BatchesOfSeveralSizes) {
  TileProblemMaker maker;
  maker.replicates = 1200;
  expect_counts(problem_of(maker), {1000, 7, 128, 65});
}

// Nothing is counted, and maxima are minus infinity.
TEST(CountLabelTables, NoVariableIsTested) {
  TileProblemMaker maker;
  maker.variables = 5;
  maker.untested = 5;
  expect_counts(maker);
}

TEST(CountLabelTables, LabelsOfObservations) {
  LabelBytes<Host::memory_space> labels;
  labels.tables = 2;
  labels.unit_bits = 4;
  labels.bytes = Kokkos::View<std::uint8_t*, Host::memory_space>("labels", 64);
  Kokkos::deep_copy(labels.bytes, 0xFF);
  ToLabelBytes<Host::memory_space> const to{labels};
  to.begin(17);
  for (int const i : {0, 5, 6, 9}) to.put(17, 0, static_cast<std::uint64_t>(i), 1);
  to.put(17, 0, 1, 0);
  for (std::size_t at = 0; at < 64; ++at) {
    int const expected = at == 33 ? 0b100001 : at == 49 ? 0b1001 : 0xFF;
    EXPECT_EQ(int{labels.bytes(at)}, expected) << at;
  }
}

TEST(CountLabelTables, CanCountModelsOfLabels) {
  ColumnModel model;
  model.is_of_labels = true;
  EXPECT_TRUE(LabelCounter<Host>::can_count(model));
  model.form = Form::per_variable_t;
  EXPECT_FALSE(LabelCounter<Host>::can_count(model));
  EXPECT_FALSE(LabelCounter<Host>::can_count(ColumnModel()));
}

}  // namespace
}  // namespace riffle::test::count_label_tables_test
