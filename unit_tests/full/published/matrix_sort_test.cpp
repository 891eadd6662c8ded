// The theorems of section 2 of
//   P. Afshani, N. Sitchinava, "Sorting and Permuting without Bank Conflicts on GPUs", ESA 2015, arXiv 1507.01391,
// on the model: matrices are sorted without bank conflicts, and times grow as each theorem says.

#include <riffle/order.hpp>
#include <riffle/published/bank_conflict_free_sorting/detail/sort/heap_sort.hpp>
#include <riffle/published/bank_conflict_free_sorting/detail/sort/tall_sort.hpp>
#include <riffle/published/bank_conflict_free_sorting/row_groups.hpp>
#include <riffle/published/bank_conflict_free_sorting/short_sort_by_conversions.hpp>
#include <riffle/published/offline_permutation/memory_machine.hpp>
#include <riffle/published/offline_permutation/model_processors.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "support/model_matrices.hpp"

namespace riffle::test::matrix_sort_test {
namespace {

namespace ms = detail::matrix_sort;

using Index = std::uint32_t;
using Model = ModelledMatrix<Index>;
using Sort = void (*)(Model&, RowGroups<ModelProcessors> const&);

ms::HeapSort<Ascending> const by_comparisons{Ascending()};

void by_shape(Model& model, RowGroups<ModelProcessors> const& groups) {
  ms::sort_matrix(model.matrix, groups, model.marks, by_comparisons);
}
void by_shearsort(Model& model, RowGroups<ModelProcessors> const& groups) {
  ms::shearsort(model.matrix, groups, by_comparisons);
}
void by_lemma_1(Model& model, RowGroups<ModelProcessors> const& groups) {
  ms::sort_short_by_conversions(model.matrix, groups, model.marks, by_comparisons);
}
void by_theorem_2(Model& model, RowGroups<ModelProcessors> const& groups) {
  ms::sort_tall(model.matrix, groups, model.marks, by_comparisons);
}

/// Sorts, checks the result, and returns the time.
std::uint64_t expect_sorted(Sort sort, Index w, Index m, std::vector<Index> const& values) {
  Model model(w, m);
  model.set_row_major(values);
  sort(model, RowGroups(model.processors));
  EXPECT_EQ(model.row_major(), sorted(values)) << shape(w, m);
  expect_no_conflicts(model.processors, shape(w, m));
  return model.processors.time();
}

void expect_all_patterns_sorted(Sort sort, Index w, Index m) {
  for (Pattern const pattern : all_patterns) {
    expect_sorted(sort, w, m, pattern_values(pattern, w, m));
  }
}

/// Times on random data, divided by the theorem's formula; they may differ by a factor of `most`.
class Growth {
 public:
  void add(double time, double bound) {
    least_ = std::min(least_, time / bound);
    greatest_ = std::max(greatest_, time / bound);
  }
  void expect_within(double most) const {
    EXPECT_LE(greatest_, most * least_) << least_ << " to " << greatest_;
    ::testing::Test::RecordProperty("least", std::to_string(least_));
    ::testing::Test::RecordProperty("greatest", std::to_string(greatest_));
  }

 private:
  double least_ = std::numeric_limits<double>::infinity();
  double greatest_ = 0;
};

double time_of(Sort sort, Index w, Index m) {
  return static_cast<double>(expect_sorted(sort, w, m, pattern_values(Pattern::random, w, m)));
}

/// Tests all matrices of zeros and ones (the 0-1 principle).
void expect_zeros_and_ones_sorted(Sort sort, Index w, Index m) {
  Index const n = w * m;
  std::vector<Index> values(n);
  for (Index bits = 0; bits < Index{1} << n; ++bits) {
    for (Index i = 0; i < n; ++i) values[i] = bits >> i & 1;
    Model model(w, m);
    model.set_row_major(values);
    sort(model, RowGroups(model.processors));
    auto const after = model.row_major();
    ASSERT_TRUE(std::is_sorted(after.begin(), after.end())) << shape(w, m) << ", bits " << bits;
    ASSERT_EQ(std::count(after.begin(), after.end(), 1u),
              std::count(values.begin(), values.end(), 1u));
    ASSERT_EQ(model.processors.conflicts() + model.processors.races(), 0u) << shape(w, m);
  }
}

TEST(MatrixSort, EveryMatrixOfZerosAndOnes) {
  for (Index w = 1; w <= 12; ++w) {
    for (Index m = 1; w * m <= 12; ++m) expect_zeros_and_ones_sorted(by_shape, w, m);
  }
}

TEST(MatrixSort, EveryShapeUpTo64) {
  Index number = 0;
  for (Index w = 1; w <= 64; ++w) {
    for (Index m = 1; m <= 64; ++m) {
      Pattern const pattern = all_patterns[number++ % std::size(all_patterns)];
      expect_sorted(by_shape, w, m, pattern_values(pattern, w, m));
    }
  }
}

/// Row r begins with r * slope % (m + 1) ones, or column c with about c * slope % (w m) / m ones: the numbers differ between
/// neighbours, which leaves many dirty rows or columns.
std::vector<Index> staircase(Index w, Index m, Index slope, bool of_columns) {
  std::vector<Index> values(w * m);
  for (Index r = 0; r < w; ++r) {
    for (Index c = 0; c < m; ++c) {
      values[r * m + c] = of_columns ? r * m < c * slope % (w * m) : c < r * slope % (m + 1);
    }
  }
  return values;
}

TEST(MatrixSort, AdversarialZerosAndOnes) {
  for (auto const& [w, m] : {std::pair<Index, Index>{5, 29},
                             {7, 7},
                             {11, 13},
                             {13, 14},
                             {15, 15},
                             {24, 24},
                             {35, 35},
                             {37, 6},
                             {41, 3},
                             {50, 2},
                             {32, 31}}) {
    for (Index slope = 1; slope < 40; ++slope) {
      expect_sorted(by_shape, w, m, staircase(w, m, slope, false));
      expect_sorted(by_shape, w, m, staircase(w, m, slope, true));
    }
  }
}

TEST(MatrixSort, RandomZerosAndOnesOfEveryCount) {
  for (auto const& [w, m] :
       {std::pair<Index, Index>{3, 3}, {4, 5}, {5, 5}, {6, 7}, {8, 8}, {9, 4}, {17, 3}, {3, 11}}) {
    for (Index ones = 0; ones <= w * m; ++ones) {
      for (Index seed = 0; seed < 20; ++seed) {
        auto values = pattern_values(Pattern::random, w, m, seed);
        Index const bound = sorted(values)[std::min(ones, w * m - 1)];
        for (auto& value : values) value = value >= bound;
        expect_sorted(by_shape, w, m, values);
      }
    }
  }
}

TEST(MatrixSort, GroupsOfRowsSideBySide) {
  for (Index const m : {3u, 9u, 20u}) {
    for (bool const strided : {false, true}) {
      Model model(23, m);
      auto const values = pattern_values(Pattern::random, 23, m);
      model.set_row_major(values);
      RowGroups const all(model.processors);
      RowGroups const groups = (strided ? all.strides(5) : all.parts(5)).alternating();
      by_shape(model, groups);
      auto const after = model.row_major();
      for (Index p = 0; p < 23; ++p) {
        if (groups[p].index != 0) continue;
        std::vector<Index> before_of_group, after_of_group;
        for (Index i = 0; i < groups[p].rows * m; ++i) {
          Index const at = groups[p].row(i / m) * m + i % m;
          before_of_group.push_back(values[at]);
          after_of_group.push_back(after[at]);
        }
        auto expected = sorted(before_of_group);
        if (groups[p].number % 2 == 1) std::reverse(expected.begin(), expected.end());
        EXPECT_EQ(after_of_group, expected);
      }
      expect_no_conflicts(model.processors, shape(23, m));
    }
  }
}

TEST(MatrixSort, TheDiscreteMemoryMachineFindsNoConflicts) {
  for (auto const& [w, m] : {std::pair<Index, Index>{3, 10}, {8, 8}, {7, 12}, {13, 4}}) {
    Model model(w, m);
    DiscreteMemoryMachine machine({.width = w, .latency = 1});
    model.processors.run_on(machine);
    model.set_row_major(pattern_values(Pattern::random, w, m));
    by_shape(model, RowGroups(model.processors));
    EXPECT_EQ(machine.counts().conflicting_reading + machine.counts().conflicting_writing, 0u);
    EXPECT_EQ(machine.time(), model.processors.time());
  }
}

TEST(Shearsort, EveryPattern) {
  for (Index const w : {1u, 2u, 3u, 8u, 17u, 32u}) expect_all_patterns_sorted(by_shearsort, w, w);
  expect_all_patterns_sorted(by_shearsort, 6, 33);
  expect_all_patterns_sorted(by_shearsort, 33, 6);
}

TEST(Shearsort, EveryMatrixOfZerosAndOnes) {
  for (Index m = 1; m <= 4; ++m) {
    expect_zeros_and_ones_sorted(by_shearsort, 3, m);
    expect_zeros_and_ones_sorted(by_shearsort, 4, std::min(m, 3u));
  }
}

TEST(Shearsort, TakesTimeOfLogWSortsOfRows) {
  Growth growth;
  for (Index w = 8; w <= 128; w *= 2) {
    double const log_w = std::log2(w);
    growth.add(time_of(by_shearsort, w, w), w * log_w * log_w);
  }
  growth.expect_within(1.5);
}

TEST(Lemma1, EveryPattern) {
  for (auto const& [w, m] : {std::pair<Index, Index>{1, 5},
                             {2, 4},
                             {3, 9},
                             {3, 12},
                             {4, 16},
                             {5, 25},
                             {5, 40},
                             {8, 64}}) {
    expect_all_patterns_sorted(by_lemma_1, w, m);
    expect_all_patterns_sorted(by_shape, w, m);
  }
}

TEST(Lemma1, EveryMatrixOfZerosAndOnes) {
  for (Index const m : {4u, 6u, 8u}) expect_zeros_and_ones_sorted(by_lemma_1, 2, m);
}

TEST(Lemma1, TakesTimeOfMLogM) {
  Growth paper, best;
  for (Index w = 2; w <= 32; w *= 2) {
    Index const m = w * w;
    if (m < 16) continue;
    for (Index const columns : {m, 2 * m}) {
      double const bound = columns * std::log2(columns);
      paper.add(time_of(by_lemma_1, w, columns), bound);
      best.add(time_of(by_shape, w, columns), bound);
    }
  }
  paper.expect_within(2);
  best.expect_within(2);
}

TEST(Theorem1, EveryPattern) {
  for (Index const m : {1u, 2u, 3u, 4u, 8u, 9u, 15u, 16u, 24u, 25u, 35u, 36u, 64u}) {
    expect_all_patterns_sorted(by_shape, m, m);
  }
}

TEST(Theorem1, TakesTimeOfMLogM) {
  Growth growth;
  for (Index m = 9; m <= 256; m = m * 7 / 4) growth.add(time_of(by_shape, m, m), m * std::log2(m));
  growth.expect_within(2);
}

TEST(Theorem2, EveryPattern) {
  for (auto const& [w, m] : {std::pair<Index, Index>{2, 1},
                             {7, 1},
                             {64, 1},
                             {5, 2},
                             {9, 3},
                             {27, 5},
                             {32, 8},
                             {33, 16},
                             {65, 64},
                             {100, 10},
                             {129, 4}}) {
    expect_all_patterns_sorted(by_theorem_2, w, m);
  }
}

/// Each column has a random number of zeros, so that a tall matrix has the largest number of dirty rows.
std::vector<Index> random_columns(Index w, Index m, Index seed) {
  std::mt19937 random(seed);
  std::vector<Index> values(w * m);
  for (Index c = 0; c < m; ++c) {
    Index const zeros = static_cast<Index>(random()) % (w + 1);
    for (Index r = 0; r < w; ++r) values[r * m + c] = r >= zeros;
  }
  return values;
}

TEST(Theorem2, ColumnsOfAnyNumbersOfZeros) {
  for (auto const& [w, m] : {std::pair<Index, Index>{13, 2}, {17, 3}, {22, 4}, {37, 4}, {28, 5}}) {
    for (Index seed = 0; seed < 2000; ++seed) {
      expect_sorted(by_theorem_2, w, m, random_columns(w, m, seed));
    }
  }
}

TEST(Theorem2, TakesTimeOfMTimesTheStagesOfTheNetwork) {
  for (Index const m : {2u, 8u, 32u}) {
    Growth growth;
    for (Index w = 4 * m; w <= 512; w *= 2) {
      double const log_w = std::log2(w);
      growth.add(time_of(by_theorem_2, w, m), m * (log_w * log_w + 30 * std::log2(2 * m)));
    }
    growth.expect_within(2);
  }
}

}  // namespace
}  // namespace riffle::test::matrix_sort_test
