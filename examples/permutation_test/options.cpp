#include "options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include <riffle/version.hpp>

#include "gnuplot.hpp"
#include "input_error.hpp"
#include "program_options.hpp"
#include "text.hpp"

namespace example {
namespace {

using namespace std::string_view_literals;

constexpr std::array statistics{
    std::pair{"difference-of-means"sv, Statistic::difference_of_means},
    std::pair{"paired-difference"sv, Statistic::paired_difference},
    std::pair{"welch-t"sv, Statistic::welch_t},
    std::pair{"f"sv, Statistic::f},
    std::pair{"correlation"sv, Statistic::correlation},
    std::pair{"mann-whitney-u"sv, Statistic::mann_whitney_u},
    std::pair{"kruskal-wallis-h"sv, Statistic::kruskal_wallis_h},
    std::pair{"spearman"sv, Statistic::spearman},
};
constexpr std::array alternatives{
    std::pair{"two-sided"sv, Alternative::two_sided},
    std::pair{"two-sided-doubled"sv, Alternative::two_sided_doubled},
    std::pair{"less"sv, Alternative::less},
    std::pair{"greater"sv, Alternative::greater},
};
constexpr unsigned max_bins = 1000;

double level(std::string const& text) {
  auto const number = to_double(text);
  if (!number || !(*number > 0 && *number < 1)) {
    refuse("--level", text, "a number between 0 and 1 is required");
  }
  return *number;
}

unsigned bins(std::string const& text) {
  auto const number = to_unsigned(text);
  if (!number || *number < 1 || *number > max_bins) {
    refuse("--bins", text, "a whole number from 1 to " + std::to_string(max_bins) + " is required");
  }
  return static_cast<unsigned>(*number);
}

// Option values as typed.
struct Typed {
  std::string delimiter;
  std::string statistic;
  std::string alternative;
  std::string groups;
  std::string replicates;
  std::string seed;
  std::string level;
  std::string batch;
  std::string bins;
  bool paired = false;
  bool no_enumerate = false;
};

void describe(CLI::App& app, Options& options, Typed& typed) {
  // Not required() by CLI11, which would then report a missing file before an unknown option.
  app.add_option("FILE", options.file,
                 "CSV file, or - for standard input; its first row names the columns")
      ->type_name("");

  auto const add = [&app](char const* group, char const* name, std::string& text, char const* what,
                          char const* type) {
    return app.add_option(name, text, what)->group(group)->type_name(type);
  };
  char const* const data = "Data";
  add(data, "--delimiter", typed.delimiter,
      "delimiter of cells: comma, semicolon or tab, or the character itself (default: detected "
      "from the header)",
      "CHAR");
  app.add_flag(
         "--skip-missing", options.skip_missing,
         "leave out rows whose value or group is missing (empty, NA, NaN), and report their number")
      ->group(data);

  char const* const columns = "Columns (either pair)";
  add(columns, "--value", options.value, "column of the numbers", "COLUMN");
  add(columns, "--group", options.group, "column with the group of each row", "COLUMN");
  add(columns, "--groups", typed.groups,
      "compare these groups, the first minus the second (default: sorted; of two, the second minus "
      "the first); a name with commas must be in double quotes",
      "A,B");
  add(columns, "--x", options.x, "column of the first sample", "COLUMN");
  add(columns, "--y", options.y, "column of the second sample, or of the partners of x", "COLUMN");

  char const* const test = "Test";
  add(test, "--statistic", typed.statistic,
      "difference-of-means (default), paired-difference, welch-t, f or correlation; of ranks: "
      "mann-whitney-u, kruskal-wallis-h or spearman",
      "NAME");
  app.add_flag("--paired", typed.paired,
               "x and y of a row are a pair: test the mean of x - y by changing signs")
      ->group(test);
  add(test, "--alternative", typed.alternative,
      "two-sided (default: compares |T|, or U minus its mean), two-sided-doubled (twice the "
      "smaller tail), less or greater; f and kruskal-wallis-h always use greater",
      "NAME");
  add(test, "--replicates", typed.replicates, "random permutations, such as 1e6 (default 999999)",
      "M");
  add(test, "--seed", typed.seed,
      "the same seed gives the same result on every machine (default 0)", "S");
  add(test, "--level", typed.level, "confidence level of the interval for p (default 0.95)", "L");
  add(test, "--batch", typed.batch, "permutations per kernel (default: automatic)", "B");
  app.add_flag("--no-enumerate", typed.no_enumerate,
               "use random arrangements even if there are at most M in total")
      ->group(test);

  char const* const output = "Output";
  app.add_flag("--json", options.json, "print one JSON object")->group(output);
  add(output, "--histogram", options.histogram,
      "draw the null distribution to a file with the ending .svg, .png or .pdf (needs gnuplot)",
      "FILE");
  add(output, "--bins", typed.bins, "approximate number of bars of the histogram (default 60)",
      "N");
}

// The mean difference of pairs is the difference of the means: --paired accepts both names.
Statistic statistic_of(Typed const& typed, bool is_given) {
  auto const statistic = is_given ? choose("--statistic", typed.statistic, statistics)
                                  : Statistic::difference_of_means;
  if (!typed.paired) return statistic;
  if (statistic != Statistic::difference_of_means && statistic != Statistic::paired_difference) {
    throw InputError(
        "--paired tests the mean difference of pairs: it cannot be combined with --statistic " +
        typed.statistic);
  }
  return Statistic::paired_difference;
}

void convert(CLI::App const& app, Typed const& typed, Options& options) {
  auto const given = [&app](char const* name) { return app.count(name) > 0; };
  if (options.file.empty()) {
    throw InputError("a CSV file is required, or - for standard input (--help lists the options)");
  }
  options.enumerate = !typed.no_enumerate;
  options.statistic = statistic_of(typed, given("--statistic"));
  if (given("--alternative")) {
    options.alternative = choose("--alternative", typed.alternative, alternatives);
  }
  // F and H are large if groups differ; a small value is not evidence against equal groups.
  if (takes_many_groups(options.statistic)) {
    if (given("--alternative") && options.alternative != Alternative::greater) {
      refuse("--alternative", typed.alternative,
             "--statistic " + typed.statistic + " has one tail: only greater is possible");
    }
    options.alternative = Alternative::greater;
  }
  if (given("--delimiter")) options.delimiter = delimiter(typed.delimiter);
  if (given("--groups")) options.groups = split_names("--groups", typed.groups);
  if (given("--replicates")) options.replicates = count("--replicates", typed.replicates, 1);
  if (given("--seed")) options.seed = count("--seed", typed.seed, 0);
  if (given("--level")) options.level = level(typed.level);
  if (given("--batch")) options.batch = count("--batch", typed.batch, 1);
  if (given("--bins")) options.bins = bins(typed.bins);

  bool const by_group = given("--value") || given("--group") || given("--groups");
  if (by_group && (given("--x") || given("--y"))) {
    throw InputError("--value and --group cannot be combined with --x and --y");
  }
  if (!options.x.empty() && options.x == options.y) {
    throw InputError("--x and --y name the same column, " + in_quotes(options.x));
  }
  if (takes_pairs(options.statistic) && by_group) {
    throw InputError((typed.paired ? "--paired" : "--statistic " + typed.statistic) +
                     " takes two columns: --x and --y");
  }
  if (given("--histogram"))
    picture_format("--histogram", options.histogram);  // throws if the ending is unknown
}

}  // namespace

std::string name_of(Statistic statistic) { return name_in(statistics, statistic); }
std::string name_of(Alternative alternative) { return name_in(alternatives, alternative); }

std::variant<Options, Help> parse_options(std::vector<std::string> arguments) {
  CLI::App app{"Permutation test on the columns of a CSV file, by Riffle on Kokkos.",
               "permutation_test"};
  app.footer(
      "Kokkos's own flags are accepted, too, for example --kokkos-num-threads=2 (--kokkos-help).\n"
      "If the data have at most M arrangements, all of them are evaluated and p is exact, unless "
      "--no-enumerate is given. Arrangements are assignments of the values to groups of the same "
      "sizes, signs of the differences of pairs, or, for correlations, orders of y.\n"
      "Exit code: 0; 2 if the input cannot be used; 1 for other errors. An error is one line on "
      "standard error.");
  Options options;
  Typed typed;
  app.set_version_flag("--version", "permutation_test of Riffle " RIFFLE_VERSION_STRING);
  describe(app, options, typed);
  std::reverse(arguments.begin(), arguments.end());  // CLI11 takes them from the back of the vector
  try {
    app.parse(std::move(arguments));
  } catch (CLI::CallForHelp const&) {
    return Help{wrapped(app.help())};
  } catch (CLI::CallForVersion const&) {
    return Help{app.version() + "\n"};
  } catch (CLI::ParseError const& error) {
    throw InputError(one_line(error.what()) + " (--help lists the options)");
  }
  refuse_empty_values(app);
  convert(app, typed, options);
  return options;
}

}  // namespace example
