#include "settings.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <string_view>

#include <riffle/version.hpp>

#include "gnuplot.hpp"
#include "input_error.hpp"
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
};
constexpr std::array alternatives{
    std::pair{"two-sided"sv, Alternative::two_sided},
    std::pair{"less"sv, Alternative::less},
    std::pair{"greater"sv, Alternative::greater},
};
constexpr std::array methods{
    std::pair{"freedman-lane"sv, NuisanceMethod::freedman_lane},
    std::pair{"ter-braak"sv, NuisanceMethod::ter_braak},
    std::pair{"manly"sv, NuisanceMethod::manly},
    std::pair{"still-white"sv, NuisanceMethod::still_white},
};
constexpr std::array errors{
    std::pair{"exchangeable"sv, Errors::exchangeable},
    std::pair{"symmetric"sv, Errors::symmetric},
    std::pair{"both"sv, Errors::both},
};

constexpr std::uint64_t max_replicates = 1'000'000'000;

// The values as the user typed them.
struct Typed {
  std::string delimiter, group, groups, terms, factors, statistic, alternative, nuisance, errors;
  std::string replicates, seed, batch, threads, simulate, stop_after;
  std::vector<std::string> references;
  bool whole_blocks = false;
  bool pairs = false;
  bool no_enumerate = false;
};

void describe_data(CLI::App& app, Settings& settings, Typed& typed) {
  auto const group = "Data";
  app.add_option("FILE", settings.data,
                 "CSV or TSV file, or - for standard input: a row names the observations, then a "
                 "row for each variable, its name first")
      ->type_name("");
  app.add_flag("--observations-in-rows", settings.observations_in_rows,
               "the other way round: a row for each observation")
      ->group(group);
  app.add_option("--delimiter", typed.delimiter,
                 "comma, semicolon or tab, or the character (default: recognised by the header)")
      ->group(group)
      ->type_name("CHAR");
  app.add_flag("--skip-missing", settings.skip_missing,
               "leave observations out that have a missing value (empty, NA, NaN) or no group; "
               "otherwise variables with one are left out")
      ->group(group);
}

void describe_comparison(CLI::App& app, Settings& settings, Typed& typed) {
  auto const group = "What is compared";
  auto const add = [&](char const* name, auto& value, char const* what, char const* type) {
    return app.add_option(name, value, what)->group(group)->type_name(type);
  };
  add("--design", settings.design, "CSV file with a row for each observation, and a header",
      "FILE");
  add("--by", settings.by, "the design's column of groups, or the covariate of a correlation",
      "COLUMN");
  add("--group", typed.group, "both in one", "FILE:COLUMN");
  add("--groups", typed.groups, "compare these groups alone; of two, the first less the second",
      "A,B");
  add("--reference", typed.references, "the level that others are compared with", "COLUMN=LEVEL");
  add("--statistic", typed.statistic,
      "t (default), welch, f, mann-whitney-u, kruskal-wallis-h, pearson, spearman or one-sample-t",
      "NAME");
  add("--alternative", typed.alternative,
      "two-sided, less or greater (default: two-sided; f and kruskal-wallis-h have greater alone)",
      "NAME");
  auto const model = "Linear model";
  auto const add_model = [&](char const* name, auto& value, char const* what, char const* type) {
    return app.add_option(name, value, what)->group(model)->type_name(type);
  };
  add_model("--contrast", settings.contrasts,
            "test this sum of the design's columns by t, such as 'group[b] - group[c]'; given "
            "several times, all by one F",
            "EXPRESSION");
  add_model("--term", settings.term, "test all columns of a factor or an interaction by F", "NAME");
  add_model("--terms", typed.terms,
            "columns of the design besides the intercept, and interactions 'a:b' (default: all)",
            "A,B,A:B");
  add_model("--factor", typed.factors, "columns of numbers that are levels", "A,B");
  add_model("--nuisance", typed.nuisance,
            "freedman-lane (default), ter-braak, manly or still-white", "METHOD");
  app.add_flag("--f", settings.is_f, "F of a single contrast, too")->group(model);
}

void describe_exchanges(CLI::App& app, Settings& settings, Typed& typed) {
  auto const group = "What is exchanged";
  app.add_option("--block", settings.block,
                 "the design's column of blocks: observations change places with those of their "
                 "own block alone")
      ->group(group)
      ->type_name("COLUMN");
  app.add_flag("--whole-blocks", typed.whole_blocks,
               "blocks of one size change places as wholes (for signs: change them together)")
      ->group(group);
  app.add_flag("--pairs", typed.pairs, "the two observations of each block change places or not")
      ->group(group);
  app.add_option("--errors", typed.errors,
                 "of a linear model: exchangeable (default), symmetric (signs change), or both")
      ->group(group)
      ->type_name("KIND");
}

void describe_run(CLI::App& app, Settings& settings, Typed& typed) {
  auto const group = "Run";
  auto const add = [&](char const* name, auto& value, char const* what, char const* type) {
    return app.add_option(name, value, what)->group(group)->type_name(type);
  };
  add("--replicates", typed.replicates, "random arrangements, such as 1e6 (default 9999)", "M");
  add("--seed", typed.seed, "same seed, same result, on every machine (default 0)", "S");
  add("--threads", typed.threads, "threads of the processor", "N");
  add("--batch", typed.batch, "replicates per kernel (default: chosen)", "B");
  app.add_flag("--no-enumerate", typed.no_enumerate,
               "draw at random even where all arrangements are at most M")
      ->group(group);
  app.add_flag("--min-p", settings.min_p,
               "adjust by the minimum of p-values, too, for statistics of unlike distributions; "
               "takes several times as long")
      ->group(group);
  add("--state", settings.state,
      "where counts are saved on Ctrl-C (default: OUTPUT.state.json); if given, at the end, too",
      "FILE");
  add("--resume", settings.resume, "go on from saved counts", "FILE");
  add("--stop-after", typed.stop_after, "stop as by Ctrl-C after N replicates", "N")->group("");
}

void describe_output(CLI::App& app, Settings& settings, Typed& typed) {
  auto const group = "Output";
  auto const add = [&](char const* name, auto& value, char const* what, char const* type) {
    return app.add_option(name, value, what)->group(group)->type_name(type);
  };
  add("--output", settings.output, "CSV of statistics and p-values, a row for each variable",
      "FILE");
  add("--json", settings.json, "the same with all settings, versions and times", "FILE");
  add("--plot", settings.plot,
      "draw p-values against those of no effect, as .svg, .png or .pdf (needs gnuplot)", "FILE");
  add("--simulate", typed.simulate,
      "write gene expression of G genes and n samples to standard output (or --output), the first "
      "AFFECTED of them higher in the second half, and its design to --design; test nothing",
      "G,n,SEED,AFFECTED");
}

Reference reference(std::string const& text) {
  auto const at = text.find('=');
  if (at == std::string::npos || at == 0 || at + 1 == text.size()) {
    refuse("--reference", text, "COLUMN=LEVEL is required");
  }
  return {text.substr(0, at), text.substr(at + 1)};
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
        settings.errors != Errors::exchangeable ||
        settings.nuisance != NuisanceMethod::freedman_lane) {
      throw InputError(
          "--terms, --factor, --f, --nuisance and --errors are of linear models: --contrast or "
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
  if (is_correlation(statistic) && (!settings.groups.empty() || !settings.references.empty())) {
    throw InputError("--groups and --reference do not go with a correlation");
  }
}

void check_blocks(Settings const& settings, Typed const& typed) {
  if (typed.whole_blocks && typed.pairs) {
    throw InputError("--whole-blocks and --pairs: either will do, not both");
  }
  if (settings.block.empty()) {
    if (typed.whole_blocks || typed.pairs) {
      throw InputError(std::string(typed.pairs ? "--pairs" : "--whole-blocks") +
                       " needs --block COLUMN");
    }
    return;
  }
  if (settings.design.empty()) throw InputError("--block needs --design FILE");
  bool const flips_alone =
      settings.statistic == Statistic::one_sample_t || settings.errors == Errors::symmetric;
  if (flips_alone && !typed.whole_blocks) {
    throw InputError(
        "where signs alone change, --block needs --whole-blocks, by which those of a "
        "block change together");
  }
}

void convert(CLI::App const& app, Typed const& typed, Settings& settings,
             std::vector<std::string>& kokkos) {
  auto const given = [&app](char const* name) { return app.count(name) > 0; };
  if (settings.data.empty()) {
    throw InputError("a data file is required, or - for standard input (--help lists the options)");
  }
  if (given("--delimiter")) settings.delimiter = delimiter(typed.delimiter);
  if (given("--group")) take_group(typed.group, settings);
  if (given("--groups")) settings.groups = split_at_commas(typed.groups);
  if (given("--terms")) settings.terms = split_at_commas(typed.terms);
  if (given("--factor")) settings.factors = split_at_commas(typed.factors);
  for (auto const& text : typed.references) settings.references.push_back(reference(text));
  if (given("--statistic")) {
    settings.statistic = choose("--statistic", typed.statistic, statistics);
  }
  if (!settings.contrasts.empty() || !settings.term.empty()) {
    settings.statistic = Statistic::linear_model;
  }
  if (given("--nuisance")) settings.nuisance = choose("--nuisance", typed.nuisance, methods);
  if (given("--errors")) settings.errors = choose("--errors", typed.errors, errors);
  if (typed.whole_blocks) settings.block_rule = BlockRule::whole;
  if (typed.pairs) settings.block_rule = BlockRule::pairs;
  check_model(settings, given("--statistic"));
  check_comparison(settings);
  check_blocks(settings, typed);

  if (given("--alternative")) {
    settings.alternative = choose("--alternative", typed.alternative, alternatives);
  }
  bool const has_one_tail = compares_many_groups(settings.statistic) || settings.is_f ||
                            settings.contrasts.size() > 1 || !settings.term.empty();
  if (has_one_tail) {
    if (given("--alternative") && settings.alternative != Alternative::greater) {
      refuse("--alternative", typed.alternative,
             "F and H have one tail, so that only greater will do");
    }
    settings.alternative = Alternative::greater;
  }
  if (given("--replicates")) settings.replicates = count("--replicates", typed.replicates, 1);
  if (settings.replicates > max_replicates) {
    refuse(
        "--replicates", typed.replicates,
        "at most " + grouped(max_replicates) + " will do, since each keeps a maximum of 8 bytes");
  }
  if (given("--seed")) settings.seed = count("--seed", typed.seed, 0);
  if (given("--batch")) settings.batch = count("--batch", typed.batch, 1);
  if (given("--stop-after")) settings.stop_after = count("--stop-after", typed.stop_after, 1);
  if (given("--threads")) {
    auto const threads = count("--threads", typed.threads, 1);
    kokkos.push_back("--kokkos-num-threads=" + std::to_string(threads));
  }
  settings.enumerate = !typed.no_enumerate;
  if (!settings.plot.empty()) picture_format("--plot", settings.plot);
  settings.keeps_state = !settings.state.empty();
  if (settings.state.empty()) {
    settings.state =
        (settings.output.empty() ? std::string("riffle_permute") : settings.output) + ".state.json";
  }
}

}  // namespace

std::string name_of(Statistic statistic) {
  return statistic == Statistic::linear_model ? "linear-model" : name_in(statistics, statistic);
}
std::string name_of(Alternative alternative) { return name_in(alternatives, alternative); }
std::string name_of(NuisanceMethod method) { return name_in(methods, method); }
std::string name_of(Errors kind) { return name_in(errors, kind); }
std::string name_of(BlockRule rule) {
  return rule == BlockRule::whole ? "whole blocks" : rule == BlockRule::pairs ? "pairs" : "within";
}

std::variant<Settings, Simulation, Help> parse_settings(std::vector<std::string> arguments,
                                                        std::vector<std::string>& kokkos) {
  CLI::App app{
      "Permutation tests of many variables at once, with p-values adjusted for their number, by "
      "Riffle on Kokkos.",
      "riffle_permute"};
  app.footer(
      "Kokkos's own flags are taken too, for example --kokkos-device-id=1 (--kokkos-help).\n"
      "Where there are at most M arrangements of the data, all of them are evaluated: exact p.\n"
      "Exit code: 0; 130 after Ctrl-C, with the counts saved; after one line on standard error 2 "
      "where the input cannot be used, 1 where another thing fails.");
  app.set_version_flag("--version", "riffle_permute of Riffle " RIFFLE_VERSION_STRING);
  Settings settings;
  Typed typed;
  describe_data(app, settings, typed);
  describe_comparison(app, settings, typed);
  describe_exchanges(app, settings, typed);
  describe_run(app, settings, typed);
  describe_output(app, settings, typed);
  std::reverse(arguments.begin(), arguments.end());  // CLI11 takes them from the back
  try {
    app.parse(std::move(arguments));
  } catch (CLI::CallForHelp const&) {
    return Help{app.help()};
  } catch (CLI::CallForVersion const&) {
    return Help{app.version() + "\n"};
  } catch (CLI::ParseError const& error) {
    throw InputError(one_line(error.what()) + " (--help lists the options)");
  }
  if (app.count("--simulate") > 0) return simulation(typed.simulate, settings);
  convert(app, typed, settings, kokkos);
  return settings;
}

}  // namespace example::permute
