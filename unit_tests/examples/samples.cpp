#include "samples.hpp"

#include <gtest/gtest.h>

#include "input_error.hpp"

namespace example::samples_test {

Options by_group(Statistic statistic = Statistic::difference_of_means) {
  Options options;
  options.value = "v";
  options.group = "g";
  options.statistic = statistic;
  return options;
}

Options by_columns(Statistic statistic = Statistic::difference_of_means) {
  Options options;
  options.x = "v";
  options.y = "g";
  options.statistic = statistic;
  return options;
}

Samples choose(std::string const& text, Options const& options) {
  return choose_samples(CsvTable("t.csv", text), options);
}

std::string error_of(std::string const& text, Options const& options) {
  try {
    choose(text, options);
  } catch (InputError const& error) {
    return error.what();
  }
  return "no InputError";
}

std::string const three_groups = "v,g\n1,a\n2,b\n3,c\n4,a\n5,b\n6,c\n";

// The first of two groups in sorted order is subtracted, for any order in the file.
TEST(Samples, groups_come_in_sorted_order) {
  for (std::string const text : {"v,g\n1,b\n2,a\n3,b\n5,a\n", "v,g\n2,a\n1,b\n3,b\n5,a\n"}) {
    auto const samples = choose(text, by_group());
    EXPECT_EQ(samples[0].name, "b");
    EXPECT_EQ(samples[1].name, "a");
  }
  auto const numbers = choose("v,g\n1,9\n2,10\n3,9\n5,10\n", by_group());
  EXPECT_EQ(numbers[0].name, "10");
  auto const groups = choose("v,g\n4,c\n1,b\n2,a\n3,b\n5,a\n", by_group(Statistic::f));
  EXPECT_EQ(groups[0].name, "a");
  EXPECT_EQ(groups[2].name, "c");
  auto const samples = choose("v,g\n1,b\n2,a\n3,b\n5,a\n", by_group());
  ASSERT_EQ(samples.size(), 2U);
  EXPECT_EQ(samples[0].name, "b");
  EXPECT_EQ(samples[0].values, (std::vector<double>{1, 3}));
  EXPECT_EQ(samples[1].values, (std::vector<double>{2, 5}));
  EXPECT_EQ(samples[1].mean(), 3.5);
}

TEST(Samples, pairs_may_be_constant_but_not_equal) {
  auto const pairs = by_columns(Statistic::paired_difference);
  EXPECT_EQ(choose("v,g\n3,1\n3,2\n", pairs).size(), 2U);
  EXPECT_EQ(choose("v,g\n3,1\n3,1\n", pairs).size(), 2U);
  EXPECT_EQ(error_of("v,g\n3,3\n1,1\n", pairs),
            "t.csv: columns 'v', 'g' are equal in every row; there is nothing to test");
}

TEST(Samples, groups_can_be_picked_in_any_order) {
  auto options = by_group();
  options.groups = {"c", "a"};
  auto const samples = choose(three_groups, options);
  ASSERT_EQ(samples.size(), 2U);
  EXPECT_EQ(samples[0].name, "c");
  EXPECT_EQ(samples[1].values, (std::vector<double>{1, 4}));
}

TEST(Samples, values_of_other_groups_need_not_be_numbers) {
  auto options = by_group();
  options.groups = {"a", "b"};
  EXPECT_EQ(choose("v,g\n1,a\n2,a\n3,b\n4,b\nNA,c\n", options).size(), 2U);
}

TEST(Samples, columns_are_samples) {
  auto const samples = choose("v,w,g\n1,x,2\n3,x,4\n", by_columns());
  ASSERT_EQ(samples.size(), 2U);
  EXPECT_EQ(samples[0].values, (std::vector<double>{1, 3}));
  EXPECT_EQ(samples[1].values, (std::vector<double>{2, 4}));
}

TEST(Samples, columns_must_be_named) {
  EXPECT_EQ(error_of(three_groups, Options{}),
            "two columns are required, --value and --group or --x and --y; those of t.csv are 'v', "
            "'g'");
  auto half = by_columns();
  half.y = "";
  EXPECT_EQ(error_of(three_groups, half).find("two columns are required"), 0U);
}

TEST(Samples, one_group_only) {
  EXPECT_EQ(error_of("v,g\n1,a\n2,a\n", by_group()),
            "t.csv: only one group, 'a' of column 'g': at least two are required");
  auto options = by_group();
  options.groups = {"a"};
  EXPECT_EQ(error_of(three_groups, options),
            "t.csv: only one group, 'a' of column 'g': at least two are required");
}

TEST(Samples, more_than_two_groups) {
  EXPECT_EQ(error_of(three_groups, by_group(Statistic::welch_t)),
            "t.csv: 3 groups in column 'g' ('a', 'b', 'c') where welch-t compares two: choose two "
            "with --groups, or use --statistic f");
  EXPECT_EQ(choose(three_groups, by_group(Statistic::f)).size(), 3U);
  EXPECT_EQ(error_of(three_groups, by_group(Statistic::mann_whitney_u)),
            "t.csv: 3 groups in column 'g' ('a', 'b', 'c') where mann-whitney-u compares two: "
            "choose two with --groups, or use --statistic kruskal-wallis-h");
  EXPECT_EQ(choose(three_groups, by_group(Statistic::kruskal_wallis_h)).size(), 3U);
}

TEST(Samples, missing_groups_and_groups_named_twice) {
  auto options = by_group();
  options.groups = {"a", "z"};
  EXPECT_EQ(error_of(three_groups, options),
            "t.csv: no group 'z' in column 'g'; its groups are 'a', 'b', 'c'");
  options.groups = {"a", "a"};
  EXPECT_EQ(error_of(three_groups, options), "--groups names 'a' twice");
}

TEST(Samples, more_groups_than_the_test_takes) {
  std::string text = "v,g\n";
  for (int i = 0; i < 130; ++i) text += std::to_string(i) + "," + std::to_string(i / 2) + "\n";
  EXPECT_NE(error_of(text, by_group(Statistic::f))
                .find("65 groups in column 'g' where f takes at "
                      "most 64"),
            std::string::npos)
      << error_of(text, by_group(Statistic::f));
  EXPECT_NE(error_of(text, by_group(Statistic::kruskal_wallis_h))
                .find("where kruskal-wallis-h takes at most 64"),
            std::string::npos);
}

TEST(Samples, too_few_values) {
  std::string const single = "v,g\n1,a\n2,b\n3,a\n";
  EXPECT_EQ(choose(single, by_group()).size(), 2U);
  EXPECT_EQ(choose(single, by_group(Statistic::mann_whitney_u)).size(), 2U);
  EXPECT_EQ(choose(single, by_group(Statistic::f)).size(), 2U);
  EXPECT_EQ(choose(single, by_group(Statistic::kruskal_wallis_h)).size(), 2U);
  EXPECT_EQ(error_of(single, by_group(Statistic::welch_t)),
            "t.csv: a single value of 'b': welch-t needs two or more");
  EXPECT_EQ(error_of("v,g\n1,2\n", by_columns(Statistic::correlation)),
            "t.csv: a single value of 'v': correlation needs two or more");
  EXPECT_EQ(choose("v,g\n1,2\n", by_columns()).size(), 2U);
  EXPECT_EQ(error_of("v,g\n1,a\n2,b\n", by_group(Statistic::f)),
            "t.csv: 2 groups with a single value each: f needs a group of two or more");
  auto options = by_columns();
  options.skip_missing = true;
  EXPECT_EQ(error_of("v,g\n1,NA\n2,\n", options),
            "t.csv: no value of 'g': difference-of-means needs one or more");
}

TEST(Samples, constant_columns) {
  EXPECT_EQ(error_of("v,g\n3,a\n3,b\n3,a\n3,b\n", by_group()),
            "t.csv: column 'v' is constant: every value is 3; there is nothing to test");
  EXPECT_EQ(error_of("v,g\n1,2\n1,3\n", by_columns(Statistic::correlation)),
            "t.csv: column 'v' is constant: every value is 1; there is nothing to test");
  EXPECT_EQ(error_of("v,g\n1,2\n2,2\n", by_columns(Statistic::correlation)),
            "t.csv: column 'g' is constant: every value is 2; there is nothing to test");
  EXPECT_EQ(error_of("v,g\n1,2\n2,2\n", by_columns(Statistic::spearman)),
            "t.csv: column 'g' is constant: every value is 2; there is nothing to test");
  EXPECT_EQ(error_of("v,g\n2,2\n2,2\n", by_columns()),
            "t.csv: all of 'v', 'g' is constant: every value is 2; there is nothing to test");
}

TEST(Samples, groups_that_are_constant_each) {
  std::string const text = "v,g\n1,a\n1,a\n2,b\n2,b\n";
  for (auto const statistic :
       {Statistic::difference_of_means, Statistic::mann_whitney_u, Statistic::kruskal_wallis_h}) {
    EXPECT_EQ(choose(text, by_group(statistic)).size(), 2U);
  }
  for (auto const statistic : {Statistic::welch_t, Statistic::f}) {
    EXPECT_NE(error_of(text, by_group(statistic)).find("the values of each group are equal"),
              std::string::npos);
  }
}

TEST(Samples, one_of_two_samples_may_be_constant) {
  for (auto const statistic : {Statistic::difference_of_means, Statistic::welch_t, Statistic::f}) {
    EXPECT_EQ(choose("v,g\n1,2\n1,3\n", by_columns(statistic)).size(), 2U);
  }
}

TEST(Samples, cells_are_checked) {
  EXPECT_EQ(error_of("v,g\n1,a\nx,b\n", by_group()),
            "t.csv: line 3, column 'v': 'x' is not a number");
  EXPECT_EQ(error_of("v,g\n1,a\n2,\n", by_group()),
            "t.csv: line 3, column 'g': the cell is empty (--skip-missing leaves such rows out)");
  EXPECT_EQ(error_of("v,h\n1,a\n", by_group()), "t.csv: no column 'g'; its columns are 'v', 'h'");
}

TEST(Samples, rows_of_groups_without_a_value_or_a_group) {
  auto options = by_group();
  options.skip_missing = true;
  std::string const text = "v,g\n1,a\n,a\n2,b\nNA,b\n3,a\n4,b\n5,\nnan,NA\n9,c\n,c\n";
  options.groups = {"b", "a"};
  auto const samples = choose(text, options);
  EXPECT_EQ(samples[0].values, (std::vector<double>{2, 4}));
  EXPECT_EQ(samples[1].values, (std::vector<double>{1, 3}));
  EXPECT_EQ(samples.rows_with_missing, 4U);  // group c is not selected
  EXPECT_EQ(samples.missing, (std::array<std::size_t, 2>{2, 2}));
  options.skip_missing = false;
  EXPECT_EQ(error_of(text, options),
            "t.csv: line 3, column 'v': the cell is empty (--skip-missing leaves such rows out)");
}

TEST(Samples, counts_missing_values_of_columns_and_rows_of_pairs) {
  std::string const text = "v,g\n1,2\n,3\n4,NA\n5,7\nNaN,\n8,8\n";
  auto options = by_columns();
  options.skip_missing = true;
  auto const columns = choose(text, options);
  EXPECT_EQ(columns[0].values, (std::vector<double>{1, 4, 5, 8}));
  EXPECT_EQ(columns[1].values, (std::vector<double>{2, 3, 7, 8}));
  EXPECT_EQ(columns.rows_with_missing, 3U);
  EXPECT_EQ(columns.missing, (std::array<std::size_t, 2>{2, 2}));
  for (auto const statistic :
       {Statistic::paired_difference, Statistic::correlation, Statistic::spearman}) {
    options.statistic = statistic;
    auto const pairs = choose(text, options);
    EXPECT_EQ(pairs[0].values, (std::vector<double>{1, 5, 8}));
    EXPECT_EQ(pairs[1].values, (std::vector<double>{2, 7, 8}));
    EXPECT_EQ(pairs.rows_with_missing, 3U);
  }
}

TEST(Samples, too_few_are_left_where_most_are_missing) {
  auto options = by_group();
  options.skip_missing = true;
  EXPECT_EQ(error_of("v,g\n1,\n2,NA\n", options),
            "t.csv: column 'g' has no group: all of its cells are missing");
  EXPECT_EQ(error_of("v,g\n1,a\n2,a\nNA,b\n", options),
            "t.csv: no value of 'b': difference-of-means needs one or more");
  auto pairs = by_columns(Statistic::correlation);
  pairs.skip_missing = true;
  EXPECT_EQ(error_of("v,g\n1,\n,2\n3,4\n", pairs),
            "t.csv: a single value of 'v': correlation needs two or more");
}

TEST(Samples, invalid_numbers_are_not_missing_values) {
  auto options = by_group();
  options.skip_missing = true;
  EXPECT_EQ(error_of("v,g\n1,a\nx,b\n", options), "t.csv: line 3, column 'v': 'x' is not a number");
  EXPECT_EQ(error_of("v,g\n1,a\ninf,b\n", options),
            "t.csv: line 3, column 'v': 'inf' is not a finite number");
}

}  // namespace example::samples_test
