// riffle_permute on pairs, on nested blocks and with symmetric errors, and the intervals of its p-values.
//
// Constants are from R 4.2.2 on the twelve specimens X of riffle_permute.hpp, with
//   yes <- rep(0:1, each = 6); age <- c(31,45,27,52,38,60,41,29,55,48,36,33); pair <- rep(1:6, each = 2)
//   site <- c(1,1,1,1,2,2,1,1,2,2,2,2)

#include <cmath>

#include "pairs.hpp"
#include "riffle_permute.hpp"

namespace example::riffle_permute_schemes_test {

using namespace example_test;

using Arguments = std::vector<std::string>;
using Numbers = std::vector<double>;

void expect_counts(nlohmann::json const& object, char const* column, Numbers const& counts,
                   double arrangements) {
  EXPECT_EQ(object.at("enumerated"), true);
  EXPECT_EQ(object.at("arrangements").get<double>(), arrangements);
  auto const found = object.at("results").at(column).get<Numbers>();
  ASSERT_EQ(found.size(), counts.size());
  for (std::size_t g = 0; g < counts.size(); ++g) {
    EXPECT_EQ(found[g], counts[g] / arrangements) << column << " of variable " << g;
  }
}

void expect_statistics(nlohmann::json const& object, Numbers const& wanted, double tolerance) {
  auto const found = object.at("results").at("statistic").get<Numbers>();
  ASSERT_EQ(found.size(), wanted.size());
  for (std::size_t g = 0; g < wanted.size(); ++g) {
    EXPECT_NEAR(found[g], wanted[g], tolerance * std::abs(wanted[g])) << "variable " << g;
  }
}

class PermutationSchemes : public ::testing::Test {
 protected:
  nlohmann::json json(Arguments more) const { return specimens_.json(std::move(more)); }
  bool has_linear_models() const {
    auto const finished =
        specimens_.run({"--contrast", "age", "--terms", "age", "--replicates", "9"});
    return finished.errors.find("need Eigen") == std::string::npos;
  }
  TwelveSpecimens specimens_;
};

// t.test(X[g, 7:12], X[g, 1:6], paired = TRUE)$statistic, and multtest 2.54's
// mt.maxT(X[, c(rbind(1:6, 7:12))], rep(0:1, 6), test = "pairt", B = 0): rawp and adjp of 64 sign patterns.
TEST_F(PermutationSchemes, pairs_as_r_and_multtest) {
  Numbers const t{4.8227655300162544, -1.5210685129317372, 5.7302549811557411,
                  3.2286029786421264, 4.3170144737577933,  3.6380432969535565};
  for (Arguments const& more : {Arguments{"--statistic", "paired-t"}, Arguments{}}) {
    Arguments arguments{"--by", "crystals", "--pair", "match"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    auto const object = json(arguments);
    expect_statistics(object, t, 1e-12);
    expect_counts(object, "p", {2, 16, 2, 2, 2, 2}, 64);
    expect_counts(object, "p_step_down", {2, 16, 2, 2, 2, 2}, 64);
    EXPECT_EQ(object.at("observations"), 12);
    EXPECT_EQ(object.at("pairs"), 6);
  }
  auto reversed = json({"--by", "crystals", "--pair", "match", "--reference", "crystals=yes"});
  EXPECT_NEAR(reversed.at("results").at("statistic").at(0), -t[0], 1e-12 * t[0]);
  // The sites have the pairs 1, 2 and 5, 6; the other pairs have members in both.
  auto const apart =
      specimens_.run({"--by", "crystals", "--pair", "match", "--block", "site", "--whole-blocks"});
  EXPECT_EQ(apart.exit_code, 2);
  EXPECT_NE(apart.errors.find("is in two blocks of 'site'"), std::string::npos) << apart.errors;
}

// R. A. Fisher, The Design of Experiments (1935), section 21: of 32,768 sums of Darwin's differences 863 are at least as large
// as the observed one.
TEST(Darwin, as_fisher) {
  auto const table = example::read_csv(std::string(RIFFLE_PERMUTATION_TEST_DATA) + "/darwin.csv");
  std::string data = "height";
  std::string values = "eighths";
  std::string design = "plant,kind,pair\n";
  for (std::size_t row = 0; row < table.rows(); ++row) {
    for (std::string const kind : {"crossed", "selfed"}) {
      auto const plant = kind + table.cell(row, table.column("pair"));
      data += "," + plant;
      values += "," + table.cell(row, table.column(kind));
      design += plant + "," + kind + "," + table.cell(row, table.column("pair")) + "\n";
    }
  }
  TemporaryFolder const folder;
  auto const file = folder.path("darwin.json");
  auto const finished =
      run_riffle_permute({folder.write("darwin.csv", data + "\n" + values + "\n"), "--group",
                          folder.write("design.csv", design) + ":kind", "--pair", "pair",
                          "--reference", "kind=selfed", "--replicates", "32768", "--json", file});
  ASSERT_EQ(finished.exit_code, 0) << finished.errors;
  auto const object = nlohmann::json::parse(read_file(file));
  EXPECT_EQ(object.at("exact"), true);
  EXPECT_EQ(object.at("results").at("extreme").at(0), 2 * 863);
  // R: t.test(crossed, selfed, paired = TRUE)$statistic.
  EXPECT_NEAR(object.at("results").at("statistic").at(0), 2.147987, 5e-7);
}

TEST_F(PermutationSchemes, blocks_of_pairs_change_their_signs_together) {
  auto const design = specimens_.folder().write("blocks.csv",
                                                "g,p,b\na,1,u\na,2,u\na,3,v\na,4,v\na,5,w\na,6,"
                                                "w\nb,1,u\nb,2,u\nb,3,v\nb,4,v\nb,5,w\nb,6,w\n");
  auto const file = specimens_.folder().path("blocks.json");
  auto const finished =
      run_riffle_permute({specimens_.data(), "--group", design + ":g", "--by-order", "--pair", "p",
                          "--block", "b", "--whole-blocks", "--json", file});
  ASSERT_EQ(finished.exit_code, 0) << finished.errors;
  auto const object = nlohmann::json::parse(read_file(file));
  EXPECT_EQ(object.at("arrangements"), 8);
  EXPECT_EQ(object.at("exchanges"), "signs of 3 blocks of b");
}

TEST_F(PermutationSchemes, pairs_with_a_missing_value_are_left_out) {
  auto const data = specimens_.folder().write(
      "gaps.csv", "v,a,b,c,d,e,f,g,h\nx,1,2,NA,4,5,9,7,3\ny,3,1,4,1,5,9,2,6\n");
  auto const design =
      specimens_.folder().write("gaps_design.csv", "g,p\n0,1\n0,2\n0,3\n0,4\n1,1\n1,2\n1,3\n1,4\n");
  Arguments const arguments{data, "--group", design + ":g", "--by-order", "--pair", "p"};
  auto skipping = arguments;
  skipping.emplace_back("--skip-missing");
  auto const skipped = run_riffle_permute(skipping);
  EXPECT_EQ(skipped.exit_code, 0) << skipped.errors;
  for (auto const* words : {"2 variables of 6 observations", "1 pair with a missing value left out",
                            "signs of differences: 8 arrangements"}) {
    EXPECT_NE(skipped.output.find(words), std::string::npos) << words << "\nin\n" << skipped.output;
  }
  auto const kept = run_riffle_permute(arguments);
  EXPECT_NE(kept.output.find("1 variable not tested: missing values (NA)"), std::string::npos)
      << kept.output << kept.errors;
}

// With binary differences, 1.1 - 0.8 and 2.3 - 2.0 would not tie.
TEST(DecimalDifference, has_the_decimals_of_its_numbers) {
  using example::permute::decimal_difference;
  EXPECT_EQ(decimal_difference(1.1, 0.8), 0.3);
  EXPECT_EQ(decimal_difference(2.3, 2.0), 0.3);
  EXPECT_EQ(decimal_difference(100.1, 100), 0.1);
  EXPECT_EQ(decimal_difference(5, 7), -2);
  EXPECT_EQ(decimal_difference(1e-9, 2e-9), -1e-9);
  EXPECT_EQ(decimal_difference(1.0 / 3, 1.0 / 7), 1.0 / 3 - 1.0 / 7);
  EXPECT_EQ(decimal_difference(1e300, 1), 1e300);
  EXPECT_TRUE(std::isnan(decimal_difference(std::nan(""), 1)));
}

// Three pairs of specimens can be labelled in 20 ways. Counted are those with the same number of labels in each site (or with the
// sites swapped) and with |t| at least the observed one, by t.test(var.equal = TRUE).
TEST_F(PermutationSchemes, blocks_in_blocks_as_r) {
  Numbers const inside{1, 2, 1, 1, 1, 1};
  Numbers const of_both{2, 4, 2, 2, 2, 2};
  for (Arguments const& blocks :
       {Arguments{"--block", "site,pair", "--whole-blocks"},
        Arguments{"--block", "site", "--block", "pair", "--exchange", "pair"},
        Arguments{"--block", "site,pair", "--exchange", "observations,pair"}}) {
    Arguments arguments{"--by", "crystals"};
    arguments.insert(arguments.end(), blocks.begin(), blocks.end());
    auto const object = json(arguments);
    expect_counts(object, "p", inside, 9);
    expect_counts(object, "p_step_down", inside, 9);
  }
  auto const object = json({"--by", "crystals", "--block", "site,pair", "--exchange", "site,pair"});
  expect_counts(object, "p", of_both, 18);
  expect_counts(object, "p_step_down", of_both, 18);
  EXPECT_EQ(object.at("exchanges"),
            "2 blocks of site as wholes; 6 blocks of pair as wholes within 2 blocks of site");
  // Site x has 4 of the 6 specimens without crystals.
  EXPECT_EQ(json({"--by", "crystals", "--block", "site"}).at("arrangements"), 225);
}

TEST_F(PermutationSchemes, whole_blocks_and_observations_within_blocks) {
  auto const arrangements = [&](Arguments more) {
    more.insert(more.begin(), {"--by", "alternate"});
    return json(std::move(more)).at("arrangements").get<int>();
  };
  EXPECT_EQ(arrangements({"--block", "half", "--exchange", "half"}), 2);
  EXPECT_EQ(arrangements({"--block", "pair", "--exchange", "observations"}), 64);
  EXPECT_EQ(arrangements({"--block", "pair", "--exchange", "pair,observations"}), 64);
  // Half of the pairs have crystals. There are 20 arrangements of whole pairs, and permutations within pairs change nothing.
  auto const object =
      json({"--by", "crystals", "--block", "pair", "--exchange", "pair,observations"});
  EXPECT_EQ(object.at("arrangements"), 20);
  EXPECT_EQ(object.at("exchanges"),
            "6 blocks of pair as wholes; observations within 6 blocks of pair");
}

// M <- cbind(1, yes, age); E <- lm.fit(cbind(1, age), t(X))$residuals; t of column 2 of lm(s * E ~ M - 1) for all signs s of 12
// observations or 6 pairs: |t| at least the one for E; also of s * E[whole pairs permuted, ] for all 720 * 64.
TEST_F(PermutationSchemes, signs_of_linear_models_as_r) {
  if (!has_linear_models()) GTEST_SKIP() << "built without Eigen";
  auto const of = [&](Arguments more) {
    more.insert(more.begin(), {"--terms", "crystals,age", "--contrast", "crystals[yes]"});
    return json(std::move(more));
  };
  for (Arguments const& signs : {Arguments{"--sign-flips"}, Arguments{"--errors", "symmetric"}}) {
    auto const object = of(signs);
    expect_counts(object, "p", {6, 1010, 6, 28, 4, 2}, 4096);
    expect_counts(object, "p_step_down", {10, 1010, 10, 34, 12, 10}, 4096);
  }
  auto const of_blocks = of({"--sign-flips", "--block", "pair", "--whole-blocks"});
  expect_counts(of_blocks, "p", {4, 20, 2, 4, 2, 2}, 64);
  expect_counts(of_blocks, "p_step_down", {4, 20, 4, 6, 4, 4}, 64);
  EXPECT_EQ(of_blocks.at("exchanges"), "signs of 6 blocks of pair");
  auto const both =
      of({"--errors", "both", "--block", "pair", "--whole-blocks", "--replicates", "46080"});
  expect_counts(both, "p", {2278, 16242, 1838, 2766, 1234, 1006}, 46080);
  EXPECT_EQ(both.at("exchanges"), "6 blocks of pair as wholes, and signs of 6 blocks of pair");
}

// p_value_intervals_test.cpp compares with scipy.stats.beta.ppf(0.025, b, m - b + 1) and isf(0.025, b + 1, m - b).
TEST_F(PermutationSchemes, intervals) {
  Arguments const arguments{"--by", "crystals", "--intervals", "0.95", "--min-p"};
  auto const exact = json(arguments).at("results");
  auto random = arguments;
  random.insert(random.end(), {"--no-enumerate", "--replicates", "999"});
  auto const found = json(random).at("results");
  for (std::string const p :
       {"p", "p_single_step", "p_step_down", "p_single_step_min_p", "p_step_down_min_p"}) {
    for (std::size_t g = 0; g < 6; ++g) {
      EXPECT_EQ(exact.at(p + "_lower").at(g), exact.at(p).at(g));
      EXPECT_EQ(exact.at(p + "_upper").at(g), exact.at(p).at(g));
      EXPECT_LT(found.at(p + "_lower").at(g), found.at(p).at(g)) << p;
      EXPECT_GT(found.at(p + "_upper").at(g), found.at(p).at(g)) << p;
    }
  }
  EXPECT_FALSE(json({"--by", "crystals"}).at("results").contains("p_lower"));
}

}  // namespace example::riffle_permute_schemes_test
