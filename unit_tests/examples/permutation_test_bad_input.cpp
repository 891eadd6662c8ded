// Invalid input: one line on standard error that names the error, nothing on standard output, exit code 2.

#include <gtest/gtest.h>

#include <algorithm>

#include "program.hpp"

namespace example::permutation_test_bad_input_test {

using namespace example_test;

using Arguments = std::vector<std::string>;

void expect_error(Arguments const& arguments, std::vector<std::string> const& words,
                  std::string const& input = {}) {
  auto const finished = run_permutation_test(arguments, input);
  EXPECT_EQ(finished.exit_code, 2);
  EXPECT_EQ(finished.output, "");
  EXPECT_EQ(std::count(finished.errors.begin(), finished.errors.end(), '\n'), 1) << finished.errors;
  EXPECT_EQ(finished.errors.rfind("permutation_test: ", 0), 0U) << finished.errors;
  for (auto const& word : words) {
    EXPECT_NE(finished.errors.find(word), std::string::npos) << word << "\nin\n" << finished.errors;
  }
}

// A file with columns "v" and "g" and this text below its header.
void expect_error_of(std::string const& rows, std::vector<std::string> const& words,
                     Arguments more = {}) {
  TemporaryFolder const folder;
  more.insert(more.begin(),
              {folder.write("bad.csv", "v,g\n" + rows), "--value", "v", "--group", "g"});
  expect_error(more, words);
}

Arguments sleep(Arguments more) {
  more.insert(more.begin(), {data_file("sleep.csv"), "--value", "extra", "--group", "group"});
  return more;
}

TEST(PermutationTestBadInput, files) {
  TemporaryFolder const folder;
  expect_error({}, {"a CSV file is required"});
  expect_error({folder.path("none.csv"), "--x", "a", "--y", "b"},
               {"none.csv", "No such file or directory"});
  expect_error({folder.path(""), "--x", "a", "--y", "b"}, {"this is a folder"});
  expect_error({folder.write("empty.csv", ""), "--x", "a", "--y", "b"},
               {"empty.csv", "the file is empty"});
  expect_error({folder.write("header.csv", "a,b\n"), "--x", "a", "--y", "b"},
               {"header.csv", "no rows below the header"});
  expect_error({folder.write("two\nlines.csv", ""), "--x", "a", "--y", "b"}, {"the file is empty"});
}

TEST(PermutationTestBadInput, standard_input) {
  expect_error({"-", "--x", "a", "--y", "b"}, {"standard input: the file is empty"});
  expect_error({"-", "--x", "a", "--y", "b"}, {"standard input: no rows below the header"},
               "a,b\n");
  expect_error({"-", "--x", "a", "--y", "b"},
               {"standard input: line 3, column 'b': 'NA' is a missing value", "--skip-missing"},
               "a,b\n1,2\n3,NA\n");
  expect_error({"-", "-", "--x", "a", "--y", "b"}, {"not expected: -"}, "a,b\n1,2\n");
}

TEST(PermutationTestBadInput, standard_input_that_cannot_be_read) {
  for (auto const& [input, message] : {std::pair{"<&-", "standard input: Bad file descriptor"},
                                       std::pair{"</", "standard input: Is a directory"}}) {
    std::string const command = RIFFLE_PERMUTATION_TEST_PROGRAM " - --x a --y b ";
    auto const finished = example::run_program({"sh", "-c", command + input});
    EXPECT_EQ(finished.exit_code, 2);
    EXPECT_EQ(finished.errors, "permutation_test: " + std::string(message) + "\n");
  }
}

TEST(PermutationTestBadInput, columns) {
  expect_error({data_file("sleep.csv")}, {"two columns are required", "'extra', 'group', 'ID'"});
  expect_error({data_file("sleep.csv"), "--value", "extra"}, {"two columns are required"});
  expect_error({data_file("sleep.csv"), "--value", "Extra", "--group", "group"},
               {"no column 'Extra'", "'extra', 'group', 'ID'"});
  expect_error({data_file("darwin.csv"), "--x", "crossed", "--y", "none"}, {"no column 'none'"});
  TemporaryFolder const folder;
  expect_error({folder.write("twice.csv", "a,b,a\n1,2,3\n"), "--x", "a", "--y", "b"},
               {"two columns have the name 'a'"});
}

TEST(PermutationTestBadInput, cells) {
  expect_error_of("1,a\n12abc,b\n", {"bad.csv: line 3, column 'v': '12abc' is not a number"});
  expect_error_of("1,a\nNA,b\n", {"line 3, column 'v': 'NA' is a missing value"});
  expect_error_of("1,a\ninf,b\n", {"line 3, column 'v': 'inf' is not a finite number"});
  expect_error_of("1,a\nnan,b\n", {"line 3, column 'v': 'nan' is a missing value"});
  expect_error_of("1,a\n1e999,b\n", {"line 3, column 'v': '1e999' is not a number"});
  expect_error_of("1,a\n,b\n", {"line 3, column 'v': the cell is empty"});
  expect_error_of("1,a\n2,\n", {"line 3, column 'g': the cell is empty"});
  expect_error_of("1,a\n2\n", {"line 3: 1 cell, but the header has 2"});
  expect_error_of("1,a\n2,b,c\n", {"line 3: 3 cells, but the header has 2"});
  expect_error_of("1,a\n\"2,b\n", {"line 3: a quote (\") opens here and is never closed"});
  expect_error_of("1,a\n2\"2\",b\n", {"line 3: a quote (\") inside a cell"});
}

TEST(PermutationTestBadInput, data) {
  expect_error_of("1,a\n2,a\n", {"only one group, 'a' of column 'g'"});
  expect_error_of("1,a\n2,b\n3,c\n", {"3 groups in column 'g' ('a', 'b', 'c')", "--groups"});
  expect_error_of("1,a\n2,b\n3,c\n", {"3 groups", "--groups", "kruskal-wallis-h"},
                  {"--statistic", "mann-whitney-u"});
  expect_error_of("3,a\n3,a\n3,b\n3,b\n", {"column 'v' is constant"},
                  {"--statistic", "kruskal-wallis-h"});
  expect_error_of("1,a\n2,a\n3,b\n", {"a single value of 'b': welch-t needs two or more"},
                  {"--statistic", "welch-t"});
  expect_error_of("3,a\n3,a\n3,b\n3,b\n", {"column 'v' is constant: every value is 3"});
  expect_error_of("1,a\n1,a\n2,b\n2,b\n", {"the values of each group are equal"},
                  {"--statistic", "welch-t"});
  expect_error(sleep({"--groups", "1,3"}), {"no group '3' in column 'group'", "'1', '2'"});
  TemporaryFolder const folder;
  expect_error({folder.write("same.csv", "a,b\n1,1\n2,2\n"), "--x", "a", "--y", "b", "--paired"},
               {"columns 'a', 'b' are equal in every row"});
}

TEST(PermutationTestBadInput, options) {
  expect_error(sleep({"--nonsense"}), {"--nonsense"});
  expect_error(sleep({"more.csv"}), {"more.csv"});
  expect_error(sleep({"--replicates", "0"}), {"--replicates '0'", "at least 1"});
  expect_error(sleep({"--replicates", "10x"}), {"--replicates '10x'"});
  expect_error(sleep({"--replicates", "-5"}), {"--replicates '-5'"});
  expect_error(sleep({"--seed", "1.5"}), {"--seed '1.5'"});
  expect_error(sleep({"--level", "95"}), {"--level '95'"});
  expect_error(sleep({"--batch", "many"}), {"--batch 'many'"});
  expect_error(sleep({"--bins", "0"}), {"--bins '0'"});
  expect_error(sleep({"--statistic", "mean"}), {"--statistic 'mean'", "difference-of-means"});
  expect_error(sleep({"--alternative", "more"}), {"--alternative 'more'", "two-sided"});
  expect_error(sleep({"--statistic", "correlation"}), {"--x and --y"});
  expect_error(sleep({"--statistic", "spearman"}), {"--statistic spearman", "--x and --y"});
  expect_error(sleep({"--x", "extra"}), {"cannot be combined with --x and --y"});
  expect_error(sleep({"--paired"}), {"--paired takes two columns: --x and --y"});
  expect_error(sleep({"--statistic", "f", "--alternative", "less"}),
               {"--alternative 'less'", "--statistic f has one tail"});
  expect_error(sleep({"--delimiter", "|"}), {"--delimiter '|'", "comma, semicolon or tab"});
  expect_error(sleep({"--kokkos-num-threads=two"}), {"--kokkos-num-threads 'two'"});
}

TEST(PermutationTestBadInput, histogram_that_cannot_be_drawn) {
  TemporaryFolder const folder;
  expect_error(sleep({"--histogram", folder.path("no/such/h.svg")}),
               {"no/such/h.svg", "No such file or directory"});
  std::filesystem::create_directory(folder.path("folder.svg"));
  expect_error(sleep({"--histogram", folder.path("folder.svg")}), {"Is a directory"});
  expect_error(sleep({"--histogram", folder.path("h.jpg")}),
               {"h.jpg", "the file name must end in one of .svg, .png, .pdf"});
  ScopedEnvironment const path("PATH", folder.path("").c_str());
  expect_error(sleep({"--histogram", folder.path("h.svg")}), {"gnuplot", "not in PATH"});
  EXPECT_FALSE(std::filesystem::exists(folder.path("h.svg")));
}

}  // namespace example::permutation_test_bad_input_test
