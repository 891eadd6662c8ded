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
                 "CSV or TSV file, or - for standard input: a header with the names of the "
                 "observations, then a row for each variable, its name first")
      ->type_name("");
  OptionSection section(app, "Data");
  section.flag("--observations-in-rows", settings.observations_in_rows,
               "the file has a row for each observation instead of each variable");
  section.add(
      "--delimiter", settings.delimiter,
      "comma, semicolon or tab, or the character itself (default: detected from the header)",
      "CHAR", [](char const* /*option*/, std::string const& text) { return delimiter(text); });
  section.flag(
      "--skip-missing", settings.skip_missing,
      "leave out observations without a row in the design, or with a missing value (empty, NA, "
      "NaN) in the data or in a column of the design that is used; of a pair, leave out both");
  section.choice("--missing", settings.missing, kinds_of_missing, "KIND",
                 "; what to do with a variable that has a missing value: leave-value-out computes "
                 "its statistic from the other observations (not for linear models)");
}

Reference reference(std::string const& text) {
  auto const at = text.find('=');
  if (at == std::string::npos || at == 0 || at + 1 == text.size()) {
    refuse("--reference", text, "COLUMN=LEVEL is required");
  }
  return {text.substr(0, at), text.substr(at + 1)};
}

void describe_comparison(CLI::App& app, Settings& settings, Typed& typed) {
  OptionSection section(app, "Comparison");
  section.add("--design", settings.design, "CSV file with a header and a row for each observation",
              "FILE");
  section.flag("--by-order", settings.by_order,
               "the rows of the design are in the order of the observations (default: the first "
               "column has the name of the observation)");
  section.add("--by", settings.by,
              "column of the design with the groups, or with the covariate of a correlation",
              "COLUMN");
  section.add("--group", typed.group, "the same as --design FILE --by COLUMN", "FILE:COLUMN");
  section.list("--groups", settings.groups,
               "compare only these groups; of two, the first minus the second", "A,B");
  app.add_option_function<std::vector<std::string>>(
         "--reference",
         [&settings](std::vector<std::string> const& texts) {
           for (auto const& text : texts) settings.references.push_back(reference(text));
         },
         "the level with which the others are compared")
      ->group("Comparison")
      ->type_name("COLUMN=LEVEL")
      ->allow_extra_args(false);
  section.choice("--statistic", settings.statistic, statistics);
  section.add("--pair", settings.pair,
              "column of the design with the names of pairs, each with one observation of each "
              "group: paired-t of their "
              "differences",
              "COLUMN");
  section.choice(
      "--alternative", settings.alternative, alternatives, "NAME",
      "; two-sided compares |T| (U minus its mean), two-sided-doubled takes twice the smaller tail "
      "(two tests, not with --state and --resume); f and kruskal-wallis-h always use greater");

  OptionSection model(app, "Linear model");
  model.add("--contrast", settings.contrasts,
            "test this linear combination of columns by t, such as 'group[b] - group[c]'; if given "
            "several times, test all by one F",
            "EXPRESSION");
  model.add("--term", settings.term, "test all columns of a factor or an interaction by F", "NAME");
  model.list("--terms", settings.terms,
             "columns of the design in addition to the intercept, and interactions 'a:b' (default: "
             "all columns)",
             "A,B,A:B");
  model.list("--factor", settings.factors, "numeric columns that are factors", "A,B");
  model.choice("--nuisance", settings.nuisance, methods, "METHOD");
  model.flag("--f", settings.is_f, "use F also for a single contrast");
}

void describe_exchanges(CLI::App& app, Settings& settings, Typed& typed) {
  OptionSection section(app, "Permutation scheme");
  section.add("--block", typed.blocks,
              "column of the design with the blocks: observations are permuted only within their "
              "block. Nested blocks: several columns, the outermost first",
              "COLUMN");
  section.add("--exchange", typed.exchange,
              "what is permuted within its enclosing block: columns of --block, whose blocks are "
              "permuted as wholes, and 'observations' (the default)",
              "A,B");
  section.flag("--whole-blocks", typed.whole_blocks,
               "permute only the innermost blocks, as wholes (for signs: change them "
               "together)");
  section.flag("--pairs", typed.pairs,
               "each block is a pair, whose two observations are exchanged or not");
  section.choice("--errors", settings.errors, errors, "KIND",
                 "; of a linear model: with symmetric errors, signs change instead of a "
                 "permutation, with both in addition to it");
  section.flag("--sign-flips", typed.sign_flips, "the same as --errors symmetric");
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
    refuse(option, text,
           "at most " + grouped(max_replicates) +
               " is allowed, because the maximum of each replicate is stored (8 bytes)");
  }
  return number;
}

void describe_run(CLI::App& app, Settings& settings, Typed& typed) {
  OptionSection section(app, "Run");
  section.add("--replicates", settings.replicates,
              "random arrangements, such as 1e6 (default 9999)", "M", replicates);
  section.number("--seed", settings.seed, 0,
                 "the same seed gives the same result on every machine (default 0)", "S");
  section.add("--threads", typed.threads, "number of CPU threads, 1 to 512", "N");
  section.number("--batch", settings.batch, 1, "replicates per kernel (default: automatic)", "B");
  section.flag("--no-enumerate", typed.no_enumerate,
               "use random arrangements even if there are at most M in total");
  section.flag("--min-p", settings.min_p,
               "adjust also by the minimum of p-values, for statistics with different "
               "distributions; takes several times as long");
  section.add("--state", settings.state,
              "file for the counts on Ctrl-C (default: OUTPUT.state.json, or a new name); if "
              "given, also written at the end",
              "FILE");
  section.add("--resume", settings.resume, "continue from saved counts", "FILE");
  section
      .number("--stop-after", settings.stop_after, 1, "stop after N replicates, as on Ctrl-C", "N")
      ->group("");
}

void describe_output(CLI::App& app, Settings& settings, Typed& typed) {
  OptionSection section(app, "Output");
  section.add("--output", settings.output,
              "CSV of statistics and p-values, a row for each variable; - for standard output, "
              "then without a report",
              "FILE");
  section.add("--json", settings.json,
              "JSON with the results, all settings, versions and times; - as for --output", "FILE");
  section.add("--intervals", settings.intervals,
              "write Clopper-Pearson intervals of all p-values, with this confidence level, such "
              "as 0.95: the uncertainty from random arrangements",
              "LEVEL", level_of_intervals);
  section.add("--plot", settings.plot,
              "draw p-values against their quantiles under no effect, as .svg, .png or .pdf (needs "
              "gnuplot)",
              "FILE");
  section.add("--simulate", typed.simulate,
              "simulate expression of G genes in n samples instead of a test: write it to standard "
              "output (or --output), and its design to --design; the first AFFECTED genes are "
              "higher in the second half of the samples",
              "G,n,SEED,AFFECTED");
}

void take_group(std::string const& text, Settings& settings) {
  auto const at = text.rfind(':');
  if (at == std::string::npos || at == 0 || at + 1 == text.size()) {
    refuse("--group", text, "FILE:COLUMN is required");
  }
  if (!settings.design.empty() || !settings.by.empty()) {
    throw InputError(
        "--group names the design and its column: it cannot be combined with --design or --by");
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
           "G,n,SEED,AFFECTED is required, with G >= 1, n >= 4 and AFFECTED <= G");
  }
  return {numbers[0], numbers[1], numbers[2], numbers[3], settings.output, settings.design};
}

void check_model(Settings const& settings, bool has_statistic) {
  if (settings.statistic != Statistic::linear_model) {
    if (!settings.terms.empty() || !settings.factors.empty() || settings.is_f ||
        settings.errors != Errors::exchangeable || settings.nuisance != Nuisance::freedman_lane) {
      throw InputError(
          "--terms, --factor, --f, --nuisance, --errors and --sign-flips apply only to linear "
          "models: --contrast or --term is required");
    }
    return;
  }
  if (!settings.term.empty() && !settings.contrasts.empty()) {
    throw InputError("--contrast and --term cannot be combined: both say what is tested");
  }
  if (has_statistic) {
    throw InputError(
        "--statistic cannot be combined with --contrast or --term, which test by t or F");
  }
  if (!settings.by.empty() || !settings.groups.empty()) {
    throw InputError(
        "--by, --group and --groups cannot be combined with --contrast or --term: --design");
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
        "--pair needs --statistic paired-t; with other statistics, --block COLUMN --pairs "
        "exchanges the two observations of a pair");
  }
  if (statistic == Statistic::linear_model) return;
  bool const has_one_sample = statistic == Statistic::one_sample_t;
  if (has_one_sample && !(settings.by.empty() && settings.groups.empty())) {
    throw InputError(
        "--statistic one-sample-t has no groups: it cannot be combined with --by or --group");
  }
  if (!has_one_sample && (settings.by.empty() || settings.design.empty())) {
    throw InputError(
        "nothing to compare: --group FILE:COLUMN is required, or --design FILE with --by COLUMN or "
        "--contrast EXPRESSION");
  }
  if (statistic == Statistic::paired_t && settings.pair.empty()) {
    throw InputError("--statistic paired-t needs --pair COLUMN, which names the pairs");
  }
  if (is_correlation(statistic) && (!settings.groups.empty() || !settings.references.empty())) {
    throw InputError("--groups and --reference cannot be combined with a correlation");
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
  settings.permutes_blocks.assign(settings.blocks.size(), false);
}

void take_exchange(std::string const& text, Settings& settings) {
  settings.permutes_observations = false;
  for (auto const& name : split_names("--exchange", text)) {
    auto const at = std::find(settings.blocks.begin(), settings.blocks.end(), name);
    if (name == observations_word) {
      settings.permutes_observations = true;
    } else if (at != settings.blocks.end()) {
      settings.permutes_blocks[static_cast<std::size_t>(at - settings.blocks.begin())] = true;
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
    throw InputError(rules[0] + " and " + rules[1] + " cannot be combined");
  }
  if (settings.blocks.empty()) throw InputError(rules[0] + " needs --block COLUMN");
  settings.blocks_are_pairs = typed.pairs;
  if (!typed.exchange.empty()) take_exchange(typed.exchange, settings);
  if (typed.whole_blocks) {
    settings.permutes_blocks.back() = true;
    settings.permutes_observations = false;
  }
}

void check_blocks(Settings const& settings) {
  if (settings.blocks.empty()) return;
  if (settings.design.empty()) throw InputError("--block needs --design FILE");
  if (flips_signs_alone(settings) && settings.permutes_observations) {
    throw InputError(
        "if only signs change, --block needs --whole-blocks: the signs of a block change "
        "together");
  }
}

void take_alternative(bool is_given, Settings& settings) {
  bool const has_one_tail = compares_many_groups(settings.statistic) || settings.is_f ||
                            settings.contrasts.size() > 1 || !settings.term.empty();
  if (!has_one_tail) return;
  if (is_given && settings.alternative != Alternative::greater) {
    refuse("--alternative", name_of(settings.alternative),
           "f and kruskal-wallis-h have one tail: only greater is possible");
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
      throw InputError(
          "--sign-flips means --errors symmetric: it cannot be combined with another kind");
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
    if (can_save_counts(settings) || !given(option)) continue;
    throw InputError(
        "--alternative two-sided-doubled counts each tail separately: it cannot be combined with " +
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
      "Kokkos's own flags are accepted, too, for example --kokkos-device-id=1 (--kokkos-help).\n"
      "If the design has at most M distinct arrangements, all of them are evaluated and p is "
      "exact, unless --no-enumerate or --nuisance ter-braak is given.\n"
      "In lists, a name with commas must be in double quotes: --groups '\"a, b\",c'.\n"
      "Exit code: 0; 130 after Ctrl-C, with the counts saved; 2 if the input cannot be used; 1 for "
      "other errors, such as a file that cannot be written. Each error is one line on standard "
      "error.");
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
