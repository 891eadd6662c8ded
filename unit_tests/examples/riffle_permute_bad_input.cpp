// Bad input: one line on standard error that says what is wrong and where, nothing written, exit code 2.

#include <algorithm>

#include "riffle_permute.hpp"

namespace {

using namespace example_test;
using Arguments = std::vector<std::string>;

void expect_refusal(Arguments arguments, std::vector<std::string> const& words) {
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
  void refuse(Arguments more, std::vector<std::string> const& words) const {
    more.insert(more.begin(), {specimens_.data(), "--design", specimens_.design()});
    expect_refusal(more, words);
  }
  void refuse_data(std::string const& text, std::vector<std::string> const& words) const {
    auto const file = specimens_.folder().write("bad.csv", text);
    expect_refusal({file, "--design", specimens_.design(), "--by", "crystals"}, words);
  }
  void refuse_design(std::string const& text, std::vector<std::string> const& words) const {
    auto const file = specimens_.folder().write("bad_design.csv", text);
    expect_refusal({specimens_.data(), "--design", file, "--by", "g"}, words);
  }
  TwelveSpecimens specimens_;
};

}  // namespace

TEST_F(BadInput, data) {
  refuse_data("", {"bad.csv: the file is empty"});
  refuse_data("v,s02,s03\n", {"bad.csv: no rows below the header"});
  refuse_data("v,s02,s03\nx,1,abc\n", {"bad.csv: line 2, column 's03': 'abc' is not a number"});
  refuse_data("v,s02,s03\nx,1,inf\n", {"line 2, column 's03': 'inf' is not a finite number"});
  refuse_data("v,s02,s03\nx,1,2\ny,1\n", {"line 3: 2 cells where the header has 3"});
  refuse_data("v,s02,s02\nx,1,2\n", {"two observations have the name 's02'"});
  refuse_data("v,s02,s03\n,1,2\n", {"line 2: the row has no name"});
  refuse_data("v,s02,s03\nx,1,\"2\n", {"line 2: a quote (\") opens here and is never closed"});
  refuse_data("v,s02,s03,s46,s47\nx,1,NA,3,4\n",
              {"every variable has a missing value", "--skip-missing"});
  expect_refusal({"none.csv", "--design", specimens_.design(), "--by", "crystals"},
                 {"none.csv: No such file or directory"});
}

TEST_F(BadInput, design) {
  refuse_design("g\na\nb\n", {"bad_design.csv: 2 rows", "12 observations"});
  refuse_design("sample,g\ns02,a\ns03,b\n", {"no row has the name 's04'", "data.csv"});
  refuse_design("sample,g\ns02,a\ns02,b\n", {"two rows have the name 's02'"});
  refuse({"--by", "none"}, {"design.csv: no column 'none'", "'crystals'"});
  refuse({"--by", "three"}, {"3 groups ('a', 'b', 'c')", "--groups", "--statistic f"});
  refuse({"--by", "crystals", "--groups", "yes"}, {"one group only, 'yes'"});
  refuse({"--by", "crystals", "--groups", "yes,maybe"}, {"no group 'maybe'", "'no', 'yes'"});
  refuse({"--by", "crystals", "--reference", "crystals=maybe"}, {"no such level", "'no', 'yes'"});
  refuse({"--by", "crystals", "--reference", "age=3"}, {"no column 'age' is compared"});
  refuse({"--by", "crystals", "--statistic", "pearson"},
         {"design.csv: line 13, column 'crystals': 'no' is not a number"});
}

TEST_F(BadInput, blocks) {
  refuse({"--by", "crystals", "--whole-blocks"}, {"--whole-blocks needs --block COLUMN"});
  refuse({"--by", "crystals", "--block", "three", "--pairs"}, {"design.csv: column 'three'", "2"});
  refuse({"--by", "crystals", "--block", "age", "--pairs"}, {"column 'age'"});
  refuse({"--statistic", "one-sample-t", "--block", "pair"}, {"--block needs --whole-blocks"});
}

TEST_F(BadInput, options) {
  refuse({}, {"what is compared is required"});
  refuse({"--by", "crystals", "--nonsense"}, {"--nonsense"});
  refuse({"--by", "crystals", "--replicates", "0"}, {"--replicates '0'", "at least 1"});
  refuse({"--by", "crystals", "--replicates", "1e13"}, {"--replicates '1e13'", "1,000,000,000"});
  refuse({"--by", "crystals", "--statistic", "mean"}, {"--statistic 'mean'", "kruskal-wallis-h"});
  refuse({"--by", "three", "--statistic", "f", "--alternative", "less"}, {"one tail"});
  refuse({"--by", "crystals", "--contrast", "age"}, {"--by"});
  refuse({"--contrast", "age", "--statistic", "t"}, {"--statistic does not go with --contrast"});
  refuse({"--by", "crystals", "--nuisance", "manly"}, {"--contrast or --term is required"});
  refuse({"--by", "crystals", "--plot", "p.jpg"}, {"p.jpg", ".svg, .png, .pdf"});
  refuse({"--by", "crystals", "--json", "no/such/folder/x"}, {"no/such/folder/x"});
  refuse({"--by", "crystals", "--json", specimens_.data()}, {"would replace an input"});
  expect_refusal({"--simulate", "10,2,1,0"}, {"--simulate '10,2,1,0'", "n of at least 4"});
}
