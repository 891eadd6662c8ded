// riffle_permute as users run it, compared with R.
//
// Constants "multtest" are from r-bioc-multtest 2.54: mt.maxT(X, labels, test, side = "abs", B = 0), which evaluates all
// arrangements: teststat, rawp and adjp (step-down). X are the twelve specimens of riffle_permute.hpp.

#include "riffle_permute.hpp"

#include <cmath>

namespace example::riffle_permute_program_test {

using namespace example_test;

using Arguments = std::vector<std::string>;
using Numbers = std::vector<double>;

void expect_near(nlohmann::json const& object, char const* column, Numbers const& wanted,
                 double tolerance = 1e-9) {
  auto const found = object.at("results").at(column).get<Numbers>();
  ASSERT_EQ(found.size(), wanted.size());
  for (std::size_t g = 0; g < wanted.size(); ++g) {
    EXPECT_NEAR(found[g], wanted[g], tolerance) << column << " of variable " << g;
  }
}

Numbers shares(Numbers counts, double total) {
  for (double& count : counts) count /= total;
  return counts;
}

std::string table_of(Arguments arguments, std::string const& file) {
  arguments.insert(arguments.end(), {"--output", file});
  auto const finished = run_riffle_permute(arguments);
  EXPECT_EQ(finished.exit_code, 0) << finished.errors;
  return read_file(file);
}

// multtest, "t.equalvar" and "t" (Welch's), which are equal for two groups of equal size.
TEST(RifflePermuteProgram, two_samples_as_multtest) {
  TwelveSpecimens const specimens;
  for (auto const* statistic : {"t", "welch"}) {
    auto const object = specimens.json({"--by", "crystals", "--statistic", statistic});
    EXPECT_EQ(object.at("exact"), true);
    EXPECT_EQ(object.at("replicates"), 924);
    expect_near(object, "statistic",
                {4.6344869079026223, -1.2997302663727275, 4.8003508276638849, 3.5471356277653117,
                 3.9616394650570008, 3.9445218596321445},
                1e-7);
    expect_near(object, "p", shares({2, 246, 2, 6, 2, 2}, 924));
    expect_near(object, "p_step_down", shares({4, 246, 4, 6, 4, 4}, 924));
    expect_near(object, "extreme", {2, 246, 2, 6, 2, 2});
  }
}

// R: summary(lm(t(X) ~ crystals + age))$coefficients[2, "t value"].
TEST(RifflePermuteProgram, linear_models_as_r) {
  TwelveSpecimens const specimens;
  Arguments const arguments{"--terms", "crystals,age", "--contrast", "crystals[yes]"};
  auto const without = run_riffle_permute({specimens.data(), "--design", specimens.design(),
                                           "--contrast", "crystals[yes]", "--terms", "crystals"});
  if (without.errors.find("need Eigen") != std::string::npos) GTEST_SKIP() << without.errors;
  auto const object = specimens.json(arguments);
  EXPECT_EQ(object.at("exact"), false);
  expect_near(object, "statistic",
              {4.6860230129080493, -1.2011825831878746, 4.5745402239390183, 3.4029182331178989,
               4.0433169753594393, 4.6517053647161291},
              1e-5);
  auto const by_factor = specimens.json({"--terms", "crystals,age", "--term", "crystals"});
  EXPECT_NEAR(by_factor.at("results").at("statistic").at(0),
              4.6860230129080493 * 4.6860230129080493, 1e-4);
  auto const unknown = specimens.run({"--terms", "crystals", "--contrast", "crystals[maybe]"});
  EXPECT_EQ(unknown.exit_code, 2);
  for (auto const* word : {"design.csv", "no column is called 'crystals[maybe]'"}) {
    EXPECT_NE(unknown.errors.find(word), std::string::npos) << unknown.errors;
  }
}

// multtest, "f"; 34,650 arrangements.
TEST(RifflePermuteProgram, f_as_multtest) {
  TwelveSpecimens const specimens;
  auto const object = specimens.json(
      {"--by", "three", "--statistic", "f", "--replicates", "34650", "--threads", "2"});
  EXPECT_EQ(object.at("exact"), true);
  EXPECT_EQ(object.at("arrangements"), 34650);
  expect_near(object, "statistic",
              {0.1659574468085148469, 0.7710977492483971352, 0.0757376246378191620,
               0.0030259471908919721, 0.0296418755447456286, 0.1535201503656765110},
              1e-7);
  expect_near(object, "p_step_down",
              {0.99515151515151512, 0.85385281385281386, 0.99584415584415586, 0.99809523809523815,
               0.99809523809523815, 0.99584415584415586});
}

// R 4.2: cor, wilcox.test and kruskal.test.
TEST(RifflePermuteProgram, statistics_as_r) {
  TwelveSpecimens const specimens;
  auto const of = [&](char const* statistic, char const* by) {
    return specimens.json({"--by", by, "--statistic", statistic, "--replicates", "99"});
  };
  expect_near(of("pearson", "age"), "statistic",
              {-0.3046695410336826, 0.28611904708306329, -0.18314176953649994, 0.0078477111274127,
               -0.34440260665617769, -0.47095097246954026},
              1e-7);
  expect_near(of("spearman", "age"), "statistic",
              {-0.21870338906400645, 0.28671328671328672, -0.0069930069930069939,
               0.16083916083916086, -0.2027972027972028, -0.40559440559440563},
              1e-8);
  expect_near(of("mann-whitney-u", "crystals"), "statistic", {36, 13, 36, 34, 36, 36});
  expect_near(of("kruskal-wallis-h", "three"), "statistic",
              {0.74377224199288539, 2.4615384615384599, 0.34615384615384670, 0.26923076923076650,
               0.26923076923076650, 0.46153846153845990},
              1e-8);
}

TEST(RifflePermuteProgram, exchanges) {
  TwelveSpecimens const specimens;
  auto const arrangements = [&](Arguments more) {
    return specimens.json(std::move(more)).at("arrangements").get<std::uint64_t>();
  };
  EXPECT_EQ(arrangements({"--by", "crystals"}), 924U);
  EXPECT_EQ(arrangements({"--by", "crystals", "--block", "half"}), 400U);
  EXPECT_EQ(arrangements({"--by", "alternate", "--block", "pair", "--pairs"}), 64U);
  EXPECT_EQ(arrangements({"--by", "crystals", "--block", "pair", "--whole-blocks"}), 20U);
  EXPECT_EQ(arrangements({"--statistic", "one-sample-t"}), 4096U);
  EXPECT_EQ(arrangements({"--statistic", "one-sample-t", "--block", "pair", "--whole-blocks"}),
            64U);
}

TEST(RifflePermuteProgram, the_reference_is_subtracted) {
  TwelveSpecimens const specimens;
  for (Arguments const& more :
       {Arguments{"--reference", "crystals=yes"}, Arguments{"--groups", "no,yes"}}) {
    Arguments arguments{"--by", "crystals"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    auto const object = specimens.json(arguments);
    EXPECT_NEAR(object.at("results").at("statistic").at(0), -4.6344869079026223, 1e-7);
    EXPECT_EQ(object.at("groups").at(0).at("name"), "yes");
  }
}

// The counts of permutation_test for the same values: 33 of 35 differences of means, b minus a, are at least as large in
// magnitude, and 16 of 35 are at least as large.
TEST(RifflePermuteProgram, two_sided_equals_permutation_test) {
  TemporaryFolder const folder;
  auto const data = folder.write("few.csv", "v,s1,s2,s3,s4,s5,s6,s7\nx,1,2,9,2,3,4,5\n");
  auto const design = folder.write("design.csv", "s,g\ns1,b\ns2,b\ns3,b\ns4,a\ns5,a\ns6,a\ns7,a\n");
  auto const result = [&](Arguments more) {
    auto const file = folder.path("few.json");
    more.insert(more.begin(), {data, "--group", design + ":g", "--json", file});
    auto const finished = run_riffle_permute(more);
    EXPECT_EQ(finished.exit_code, 0) << finished.errors;
    auto object = nlohmann::json::parse(read_file(file));
    object["report"] = finished.output;
    return object;
  };
  auto const by_magnitude = result({});
  EXPECT_DOUBLE_EQ(by_magnitude.at("results").at("p").at(0), 33.0 / 35);
  EXPECT_GT(by_magnitude.at("results").at("statistic").at(0), 0);
  EXPECT_NE(by_magnitude.at("report").get<std::string>().find("(two-sided by |T|)"),
            std::string::npos);
  auto const doubled = result({"--alternative", "two-sided-doubled", "--intervals", "0.9"});
  for (auto const* p : {"p", "p_single_step", "p_step_down", "p_upper"}) {
    EXPECT_DOUBLE_EQ(doubled.at("results").at(p).at(0), 32.0 / 35) << p;
  }
  EXPECT_EQ(doubled.at("settings").at("alternative"), "two-sided-doubled");
  EXPECT_NE(doubled.at("report").get<std::string>().find("(two-sided by twice the smaller tail)"),
            std::string::npos);
  auto const rejected = run_riffle_permute({data, "--group", design + ":g", "--alternative",
                                            "two-sided-doubled", "--state", folder.path("s.json")});
  EXPECT_EQ(rejected.exit_code, 2);
  EXPECT_NE(rejected.errors.find("it cannot be combined with --state"), std::string::npos)
      << rejected.errors;
}

TEST(RifflePermuteProgram, minimum_of_p_values) {
  TwelveSpecimens const specimens;
  auto const object = specimens.json({"--by", "crystals", "--min-p"});
  auto const& results = object.at("results");
  for (std::size_t g = 0; g < 6; ++g) {
    EXPECT_GE(results.at("p_step_down_min_p").at(g), results.at("p").at(g));
    EXPECT_GE(results.at("p_single_step_min_p").at(g), results.at("p_step_down_min_p").at(g));
  }
}

TEST(RifflePermuteProgram, some_groups_of_many) {
  TwelveSpecimens const specimens;
  auto const object = specimens.json({"--by", "three", "--groups", "a,c"});
  EXPECT_EQ(object.at("observations"), 8);
  EXPECT_EQ(object.at("observations_of_other_groups"), 4);
  EXPECT_EQ(object.at("arrangements"), 70);
}

// The same data as they are, transposed, and separated by tabs.
TEST(RifflePermuteProgram, data_of_either_shape) {
  TwelveSpecimens const specimens;
  auto const wide = example::read_csv(specimens.data());
  std::string text = "sample";
  for (std::size_t row = 0; row < wide.rows(); ++row) text += '\t' + wide.cell(row, 0);
  for (std::size_t column = 1; column < wide.columns().size(); ++column) {
    text += '\n' + wide.columns()[column];
    for (std::size_t row = 0; row < wide.rows(); ++row) text += '\t' + wide.cell(row, column);
  }
  auto const tall = specimens.folder().write("tall.tsv", text);
  auto const first = specimens.folder().path("first.csv");
  auto const second = specimens.folder().path("second.csv");
  auto const group = specimens.design() + ":crystals";
  EXPECT_EQ(table_of({specimens.data(), "--group", group}, first),
            table_of({tall, "--group", group, "--observations-in-rows"}, second));
}

// A file of R's write.table, whose header has one cell less.
TEST(RifflePermuteProgram, a_header_without_the_corner_and_a_design_by_order) {
  TemporaryFolder const folder;
  auto const data =
      folder.write("d.csv", "a,b,c,d,e,f\nx,1,2,3,5,7,9\n\"y,\"\"z\"\"\",1,1,2,1,1,2\n");
  auto const design = folder.write("g.csv", "g\n0\n0\n0\n1\n1\n1\n");
  auto const table =
      table_of({data, "--group", design + ":g", "--by-order"}, folder.path("out.csv"));
  EXPECT_EQ(table.substr(0, table.find('\n')),
            "variable,statistic,p,p_single_step,p_step_down,p_false_discovery,extreme,not_tested");
  EXPECT_NE(table.find("\nx,"), std::string::npos) << table;
  EXPECT_NE(table.find("\n\"y,\"\"z\"\"\","), std::string::npos) << table;
}

TEST(RifflePermuteProgram, missing_values) {
  TemporaryFolder const folder;
  auto const data =
      folder.write("d.csv", "v,a,b,c,d,e,f\nx,1,2,3,5,7,9\ny,NA,1,2,4,,2\nz,3,3,3,3,3,3\n");
  auto const design = folder.write("g.csv", "g\n0\n0\n0\n1\n1\n1\n");
  auto const table =
      table_of({data, "--group", design + ":g", "--by-order"}, folder.path("out.csv"));
  EXPECT_NE(table.find("\ny,NA,NA,NA,NA,NA,NA,missing values\n"), std::string::npos) << table;
  EXPECT_NE(table.find("\nz,NA,NA,NA,NA,NA,NA,constant\n"), std::string::npos) << table;
  // With one variable, adjusted p-values equal the unadjusted one: 2 of 20.
  EXPECT_NE(table.find(",0.1,0.1,0.1,0.1,2,\n"), std::string::npos) << table;
  auto const skipped = table_of({data, "--group", design + ":g", "--by-order", "--skip-missing"},
                                folder.path("out.csv"));
  EXPECT_EQ(skipped.find("missing"), std::string::npos) << skipped;
}

// A constant, and a function of the nuisance variables: all other results are unchanged.
TEST(RifflePermuteProgram, variables_that_are_not_tested) {
  TwelveSpecimens const specimens;
  TemporaryFolder const folder;
  auto const text = read_file(specimens.data());
  auto const header = text.find('\n') + 1;
  auto const file = folder.write(
      "more.csv", text.substr(0, header) +
                      "same,7.1,7.1,7.1,7.1,7.1,7.1,7.1,7.1,7.1,7.1,7.1,7.1\n" +
                      text.substr(header) + "aged,63,91,55,105,77,121,83,59,111,97,73,67\n");
  auto const json = folder.path("result.json");
  for (std::string const method :
       {"", "freedman-lane", "ter-braak", "manly", "draper-stoneman", "still-white"}) {
    SCOPED_TRACE(method);
    Arguments arguments{"--seed", "4", "--min-p"};
    if (method.empty()) {
      arguments.insert(arguments.end(), {"--by", "crystals"});
    } else {
      arguments.insert(arguments.end(), {"--contrast", "crystals[yes]", "--terms", "crystals,age",
                                         "--nuisance", method});
    }
    Arguments with_more{file, "--design", specimens.design(), "--json", json};
    with_more.insert(with_more.end(), arguments.begin(), arguments.end());
    auto const finished = run_riffle_permute(with_more);
    if (finished.errors.find("need Eigen") != std::string::npos) continue;
    ASSERT_EQ(finished.exit_code, 0) << finished.errors;
    auto const expected = specimens.json(arguments);
    auto const found = nlohmann::json::parse(read_file(json));
    bool const has_nuisance = !method.empty();
    EXPECT_EQ(found.at("variables_tested"), has_nuisance ? 6 : 7);
    EXPECT_EQ(found.at("variables_not_tested").at("constant"), 1);
    EXPECT_NE(finished.output.find("1 variable not tested: constant (NA)"), std::string::npos);
    auto const& results = found.at("results");
    EXPECT_EQ(results.at("not_tested").at(0), "constant");
    EXPECT_EQ(results.at("not_tested").at(1), nlohmann::json());
    if (!has_nuisance) continue;
    EXPECT_EQ(results.at("not_tested").at(7), "explained by the nuisance");
    for (auto const& [name, values] : results.items()) {
      SCOPED_TRACE(name);
      if (name == "not_tested" || name == "variable") continue;
      EXPECT_EQ(values.at(0), nlohmann::json());
      EXPECT_EQ(values.at(7), nlohmann::json());
      for (std::size_t g = 0; g < 6; ++g) {
        EXPECT_EQ(values.at(g + 1), expected.at("results").at(name).at(g));
      }
    }
  }
}

// Data of R's boot: 79 specimens, two of which have a missing value. The statistic is Welch's t by t.test.
TEST(RifflePermuteProgram, the_data_it_comes_with) {
  auto const finished =
      run_riffle_permute({permute_data_file("urine.csv"), "--observations-in-rows", "--group",
                          permute_data_file("urine_design.csv") + ":crystals", "--skip-missing",
                          "--statistic", "welch"});
  EXPECT_EQ(finished.exit_code, 0) << finished.errors;
  for (auto const* words :
       {"6 variables of 77 observations", "2 observations with a missing value left out",
        "'no' 44, 'yes' 33", "rows matched by name", "statistics per second", "step-down max-T"}) {
    EXPECT_NE(finished.output.find(words), std::string::npos) << words << '\n' << finished.output;
  }
}

TEST(RifflePermuteProgram, neither_threads_nor_batches_change_a_bit) {
  TwelveSpecimens const specimens;
  auto const table = [&](Arguments more) {
    more.insert(more.begin(),
                {specimens.data(), "--group", specimens.design() + ":crystals", "--no-enumerate"});
    return table_of(more, specimens.folder().path("out.csv"));
  };
  auto const once = table({"--seed", "5"});
  EXPECT_EQ(table({"--seed", "5", "--threads", "1", "--batch", "700"}), once);
  EXPECT_NE(table({"--seed", "6"}), once);
}

TEST(RifflePermuteProgram, simulates) {
  TemporaryFolder const folder;
  auto const data = folder.path("expression.csv");
  auto const design = folder.path("design.csv");
  EXPECT_EQ(run_riffle_permute({"--simulate", "200,16,7,10", "--output", data, "--design", design})
                .exit_code,
            0);
  // std::mt19937_64 is the same everywhere; the last decimals depend on the mathematical library.
  auto const table = example::read_csv(data);
  EXPECT_EQ(table.rows(), 200U);
  EXPECT_EQ(table.columns()[16], "treated_8");
  EXPECT_NEAR(table.number(0, 1), 10.53320, 2e-5);
  EXPECT_EQ(run_riffle_permute({"--simulate", "200,16,7,10"}).output, read_file(data));
  auto const finished = run_riffle_permute({data, "--group", design + ":group"});
  EXPECT_EQ(finished.exit_code, 0) << finished.errors;
}

TEST(RifflePermuteProgram, picture) {
  if (!has_gnuplot()) GTEST_SKIP() << "no gnuplot here";
  TwelveSpecimens const specimens;
  auto const file = specimens.folder().path("p.svg");
  EXPECT_EQ(specimens.run({"--by", "crystals", "--plot", file}).exit_code, 0);
  auto const svg = read_file(file);
  for (auto const* words : {"<svg", "gravity", "all 924 arrangements", "</svg>"}) {
    EXPECT_NE(svg.find(words), std::string::npos) << words;
  }
}

// Options that may be repeated must not take the file as another value.
TEST(RifflePermuteProgram, the_data_file_may_come_last) {
  TwelveSpecimens const specimens;
  auto const finished =
      run_riffle_permute({"--group", specimens.design() + ":crystals", "--block", "half",
                          "--reference", "crystals=yes", specimens.data()});
  EXPECT_EQ(finished.exit_code, 0) << finished.errors;
}

TEST(RifflePermuteProgram, help_has_80_columns) {
  std::istringstream help(run_riffle_permute({"--help"}).output);
  for (std::string line; std::getline(help, line);) EXPECT_LE(line.size(), 80U) << line;
}

TEST(RifflePermuteProgram, help_and_version) {
  EXPECT_NE(run_riffle_permute({"--help"}).output.find("--whole-blocks"), std::string::npos);
  EXPECT_NE(run_riffle_permute({"--version"}).output.find("riffle_permute of Riffle"),
            std::string::npos);
}

// The columns of interest are permuted against the others; the observed t is R's lm's, as with the other methods.
TEST(RifflePermuteProgram, draper_and_stoneman) {
  TwelveSpecimens const specimens;
  Arguments arguments{"--terms", "crystals,age", "--contrast", "crystals[yes]"};
  auto const by_default = specimens.json(arguments);
  arguments.insert(arguments.end(), {"--nuisance", "draper-stoneman"});
  auto const object = specimens.json(arguments);
  expect_near(object, "statistic", by_default.at("results").at("statistic").get<Numbers>(), 1e-6);
  EXPECT_NE(object.at("results").at("p"), by_default.at("results").at("p"));
}

// With --missing leave-value-out, a variable with a missing value has the statistic of a file without that observation.
TEST(RifflePermuteProgram, values_that_are_missing) {
  TwelveSpecimens const specimens;
  std::string const header = "variable,s02,s03,s04,s05,s06,s07,s46,s47,s48,s49,s50,s51\n";
  std::string const gap = "calc,4.49,,2.15,1.16,3.34,1.4,6.96,13,5.54,6.19,7.31,14.34\n";
  std::string const whole = "ph,5.74,7.2,5.51,6.52,5.27,5.62,5.94,5.77,5.6,5.53,5.36,5.16\n";
  TemporaryFolder const folder;
  auto const both = folder.write("both.csv", header + gap + whole);
  auto const alone = folder.write("alone.csv", header + gap);
  auto const json = folder.path("result.json");
  auto const run = [&](std::string const& data, Arguments more) {
    Arguments arguments{data,          "--design", specimens.design(), "--by", "crystals",
                        "--statistic", "welch",    "--json",           json};
    arguments.insert(arguments.end(), more.begin(), more.end());
    auto const finished = run_riffle_permute(arguments);
    EXPECT_EQ(finished.exit_code, 0) << finished.errors;
    return nlohmann::json::parse(read_file(json));
  };
  auto const found = run(both, {"--missing", "leave-value-out"});
  auto const expected = run(alone, {"--skip-missing"});
  EXPECT_DOUBLE_EQ(found.at("results").at("statistic")[0].get<double>(),
                   expected.at("results").at("statistic")[0].get<double>());
  EXPECT_NE(found.at("results").at("p")[0], nlohmann::json());
  EXPECT_EQ(run(both, {}).at("results").at("p")[0], nlohmann::json());
}

TEST(RifflePermuteProgram, results_go_to_standard_output) {
  TwelveSpecimens const specimens;
  auto const file = specimens.folder().path("table.csv");
  auto const json = specimens.run({"--by", "crystals", "--output", file, "--json", "-"});
  EXPECT_EQ(json.exit_code, 0) << json.errors;
  EXPECT_EQ(nlohmann::json::parse(json.output).at("exact"), true);
  auto const table = specimens.run({"--by", "crystals", "--output", "-"});
  EXPECT_EQ(table.exit_code, 0) << table.errors;
  EXPECT_EQ(table.output, read_file(file));
  auto const both = specimens.run({"--by", "crystals", "--output", "-", "--json", "-"});
  EXPECT_EQ(both.exit_code, 2);
  EXPECT_EQ(both.errors, "riffle_permute: --json '-' is standard output, which is also --output\n");
  EXPECT_EQ(both.output, "");
}

TEST(RifflePermuteProgram, one_input_comes_from_standard_input) {
  TwelveSpecimens const specimens;
  auto const data = read_file(specimens.data());
  auto const design = read_file(specimens.design());
  auto const run = [](std::vector<std::string> arguments, std::string const& input) {
    arguments.insert(arguments.end(), {"--by", "crystals", "--output", "-"});
    return run_riffle_permute(arguments, input);
  };
  auto const expected = run({specimens.data(), "--design", specimens.design()}, "");
  EXPECT_EQ(expected.exit_code, 0) << expected.errors;
  EXPECT_NE(expected.output.find("osmo"), std::string::npos);
  for (auto const& found : {run({"-", "--design", specimens.design()}, data),
                            run({specimens.data(), "--design", "-"}, design)}) {
    EXPECT_EQ(found.exit_code, 0) << found.errors;
    EXPECT_EQ(found.output, expected.output);
  }
  auto const bad = run({specimens.data(), "--design", "-"}, "sample,crystals\ns02\n");
  EXPECT_EQ(bad.exit_code, 2);
  EXPECT_NE(bad.errors.find("standard input: line 2"), std::string::npos) << bad.errors;
  auto const both = run({"-", "--design", "-"}, data + design);
  EXPECT_EQ(both.exit_code, 2);
  EXPECT_EQ(both.errors, "riffle_permute: --design '-' is standard input, which is also FILE\n");
  EXPECT_EQ(both.output, "");
}

// A pipe passes the counts of one call to the next, which adds replicates.
TEST(RifflePermuteProgram, states_come_from_and_go_to_standard_streams) {
  TwelveSpecimens const specimens;
  auto const run = [&](std::vector<std::string> arguments, std::string const& input = {}) {
    arguments.insert(arguments.begin(), {specimens.data(), "--design", specimens.design(), "--by",
                                         "crystals", "--no-enumerate"});
    return run_riffle_permute(arguments, input);
  };
  auto const expected = run({"--replicates", "999", "--output", "-"});
  EXPECT_EQ(expected.exit_code, 0) << expected.errors;
  auto const state = run({"--replicates", "500", "--state", "-"});
  EXPECT_EQ(state.exit_code, 0) << state.errors;
  EXPECT_EQ(nlohmann::json::parse(state.output).at("kind"), "riffle_permute state 2");
  auto const resumed = run({"--replicates", "999", "--resume", "-", "--output", "-"}, state.output);
  EXPECT_EQ(resumed.exit_code, 0) << resumed.errors;
  EXPECT_EQ(resumed.output, expected.output);
  auto const changed = run({"--resume", "-"}, state.output + " ");
  EXPECT_EQ(changed.exit_code, 2);
  EXPECT_NE(changed.errors.find("standard input: this is not a state file"), std::string::npos)
      << changed.errors;
  auto const both = run({"--state", "-", "--output", "-"});
  EXPECT_EQ(both.exit_code, 2);
  EXPECT_EQ(both.errors,
            "riffle_permute: --state '-' is standard output, which is also --output\n");
}

TEST(RifflePermuteProgram, infinities_keep_their_signs_in_json) {
  TemporaryFolder const folder;
  auto const data =
      folder.write("data.csv", "v,a,b,c,d\nup,1,1,2,2\ndown,2,2,1,1\nmixed,1,2,1,3\n");
  auto const design = folder.write("design.csv", "o,g\na,x\nb,x\nc,y\nd,y\n");
  auto const finished = run_riffle_permute({data, "--group", design + ":g", "--json", "-"});
  EXPECT_EQ(finished.exit_code, 0) << finished.errors;
  auto const statistic = nlohmann::json::parse(finished.output).at("results").at("statistic");
  EXPECT_EQ(statistic[0], "Infinity");
  EXPECT_EQ(statistic[1], "-Infinity");
  EXPECT_TRUE(statistic[2].is_number());
}

// Counted in rational arithmetic: 206 of 5040. If the covariate were rounded to 26 bits, only its outlier would remain.
TEST(RifflePermuteProgram, a_covariate_with_an_outlier) {
  TemporaryFolder const folder;
  auto const design = folder.write("design.csv",
                                   "s,c\ns0,53.89314969390831\ns1,38.62296301837606\n"
                                   "s2,36.9027948149285\ns3,53.30586234525971\n"
                                   "s4,52.060207670437514\ns5,51.59727199994864\n"
                                   "s6,30.628992583906516\n");
  auto const data = folder.write(
      "data.csv", "v,s0,s1,s2,s3,s4,s5,s6\ng,63.0,33.1,97.3,54.2,47.0,38.4,5000000000.0\n");
  auto const file = folder.path("tests.json");
  auto const finished = run_riffle_permute(
      {data, "--group", design + ":c", "--statistic", "pearson", "--json", file});
  ASSERT_EQ(finished.exit_code, 0) << finished.errors;
  EXPECT_NE(finished.output.find("all 5,040 arrangements: exact"), std::string::npos)
      << finished.output;
  auto const object = nlohmann::json::parse(read_file(file));
  EXPECT_EQ(object.at("exact"), true);
  EXPECT_EQ(object.at("enumerated"), true);
  for (auto const* column : {"p", "p_single_step", "p_step_down"}) {
    expect_near(object, column, {206 / 5040.}, 1e-12);
  }
}

// Thirds are not decimals: sums of six thirds that tie exactly differ as doubles.
TEST(RifflePermuteProgram, uncertain_comparisons_are_not_called_exact) {
  TemporaryFolder const folder;
  auto const design = folder.write("design.csv", "s,g\na,y\nb,y\nc,y\nd,x\ne,x\nf,x\ng,x\n");
  auto const data = folder.write(
      "data.csv",
      "v,a,b,c,d,e,f,g\nthirds,0.3333333333333333,1.3333333333333333,1.6666666666666667,0,"
      "0.6666666666666666,2.3333333333333335,2.6666666666666665\nwhole,1,4,5,0,2,7,8\n");
  auto const file = folder.path("tests.json");
  auto const finished = run_riffle_permute({data, "--group", design + ":g", "--reference", "g=x",
                                            "--alternative", "less", "--json", file});
  ASSERT_EQ(finished.exit_code, 0) << finished.errors;
  EXPECT_NE(finished.output.find(
                "exact up to rounding, with up to 2 uncertain arrangements in 1 variable"),
            std::string::npos)
      << finished.output;
  auto const object = nlohmann::json::parse(read_file(file));
  EXPECT_EQ(object.at("exact"), false);
  EXPECT_EQ(object.at("enumerated"), true);
  EXPECT_EQ(object.at("results").at("uncertain"), (std::vector<std::uint64_t>{2, 0}));
  expect_near(object, "p", {14 / 35., 14 / 35.}, 1e-12);
}

}  // namespace example::riffle_permute_program_test
