// Permutation tests of multtest's data set golub, compared with the results of multtest. Skipped without R and this
// package.
//   T. R. Golub et al., Science 286 (1999); Y. Ge, S. Dudoit, T. P. Speed, Test 12 (2003), tests these data by max-T.

#include <Kokkos_Core.hpp>
#include <riffle/monte_carlo/permutation_tests.hpp>
#include <riffle/monte_carlo/statistics.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "algorithms/monte_carlo/oracles/golub_results.hpp"
#include "support/matrices.hpp"
#include "support/real_data.hpp"
#include "support/views.hpp"

namespace riffle::test::golub_test {
namespace {

using Exec = Kokkos::DefaultExecutionSpace;
using Matrix = Kokkos::View<double**, Kokkos::LayoutRight, Exec::memory_space>;
using Labels = Kokkos::View<int*, Exec::memory_space>;

constexpr std::size_t genes = oracles::golub_genes;
constexpr std::size_t samples = oracles::golub_samples;

/// Returns the cells of a CSV file without quotes, without its header and first column.
std::vector<double> numbers_of(std::string const& file) {
  std::ifstream stream(file);
  std::vector<double> numbers;
  std::string line;
  std::getline(stream, line);
  while (std::getline(stream, line)) {
    std::istringstream cells(line);
    std::string cell;
    std::getline(cells, cell, ',');
    while (std::getline(cells, cell, ',')) numbers.push_back(std::stod(cell));
  }
  return numbers;
}

class GolubTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto const& files = RealData::instance();
    auto const why = files.missing({"golub.csv", "golub_design.csv"}, "r-bioc-multtest");
    if (!why.empty()) GTEST_SKIP() << why;
    values_ = numbers_of(files.file("golub.csv"));
    classes_ = numbers_of(files.file("golub_design.csv"));
    ASSERT_EQ(values_.size(), genes * samples);
    ASSERT_EQ(classes_.size(), samples);
    ASSERT_EQ(std::count(classes_.begin(), classes_.end(), 1.0), 11);
  }

  Matrix data() const { return matrix(genes, values_); }
  Labels labels() const {
    return to_view<Exec>(std::vector<int>(classes_.begin(), classes_.end()));
  }

  /// Returns the first 20 genes of samples 0 to 4 and 27 to 31.
  Matrix subset() const {
    std::vector<double> values;
    for (std::size_t g = 0; g < oracles::golub_subset.size(); ++g) {
      for (std::size_t const first : {0, 27}) {
        auto const begin = values_.begin() + static_cast<std::ptrdiff_t>(g * samples + first);
        values.insert(values.end(), begin, begin + 5);
      }
    }
    return matrix(oracles::golub_subset.size(), values);
  }

 private:
  static Matrix matrix(std::size_t rows, std::vector<double> const& values) {
    auto const view = make_matrix<Exec, double, Kokkos::LayoutRight>(rows, values.size() / rows);
    fill(view, values);
    return view;
  }

  std::vector<double> values_;
  std::vector<double> classes_;
};

/// Returns five standard deviations of the difference of two estimates of p, from 10,000 and from `others` replicates.
double five_sigmas(double p, double others) {
  return 5 *
         std::sqrt(p * (1 - p) * (1 / static_cast<double>(oracles::golub_replicates) + 1 / others));
}

/// Returns the number of p-values of at most a bound; NaN does not count.
int count_at_most(PermutationTestsResult::Values<double> const& p, double bound) {
  return static_cast<int>(
      std::count_if(p.data(), p.data() + p.size(), [&](double x) { return x <= bound; }));
}

/// Expects a number of adjusted p-values of at most `level` that differs from multtest's by no more than the random
/// errors of its p-values close to `level` explain.
void expect_count(PermutationTestsResult const& found, double level, int by_multtest) {
  int least = 0;
  int most = 0;
  for (auto const& gene : oracles::golub_top_genes) {
    double const p = gene.adjusted_of_100_000 / 1e5;
    double const error = five_sigmas(p, 1e5);
    least += p + error <= level ? 1 : 0;
    most += p - error <= level ? 1 : 0;
  }
  EXPECT_LE(least, by_multtest);
  EXPECT_GE(most, by_multtest);
  int const count = count_at_most(found.p_step_down, level);
  EXPECT_GE(count, least);
  EXPECT_LE(count, most);
}

PermutationTestsOptions options_of_multtest() {
  PermutationTestsOptions options;
  options.replicates = oracles::golub_replicates;
  return options;
}

TEST_F(GolubTest, AdjustedPValuesMatchMulttestExceptForItsErrors) {
  auto const found = permutation_tests(Exec(), StudentT{}, data(), labels(), options_of_multtest());
  for (std::size_t g = 0; g < oracles::golub_first_t.size(); ++g) {
    EXPECT_NEAR(found.statistic(g), oracles::golub_first_t[g], 1e-12);
  }
  for (auto const& gene : oracles::golub_top_genes) {
    auto const g = static_cast<std::size_t>(gene.gene);
    SCOPED_TRACE(::testing::Message() << "gene " << g);
    EXPECT_NEAR(found.statistic(g), gene.t, 1e-12 * std::abs(gene.t));
    double const p = gene.adjusted_of_100_000 / 1e5;
    EXPECT_NEAR(found.p_step_down(g), p, five_sigmas(p, 1e5) + 2e-4);
    EXPECT_NEAR(found.p(g), gene.raw / 1e4, 8e-4);
  }
  expect_count(found, 0.05, oracles::golub_genes_at_5_percent);
  expect_count(found, 0.01, oracles::golub_genes_at_1_percent);
  // 79 of 3051 genes have a p-value between 0.045 and 0.055.
  EXPECT_NEAR(count_at_most(found.p, 0.05), oracles::golub_genes_of_raw_p_at_5_percent, 30);
  EXPECT_NEAR(count_at_most(found.p_false_discovery, 0.05),
              oracles::golub_genes_of_false_discovery_rate_5_percent, 30);
}

TEST_F(GolubTest, WelchFindsAsManyGenes) {
  auto const found = permutation_tests(Exec(), WelchT{}, data(), labels(), options_of_multtest());
  EXPECT_NEAR(count_at_most(found.p_step_down, 0.05), oracles::golub_genes_at_5_percent_by_welch,
              6);
}

TEST_F(GolubTest, AllArrangementsOfAPartToTheLastOne) {
  PermutationTestsOptions options;
  options.min_p = true;
  auto const by = to_view<Exec>(std::vector<int>{0, 0, 0, 0, 0, 1, 1, 1, 1, 1});
  auto const found = permutation_tests(Exec(), StudentT{}, subset(), by, options);
  ASSERT_TRUE(found.exact);
  ASSERT_EQ(found.replicates, static_cast<std::uint64_t>(oracles::golub_subset_arrangements));
  double const all = oracles::golub_subset_arrangements;
  for (std::size_t g = 0; g < oracles::golub_subset.size(); ++g) {
    auto const& gene = oracles::golub_subset[g];
    SCOPED_TRACE(::testing::Message() << "gene " << g);
    EXPECT_NEAR(found.statistic(g), gene.t, 1e-12 * std::abs(gene.t));
    EXPECT_EQ(found.p(g), gene.raw / all);
    EXPECT_EQ(found.p_step_down(g), gene.step_down_max_t / all);
    EXPECT_EQ(found.p_step_down_min_p(g), gene.step_down_min_p / all);
  }
}

}  // namespace
}  // namespace riffle::test::golub_test
