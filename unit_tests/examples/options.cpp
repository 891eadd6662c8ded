#include "options.hpp"

#include <gtest/gtest.h>
#include <sstream>

#include "input_error.hpp"

namespace example::options_test {

Options parse(std::vector<std::string> const& arguments) {
  return std::get<Options>(parse_options(arguments));
}

std::string error_of(std::vector<std::string> const& arguments) {
  try {
    parse_options(arguments);
  } catch (InputError const& error) {
    return error.what();
  }
  return "no InputError";
}

bool contains(std::string const& text, std::string const& part) {
  return text.find(part) != std::string::npos;
}

TEST(Options, defaults) {
  auto const options = parse({"f.csv"});
  EXPECT_EQ(options.file, "f.csv");
  EXPECT_EQ(options.replicates, 999'999U);
  EXPECT_EQ(options.seed, 0U);
  EXPECT_EQ(options.level, 0.95);
  EXPECT_EQ(options.batch, 0U);
  EXPECT_EQ(options.bins, 60U);
  EXPECT_TRUE(options.enumerate);
  EXPECT_FALSE(options.json);
  EXPECT_EQ(options.statistic, Statistic::difference_of_means);
  EXPECT_EQ(options.alternative, Alternative::two_sided);
}

TEST(Options, everything_given) {
  auto const options = parse({"f.csv",
                              "--value",
                              "v",
                              "--group=g",
                              "--groups",
                              "a,b c",
                              "--statistic",
                              "welch-t",
                              "--alternative",
                              "less",
                              "--replicates",
                              "10",
                              "--seed",
                              "18446744073709551615",
                              "--level",
                              "0.9",
                              "--batch",
                              "7",
                              "--no-enumerate",
                              "--json",
                              "--histogram",
                              "h.svg",
                              "--bins",
                              "20"});
  EXPECT_EQ(options.value, "v");
  EXPECT_EQ(options.group, "g");
  EXPECT_EQ(options.groups, (std::vector<std::string>{"a", "b c"}));
  EXPECT_EQ(options.statistic, Statistic::welch_t);
  EXPECT_EQ(options.alternative, Alternative::less);
  EXPECT_EQ(options.replicates, 10U);
  EXPECT_EQ(options.seed, 18446744073709551615U);
  EXPECT_EQ(options.level, 0.9);
  EXPECT_EQ(options.batch, 7U);
  EXPECT_FALSE(options.enumerate);
  EXPECT_TRUE(options.json);
  EXPECT_EQ(options.histogram, "h.svg");
  EXPECT_EQ(options.bins, 20U);
}

TEST(Options, data) {
  auto const given = parse({"-", "--delimiter", ";", "--skip-missing"});
  EXPECT_EQ(given.file, "-");
  EXPECT_EQ(given.delimiter, Delimiter::semicolon);
  EXPECT_TRUE(given.skip_missing);
  EXPECT_EQ(parse({"--delimiter", "\t", "-"}).delimiter, Delimiter::tab);
  EXPECT_EQ(parse({"--delimiter=,", "-"}).delimiter, Delimiter::comma);
  auto const defaults = parse({"f.csv"});
  EXPECT_FALSE(defaults.delimiter);
  EXPECT_FALSE(defaults.skip_missing);
  EXPECT_EQ(error_of({"f.csv", "--delimiter", ""}), "--delimiter '': a value is required");
  for (std::string const other : {"|", "space"}) {
    EXPECT_EQ(error_of({"f.csv", "--delimiter", other}),
              "--delimiter '" + other +
                  "': comma, semicolon or tab is required, or the character itself");
  }
  EXPECT_TRUE(contains(error_of({"-", "-"}), "not expected: -"));
  EXPECT_TRUE(contains(error_of({}), "or - for standard input"));
}

TEST(Options, pictures_by_their_endings) {
  for (std::string const file : {"h.svg", "h.png", "a.b/h.PDF", "h.jpg.png"}) {
    EXPECT_EQ(parse({"f.csv", "--histogram", file}).histogram, file);
  }
  for (std::string const file : {"h.jpg", "h", "svg", "h.svg.gz", "-", "png/h"}) {
    EXPECT_EQ(error_of({"f.csv", "--histogram", file}),
              "--histogram '" + file + "': the file name must end in one of .svg, .png, .pdf");
  }
}

TEST(Options, the_file_may_stand_anywhere) {
  EXPECT_EQ(parse({"--groups", "a,b", "f.csv"}).file, "f.csv");
  EXPECT_EQ(parse({"--x", "a", "--y", "-b", "f.csv", "--json"}).y, "-b");
}

TEST(Options, statistics_with_one_tail_take_no_other) {
  for (std::string const name : {"f", "kruskal-wallis-h"}) {
    EXPECT_EQ(parse({"f.csv", "--statistic", name}).alternative, Alternative::greater);
    EXPECT_EQ(parse({"f.csv", "--statistic", name, "--alternative", "greater"}).alternative,
              Alternative::greater);
    for (std::string const other : {"less", "two-sided", "two-sided-doubled"}) {
      EXPECT_EQ(error_of({"f.csv", "--alternative", other, "--statistic", name}),
                "--alternative '" + other + "': --statistic " + name +
                    " has one tail: only greater is possible");
    }
  }
}

TEST(Options, pairs) {
  auto const statistic = [](std::vector<std::string> more) {
    more.insert(more.begin(), {"f.csv", "--x", "a", "--y", "b"});
    return parse(more).statistic;
  };
  EXPECT_EQ(statistic({}), Statistic::difference_of_means);
  EXPECT_EQ(statistic({"--paired"}), Statistic::paired_difference);
  EXPECT_EQ(statistic({"--statistic", "paired-difference"}), Statistic::paired_difference);
  EXPECT_EQ(statistic({"--paired", "--statistic", "paired-difference"}),
            Statistic::paired_difference);
  EXPECT_EQ(statistic({"--paired", "--statistic", "difference-of-means"}),
            Statistic::paired_difference);
  EXPECT_EQ(parse({"f.csv", "--paired"}).alternative, Alternative::two_sided);
  for (std::string const other : {"welch-t", "f", "correlation", "mann-whitney-u", "spearman"}) {
    EXPECT_EQ(
        error_of({"f.csv", "--paired", "--statistic", other}),
        "--paired tests the mean difference of pairs: it cannot be combined with --statistic " +
            other);
  }
  EXPECT_EQ(error_of({"f.csv", "--paired", "--value", "v", "--group", "g"}),
            "--paired takes two columns: --x and --y");
  EXPECT_EQ(error_of({"f.csv", "--statistic", "paired-difference", "--group", "g"}),
            "--statistic paired-difference takes two columns: --x and --y");
}

TEST(Options, statistics_of_ranks) {
  auto const statistic = [](char const* name) {
    return parse({"f.csv", "--statistic", name}).statistic;
  };
  EXPECT_EQ(statistic("mann-whitney-u"), Statistic::mann_whitney_u);
  EXPECT_EQ(statistic("kruskal-wallis-h"), Statistic::kruskal_wallis_h);
  EXPECT_EQ(statistic("spearman"), Statistic::spearman);
  EXPECT_EQ(name_of(Statistic::kruskal_wallis_h), "kruskal-wallis-h");
  EXPECT_EQ(parse({"f.csv", "--statistic", "kruskal-wallis-h"}).alternative, Alternative::greater);
  EXPECT_EQ(parse({"f.csv", "--statistic", "mann-whitney-u"}).alternative, Alternative::two_sided);
}

TEST(Options, help) {
  auto const command = parse_options({"--help"});
  ASSERT_TRUE(std::holds_alternative<Help>(command));
  auto const& text = std::get<Help>(command).text;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80U) << line;
  for (auto const* option :
       {"--value",           "--group",        "--groups",         "--x",         "--y",
        "--statistic",       "--alternative",  "--replicates",     "--seed",      "--level",
        "--batch",           "--no-enumerate", "--json",           "--histogram", "--bins",
        "--delimiter",       "--skip-missing", "standard input",   ".pdf",        "--paired",
        "paired-difference", "mann-whitney-u", "kruskal-wallis-h", "spearman"}) {
    EXPECT_TRUE(contains(text, option)) << option;
  }
}

TEST(Options, numbers_with_exponents) {
  EXPECT_EQ(parse({"f.csv", "--replicates", "1e6"}).replicates, 1'000'000u);
  EXPECT_EQ(parse({"f.csv", "--replicates", "2.5E3"}).replicates, 2500u);
  EXPECT_EQ(parse({"f.csv", "--seed", "18446744073709551615"}).seed, ~std::uint64_t{0});
  EXPECT_EQ(error_of({"f.csv", "--replicates", "1e17"}),
            "--replicates '1e17': a whole number of at least 1 is required");
  EXPECT_EQ(error_of({"f.csv", "--replicates", "1e-3"}),
            "--replicates '1e-3': a whole number of at least 1 is required");
}

TEST(Options, version) {
  auto const text = std::get<Help>(parse_options({"--version"})).text;
  EXPECT_EQ(text.rfind("permutation_test of Riffle ", 0), 0u) << text;
}

TEST(Options, numbers_are_taken_whole) {
  EXPECT_EQ(error_of({"f.csv", "--replicates", "10x"}),
            "--replicates '10x': a whole number of at least 1 is required");
  EXPECT_EQ(error_of({"f.csv", "--replicates", "0"}),
            "--replicates '0': a whole number of at least 1 is required");
  EXPECT_EQ(error_of({"f.csv", "--replicates", "1.5"}),
            "--replicates '1.5': a whole number of at least 1 is required");
  EXPECT_EQ(error_of({"f.csv", "--seed", "-1"}),
            "--seed '-1': a whole number of at least 0 is required");
  EXPECT_EQ(error_of({"f.csv", "--seed", "18446744073709551616"}),
            "--seed '18446744073709551616': a whole number of at least 0 is required");
  EXPECT_EQ(error_of({"f.csv", "--batch", "0x10"}),
            "--batch '0x10': a whole number of at least 1 is required");
  EXPECT_EQ(error_of({"f.csv", "--bins", "1001"}),
            "--bins '1001': a whole number from 1 to 1000 is required");
  for (std::string const level : {"0", "1", "-0.5", "95", "0.95x", "nan"}) {
    EXPECT_EQ(error_of({"f.csv", "--level", level}),
              "--level '" + level + "': a number between 0 and 1 is required");
  }
}

TEST(Options, names_that_are_not_known) {
  EXPECT_EQ(error_of({"f.csv", "--statistic", "median"}),
            "--statistic 'median': one of difference-of-means, paired-difference, welch-t, f, "
            "correlation, mann-whitney-u, kruskal-wallis-h, spearman is required");
  EXPECT_EQ(error_of({"f.csv", "--alternative", "more"}),
            "--alternative 'more': one of two-sided, two-sided-doubled, less, greater is required");
}

TEST(Options, rejects_invalid_command_lines) {
  EXPECT_TRUE(contains(error_of({}), "a CSV file is required"));
  EXPECT_TRUE(contains(error_of({"--nonsense"}), "--nonsense"));
  EXPECT_TRUE(contains(error_of({"f.csv", "g.csv"}), "g.csv"));
  EXPECT_TRUE(contains(error_of({"f.csv", "--seed"}), "--seed"));
  EXPECT_TRUE(contains(error_of({"f.csv", "--seed", "1", "--seed", "2"}), "--seed"));
  EXPECT_TRUE(contains(error_of({"f.csv", "--json=maybe"}), "json"));
}

TEST(Options, rejects_contradictions) {
  EXPECT_TRUE(contains(error_of({"f.csv", "--value", "v", "--y", "w"}),
                       "cannot be combined with --x and --y"));
  EXPECT_TRUE(
      contains(error_of({"f.csv", "--statistic", "correlation", "--value", "v", "--group", "g"}),
               "--x and --y"));
  EXPECT_EQ(error_of({"f.csv", "--statistic", "spearman", "--value", "v", "--group", "g"}),
            "--statistic spearman takes two columns: --x and --y");
  EXPECT_TRUE(contains(error_of({"f.csv", "--x", "v", "--y", "v"}), "the same column, 'v'"));
  EXPECT_TRUE(contains(error_of({"f.csv", "--histogram", ""}), "--histogram ''"));
}

TEST(Options, empty_values_are_not_absent_values) {
  for (auto const* option : {"--value", "--group", "--x"}) {
    EXPECT_EQ(error_of({"f.csv", option, ""}), std::string(option) + " '': a value is required");
  }
}

TEST(Options, every_error_is_one_line) {
  for (auto const& arguments : std::vector<std::vector<std::string>>{
           {}, {"--nonsense"}, {"f.csv", "--seed"}, {"f.csv", "--seed", "a\nb"}}) {
    EXPECT_EQ(error_of(arguments).find('\n'), std::string::npos) << error_of(arguments);
  }
}

TEST(Options, values_of_kokkos_flags) {
  EXPECT_NO_THROW(check_kokkos_settings({"--kokkos-num-threads=2", "--kokkos-num-threads=512",
                                         "--kokkos-device-id=0", "--kokkos-disable-warnings",
                                         "--kokkos-print-configuration=True",
                                         "--kokkos-map-device-id-by=random"}));
  for (auto const* flag :
       {"--kokkos-num-threads=2x", "--kokkos-num-threads=0",
        "--kokkos-num-threads=", "--kokkos-num-threads", "--kokkos-num-threads=513",
        "--kokkos-num-threads=100000", "--kokkos-num-threads=2147483648",
        "--kokkos-num-threads=4294967297", "--kokkos-device-id=-1", "--kokkos-map-device-id-by=x",
        "--kokkos-disable-warnings=maybe", "--kokkos-unknown"}) {
    EXPECT_THROW(check_kokkos_settings({flag}), InputError) << flag;
  }
}

TEST(Options, threads_are_counted_to_the_end_of_kokkos_table) {
  EXPECT_EQ(thread_count("--threads", "1"), 1U);
  EXPECT_EQ(thread_count("--threads", "512"), 512U);
  for (auto const* text : {"0", "-1", "513", "20000", "2147483648", "4294967297", "1.0", ""}) {
    EXPECT_THROW(thread_count("--threads", text), InputError) << text;
  }
}

TEST(Options, environment_of_kokkos) {
  for (auto const& [name, value] :
       {std::pair{"KOKKOS_NUM_THREADS", "20000"}, std::pair{"OMP_NUM_THREADS", "2,20000"},
        std::pair{"KOKKOS_DEVICE_ID", "q"}, std::pair{"KOKKOS_TUNE_INTERNALS", "perhaps"}}) {
    char const* const old = std::getenv(name);
    std::string const before = old == nullptr ? "" : old;
    setenv(name, value, 1);
    EXPECT_THROW(check_kokkos_settings({}), InputError) << name;
    if (old == nullptr) {
      unsetenv(name);
    } else {
      setenv(name, before.c_str(), 1);
    }
  }
  EXPECT_NO_THROW(check_kokkos_settings({}));
}

}  // namespace example::options_test
