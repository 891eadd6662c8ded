#include "settings.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <string_view>

#include <riffle/version.hpp>

#include "gnuplot.hpp"
#include "input_error.hpp"
#include "option_section.hpp"
#include "program_options.hpp"
#include "text.hpp"

namespace example::permute {
namespace {

using namespace std::string_view_literals;

constexpr std::array statistics{
    std::pair{"t"sv, Statistic::student_t},
    std::pair{"welch"sv, Statistic::welch_t},
    std::pair{"f"sv, Statistic::f},
    std::pair{"pearson"sv, Statistic::pearson},
    std::pair{"spearman"sv, Statistic::spearman},
    std::pair{"mann-whitney-u"sv, Statistic::mann_whitney_u},
    std::pair{"kruskal-wallis-h"sv, Statistic::kruskal_wallis_h},
    std::pair{"one-sample-t"sv, Statistic::one_sample_t},
    std::pair{"paired-t"sv, Statistic::paired_t},
};
constexpr std::array alternatives{
    std::pair{"two-sided"sv, Alternative::two_sided},
    std::pair{"two-sided-doubled"sv, Alternative::two_sided_doubled},
    std::pair{"less"sv, Alternative::less},
    std::pair{"greater"sv, Alternative::greater},
};
constexpr std::array methods{
    std::pair{"freedman-lane"sv, Nuisance::freedman_lane},
    std::pair{"ter-braak"sv, Nuisance::ter_braak},
    std::pair{"manly"sv, Nuisance::manly},
    std::pair{"still-white"sv, Nuisance::still_white},
    std::pair{"draper-stoneman"sv, Nuisance::draper_stoneman},
};
constexpr std::array kinds_of_missing{
    std::pair{"leave-variable-out"sv, MissingValues::leave_variable_out},
    std::pair{"leave-value-out"sv, MissingValues::leave_value_out},
};
constexpr std::array errors{
    std::pair{"exchangeable"sv, Errors::exchangeable},
    std::pair{"symmetric"sv, Errors::symmetric},
    std::pair{"both"sv, Errors::both},
};

constexpr auto observations_word = "observations"sv;
constexpr std::uint64_t max_replicates = 1'000'000'000;

// Option values as typed, if their meaning depends on other options.
struct Typed {
  std::string group, threads, simulate, exchange;
  std::vector<std::string> blocks;
  bool whole_blocks = false;
  bool pairs = false;
  bool sign_flips = false;
  bool no_enumerate = false;
};

void describe_data(CLI::App& app, Settings& settings) {
  app.add_option("FILE", settings.data,
                 "CSV or TSV file, or - for standard input: a row names the observations, then a "
                 "row for each variable, its name first")
      ->type_name("");
  OptionSection section(app, "Data");
  section.flag("--observations-in-rows", settings.observations_in_rows,
               "the other way round: a row for each observation");
  section.add("--delimiter", settings.delimiter,
              "comma, semicolon or tab, or the character (default: recognised by the header)",
              "CHAR",
              [](char const* /*option*/, std::string const& text) { return delimiter(text); });
  section.flag(
      "--skip-missing", settings.skip_missing,
      "leave observations out that have a missing value (empty, NA, NaN), in the data or in a "
      "column of the design that is used, or no row in the design, and their partners");
  section.choice("--missing", settings.missing, kinds_of_missing, "KIND",
                 "; what else a missing value means: by leave-value-out its variable has the "
                 "statistic of the observations that it has (not of a linear model)");
}

Reference reference(std::string const& text) {
  auto const at = text.find('=');
  if (at == std::string::npos || at == 0 || at + 1 == text.size()) {
    refuse("--reference", text, "COLUMN=LEVEL is required");
  }
  return {text.substr(0, at), text.substr(at + 1)};
}

void describe_comparison(CLI::App& app, Settings& settings, Typed& typed) {
  OptionSection section(app, "What is compared");
  section.add("--design", settings.design, "CSV file with a row for each observation, and a header",
              "FILE");
  section.flag("--by-order", settings.by_order,
               "the design's rows are in the order of the observations, and as many (default: its "
               "first column names the observation of a row)");
  section.add("--by", settings.by,
              "the design's column of groups, or the covariate of a correlation", "COLUMN");
  section.add("--group", typed.group, "both in one", "FILE:COLUMN");
  section.list("--groups", settings.groups,
               "compare these groups alone; of two, the first less the second", "A,B");
  app.add_option_function<std::vector<std::string>>(
         "--reference",
         [&settings](std::vector<std::string> const& texts) {
           for (auto const& text : texts) settings.references.push_back(reference(text));
         },
         "the level that others are compared with")
      ->group("What is compared")
      ->type_name("COLUMN=LEVEL")
      ->allow_extra_args(false);
  section.choice("--statistic", settings.statistic, statistics);
  section.add("--pair", settings.pair,
              "the design's column that names pairs, of each group one: paired-t of their "
              "differences",
              "COLUMN");
  section.choice("--alternative", settings.alternative, alternatives, "NAME",
                 "; two-sided counts |T|, of U about its mean, two-sided-doubled twice the smaller "
                 "tail (by two tests, without --state and --resume); f and kruskal-wallis-h have "
                 "greater alone");

  OptionSection model(app, "Linear model");
  model.add("--contrast", settings.contrasts,
            "test this sum of the design's columns by t, such as 'group[b] - group[c]'; given "
            "several times, all by one F",
            "EXPRESSION");
  model.add("--term", settings.term, "test all columns of a factor or an interaction by F", "NAME");
  model.list("--terms", settings.terms,
             "columns of the design besides the intercept, and interactions 'a:b' (default: all)",
             "A,B,A:B");
  model.list("--factor", settings.factors, "columns of numbers that are levels", "A,B");
  model.choice("--nuisance", settings.nuisance, methods, "METHOD");
  model.flag("--f", settings.is_f, "F of a single contrast, too");
}

void describe_exchanges(CLI::App& app, Settings& settings, Typed& typed) {
  OptionSection section(app, "What is exchanged");
  section.add("--block", typed.blocks,
              "the design's column of blocks: observations change places with those of their own "
              "block alone. Blocks inside of blocks: several columns, the outermost first",
              "COLUMN");
  section.add("--exchange", typed.exchange,
              "what changes places inside the block around it: columns of --block, whose blocks "
              "do as wholes, and 'observations' (the default)",
              "A,B");
  section.flag("--whole-blocks", typed.whole_blocks,
               "the innermost blocks alone change places, as wholes (for signs: change them "
               "together)");
  section.flag("--pairs", typed.pairs, "the two observations of each block change places or not");
  section.choice("--errors", settings.errors, errors, "KIND",
                 "; of a linear model: where they are symmetric, signs change in place of "
                 "exchanges, or besides");
  section.flag("--sign-flips", typed.sign_flips, "--errors symmetric");
}

double level_of_intervals(char const* option, std::string const& text) {
  auto const level = to_double(text);
  if (!level || !(*level > 0 && *level < 1)) {
    refuse(option, text, "a number between 0 and 1 is required, such as 0.95");
  }
  return *level;
}

std::uint64_t replicates(char const* option, std::string const& text) {
  auto const number = count(option, text, 1);
  if (number > max_replicates) {
    refuse(
        option, text,
        "at most " + grouped(max_replicates) + " will do, since each keeps a maximum of 8 bytes");
  }
  return number;
}

void describe_run(CLI::App& app, Settings& settings, Typed& typed) {
  OptionSection section(app, "Run");
  section.add("--replicates", settings.replicates,
              "random arrangements, such as 1e6 (default 9999)", "M", replicates);
  section.number("--seed", settings.seed, 0, "same seed, same result, on every machine (default 0)",
                 "S");
  section.add("--threads", typed.threads, "threads of the processor, 1 to 512", "N");
  section.number("--batch", settings.batch, 1, "replicates per kernel (default: chosen)", "B");
  section.flag("--no-enumerate", typed.no_enumerate,
               "draw at random even where all arrangements are at most M");
  section.flag("--min-p", settings.min_p,
               "adjust by the minimum of p-values, too, for statistics of unlike distributions; "
               "takes several times as long");
  section.add("--state", settings.state,
              "where counts are saved on Ctrl-C (default: OUTPUT.state.json, or a new name); if "
              "given, at the end, too",
              "FILE");
  section.add("--resume", settings.resume, "go on from saved counts", "FILE");
  section
      .number("--stop-after", settings.stop_after, 1, "stop as by Ctrl-C after N replicates", "N")
      ->group("");
}

void describe_output(CLI::App& app, Settings& settings, Typed& typed) {
  OptionSection section(app, "Output");
  section.add(
      "--output", settings.output,
      "CSV of statistics and p-values, a row for each variable; - for standard output, which then "
      "has nothing else",
      "FILE");
  section.add("--json", settings.json,
              "the same with all settings, versions and times; - as for --output", "FILE");
  section.add("--intervals", settings.intervals,
              "Clopper-Pearson intervals of all p-values in both, such as 0.95: how exactly random "
              "arrangements know them",
              "LEVEL", level_of_intervals);
  section.add("--plot", settings.plot,
              "draw p-values against those of no effect, as .svg, .png or .pdf (needs gnuplot)",
              "FILE");
  section.add("--simulate", typed.simulate,
              "write gene expression of G genes and n samples to standard output (or --output), "
              "the first AFFECTED of them higher in the second half, and its design to --design; "
              "test nothing",
              "G,n,SEED,AFFECTED");
}

void take_group(std::string const& text, Settings& settings) {
  auto const at = text.rfind(':');
  if (at == std::string::npos || at == 0 || at + 1 == text.size()) {
    refuse("--group", text, "FILE:COLUMN is required");
  }
  if (!settings.design.empty() || !settings.by.empty()) {
    throw InputError(
        "--group names the design and its column: it does not go with --design or --by");
  }
  settings.design = text.substr(0, at);
  settings.by = text.substr(at + 1);
}

Simulation simulation(std::string const& text, Settings const& settings) {
  auto const parts = split_at_commas(text);
  std::vector<std::uint64_t> numbers;
  for (auto const& part : parts) {
    if (auto const number = to_unsigned(part)) numbers.push_back(*number);
  }
  if (parts.size() != 4 || numbers.size() != 4 || numbers[0] == 0 || numbers[1] < 4 ||
      numbers[3] > numbers[0]) {
    refuse("--simulate", text,
           "G,n,SEED,AFFECTED is required, with G of at least 1, n of at least 4, and AFFECTED of "
           "at most G");
  }
  return {numbers[0], numbers[1], numbers[2], numbers[3], settings.output, settings.design};
}

void check_model(Settings const& settings, bool has_statistic) {
  if (settings.statistic != Statistic::linear_model) {
    if (!settings.terms.empty() || !settings.factors.empty() || settings.is_f ||
        settings.errors != Errors::exchangeable || settings.nuisance != Nuisance::freedman_lane) {
      throw InputError(
          "--terms, --factor, --f, --nuisance, --errors and --sign-flips are of linear models: "
          "--contrast or "
          "--term is required");
    }
    return;
  }
  if (!settings.term.empty() && !settings.contrasts.empty()) {
    throw InputError("--contrast and --term say what is tested: either will do, not both");
  }
  if (has_statistic) {
    throw InputError("--statistic does not go with --contrast and --term, which test by t or F");
  }
  if (!settings.by.empty() || !settings.groups.empty()) {
    throw InputError("--by, --group and --groups do not go with --contrast and --term: --design");
  }
  if (settings.design.empty()) throw InputError("--contrast and --term need --design FILE");
}

void check_comparison(Settings const& settings) {
  auto const statistic = settings.statistic;
  if (settings.by_order && settings.design.empty()) {
    throw InputError("--by-order needs --design FILE");
  }
  if (!settings.pair.empty() && statistic != Statistic::paired_t) {
    throw InputError(
        "--pair is of --statistic paired-t; of others, --block COLUMN --pairs exchanges the two of "
        "a pair");
  }
  if (statistic == Statistic::linear_model) return;
  bool const has_one_sample = statistic == Statistic::one_sample_t;
  if (has_one_sample && !(settings.by.empty() && settings.groups.empty())) {
    throw InputError(
        "--statistic one-sample-t has no groups: it does not go with --by and --group");
  }
  if (!has_one_sample && (settings.by.empty() || settings.design.empty())) {
    throw InputError(
        "what is compared is required: --group FILE:COLUMN, or --design FILE with --by "
        "COLUMN or --contrast EXPRESSION");
  }
  if (statistic == Statistic::paired_t && settings.pair.empty()) {
    throw InputError("--statistic paired-t needs --pair COLUMN, which names the pairs");
  }
  if (is_correlation(statistic) && (!settings.groups.empty() || !settings.references.empty())) {
    throw InputError("--groups and --reference do not go with a correlation");
  }
}

// --block a,b and --block a --block b have the same meaning.
void take_blocks(Typed const& typed, Settings& settings) {
  for (auto const& text : typed.blocks) {
    for (auto const& column : split_names("--block", text)) {
      if (std::count(settings.blocks.begin(), settings.blocks.end(), column) > 0) {
        throw InputError("--block names " + in_quotes(column) + " twice");
      }
      settings.blocks.push_back(column);
    }
  }
  settings.exchanges_blocks.assign(settings.blocks.size(), false);
}

void take_exchange(std::string const& text, Settings& settings) {
  settings.exchanges_observations = false;
  for (auto const& name : split_names("--exchange", text)) {
    auto const at = std::find(settings.blocks.begin(), settings.blocks.end(), name);
    if (name == observations_word) {
      settings.exchanges_observations = true;
    } else if (at != settings.blocks.end()) {
      settings.exchanges_blocks[static_cast<std::size_t>(at - settings.blocks.begin())] = true;
    } else {
      refuse("--exchange", text,
             in_quotes(name) + " is neither a column of --block (" +
                 list_in_quotes(settings.blocks) + ") nor '" + std::string(observations_word) +
                 "'");
    }
  }
}

// At most one of --exchange, --whole-blocks and --pairs may be given.
void take_rule(Typed const& typed, Settings& settings) {
  std::vector<std::string> rules;
  if (!typed.exchange.empty()) rules.emplace_back("--exchange");
  if (typed.whole_blocks) rules.emplace_back("--whole-blocks");
  if (typed.pairs) rules.emplace_back("--pairs");
  if (rules.empty()) return;
  if (rules.size() > 1) {
    throw InputError(rules[0] + " and " + rules[1] + ": either will do, not both");
  }
  if (settings.blocks.empty()) throw InputError(rules[0] + " needs --block COLUMN");
  settings.blocks_are_pairs = typed.pairs;
  if (!typed.exchange.empty()) take_exchange(typed.exchange, settings);
  if (typed.whole_blocks) {
    settings.exchanges_blocks.back() = true;
    settings.exchanges_observations = false;
  }
}

void check_blocks(Settings const& settings) {
  if (settings.blocks.empty()) return;
  if (settings.design.empty()) throw InputError("--block needs --design FILE");
  if (flips_signs_alone(settings) && settings.exchanges_observations) {
    throw InputError(
        "where signs alone change, --block needs --whole-blocks, by which those of a block change "
        "together");
  }
}

void take_alternative(bool is_given, Settings& settings) {
  bool const has_one_tail = compares_many_groups(settings.statistic) || settings.is_f ||
                            settings.contrasts.size() > 1 || !settings.term.empty();
  if (!has_one_tail) return;
  if (is_given && settings.alternative != Alternative::greater) {
    refuse("--alternative", name_of(settings.alternative),
           "F and H have one tail, so that only greater will do");
  }
  settings.alternative = Alternative::greater;
}

void convert(CLI::App const& app, Typed const& typed, Settings& settings,
             std::vector<std::string>& kokkos) {
  auto const given = [&app](char const* name) { return app.count(name) > 0; };
  if (settings.data.empty()) {
    throw InputError("a data file is required, or - for standard input (--help lists the options)");
  }
  if (given("--group")) take_group(typed.group, settings);
  if (!settings.contrasts.empty() || !settings.term.empty()) {
    settings.statistic = Statistic::linear_model;
  } else if (!settings.pair.empty() && !given("--statistic")) {
    settings.statistic = Statistic::paired_t;
  }
  if (typed.sign_flips) {
    if (given("--errors") && settings.errors != Errors::symmetric) {
      throw InputError("--sign-flips is --errors symmetric: it does not go with another kind");
    }
    settings.errors = Errors::symmetric;
  }
  take_blocks(typed, settings);
  take_rule(typed, settings);
  check_model(settings, given("--statistic"));
  check_comparison(settings);
  check_blocks(settings);
  take_alternative(given("--alternative"), settings);
  for (char const* const option : {"--state", "--resume", "--stop-after"}) {
    if (keeps_counts(settings) || !given(option)) continue;
    throw InputError(
        "--alternative two-sided-doubled counts each tail by itself: it does not go with " +
        std::string(option));
  }
  if (given("--threads")) {
    auto const threads = thread_count("--threads", typed.threads);
    kokkos.push_back("--kokkos-num-threads=" + std::to_string(threads));
  }
  settings.enumerate = !typed.no_enumerate;
  if (!settings.plot.empty()) picture_format("--plot", settings.plot);
}

}  // namespace

std::string name_of(Statistic statistic) {
  return statistic == Statistic::linear_model ? "linear-model" : name_in(statistics, statistic);
}
std::string name_of(Alternative alternative) { return name_in(alternatives, alternative); }
std::string name_of(Nuisance method) { return name_in(methods, method); }
std::string name_of(MissingValues kind) { return name_in(kinds_of_missing, kind); }
std::string name_of(Errors kind) { return name_in(errors, kind); }

std::variant<Settings, Simulation, Help> parse_settings(std::vector<std::string> arguments,
                                                        std::vector<std::string>& kokkos) {
  CLI::App app{
      "Permutation tests of many variables at once, with p-values adjusted for their number, by "
      "Riffle on Kokkos.",
      "riffle_permute"};
  app.footer(
      "Kokkos's own flags are taken too, for example --kokkos-device-id=1 (--kokkos-help).\n"
      "Where there are at most M distinct arrangements of the design, all of them are evaluated: "
      "exact p; never by --nuisance ter-braak and by --no-enumerate.\n"
      "In lists, a name with commas stands in double quotes: --groups '\"a, b\",c'.\n"
      "Exit code: 0; 130 after Ctrl-C, with the counts saved; 2 where the input cannot be used, 1 "
      "where another thing fails, such as writing a file, each said in a line on standard error.");
  app.set_version_flag("--version", "riffle_permute of Riffle " RIFFLE_VERSION_STRING);
  Settings settings;
  Typed typed;
  describe_data(app, settings);
  describe_comparison(app, settings, typed);
  describe_exchanges(app, settings, typed);
  describe_run(app, settings, typed);
  describe_output(app, settings, typed);
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
  if (app.count("--simulate") > 0) return simulation(typed.simulate, settings);
  convert(app, typed, settings, kokkos);
  return settings;
}

}  // namespace example::permute
