// Invalid input: one line on standard error that names the error and its place, nothing written, exit code 2.

#include <algorithm>

#include "riffle_permute.hpp"

namespace example::riffle_permute_bad_input_test {

using namespace example_test;

using Arguments = std::vector<std::string>;

void expect_error(Arguments arguments, std::vector<std::string> const& words) {
  TemporaryFolder const folder;
  auto const output = folder.path("out.csv");
  arguments.insert(arguments.end(), {"--output", output});
  auto const finished = run_riffle_permute(arguments);
  EXPECT_EQ(finished.exit_code, 2);
  EXPECT_EQ(finished.output, "");
  EXPECT_EQ(std::count(finished.errors.begin(), finished.errors.end(), '\n'), 1) << finished.errors;
  EXPECT_EQ(finished.errors.rfind("riffle_permute: ", 0), 0U) << finished.errors;
  EXPECT_FALSE(std::filesystem::exists(output));
  for (auto const& word : words) {
    EXPECT_NE(finished.errors.find(word), std::string::npos) << word << "\nin\n" << finished.errors;
  }
}

class BadInput : public ::testing::Test {
 protected:
  void expect_error_for(Arguments more, std::vector<std::string> const& words) const {
    more.insert(more.begin(), {specimens_.data(), "--design", specimens_.design()});
    expect_error(more, words);
  }
  void expect_error_for_data(std::string const& text, std::vector<std::string> const& words) const {
    auto const file = specimens_.folder().write("bad.csv", text);
    expect_error({file, "--design", specimens_.design(), "--by", "crystals"}, words);
  }
  void expect_error_for_design(std::string const& text,
                               std::vector<std::string> const& words) const {
    auto const file = specimens_.folder().write("bad_design.csv", text);
    expect_error({specimens_.data(), "--design", file, "--by", "g"}, words);
  }
  TwelveSpecimens specimens_;
};

TEST_F(BadInput, data) {
  expect_error_for_data("", {"bad.csv: the file is empty"});
  expect_error_for_data("v,s02,s03\n", {"bad.csv: no rows below the header"});
  expect_error_for_data("v,s02,s03\nx,1,abc\n",
                        {"bad.csv: line 2, column 's03': 'abc' is not a number"});
  expect_error_for_data("v,s02,s03\nx,1,inf\n",
                        {"line 2, column 's03': 'inf' is not a finite number"});
  expect_error_for_data("v,s02,s03\nx,1,2\ny,1\n", {"line 3: 2 cells, but the header has 3"});
  expect_error_for_data("v,s02,s02\nx,1,2\n", {"two observations have the name 's02'"});
  expect_error_for_data("v,s02,s03\n,1,2\n", {"line 2: the row has no name"});
  expect_error_for_data("v,s02,s03\nx,1,\"2\n",
                        {"line 2: a quote (\") opens here and is never closed"});
  expect_error_for_data("v,s02,s03,s46,s47\nx,1,NA,3,4\n",
                        {"every variable has a missing value", "--skip-missing"});
  expect_error({"none.csv", "--design", specimens_.design(), "--by", "crystals"},
               {"none.csv: No such file or directory"});
}

TEST_F(BadInput, design) {
  expect_error_for_design("g\na\nb\n",
                          {"bad_design.csv: no name in the first column, 'g'", "data.csv"});
  expect_error_for_design("sample,g\ns02,a\ns03,b\n",
                          {"observation 's04' of ", "data.csv has no row"});
  expect_error_for_design("sample,g\ns02,a\ns02,b\n", {"line 3: two rows have the name 's02'"});
  expect_error_for_design("sample,g\ns02,a\nNA,b\n",
                          {"line 3, column 'sample': 'NA' is a missing value"});
  expect_error_for({"--by", "none"}, {"design.csv: no column 'none'", "'crystals'"});
  expect_error_for({"--by", "three"}, {"3 groups ('a', 'b', 'c')", "--groups", "--statistic f"});
  expect_error_for({"--by", "age", "--statistic", "f"},
                   {"column 'age' has 12 groups of 12 observations"});
  expect_error_for({"--by", "crystals", "--groups", "yes"}, {"only one group, 'yes'"});
  expect_error_for({"--by", "crystals", "--groups", "yes,maybe"},
                   {"no group 'maybe'", "'no', 'yes'"});
  expect_error_for({"--by", "crystals", "--reference", "crystals=maybe"},
                   {"no such level", "'no', 'yes'"});
  expect_error_for({"--by", "crystals", "--reference", "age=3"}, {"no column 'age' is used"});
  expect_error_for({"--by", "crystals", "--statistic", "pearson"},
                   {"design.csv: line 13, column 'crystals': 'no' is not a number"});
}

// The message must not have names of C++.
TEST_F(BadInput, without_names_of_functions) {
  std::string design = "sample,one,two\n";
  for (auto const* number :
       {"02", "03", "04", "05", "06", "07", "46", "47", "48", "49", "50", "51"}) {
    design += std::string("s") + number + ",7," + number + "\n";
  }
  auto const file = specimens_.folder().write("constant.csv", design);
  for (auto const* statistic : {"pearson", "spearman"}) {
    auto const finished = run_riffle_permute(
        {specimens_.data(), "--design", file, "--by", "one", "--statistic", statistic});
    EXPECT_EQ(finished.errors, "riffle_permute: " + file +
                                   ": column 'one' is constant, so a correlation with it is not "
                                   "defined\n");
  }
  auto const of_model = run_riffle_permute({specimens_.data(), "--design", file, "--term", "no"});
  EXPECT_EQ(of_model.exit_code, 2);
  EXPECT_EQ(of_model.errors.find("riffle::"), std::string::npos) << of_model.errors;
}

TEST_F(BadInput, blocks) {
  expect_error_for({"--by", "crystals", "--whole-blocks"}, {"--whole-blocks needs --block COLUMN"});
  expect_error_for({"--by", "crystals", "--block", "three", "--pairs"},
                   {"design.csv: lines 4, 7, 10 and 13, column 'three'",
                    "pair 'a' has 4 members: it must have 2"});
  expect_error_for({"--by", "crystals", "--block", "age", "--pairs"},
                   {"column 'age'", "has 1 member:"});
  expect_error_for({"--statistic", "one-sample-t", "--block", "pair"},
                   {"--block needs --whole-blocks"});
  expect_error_for({"--by", "crystals", "--block", "pair,none"}, {"design.csv: no column 'none'"});
  expect_error_for({"--by", "crystals", "--block", "pair,pair"}, {"--block names 'pair' twice"});
  expect_error_for({"--by", "crystals", "--block", "pair,"},
                   {"--block 'pair,'", "a name is empty"});
  expect_error_for(
      {"--by", "crystals", "--block", "pair", "--exchange", "half"},
      {"--exchange 'half'", "'half' is neither a column of --block ('pair') nor 'observations'"});
  expect_error_for({"--by", "crystals", "--block", "pair", "--exchange", "pair", "--whole-blocks"},
                   {"--exchange and --whole-blocks"});
  expect_error_for({"--by", "crystals", "--block", "pair", "--block", "half"},
                   {"no permutation changes what is compared"});
}

// Pairs with one subject and one arm: the covariate differs within pairs, but that does not permute the arms.
TEST_F(BadInput, schemes_that_do_not_change_what_is_tested) {
  auto const finished =
      specimens_.run({"--contrast", "age", "--terms", "age", "--replicates", "9"});
  if (finished.errors.find("need Eigen") != std::string::npos) return;
  std::vector<std::string> const by_pairs{"--terms", "crystals,age", "--block", "pair"};
  auto const expect_error_for_model = [&](std::vector<std::string> more,
                                          std::vector<std::string> const& words) {
    more.insert(more.end(), by_pairs.begin(), by_pairs.end());
    expect_error_for(more, words);
  };
  std::string const none = "no permutation changes what is compared: apart from nuisance";
  expect_error_for_model({"--contrast", "crystals[yes]"}, {"data.csv", none});
  expect_error_for_model({"--contrast", "crystals[yes]", "--pairs"}, {none});
  expect_error_for_model({"--term", "crystals"}, {none});
  expect_error_for_model({"--contrast", "crystals[yes]", "--contrast", "age"},
                         {"permutations change 1 of the 2 tested columns"});
  expect_error_for({"--contrast", "intercept", "--terms", "age"}, {none});
  EXPECT_EQ(specimens_.run({"--contrast", "intercept", "--terms", "age", "--sign-flips"}).exit_code,
            0);
  EXPECT_EQ(specimens_
                .run({"--contrast", "crystals[yes]", "--terms", "crystals,age", "--block", "pair",
                      "--whole-blocks"})
                .exit_code,
            0);
}

TEST_F(BadInput, blocks_that_are_not_alike) {
  auto const expect_error_for_blocks = [&](std::string const& text, std::string const& rule,
                                           std::vector<std::string> const& words) {
    auto const file = specimens_.folder().write("blocks.csv", text);
    expect_error({specimens_.data(), "--group", file + ":g", "--by-order", "--block", "a,b",
                  "--exchange", rule},
                 words);
  };
  std::string const text =
      "g,a,b\n0,u,1\n0,u,1\n1,u,2\n1,u,2\n0,u,3\n0,v,1\n1,v,1\n0,v,2\n1,v,2\n0,v,3\n0,v,3\n1,v,3\n";
  expect_error_for_blocks(
      text, "b",
      {"blocks.csv: line 6, column 'b': the blocks '1' and '3' cannot be exchanged as "
       "wholes: they have 2 and 1 observations"});
  expect_error_for_blocks(
      text, "a",
      {"blocks.csv: line 7, column 'a': the blocks 'u' and 'v' cannot be exchanged as "
       "wholes: they are divided differently by 'b'"});
}

TEST_F(BadInput, pairs) {
  auto const expect_error_for_pairs = [&](std::string const& text,
                                          std::vector<std::string> const& words) {
    auto const data = specimens_.folder().write("pairs.csv", "v,a,b,c,d\nx,1,2,3,5\n");
    auto const design = specimens_.folder().write("pairs_design.csv", text);
    expect_error({data, "--group", design + ":g", "--pair", "p"}, words);
  };
  std::string const place = "pairs_design.csv: ";
  expect_error_for_pairs(
      "s,g,p\na,0,1\nb,1,1\nc,0,2\nd,1,three\n",
      {place + "line 4, column 'p': the pair '2' has 1 member: it must have 2, one of each "
               "group ('0', '1')"});
  expect_error_for_pairs(
      "s,g,p\na,0,1\nb,1,1\nc,0,2\nd,1,1\n",
      {place + "lines 2, 3 and 5, column 'p': the pair '1' has 3 members: it must have 2"});
  expect_error_for_pairs(
      "s,g,p\na,0,1\nb,0,1\nc,1,2\nd,1,2\n",
      {place + "lines 2 and 3, column 'p': the pair '1' has two members of the group '0'"});
  expect_error_for_pairs("s,g,p\na,0,1\nb,1,\nc,0,2\nd,1,2\n",
                         {place + "line 3, column 'p': the cell is empty"});
  expect_error_for_pairs(
      "s,g,p\na,0,1\nb,1,1\nc,0,2\nd,2,2\n",
      {"3 groups ('0', '1', '2') where paired-t compares two: choose two with --groups"});
  expect_error_for({"--by", "crystals", "--statistic", "paired-t"},
                   {"paired-t needs --pair COLUMN"});
  expect_error_for({"--by", "crystals", "--pair", "match", "--statistic", "welch"},
                   {"--pair needs --statistic paired-t", "--block COLUMN --pairs"});
  expect_error_for({"--contrast", "age", "--pair", "match"}, {"--pair needs --statistic paired-t"});
  expect_error_for({"--pair", "match"}, {"nothing to compare"});
  expect_error_for({"--by", "crystals", "--pair", "none"}, {"design.csv: no column 'none'"});
}

// The results of the long computation must not be lost.
TEST_F(BadInput, a_disk_that_is_full) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
  auto const state = specimens_.folder().path("kept.json");
  auto const resumed = specimens_.folder().path("resumed.csv");
  Arguments const arguments{"--by", "crystals", "--state", state};
  auto full = arguments;
  full.insert(full.end(), {"--output", "/dev/full"});
  auto const finished = specimens_.run(full);
  EXPECT_EQ(finished.exit_code, 1);
  for (std::string const& words :
       {std::string("/dev/full: cannot be written"), "--resume " + state}) {
    EXPECT_NE(finished.errors.find(words), std::string::npos) << finished.errors;
  }
  auto more = arguments;
  more.insert(more.end(), {"--resume", state, "--output", resumed});
  EXPECT_EQ(specimens_.run(more).exit_code, 0);
  EXPECT_TRUE(std::filesystem::exists(resumed));
}

// The other results are written, and the counts are saved under a default name.
TEST_F(BadInput, one_result_that_cannot_be_written) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
  auto const& folder = specimens_.folder();
  auto const once = folder.path("once.csv");
  ASSERT_EQ(specimens_.run({"--by", "crystals", "--output", once}).exit_code, 0);
  auto const table = folder.path("table.csv");
  auto const taken = folder.write("table.csv.state.json", "of another run");
  for (auto const* option : {"--json", "--state"}) {
    auto const finished =
        specimens_.run({"--by", "crystals", "--output", table, option, "/dev/full"});
    EXPECT_EQ(finished.exit_code, 1);
    EXPECT_EQ(std::count(finished.errors.begin(), finished.errors.end(), '\n'), 2);
    EXPECT_NE(finished.output.find("p <= 0.05"), std::string::npos);
    EXPECT_EQ(read_file(table), read_file(once));
    EXPECT_EQ(read_file(taken), "of another run");
    auto const state = table + ".state-2.json";
    EXPECT_NE(finished.errors.find("the counts are saved in " + state), std::string::npos)
        << finished.errors;
    auto const resumed = folder.path("resumed.csv");
    EXPECT_EQ(
        specimens_.run({"--by", "crystals", "--output", resumed, "--resume", state}).exit_code, 0);
    EXPECT_EQ(read_file(resumed), read_file(once));
    std::filesystem::remove(state);
  }
}

TEST_F(BadInput, an_incomplete_picture) {
  auto const& folder = specimens_.folder();
  auto const gnuplot = folder.write("gnuplot",
                                    "#!/bin/sh\nread first\ncase $first in\n'set print'*) echo svg "
                                    ";;\n*) echo '<svg>' ;;\nesac\n");
  std::filesystem::permissions(gnuplot, std::filesystem::perms::owner_all);
  ScopedEnvironment const path("PATH", folder.path("").c_str());
  auto const table = folder.path("table.csv");
  auto const picture = folder.path("p.svg");
  auto const finished = specimens_.run({"--by", "crystals", "--output", table, "--plot", picture});
  EXPECT_EQ(finished.exit_code, 1);
  EXPECT_NE(finished.errors.find("p.svg: gnuplot cannot draw it"), std::string::npos)
      << finished.errors;
  EXPECT_NE(finished.errors.find("the counts are saved in " + table + ".state.json"),
            std::string::npos);
  EXPECT_TRUE(std::filesystem::exists(table));
  EXPECT_FALSE(std::filesystem::exists(picture));
  EXPECT_NE(finished.output.find("p <= 0.05"), std::string::npos);
}

TEST_F(BadInput, one_file_of_two_names) {
  auto const& folder = specimens_.folder();
  auto const design = read_file(specimens_.design());
  expect_error_for({"--by", "crystals", "--json", folder.path("./design.csv")},
                   {"would overwrite an input"});
  expect_error_for({"--by", "crystals", "--json", folder.path("x.csv"), "--plot",
                    folder.path("./x.svg"), "--state", folder.path("./x.csv")},
                   {"--state", "is the same file as --json"});
  EXPECT_EQ(read_file(specimens_.design()), design);
  auto const both = folder.path("both.csv");
  auto const finished =
      run_riffle_permute({"--simulate", "3,6,1,0", "--output", both, "--design", both});
  EXPECT_EQ(finished.exit_code, 2);
  EXPECT_FALSE(std::filesystem::exists(both));
}

TEST_F(BadInput, options) {
  expect_error_for({}, {"nothing to compare"});
  expect_error_for({"--by", "crystals", "--nonsense"}, {"--nonsense"});
  expect_error_for({"--by", "crystals", "--replicates", "0"}, {"--replicates '0'", "at least 1"});
  expect_error_for({"--by", "crystals", "--replicates", "1e13"},
                   {"--replicates '1e13'", "1,000,000,000"});
  expect_error_for({"--by", "crystals", "--statistic", "mean"},
                   {"--statistic 'mean'", "kruskal-wallis-h"});
  expect_error_for({"--by", "three", "--statistic", "f", "--alternative", "less"}, {"one tail"});
  expect_error_for({"--by", "crystals", "--contrast", "age"}, {"--by"});
  expect_error_for({"--contrast", "age", "--statistic", "t"},
                   {"--statistic cannot be combined with --contrast"});
  expect_error_for({"--by", "crystals", "--nuisance", "manly"},
                   {"--contrast or --term is required"});
  expect_error_for({"--by", "crystals", "--plot", "p.jpg"}, {"p.jpg", ".svg, .png, .pdf"});
  expect_error_for({"--by", "crystals", "--json", "no/such/folder/x"}, {"no/such/folder/x"});
  expect_error_for({"--by", "crystals", "--json", specimens_.data()}, {"would overwrite an input"});
  for (auto const* option : {"--state", "--resume", "--json", "--plot"}) {
    expect_error_for({"--by", "crystals", option, ""}, {option, "a value is required"});
  }
  expect_error_for({"--by", "crystals", "--threads", "20000"},
                   {"--threads '20000'", "from 1 to 512"});
  expect_error_for({"--by", "crystals", "--kokkos-num-threads=4294967297"}, {"from 1 to 512"});
  expect_error_for({"--by", "crystals", "--intervals", "95"},
                   {"--intervals '95'", "between 0 and 1"});
  expect_error_for({"--by", "crystals", "--intervals", "high"},
                   {"--intervals 'high'", "between 0 and 1"});
  expect_error_for({"--by", "crystals", "--sign-flips"}, {"--contrast or --term is required"});
  expect_error_for({"--contrast", "age", "--sign-flips", "--errors", "both"},
                   {"--sign-flips means --errors"});
  expect_error_for({"--by", "crystals", "--groups", "yes,"},
                   {"--groups 'yes,'", "a name is empty"});
  expect_error({"--simulate", "10,2,1,0"}, {"--simulate '10,2,1,0'", "n >= 4"});
}

}  // namespace example::riffle_permute_bad_input_test
