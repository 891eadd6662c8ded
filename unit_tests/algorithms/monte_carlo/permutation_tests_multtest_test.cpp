// Permutation tests of many variables compared with complete tables of multtest, by complete enumeration.

#include <Kokkos_Core.hpp>
#include <riffle/monte_carlo/permutation_scheme.hpp>
#include <riffle/monte_carlo/permutation_tests.hpp>
#include <riffle/monte_carlo/statistics.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "algorithms/monte_carlo/oracles/multtest_designs.hpp"
#include "algorithms/monte_carlo/oracles/multtest_two_samples.hpp"
#include "algorithms/monte_carlo/oracles/simulated_data.hpp"
#include "support/execution_spaces.hpp"
#include "support/permutation_tests_tables.hpp"
#include "support/views.hpp"

namespace riffle::test::permutation_tests_multtest_test {
namespace {

using oracles::AdjustedTable;

template <std::size_t N>
std::vector<int> to_labels(std::array<int, N> const& labels) {
  return {labels.begin(), labels.end()};
}

PermutationTestsOptions options_of(AdjustedTable const& table) {
  PermutationTestsOptions options;
  options.replicates = 10000;  // more than there are arrangements
  options.alternative = alternative_of(table.side);
  options.min_p = true;
  return options;
}

std::string name_of(AdjustedTable const& table) {
  return std::string(table.test) + ", " + std::string(table.side);
}

template <class Exec>
class PermutationTestsMulttestTest : public ::testing::Test {
 protected:
  template <class Data>
  static PermutationTestsResult run(AdjustedTable const& table, Data const& data,
                                    std::vector<int> const& labels,
                                    PermutationTestsOptions const& options) {
    auto const by = to_view<Exec>(labels);
    if (table.test == "t") return permutation_tests(Exec(), WelchT{}, data, by, options);
    if (table.test == "f") return permutation_tests(Exec(), FStatistic{}, data, by, options);
    if (table.test == "wilcoxon") {
      return permutation_tests(Exec(), MannWhitneyU{}, data, by, options);
    }
    return permutation_tests(Exec(), StudentT{}, data, by, options);
  }

  /// multtest's "wilcoxon" is not divided by its standard deviation given the ties: its statistic always differs, and
  /// with ties its maxima do.
  template <class Data, class Tables>
  static void expect_tables(Data const& data, std::vector<int> const& labels,
                            Tables const& tables) {
    for (auto const& table : tables) {
      SCOPED_TRACE(name_of(table));
      bool const is_share = table.test == "f";
      if (is_share && table.side == "lower") continue;  // refused: F has one tail
      auto const found = run(table, data, labels, options_of(table));
      expect_raw(found, table);
      expect_min_p(found, table);
      if (table.test == "wilcoxon") continue;
      expect_statistics(found, table);
      expect_adjusted(found, table);
    }
  }

  template <class T, class Layout, class Rows>
  static auto matrix(Rows const& rows, double unit) {
    return matrix_of_rows<Exec, T, Layout>(rows, unit);
  }

  /// Returns the differences of pairs, second minus first, divided by `unit`.
  template <class T>
  static auto differences(double unit) {
    std::array<std::array<int, 8>, 12> rows;
    for (std::size_t g = 0; g < rows.size(); ++g) {
      for (std::size_t i = 0; i < 8; ++i) {
        rows[g][i] = oracles::paired_tenths[g][2 * i + 1] - oracles::paired_tenths[g][2 * i];
      }
    }
    return matrix<T, Kokkos::LayoutLeft>(rows, unit);
  }
};
TYPED_TEST_SUITE(PermutationTestsMulttestTest, ExecutionSpaces, SpaceNames);

TYPED_TEST(PermutationTestsMulttestTest, TwoSamplesOfNoise) {
  auto const labels = to_labels(oracles::labels_5_5);
  auto const& rows = oracles::noise_tenths;
  this->expect_tables(this->template matrix<double, Kokkos::LayoutRight>(rows, 10), labels,
                      oracles::noise_two_samples);
  this->expect_tables(this->template matrix<int, Kokkos::LayoutLeft>(rows, 1), labels,
                      oracles::noise_two_samples);
}

TYPED_TEST(PermutationTestsMulttestTest, TwoSamplesWithEffects) {
  auto const labels = to_labels(oracles::labels_4_6);
  auto const& rows = oracles::correlated;
  this->expect_tables(this->template matrix<float, Kokkos::LayoutRight>(rows, 1), labels,
                      oracles::correlated_two_samples);
  this->expect_tables(this->template matrix<double, Kokkos::LayoutStride>(rows, 1), labels,
                      oracles::correlated_two_samples);
}

TYPED_TEST(PermutationTestsMulttestTest, SeveralSamples) {
  auto const labels = to_labels(oracles::labels_3_3_4);
  this->expect_tables(this->template matrix<double, Kokkos::LayoutLeft>(oracles::noise_tenths, 10),
                      labels, oracles::noise_three_samples);
  this->expect_tables(this->template matrix<short, Kokkos::LayoutRight>(oracles::correlated, 1),
                      labels, oracles::correlated_three_samples);
}

TYPED_TEST(PermutationTestsMulttestTest, DifferencesOfPairs) {
  for (auto const& table : oracles::paired) {
    SCOPED_TRACE(name_of(table));
    for (bool const is_decimal : {false, true}) {
      auto const found =
          is_decimal ? permutation_tests(TypeParam(), OneSampleT{},
                                         this->template differences<double>(10), options_of(table))
                     : permutation_tests(TypeParam(), OneSampleT{},
                                         this->template differences<int>(1), options_of(table));
      expect_statistics(found, table);
      expect_raw(found, table);
      expect_adjusted(found, table);
      expect_min_p(found, table);
    }
  }
}

// Swapping the two labels of a pair changes the sign of its difference. The sums of a variable have the same order, so
// Student's t has the counts of the paired t. (Maxima are over other statistics.)
TYPED_TEST(PermutationTestsMulttestTest, LabelsSwappedInPairs) {
  std::vector<int> pair_of(16);
  for (std::size_t i = 0; i < pair_of.size(); ++i) pair_of[i] = static_cast<int>(i / 2);
  auto const data = this->template matrix<double, Kokkos::LayoutRight>(oracles::paired_tenths, 10);
  auto const labels = to_view<TypeParam>(to_labels(oracles::labels_of_pairs));
  for (auto const& table : oracles::paired) {
    SCOPED_TRACE(name_of(table));
    for (bool const by_blocks : {false, true}) {
      auto options = options_of(table);
      options.scheme =
          by_blocks ? PermutationScheme::within_blocks(pair_of) : PermutationScheme::pairs(pair_of);
      expect_raw(permutation_tests(TypeParam(), StudentT{}, data, labels, options), table);
    }
  }
}

}  // namespace
}  // namespace riffle::test::permutation_tests_multtest_test
