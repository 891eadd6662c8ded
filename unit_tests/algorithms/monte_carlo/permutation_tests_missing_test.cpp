// Permutation tests of variables with missing values, compared with tables of multtest and exact arithmetic.

#include <Kokkos_Core.hpp>
#include <riffle/monte_carlo/missing_values.hpp>
#include <riffle/monte_carlo/permutation_tests.hpp>
#include <riffle/monte_carlo/statistics.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <vector>

#include "algorithms/monte_carlo/oracles/multtest_missing.hpp"
#include "algorithms/monte_carlo/oracles/simulated_data.hpp"
#include "support/execution_spaces.hpp"
#include "support/permutation_tests_tables.hpp"
#include "support/views.hpp"

namespace riffle::test::permutation_tests_missing_test {
namespace {

using oracles::AdjustedTable;

template <class Exec>
class PermutationTestsMissingTest : public ::testing::Test {
 protected:
  template <class Data, class Labels>
  static PermutationTestsResult run(AdjustedTable const& table, Data const& data,
                                    Labels const& labels) {
    PermutationTestsOptions options;
    options.replicates = 10000;  // more than there are arrangements
    options.alternative = alternative_of(table.side);
    options.missing = MissingValues::leave_value_out;
    options.min_p = true;
    auto const by = to_view<Exec>(std::vector<int>(labels.begin(), labels.end()));
    if (table.test == "t") return permutation_tests(Exec(), WelchT{}, data, by, options);
    if (table.test == "f") return permutation_tests(Exec(), FStatistic{}, data, by, options);
    if (table.test == "wilcoxon") {
      return permutation_tests(Exec(), MannWhitneyU{}, data, by, options);
    }
    return permutation_tests(Exec(), StudentT{}, data, by, options);
  }

  /// U is reported; the table has the standardized U, by which variables are compared.
  template <class Data, class Labels, class Tables>
  static void expect_tables(Data const& data, Labels const& labels, Tables const& tables) {
    for (auto const& table : tables) {
      SCOPED_TRACE(std::string(table.test) + ", " + std::string(table.side));
      if (table.test == "f" && table.side == "lower") continue;  // refused: F has one tail
      auto const found = run(table, data, labels);
      if (table.test != "wilcoxon") expect_statistics(found, table);
      expect_raw(found, table);
      expect_adjusted(found, table);
      expect_min_p(found, table);
    }
  }
};
TYPED_TEST_SUITE(PermutationTestsMissingTest, ExecutionSpaces, SpaceNames);

TYPED_TEST(PermutationTestsMissingTest, TwoSamples) {
  this->expect_tables(
      matrix_of_rows<TypeParam, double, Kokkos::LayoutRight>(oracles::missing_tenths, 10),
      oracles::labels_5_5, oracles::missing_two_samples);
  this->expect_tables(
      matrix_of_rows<TypeParam, float, Kokkos::LayoutLeft>(oracles::missing_tenths, 1),
      oracles::labels_5_5, oracles::missing_two_samples);
}

TYPED_TEST(PermutationTestsMissingTest, SeveralSamples) {
  this->expect_tables(
      matrix_of_rows<TypeParam, double, Kokkos::LayoutStride>(oracles::missing_tenths, 10),
      oracles::labels_3_3_4, oracles::missing_three_samples);
}

TYPED_TEST(PermutationTestsMissingTest, ObservationsAreCounted) {
  auto const data = matrix_of_rows<TypeParam, double, Kokkos::LayoutRight>(oracles::missing_tenths);
  auto const found = this->run(oracles::missing_two_samples[0], data, oracles::labels_5_5);
  EXPECT_EQ(to_vector(found.observations),
            (std::vector<std::uint64_t>{10, 9, 10, 10, 8, 10, 9, 10, 8, 10, 10, 9}));
}

}  // namespace
}  // namespace riffle::test::permutation_tests_missing_test
