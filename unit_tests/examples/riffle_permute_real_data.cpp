// riffle_permute on data of R's packages, compared with R and multtest; skipped if these are not installed.

#include <cmath>

#include "riffle_permute.hpp"
#include "support/real_data.hpp"

namespace example::riffle_permute_real_data_test {

using namespace example_test;

using Arguments = std::vector<std::string>;
using Numbers = std::vector<double>;

Numbers column_of(std::string const& file, std::string const& column) {
  auto const table = example::read_csv(file);
  Numbers numbers;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    numbers.push_back(table.number(row, table.column(column)));
  }
  return numbers;
}

class RealDataPermuted : public ::testing::Test {
 protected:
  riffle::test::RealData const& files_ = riffle::test::RealData::instance();

  nlohmann::json json(Arguments arguments) const {
    auto const file = folder_.path("result.json");
    arguments.insert(arguments.end(), {"--json", file});
    auto const finished = run_riffle_permute(arguments);
    EXPECT_EQ(finished.exit_code, 0) << finished.errors;
    return nlohmann::json::parse(read_file(file));
  }
  /// The test of a file with sites in rows, by a column of its design.
  nlohmann::json by_site(std::string const& name, char const* by, char const* statistic) const {
    return json({files_.file(name + ".csv"), "--observations-in-rows", "--group",
                 files_.file(name + "_design.csv") + ":" + by, "--statistic", statistic});
  }
  void expect_statistics(nlohmann::json const& object, std::string const& file,
                         std::string const& column) const {
    auto const wanted = column_of(files_.file(file), column);
    auto const found = object.at("results").at("statistic").get<Numbers>();
    ASSERT_EQ(found.size(), wanted.size());
    for (std::size_t g = 0; g < wanted.size(); ++g) {
      EXPECT_NEAR(found[g], wanted[g], 1e-7 * std::max(1.0, std::abs(wanted[g])))
          << object.at("results").at("variable").at(g);
    }
  }

 private:
  TemporaryFolder folder_;
};

// multtest: 94 of 3051 genes by mt.maxT(golub, golub.cl, test = "t.equalvar", B = 10000), and the same number by 100,000.
TEST_F(RealDataPermuted, golub_as_multtest) {
  auto const why = files_.missing({"golub.csv", "golub_design.csv"}, "r-bioc-multtest");
  if (!why.empty()) GTEST_SKIP() << why;
  auto const object = json({files_.file("golub.csv"), "--group",
                            files_.file("golub_design.csv") + ":class", "--replicates", "10000"});
  EXPECT_EQ(object.at("variables"), 3051);
  // Six more genes have adjusted p-values between 0.0507 and 0.0601, which 10,000 replicates do not separate from 0.05 reliably.
  EXPECT_NEAR(object.at("at_most_0.05").at("p_step_down").get<double>(), 94, 4);
  EXPECT_NEAR(object.at("results").at("statistic").at(828), 10.255973784472706, 1e-10);
}

// R: kruskal.test(x, Management)$statistic and anova(lm(x ~ Management))[1, "F value"].
TEST_F(RealDataPermuted, dune_as_r) {
  auto const why =
      files_.missing({"dune.csv", "dune_design.csv", "dune_results.csv"}, "r-cran-vegan");
  if (!why.empty()) GTEST_SKIP() << why;
  expect_statistics(by_site("dune", "management", "kruskal-wallis-h"), "dune_results.csv", "h");
  expect_statistics(by_site("dune", "management", "f"), "dune_results.csv", "f");
}

// mt.maxT(t(dune), as.integer(Management) - 1, test = "f", B = 10000), within the errors of both.
TEST_F(RealDataPermuted, dune_as_multtest) {
  auto const why = files_.missing({"dune.csv", "dune_max_t.csv"}, "r-bioc-multtest, r-cran-vegan");
  if (!why.empty()) GTEST_SKIP() << why;
  auto const object = by_site("dune", "management", "f");
  auto const expect_near = [&](char const* column, char const* by_multtest) {
    auto const wanted = column_of(files_.file("dune_max_t.csv"), by_multtest);
    auto const found = object.at("results").at(column).get<Numbers>();
    ASSERT_EQ(found.size(), wanted.size());
    for (std::size_t g = 0; g < wanted.size(); ++g) {
      double const error = 5 * std::sqrt(wanted[g] * (1 - wanted[g]) * 2 / 1e4) + 2e-4;
      EXPECT_NEAR(found[g], wanted[g], error) << object.at("results").at("variable").at(g);
    }
  };
  expect_near("p", "raw");
  expect_near("p_step_down", "adjusted");
}

// R: cor(varespec, varechem$pH, method = ...).
TEST_F(RealDataPermuted, varespec_as_r) {
  auto const why = files_.missing({"varespec.csv", "varespec_results.csv"}, "r-cran-vegan");
  if (!why.empty()) GTEST_SKIP() << why;
  expect_statistics(by_site("varespec", "ph", "spearman"), "varespec_results.csv", "rho");
  expect_statistics(by_site("varespec", "ph", "pearson"), "varespec_results.csv", "r");
}

}  // namespace example::riffle_permute_real_data_test
