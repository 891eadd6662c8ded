// The replicates of a linear model compared with vectorstats of MRtrix3, which reads Riffle's permutations. The
// constants of vectorstats_results.hpp are compared everywhere, the program itself where it is installed (Debian:
// mrtrix3).
//   A. M. Winkler et al., NeuroImage 92 (2014); J.-D. Tournier et al., NeuroImage 202 (2019).

#include <Kokkos_Core.hpp>

#if __has_include(<Eigen/QR>)

#include <riffle/monte_carlo/linear_model_tests.hpp>
#include <riffle/monte_carlo/permutation_files.hpp>
#include <riffle/monte_carlo/permutation_scheme.hpp>
#include <riffle/monte_carlo/permutation_scheme_views.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include "algorithms/monte_carlo/oracles/scipy_statistics.hpp"
#include "algorithms/monte_carlo/oracles/simulated_data.hpp"
#include "algorithms/monte_carlo/oracles/vectorstats_results.hpp"
#include "support/permutation_tests_tables.hpp"

namespace riffle::test::vectorstats_test {
namespace {

using Host = Kokkos::DefaultHostExecutionSpace;
using Numbers = std::vector<double>;

constexpr std::size_t n = 10;

LinearModel model() {
  Numbers design;
  for (std::size_t i = 0; i < n; ++i) {
    design.insert(design.end(),
                  {1, static_cast<double>(oracles::labels_5_5[i]), oracles::covariate[i]});
  }
  return {design, n, 3, {0, 1, 0}};
}

/// Returns the numbers of a file, separated by lines or commas, without lines that begin with #, as the line of the
/// command does.
Numbers numbers_of(std::filesystem::path const& file) {
  std::ifstream stream(file);
  Numbers numbers;
  for (std::string line; std::getline(stream, line);) {
    if (line.rfind('#', 0) == 0) continue;
    std::replace(line.begin(), line.end(), ',', ' ');
    std::istringstream cells(line);
    using Number = std::istream_iterator<double>;
    numbers.insert(numbers.end(), Number(cells), Number());
  }
  return numbers;
}

/// Files for vectorstats, in a folder that is removed after the test.
class VectorstatsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name =
        (std::filesystem::temp_directory_path() / "riffle_vectorstats_XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  static bool is_installed() { return run("vectorstats -version > /dev/null 2>&1"); }

  /// Writes the identity and `replicates` random replicates.
  void write_permutations_of(PermutationScheme const& scheme, std::uint64_t seed,
                             std::size_t replicates) const {
    Kokkos::View<int**, Kokkos::LayoutRight, Kokkos::HostSpace> const all("all", replicates + 1, n);
    for (std::size_t i = 0; i < n; ++i) all(0, i) = static_cast<int>(i);
    auto const random = Kokkos::subview(
        all, Kokkos::pair<std::size_t, std::size_t>(1, replicates + 1), Kokkos::ALL);
    fill_permutations(Host(), scheme, seed, 0, random);
    Kokkos::fence();
    write_permutations(folder_ / "permutations.txt", all);
  }

  void call_vectorstats() const {
    std::ofstream list(folder_ / "list.txt");
    std::ofstream design(folder_ / "design.txt");
    design.precision(17);
    for (std::size_t i = 0; i < n; ++i) {
      auto const name = "observation_" + std::to_string(i) + ".txt";
      list << name << '\n';
      std::ofstream values(folder_ / name);
      values.precision(17);
      for (auto const& row : oracles::noise_tenths) values << row[i] / 10.0 << '\n';
      design << "1 " << oracles::labels_5_5[i] << ' ' << oracles::covariate[i] << '\n';
    }
    list.close();
    design.close();
    std::ofstream(folder_ / "contrast.txt") << "0 1 0\n";
    std::filesystem::create_directory(folder_ / "out");
    ASSERT_TRUE(run("cd '" + folder_.string() +
                    "' && vectorstats list.txt design.txt contrast.txt out/ -permutations "
                    "permutations.txt -nthreads 1 -quiet > log.txt 2>&1"));
  }

  Numbers output(std::string const& name) const { return numbers_of(folder_ / "out" / name); }

 private:
  static bool run(std::string const& command) { return std::system(command.c_str()) == 0; }

  std::filesystem::path folder_;
};

PermutationTestsResult test_by_riffle(PermutationScheme const& scheme, std::uint64_t seed,
                                      std::size_t replicates) {
  PermutationTestsOptions options;
  options.replicates = replicates;
  options.seed = seed;
  options.alternative = Alternative::greater;
  options.scheme = scheme;
  options.enumerate = false;
  auto const data = matrix_of_rows<Host, double, Kokkos::LayoutRight>(oracles::noise_tenths, 10);
  return permutation_tests(Host(), model(), data, options);
}

/// Returns a count of `all` from vectorstats's 1 - p.
long count_of(double one_minus_p, std::size_t all) {
  return std::lround((1 - one_minus_p) * static_cast<double>(all));
}

/// vectorstats must count in these permutations what Riffle counts in its own random replicates, which are the same.
class Agreement : public VectorstatsTest, public ::testing::WithParamInterface<bool> {};

TEST_P(Agreement, OfTAndOfCounts) {
  if (!is_installed()) GTEST_SKIP() << "no vectorstats here (Debian: mrtrix3)";
  constexpr std::size_t replicates = 499;
  constexpr std::uint64_t seed = 20;
  auto const scheme = GetParam() ? PermutationScheme::within_blocks({0, 0, 0, 1, 1, 0, 0, 1, 1, 1})
                                 : PermutationScheme::free(n);
  write_permutations_of(scheme, seed, replicates);
  ASSERT_NO_FATAL_FAILURE(call_vectorstats());
  auto const found = test_by_riffle(scheme, seed, replicates);

  auto const t = output("tvalue.csv");
  auto const unadjusted = output("uncorrected_pvalue.csv");
  auto const adjusted = output("fwe_1mpvalue.csv");
  auto const maxima = output("null_dist.csv");
  std::size_t const variables = found.statistic.size();
  ASSERT_EQ(t.size(), variables);
  ASSERT_EQ(unadjusted.size(), variables);
  ASSERT_EQ(adjusted.size(), variables);
  ASSERT_EQ(maxima.size(), replicates + 1);
  double greatest = -std::numeric_limits<double>::infinity();
  for (std::size_t g = 0; g < variables; ++g) greatest = std::max(greatest, found.statistic(g));
  for (std::size_t g = 0; g < variables; ++g) {
    SCOPED_TRACE(::testing::Message() << "variable " << g);
    double const observed = found.statistic(g);
    EXPECT_NEAR(observed, t[g], 2e-7 * std::max(1.0, std::abs(t[g])));
    // vectorstats counts the identity as a replicate.
    EXPECT_EQ(static_cast<long>(found.extreme(g)) + 1, count_of(unadjusted[g], replicates + 1));
    // It counts maxima above the observed statistic, so the identity does not count.
    auto const above = std::count_if(found.maxima.data(), found.maxima.data() + replicates,
                                     [&](double maximum) { return maximum > observed; });
    EXPECT_EQ(above + (greatest > observed ? 1 : 0), count_of(adjusted[g], replicates + 1));
  }
  // Maxima have the same order, as Z is an increasing function of t.
  for (std::size_t r = 1; r < replicates; ++r) {
    EXPECT_EQ(found.maxima(r) > found.maxima(r - 1), maxima[r + 1] > maxima[r]) << r;
  }
}

INSTANTIATE_TEST_SUITE_P(VectorstatsTest, Agreement, ::testing::Bool(), [](auto const& blocks) {
  return blocks.param ? "WithinBlocks" : "FreeScheme";
});

/// The first four variables with the eight permutations of vectorstats_results.hpp, without random numbers.
TEST(VectorstatsConstants, MatchLinearModel) {
  auto const linear = model();
  std::vector<int> uncorrected(4, 0);
  std::vector<int> above(4, 0);
  std::vector<Numbers> t;
  for (auto const& permutation : oracles::vectorstats_permutations) {
    Numbers row;
    for (std::size_t g = 0; g < 4; ++g) {
      Numbers y;
      for (int const tenths : oracles::noise_tenths[g]) y.push_back(tenths / 10.0);
      auto const u = linear.residuals(y);
      Numbers exchanged;
      for (int const i : permutation) exchanged.push_back(u[static_cast<std::size_t>(i)]);
      row.push_back(linear.observed(exchanged));
    }
    t.push_back(row);
  }
  for (std::size_t g = 0; g < 4; ++g) {
    EXPECT_NEAR(t[0][g], oracles::vectorstats_t[g], 1e-12);
    for (std::size_t r = 0; r < t.size(); ++r) {
      EXPECT_NEAR(t[r][g], oracles::freedman_lane_t[r][g], 1e-12) << r << ", " << g;
      uncorrected[g] += t[r][g] >= t[0][g] ? 1 : 0;
      above[g] += *std::max_element(t[r].begin(), t[r].end()) > t[0][g] ? 1 : 0;
    }
    EXPECT_EQ(uncorrected[g], oracles::vectorstats_uncorrected_counts[g]);
    EXPECT_EQ(above[g], oracles::vectorstats_maxima_above[g]);
  }
}

}  // namespace
}  // namespace riffle::test::vectorstats_test

#endif
