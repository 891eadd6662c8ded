#include "histogram.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <sstream>

#include "gnuplot.hpp"
#include "input_error.hpp"
#include "output_file.hpp"
#include "program.hpp"

namespace example::histogram_test {

// The sums of k dice, each throw once: a known, symmetric distribution on a lattice.
std::vector<double> dice(int k, double step = 1) {
  std::vector<double> sums{0};
  for (int die = 0; die < k; ++die) {
    std::vector<double> more;
    for (double const sum : sums) {
      for (int eyes = 1; eyes <= 6; ++eyes) more.push_back(sum + step * eyes);
    }
    sums = std::move(more);
  }
  return sums;
}

std::uint64_t count(Histogram const& histogram) {
  return std::accumulate(histogram.bars.begin(), histogram.bars.end(), std::uint64_t{0},
                         [](auto sum, auto const& bar) { return sum + bar.count; });
}

std::uint64_t count_extreme(Histogram const& histogram) {
  return std::accumulate(histogram.bars.begin(), histogram.bars.end(), std::uint64_t{0},
                         [](auto sum, auto const& bar) { return sum + bar.extreme; });
}

void expect_bars_in_a_row(Histogram const& histogram) {
  for (std::size_t i = 0; i < histogram.bars.size(); ++i) {
    EXPECT_LT(histogram.bars[i].left, histogram.bars[i].right);
    EXPECT_NEAR(histogram.bars[i].right - histogram.bars[i].left, histogram.width,
                1e-9 * histogram.width);
    if (i > 0) {
      EXPECT_EQ(histogram.bars[i - 1].right, histogram.bars[i].left);
    }
  }
}

TEST(Histogram, holds_every_value_once) {
  for (double const observed : {-5.0, 3.0, 10.0, 10.5, 18.0, 99.0}) {
    for (auto const alternative : {Alternative::two_sided, Alternative::two_sided_doubled,
                                   Alternative::less, Alternative::greater}) {
      for (unsigned const bins : {1U, 2U, 5U, 60U, 1000U}) {
        auto const histogram = make_histogram(dice(3), observed, alternative, bins);
        EXPECT_EQ(count(histogram), 216U) << observed << ' ' << bins;
        EXPECT_EQ(histogram.size, 216U);
        expect_bars_in_a_row(histogram);
      }
    }
  }
}

TEST(Histogram, one_bar_for_each_of_few_values) {
  auto const histogram = make_histogram(dice(1), 5, Alternative::greater, 60);
  ASSERT_EQ(histogram.bars.size(), 6U);
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_DOUBLE_EQ(histogram.bars[i].left, static_cast<double>(i) + 0.5);
    EXPECT_EQ(histogram.bars[i].count, 1U);
    EXPECT_EQ(histogram.bars[i].extreme, i >= 4 ? 1U : 0U);
    EXPECT_DOUBLE_EQ(histogram.share(histogram.bars[i].count), 1.0 / 6.0);
  }
}

TEST(Histogram, counts_extreme_replicates) {
  auto const extreme = [](double observed, Alternative alternative) {
    return count_extreme(make_histogram(dice(3), observed, alternative, 60));
  };
  // Three dice: 10 of 216 throws are 16 or more, 4 are 17 or more, 1 is 18.
  EXPECT_EQ(extreme(16, Alternative::greater), 10U);
  EXPECT_EQ(extreme(16, Alternative::two_sided_doubled), 20U);
  EXPECT_EQ(extreme(16, Alternative::less), 212U);
  EXPECT_EQ(extreme(4, Alternative::less), 4U);
  EXPECT_EQ(extreme(4, Alternative::two_sided_doubled), 8U);
  EXPECT_EQ(extreme(3, Alternative::greater), 216U);
  EXPECT_EQ(extreme(18, Alternative::less), 216U);
  EXPECT_EQ(extreme(19, Alternative::greater), 0U);
  EXPECT_EQ(extreme(19, Alternative::two_sided_doubled), 0U);
  EXPECT_EQ(extreme(2, Alternative::two_sided_doubled), 0U);
  EXPECT_EQ(extreme(2, Alternative::greater), 216U);
  // Values are at least as far from the mean of 10.5 as 17 is if they are <= 4 or >= 17; with the middle 9, as far as 3 is if
  // they are <= 3 or >= 15.
  auto const as_far = [](double observed, double middle) {
    return count_extreme(make_histogram(dice(3), observed, Alternative::two_sided, 60, middle));
  };
  EXPECT_EQ(as_far(4, 10.5), 8U);
  EXPECT_EQ(as_far(17, 10.5), 8U);
  EXPECT_EQ(as_far(3, 9), 21U);
  EXPECT_EQ(as_far(15, 9), 21U);
  EXPECT_EQ(as_far(9, 9), 216U);
  EXPECT_EQ(as_far(12, 0), 81U);
  EXPECT_EQ(extreme(19, Alternative::less), 216U);
}

// Differences of means of {1, 2, 9} and {2, 3, 4, 5}: 16 of 35 are 0.5 or more, 21 are 0.5 or less. The lowest 16 are not a
// union of whole groups of equal values, so that a group must be divided.
TEST(Histogram, a_part_of_equal_values_counts) {
  std::vector<double> const data{1, 2, 2, 3, 9, 4, 5};
  std::vector<double> differences;
  for (unsigned set = 0; set < 128; ++set) {
    double of_three = 0;
    int size = 0;
    for (unsigned i = 0; i < 7; ++i) {
      if ((set >> i & 1) == 0) continue;
      of_three += data[i];
      ++size;
    }
    if (size == 3) differences.push_back(of_three / 3 - (26 - of_three) / 4);
  }
  for (unsigned const bins : {1U, 7U, 60U}) {
    auto const histogram = make_histogram(differences, 0.5, Alternative::two_sided_doubled, bins);
    EXPECT_EQ(count(histogram), 35U);
    EXPECT_EQ(count_extreme(histogram), 32U);
    expect_bars_in_a_row(histogram);
    // 33 are 0.5 or more in magnitude.
    EXPECT_EQ(count_extreme(make_histogram(differences, 0.5, Alternative::two_sided, bins)), 33U);
  }
}

TEST(Histogram, few_extreme_replicates_are_visible) {
  std::vector<double> values;
  for (int i = 1; i < 100'000; ++i) values.push_back(std::sqrt(i % 100));
  values.push_back(100);
  auto const histogram = make_histogram(values, 100, Alternative::greater, 50);
  EXPECT_EQ(count_extreme(histogram), 1U);
  auto const script = gnuplot_script(histogram, {"title", "subtitle", "axis"});
  auto const begin = script.find("$extreme << END\n") + std::string("$extreme << END\n").size();
  std::istringstream line(script.substr(begin));
  double middle = 0;
  double height = 0;
  line >> middle >> height;
  std::uint64_t highest = 0;
  for (auto const& bar : histogram.bars) highest = std::max(highest, bar.count);
  EXPECT_GT(height, histogram.share(highest));  // at least a hundredth of the highest bar
}

TEST(Histogram, values_that_differ_in_their_last_bits_are_merged) {
  auto values = dice(3, 0.1);
  for (std::size_t i = 0; i < values.size(); i += 2) {
    values[i] = std::nextafter(values[i], std::numeric_limits<double>::infinity());
  }
  auto const histogram = make_histogram(values, 1.6, Alternative::greater, 60);
  EXPECT_EQ(histogram.bars.size(), 16U);
  EXPECT_EQ(count_extreme(histogram), 10U);
}

TEST(Histogram, has_no_artefacts_of_values_on_a_lattice) {
  // Six dice have 31 different sums, so that each of 20 bars would have one or two.
  auto const histogram = make_histogram(dice(6), 30, Alternative::greater, 20);
  std::size_t peaks = 0;
  for (std::size_t i = 1; i + 1 < histogram.bars.size(); ++i) {
    auto const share = [&](std::size_t j) { return histogram.share(histogram.bars[j].count); };
    if (share(i) > share(i - 1) && share(i) > share(i + 1)) ++peaks;
  }
  EXPECT_EQ(peaks, 1U);
}

TEST(Histogram, many_distinct_values) {
  std::vector<double> values;
  for (int i = 0; i < 100'000; ++i) values.push_back(std::sqrt(i));
  auto const histogram = make_histogram(values, std::sqrt(99'000), Alternative::greater, 50);
  EXPECT_NEAR(static_cast<double>(histogram.bars.size()), 50.0, 3.0);
  EXPECT_EQ(count(histogram), 100'000U);
  EXPECT_EQ(count_extreme(histogram), 1'000U);
}

TEST(Histogram, values_without_a_place_are_left_out) {
  double const infinity = std::numeric_limits<double>::infinity();
  auto const histogram =
      make_histogram({1, infinity, 2, -infinity, std::nan(""), 3}, 2, Alternative::less, 10);
  EXPECT_EQ(histogram.size, 3U);
  EXPECT_THROW(make_histogram({infinity}, 2, Alternative::less, 10), InputError);
  EXPECT_THROW(make_histogram({}, 2, Alternative::less, 10), InputError);
  EXPECT_THROW(make_histogram({-1e308, 1e308}, 2, Alternative::less, 10), InputError);
}

TEST(Histogram, one_value_many_times) {
  auto const histogram =
      make_histogram(std::vector<double>(100, 7.0), 7, Alternative::two_sided, 60);
  EXPECT_EQ(count(histogram), 100U);
  EXPECT_EQ(count_extreme(histogram), 100U);
}

TEST(Gnuplot, names_cannot_break_out_of_their_quotes) {
  auto const histogram = make_histogram(dice(2), 10, Alternative::greater, 60);
  auto const script = gnuplot_script(histogram, {"it's", "two\nlines", "`ls` \\ @x \"y\""});
  EXPECT_NE(script.find("'it''s'"), std::string::npos);
  EXPECT_NE(script.find("'two lines'"), std::string::npos);
  EXPECT_NE(script.find("'`ls` \\ @x \"y\"'"), std::string::npos);
}

TEST(Gnuplot, draws_an_svg) {
  if (!example_test::has_gnuplot()) GTEST_SKIP() << "no gnuplot here";
  example_test::TemporaryFolder const folder;
  auto const file = folder.path("h.svg");
  auto const histogram = make_histogram(dice(3), 16, Alternative::two_sided, 60);
  check_that_picture_can_be_written("--histogram", file);
  EXPECT_FALSE(std::filesystem::exists(file));  // a check creates no file
  write_picture("--histogram", file,
                gnuplot_script(histogram, {"it's <b & 'c'", "$(ls) `ls`", "x_1 ^ {y}"}));
  auto const svg = example_test::read_file(file);
  for (auto const* text :
       {"<svg", "observed 16", "it's &lt;b &amp; 'c'", "$(ls) `ls`", "x_1 ^ {y}", "</svg>"}) {
    EXPECT_NE(svg.find(text), std::string::npos) << text;
  }
}

TEST(Gnuplot, draws_the_format_of_the_ending) {
  if (!example_test::has_gnuplot()) GTEST_SKIP() << "no gnuplot here";
  example_test::TemporaryFolder const folder;
  auto const script =
      gnuplot_script(make_histogram(dice(3), 16, Alternative::two_sided, 60), {"a", "b − c", "d"});
  auto const drawn = [&](std::string const& name) {
    check_that_picture_can_be_written("--histogram", folder.path(name));
    write_picture("--histogram", folder.path(name), script);
    return example_test::read_file(folder.path(name));
  };
  EXPECT_EQ(drawn("h.png").rfind("\x89PNG\r\n", 0), 0U);
  EXPECT_EQ(drawn("H.PDF").rfind("%PDF-", 0), 0U);
  EXPECT_NE(drawn("h.svg").find("</svg>"), std::string::npos);
}

TEST(Gnuplot, draws_empty_and_full_tails) {
  if (!example_test::has_gnuplot()) GTEST_SKIP() << "no gnuplot here";
  example_test::TemporaryFolder const folder;
  for (double const observed : {-100.0, 0.0, 100.0}) {
    auto const histogram = make_histogram(dice(3), observed, Alternative::greater, 60);
    EXPECT_NO_THROW(write_picture("--histogram", folder.path("h.svg"),
                                  gnuplot_script(histogram, {"a", "b", "c"})));
  }
}

TEST(Gnuplot, names_the_missing_program) {
  example_test::TemporaryFolder const folder;
  EXPECT_THROW(
      check_that_picture_can_be_written("--histogram", folder.path("no/such/folder/h.svg")),
      InputError);
  example_test::ScopedEnvironment const path("PATH", folder.path("").c_str());
  EXPECT_THROW(check_that_picture_can_be_written("--histogram", folder.path("h.svg")), InputError);
  EXPECT_THROW(write_picture("--histogram", folder.path("h.svg"), "plot x"), InputError);
  EXPECT_FALSE(std::filesystem::exists(folder.path("h.svg")));
}

TEST(Gnuplot, names_the_missing_terminal) {
  example_test::TemporaryFolder const folder;
  auto const gnuplot = folder.write("gnuplot", "#!/bin/sh\necho 'dumb pdfcairos svg'\n");
  std::filesystem::permissions(gnuplot, std::filesystem::perms::owner_all);
  example_test::ScopedEnvironment const path("PATH", folder.path("").c_str());
  EXPECT_NO_THROW(check_that_picture_can_be_written("--histogram", folder.path("h.svg")));
  try {
    check_that_picture_can_be_written("--histogram", folder.path("h.pdf"));
    FAIL() << "no InputError";
  } catch (InputError const& error) {
    EXPECT_STREQ(error.what(),
                 "--histogram: this gnuplot has no terminal pdfcairo, which draws .pdf");
  }
}

TEST(Gnuplot, reports_failures) {
  if (!example_test::has_gnuplot()) GTEST_SKIP() << "no gnuplot here";
  example_test::TemporaryFolder const folder;
  EXPECT_THROW(write_picture("--histogram", folder.path("h.svg"), "this is no command\n"),
               OutputError);
  EXPECT_FALSE(std::filesystem::exists(folder.path("h.svg")));
}

}  // namespace example::histogram_test
