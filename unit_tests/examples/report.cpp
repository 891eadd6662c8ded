#include "report.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace example::report_test {

CsvTable const table("folder/t.csv", "v,g\n1,a\n2,b\n3,a\n4,b\n");

Options options_for(Statistic statistic) {
  Options options;
  options.value = "v";
  options.group = "g";
  options.statistic = statistic;
  options.seed = 18446744073709551615U;
  return options;
}

Outcome outcome() {
  Outcome found;
  found.statistic = -1.25;
  found.p_value = 0.0221;
  found.lower = 0.02;
  found.upper = 0.025;
  found.replicates = 999'999;
  found.seconds = 0.5;
  found.back_end = {"OpenMP", 2, "5.2.2", "0.1.0"};
  return found;
}

void expect_contains(std::string const& text, std::vector<std::string> const& parts) {
  for (auto const& part : parts) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\nin\n" << text;
  }
}

TEST(Report, text) {
  auto const options = options_for(Statistic::difference_of_means);
  auto const text = text_report(table, choose_samples(table, options), options, outcome());
  expect_contains(
      text,
      {"folder/t.csv, 4 rows", "g 'a': 2 values, mean 2", "difference of means of v, b - a: -1.25",
       "0.0221 (two-sided by |T|, 999,999 random permutations)", "95% interval 0.02 to 0.025",
       "2 million permutations per second", "Kokkos 5.2.2 OpenMP, concurrency 2; Riffle 0.1.0",
       "seed          18446744073709551615"});
}

TEST(Report, an_exact_p_needs_no_interval) {
  auto const options = options_for(Statistic::welch_t);
  auto found = outcome();
  found.exact = true;
  found.replicates = 6;
  auto const text = text_report(table, choose_samples(table, options), options, found);
  expect_contains(text, {"Welch's t of v, b - a", "exact: all 6 arrangements"});
  EXPECT_EQ(text.find("interval"), std::string::npos);
}

TEST(Report, statistics_of_ranks_in_words) {
  auto const line_for = [](Statistic statistic) {
    auto const options = options_for(statistic);
    return text_report(table, choose_samples(table, options), options, outcome());
  };
  expect_contains(line_for(Statistic::mann_whitney_u), {"Mann and Whitney's U of v, b above a"});
  expect_contains(line_for(Statistic::mann_whitney_u), {"(two-sided by |U - mean|, "});
  expect_contains(line_for(Statistic::kruskal_wallis_h), {"Kruskal and Wallis's H of v, 2 groups"});
  CsvTable const pairs("t.csv", "v,w\n1,3\n2,1\n");
  Options options;
  options.x = "v";
  options.y = "w";
  options.statistic = Statistic::spearman;
  auto const samples = choose_samples(pairs, options);
  expect_contains(text_report(pairs, samples, options, outcome()),
                  {"Spearman's correlation, v and w: -1.25"});
  EXPECT_EQ(captions(pairs, samples, options, outcome()).title,
            "Null distribution of Spearman's correlation");
}

TEST(Report, pairs_in_words) {
  CsvTable const pairs("t.csv", "v,w\n1,3\n2,1\n");
  Options options;
  options.x = "v";
  options.y = "w";
  options.statistic = Statistic::paired_difference;
  auto const samples = choose_samples(pairs, options);
  auto found = outcome();
  expect_contains(text_report(pairs, samples, options, found),
                  {"mean difference of pairs, v - w: -1.25",
                   "0.0221 (two-sided by |T|, 999,999 random sign patterns)",
                   "2 million sign patterns per second"});
  found.exact = true;
  found.replicates = 4;
  expect_contains(text_report(pairs, samples, options, found), {"exact: all 4 sign patterns"});
  auto const words = captions(pairs, samples, options, found);
  EXPECT_EQ(words.title, "Null distribution of the mean difference of pairs");
  EXPECT_EQ(words.subtitle,
            "p = 0.0221 (two-sided by |T|, exact: all 4 sign patterns of t.csv, 2 pairs)");
  EXPECT_EQ(words.axis, "Mean difference of pairs, v − w");
  EXPECT_EQ(words.replicates, "sign patterns");
}

TEST(Report, json) {
  auto options = options_for(Statistic::f);
  options.alternative = Alternative::greater;
  auto const line = json_report(table, choose_samples(table, options), options, outcome());
  EXPECT_EQ(line.find('\n'), line.size() - 1);
  auto const object = nlohmann::json::parse(line);
  EXPECT_EQ(object.at("file"), "folder/t.csv");
  EXPECT_EQ(object.at("rows"), 4);
  EXPECT_EQ(object.at("groups").at(1).at("name"), "b");
  EXPECT_EQ(object.at("groups").at(1).at("size"), 2);
  EXPECT_EQ(object.at("groups").at(1).at("mean"), 3.0);
  EXPECT_EQ(object.at("statistic").at("name"), "f");
  EXPECT_EQ(object.at("statistic").at("value"), -1.25);
  EXPECT_EQ(object.at("alternative"), "greater");
  EXPECT_EQ(object.at("p_value"), 0.0221);
  EXPECT_EQ(object.at("p_interval").at("level"), 0.95);
  EXPECT_EQ(object.at("p_interval").at("upper"), 0.025);
  EXPECT_EQ(object.at("exact"), false);
  EXPECT_EQ(object.at("replicates"), 999'999);
  EXPECT_EQ(object.at("replicates_per_second"), 1'999'998.0);
  EXPECT_EQ(object.at("seed").get<std::uint64_t>(), 18446744073709551615U);
  EXPECT_EQ(object.at("execution_space"), "OpenMP");
  EXPECT_EQ(object.at("concurrency"), 2);
}

TEST(Report, names_that_are_not_utf8) {
  CsvTable const odd("t.csv", "v,g\n1,a\n2,\xFF\n3,a\n4,\xFF\n");
  auto const options = options_for(Statistic::difference_of_means);
  auto const object =
      nlohmann::json::parse(json_report(odd, choose_samples(odd, options), options, outcome()));
  EXPECT_EQ(object.at("groups").at(0).at("name"), "\xEF\xBF\xBD");
  EXPECT_EQ(captions(odd, choose_samples(odd, options), options, outcome()).axis,
            "Difference of means of v, \xEF\xBF\xBD − a");
}

TEST(Report, captions) {
  auto const options = options_for(Statistic::difference_of_means);
  auto const words = captions(table, choose_samples(table, options), options, outcome());
  EXPECT_EQ(words.title, "Null distribution of the difference of means");
  EXPECT_EQ(words.subtitle,
            "p = 0.0221 (two-sided by |T|, 999,999 random permutations of t.csv, 2 + 2 values)");
  EXPECT_EQ(words.axis, "Difference of means of v, b − a");
  EXPECT_EQ(words.replicates, "permutations");
}

TEST(Report, names_the_delimiter_and_missing_values) {
  CsvTable const gaps("t.csv", "v;g\n1;a\n2;b\n3;a\n4;b\nNA;a\n;b\n");
  auto options = options_for(Statistic::difference_of_means);
  options.skip_missing = true;
  auto const samples = choose_samples(gaps, options);
  expect_contains(
      text_report(gaps, samples, options, outcome()),
      {"t.csv, 6 rows, separated by semicolons; 2 with a missing value left out (2 in 'v')\n"});
  auto const object = nlohmann::json::parse(json_report(gaps, samples, options, outcome()));
  EXPECT_EQ(object.at("delimiter"), ";");
  EXPECT_EQ(object.at("rows"), 6);
  EXPECT_EQ(object.at("rows_with_missing"), 2);
}

TEST(Report, commas_and_whole_rows_need_no_word) {
  auto const options = options_for(Statistic::difference_of_means);
  auto const samples = choose_samples(table, options);
  expect_contains(text_report(table, samples, options, outcome()), {"folder/t.csv, 4 rows\n"});
  auto const object = nlohmann::json::parse(json_report(table, samples, options, outcome()));
  EXPECT_EQ(object.at("delimiter"), ",");
  EXPECT_EQ(object.at("rows_with_missing"), 0);
}

TEST(Report, escapes_control_characters_in_names) {
  CsvTable const odd("odd\x1B.csv", "v\x1B,g\x1B\n1,a\x1B\n2,b\n3,a\x1B\n4,b\n");
  auto options = options_for(Statistic::difference_of_means);
  options.value = "v\x1B";
  options.group = "g\x1B";
  auto const samples = choose_samples(odd, options);
  EXPECT_EQ(text_report(odd, samples, options, outcome()).find('\x1B'), std::string::npos);
  EXPECT_EQ(json_report(odd, samples, options, outcome()).find('\x1B'), std::string::npos);
}

}  // namespace example::report_test
