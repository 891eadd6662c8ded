#include "results.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "csv_rows.hpp"
#include "json_text.hpp"
#include "lines.hpp"
#include "text.hpp"

namespace example::permute {
namespace {

using namespace std::string_view_literals;

constexpr std::size_t rows_of_table = 10;
constexpr std::uint64_t at_least_2_to_64 = std::numeric_limits<std::uint64_t>::max();

// Cells with commas, quotes or line ends are quoted (RFC 4180).
std::string cell(std::string const& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string out = "\"";
  for (char const c : text) {
    if (c == '"') out += c;
    out += c;
  }
  return out + "\"";
}

std::string cell(double number) { return std::isnan(number) ? "NA" : shortest(number); }

// The distance of a statistic from its mean under the null hypothesis.
double distance(Task const& task, Settings const& settings, double statistic) {
  double middle = 0;
  if (settings.statistic == Statistic::mann_whitney_u) {
    middle = 0.5 * static_cast<double>(task.groups[0].size * task.groups[1].size);
  }
  switch (settings.alternative) {
    case Alternative::less: return middle - statistic;
    case Alternative::greater: return statistic - middle;
    default: return std::abs(statistic - middle);
  }
}

std::string alternative_words(Settings const& settings) {
  bool const is_u = settings.statistic == Statistic::mann_whitney_u;
  return alternative_text(name_of(settings.alternative), is_u ? "U - mean" : "T");
}

constexpr auto missing_words = "missing values"sv;

// The reason why a variable was not tested; empty if it was.
std::string_view why_not_tested(Task const& task, Outcome const& outcome, std::size_t g) {
  if (outcome.status[g] == VariableStatus::tested) return "";
  if (outcome.status[g] == VariableStatus::missing_values) return missing_words;
  auto const values = task.data.of(g);
  bool const is_explained = !task.terms.empty() &&  // possible in a linear model only
                            std::any_of(values.begin(), values.end(),
                                        [&](double value) { return value != values.front(); });
  return is_explained ? "explained by the nuisance" : "constant";
}

// The number of variables that were not tested, by reason.
std::map<std::string_view, std::size_t> count_not_tested(Task const& task, Outcome const& outcome) {
  std::map<std::string_view, std::size_t> counts;
  for (std::size_t g = 0; g < outcome.status.size(); ++g) {
    if (outcome.status[g] != VariableStatus::tested) ++counts[why_not_tested(task, outcome, g)];
  }
  return counts;
}

std::size_t count_tested(Outcome const& outcome) {
  return static_cast<std::size_t>(
      std::count(outcome.status.begin(), outcome.status.end(), VariableStatus::tested));
}

std::string matched(Task const& task, Settings const& settings) {
  std::string text = settings.by_order ? ", rows matched by order" : ", rows matched by name";
  if (task.design_rows_left_over > 0) {
    text += " (" + plural(task.design_rows_left_over, "row") + " without an observation)";
  }
  return text;
}

void add_data(Lines& lines, Task const& task, Outcome const& outcome) {
  auto const& data = task.data;
  std::string text = data.file + ", " + plural(data.variables.size(), "variable") + " of " +
                     plural(observations_of(task), "observation");
  if (data.delimiter != Delimiter::comma) text += ", separated by " + plural_of(data.delimiter);
  lines.add("data", text);
  auto const add = [&](std::size_t count, std::string const& what, std::string const& why) {
    if (count > 0) lines.add("", plural(count, what) + " " + why);
  };
  add(task.observations_without_group, "observation", "of other groups left out");
  add(task.pairs_with_missing, "pair", "with a missing value left out");
  add(task.observations_without_row, "observation", "without a row in the design left out");
  add(task.observations_with_missing_design, "observation",
      "with a missing value in the design left out");
  add(task.observations_with_missing, "observation", "with a missing value left out");
  std::size_t with_missing = 0;
  for (auto const& [why, count] : count_not_tested(task, outcome)) {
    add(count, "variable", "not tested: " + std::string(why) + " (NA)");
    if (why == missing_words) with_missing = count;
  }
  add(task.variables_with_missing - with_missing, "variable",
      "with missing values, tested without these values");
}

std::string terms_text(Task const& task) {
  std::string text = "intercept";
  for (auto const& term : task.terms) text += ", " + term.name;
  return text;
}

void add_design(Lines& lines, Task const& task, Settings const& settings) {
  if (settings.design.empty()) return;
  lines.add("design", settings.design + matched(task, settings));
  std::string groups;
  for (auto const& group : task.groups) {
    groups += (groups.empty() ? "" : ", ") + in_quotes(group.name) + " " + grouped(group.size);
  }
  if (!groups.empty()) lines.add("groups", settings.by + ": " + groups);
  if (task.pairs > 0) lines.add("pairs", settings.pair + ": " + grouped(task.pairs));
  if (settings.statistic == Statistic::linear_model) {
    lines.add("model", terms_text(task) + "; nuisance method " + name_of(settings.nuisance));
  }
}

std::string blocks_text(BlockLevel const& blocks, char const* what = "block") {
  return plural(blocks.size(), what) + " of " + blocks.column;
}

// "6 blocks of litter as wholes within 2 blocks of site; observations within 6 blocks of litter"
std::string permutations_text(Task const& task, Settings const& settings) {
  if (task.blocks.empty()) return "all observations";
  auto const& innermost = task.blocks.back();
  if (settings.blocks_are_pairs) return "within " + blocks_text(innermost, "pair");
  std::string text;
  for (std::size_t l = 0; l < task.blocks.size(); ++l) {
    if (!settings.permutes_blocks[l]) continue;
    text += (text.empty() ? "" : "; ") + blocks_text(task.blocks[l]) + " as wholes";
    if (l > 0) text += " within " + blocks_text(task.blocks[l - 1]);
  }
  if (!settings.permutes_observations) return text;
  return (text.empty() ? "within " : text + "; observations within ") + blocks_text(innermost);
}

std::string scheme_text(Task const& task, Settings const& settings) {
  std::string signs = task.pairs > 0 ? "signs of differences" : "signs of observations";
  if (!settings.permutes_observations) {
    for (std::size_t l = 0; l < task.blocks.size(); ++l) {
      if (settings.permutes_blocks[l]) signs = "signs of " + blocks_text(task.blocks[l]);
    }
  }
  if (flips_signs_alone(settings)) return signs;
  return permutations_text(task, settings) +
         (settings.errors == Errors::both ? ", and " + signs : "");
}

std::string arrangements_text(std::uint64_t arrangements) {
  if (arrangements == at_least_2_to_64) return "more than 1.8e19 arrangements";
  return plural(arrangements, "arrangement");
}

// Whether p-values are exact: all arrangements are enumerated, and rounding decides no comparison.
bool is_exact(Plan const& plan, Outcome const& outcome) {
  return plan.is_exact && std::all_of(outcome.uncertain.begin(), outcome.uncertain.end(),
                                      [](std::uint64_t count) { return count == 0; });
}

std::string exactness_text(Plan const& plan, Outcome const& outcome) {
  if (is_exact(plan, outcome)) return "exact";
  auto const& counts = outcome.uncertain;
  auto const variables = counts.size() - static_cast<std::size_t>(std::count(
                                             counts.begin(), counts.end(), std::uint64_t{0}));
  return "exact up to rounding, with up to " +
         plural(*std::max_element(counts.begin(), counts.end()), "uncertain arrangement") + " in " +
         plural(variables, "variable");
}

// The number of variables whose adjusted p-value is known to be at most 0.05.
std::string interval_text(Settings const& settings, Plan const& plan, Outcome const& outcome) {
  if (plan.is_exact) return "of width 0: p-values are " + exactness_text(plan, outcome);
  auto const& [lower, upper] = outcome.interval_step_down;
  std::size_t below = 0;
  std::size_t undecided = 0;
  for (std::size_t g = 0; g < lower.size(); ++g) {
    if (upper[g] <= significance_level) ++below;
    if (lower[g] <= significance_level && upper[g] > significance_level) ++undecided;
  }
  return rounded(100 * settings.intervals) +
         "% confidence: step-down p is at most 0.05 in the whole interval for " +
         plural(below, "variable") + ", in a part of it for " + grouped(undecided);
}

std::string speed(Outcome const& outcome) {
  double const replicates = static_cast<double>(outcome.replicates - outcome.resumed);
  double const tested = static_cast<double>(count_tested(outcome));
  std::string text = rate_text(replicates * tested / std::max(outcome.seconds, 1e-9)) +
                     " statistics per second (" + time_text(outcome.seconds) + ")";
  if (outcome.resumed > 0) {
    text += "; " + plural(outcome.resumed, "replicate") +
            (outcome.resumed == 1 ? " comes" : " come") + " from an earlier run";
  }
  return text;
}

void add_back_end(Lines& lines, Outcome const& outcome) {
  auto const& back_end = outcome.back_end;
  lines.add("device", back_end.device + "; " + back_end.execution_space + ", concurrency " +
                          std::to_string(back_end.concurrency) + "; Kokkos " +
                          back_end.kokkos_version + ", Riffle " + back_end.riffle_version);
}

std::string padded(std::string text, std::size_t width, bool right) {
  // The width is counted in characters, not bytes.
  auto const length = static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
  }));
  std::string const blanks(width > length ? width - length : 0, ' ');
  return right ? blanks + text : text + blanks;
}

// A table of the ten most extreme variables.
std::string table_of(Task const& task, Settings const& settings, Outcome const& outcome) {
  auto order = by_extremeness(task, settings, outcome);
  order.resize(std::min(order.size(), rows_of_table));
  std::vector<std::array<std::string, 6>> rows{
      {"variable", symbol(settings), "p", "single-step", "step-down", "FDR"}};
  for (auto const g : order) {
    // in_quotes() makes the name printable; the quotes themselves are removed.
    auto name = in_quotes(task.data.variables[g]);
    rows.push_back({name.substr(1, name.size() - 2), rounded(outcome.statistic[g], 5),
                    rounded(outcome.p[g], 4), rounded(outcome.p_single_step[g], 4),
                    rounded(outcome.p_step_down[g], 4), rounded(outcome.p_false_discovery[g], 4)});
  }
  std::array<std::size_t, 6> widths{};
  for (auto const& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text;
  for (auto const& row : rows) {
    text += padded(row[0], widths[0], false);
    for (std::size_t i = 1; i < row.size(); ++i) text += "  " + padded(row[i], widths[i], true);
    text += '\n';
  }
  return text;
}

using Column = std::pair<std::string, std::vector<double> const*>;

std::vector<Column> columns_of(Outcome const& outcome) {
  std::vector<Column> columns{
      {"statistic", &outcome.statistic},
      {"p", &outcome.p},
      {"p_single_step", &outcome.p_single_step},
      {"p_step_down", &outcome.p_step_down},
      {"p_false_discovery", &outcome.p_false_discovery},
  };
  bool const has_min_p = !outcome.p_step_down_min_p.empty();
  if (has_min_p) {
    columns.push_back({"p_single_step_min_p", &outcome.p_single_step_min_p});
    columns.push_back({"p_step_down_min_p", &outcome.p_step_down_min_p});
  }
  auto const add = [&](std::string const& name, Intervals const& intervals) {
    columns.push_back({name + "_lower", &intervals.lower});
    columns.push_back({name + "_upper", &intervals.upper});
  };
  if (outcome.interval_p.lower.empty()) return columns;
  add("p", outcome.interval_p);
  add("p_single_step", outcome.interval_single_step);
  add("p_step_down", outcome.interval_step_down);
  if (has_min_p) {
    add("p_single_step_min_p", outcome.interval_single_step_min_p);
    add("p_step_down_min_p", outcome.interval_step_down_min_p);
  }
  return columns;
}

using Json = nlohmann::ordered_json;

// JSON has neither NaN, which is written as null, nor infinity.
Json numbers_json(std::vector<double> const& values) {
  Json numbers = Json::array();
  for (double const value : values) {
    if (std::isinf(value)) {
      numbers.push_back(value > 0 ? "Infinity" : "-Infinity");
    } else {
      numbers.push_back(value);
    }
  }
  return numbers;
}

Json results_json(Task const& task, Outcome const& outcome) {
  Json results{{"variable", task.data.variables}};
  for (auto const& [name, values] : columns_of(outcome)) results[name] = numbers_json(*values);
  for (std::size_t g = 0; g < outcome.status.size(); ++g) {
    auto const why = why_not_tested(task, outcome, g);
    results["extreme"].push_back(why.empty() ? Json(outcome.extreme[g]) : Json());
    results["uncertain"].push_back(why.empty() ? Json(outcome.uncertain[g]) : Json());
    results["not_tested"].push_back(why.empty() ? Json() : Json(why));
  }
  return results;
}

std::vector<std::string> permuted_names(Settings const& settings) {
  std::vector<std::string> names;
  for (std::size_t l = 0; l < settings.blocks.size(); ++l) {
    if (settings.permutes_blocks[l]) names.push_back(settings.blocks[l]);
  }
  if (settings.permutes_observations) names.emplace_back("observations");
  return names;
}

Json settings_json(Settings const& settings) {
  Json references = Json::object();
  for (auto const& [column, reference] : settings.references) references[column] = reference;
  return {
      {"observations_in_rows", settings.observations_in_rows},
      {"skip_missing", settings.skip_missing},
      {"missing", name_of(settings.missing)},
      {"design", settings.design},
      {"by_order", settings.by_order},
      {"by", settings.by},
      {"groups", settings.groups},
      {"references", std::move(references)},
      {"terms", settings.terms},
      {"factors", settings.factors},
      {"contrasts", settings.contrasts},
      {"term", settings.term},
      {"f", settings.is_f},
      {"nuisance", name_of(settings.nuisance)},
      {"blocks", settings.blocks},
      {"exchange", permuted_names(settings)},
      {"block_pairs", settings.blocks_are_pairs},
      {"pair", settings.pair},
      {"errors", name_of(settings.errors)},
      {"statistic", name_of(settings.statistic)},
      {"alternative", name_of(settings.alternative)},
      {"replicates", settings.replicates},
      {"seed", settings.seed},
      {"batch", settings.batch},
      {"enumerate", settings.enumerate},
      {"min_p", settings.min_p},
      {"intervals", settings.intervals},
  };
}

}  // namespace

std::size_t count_significant(std::vector<double> const& p) {
  return static_cast<std::size_t>(
      std::count_if(p.begin(), p.end(), [](double x) { return x <= significance_level; }));
}

std::vector<std::size_t> by_extremeness(Task const& task, Settings const& settings,
                                        Outcome const& outcome) {
  std::vector<std::size_t> order;
  std::vector<double> far;
  for (std::size_t g = 0; g < outcome.p.size(); ++g) {
    far.push_back(distance(task, settings, outcome.statistic[g]));
    if (!std::isnan(outcome.p[g])) order.push_back(g);
  }
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    if (outcome.p_step_down[a] != outcome.p_step_down[b]) {
      return outcome.p_step_down[a] < outcome.p_step_down[b];
    }
    return far[a] > far[b];
  });
  return order;
}

std::string symbol(Settings const& settings) {
  switch (settings.statistic) {
    case Statistic::f: return "F";
    case Statistic::pearson: return "r";
    case Statistic::spearman: return "rho";
    case Statistic::mann_whitney_u: return "U";
    case Statistic::kruskal_wallis_h: return "H";
    case Statistic::linear_model: {
      bool const is_f = settings.is_f || !settings.term.empty() || settings.contrasts.size() > 1;
      return is_f ? "F" : "t";
    }
    default: return "t";
  }
}

std::string words(Task const& task, Settings const& settings) {
  auto const two = [&](std::string const& link) {
    return " of " + settings.by + ", " + in_quotes(task.groups[1].name) + link +
           in_quotes(task.groups[0].name);
  };
  auto const many = [&] {
    return " of " + settings.by + ", " + std::to_string(task.groups.size()) + " groups";
  };
  switch (settings.statistic) {
    case Statistic::student_t: return "t" + two(" - ");
    case Statistic::welch_t: return "Welch's t" + two(" - ");
    case Statistic::mann_whitney_u: return "Mann and Whitney's U" + two(" above ");
    case Statistic::f: return "F" + many();
    case Statistic::kruskal_wallis_h: return "Kruskal and Wallis's H" + many();
    case Statistic::pearson: return "Pearson's correlation with " + settings.by;
    case Statistic::spearman: return "Spearman's correlation with " + settings.by;
    case Statistic::one_sample_t: return "t of one sample";
    case Statistic::paired_t: return "t of differences" + two(" - ");
    case Statistic::linear_model: break;
  }
  if (!settings.term.empty()) return "F of the term " + in_quotes(settings.term);
  return symbol(settings) + " of " + list_in_quotes(settings.contrasts);
}

std::string replicates_text(Settings const& settings, Plan const& plan, std::uint64_t replicates) {
  if (plan.is_exact) return "all " + grouped(replicates) + " arrangements";
  return grouped(replicates) + " random " +
         (flips_signs_alone(settings)       ? "sign patterns"
          : settings.errors == Errors::both ? "arrangements"
                                            : "permutations");
}

std::string csv_of(Task const& task, Outcome const& outcome) {
  std::string text = "variable";
  for (auto const& [name, values] : columns_of(outcome)) text += "," + name;
  text += ",extreme,not_tested\n";
  for (std::size_t g = 0; g < outcome.p.size(); ++g) {
    text += cell(task.data.variables[g]);
    for (auto const& [name, values] : columns_of(outcome)) text += "," + cell((*values)[g]);
    auto const why = why_not_tested(task, outcome, g);
    text += "," + (why.empty() ? std::to_string(outcome.extreme[g]) : "NA") + ",";
    text += std::string(why) + "\n";
  }
  return text;
}

std::string json_of(Task const& task, Settings const& settings, Plan const& plan,
                    Outcome const& outcome) {
  auto const& back_end = outcome.back_end;
  Json groups = Json::array();
  for (auto const& group : task.groups) {
    groups.push_back({{"name", group.name}, {"size", group.size}});
  }
  Json not_tested = Json::object();
  for (auto const& [why, count] : count_not_tested(task, outcome)) {
    not_tested[std::string(why)] = count;
  }
  double const evaluated = static_cast<double>(outcome.replicates - outcome.resumed) *
                           static_cast<double>(count_tested(outcome));
  Json const object{
      {"file", task.data.file},
      {"variables", task.data.variables.size()},
      {"observations", observations_of(task)},
      {"pairs", task.pairs},
      {"delimiter", std::string(1, static_cast<char>(task.data.delimiter))},
      {"variables_with_missing", task.variables_with_missing},
      {"variables_tested", count_tested(outcome)},
      {"variables_not_tested", std::move(not_tested)},
      {"pairs_with_missing", task.pairs_with_missing},
      {"observations_with_missing", task.observations_with_missing},
      {"observations_with_missing_design", task.observations_with_missing_design},
      {"observations_without_design", task.observations_without_row},
      {"observations_of_other_groups", task.observations_without_group},
      {"design_matched_by_name", !settings.design.empty() && !settings.by_order},
      {"groups", std::move(groups)},
      {"settings", settings_json(settings)},
      {"exchanges", scheme_text(task, settings)},
      {"arrangements", plan.arrangements},
      {"arrangements_are_more", plan.arrangements == at_least_2_to_64},
      {"exact", is_exact(plan, outcome)},
      {"enumerated", plan.is_exact},
      {"replicates", outcome.replicates},
      {"replicates_of_an_earlier_run", outcome.resumed},
      {"seconds", outcome.seconds},
      {"statistics_per_second", evaluated / std::max(outcome.seconds, 1e-9)},
      {"at_most_0.05",
       {{"p", count_significant(outcome.p)},
        {"p_single_step", count_significant(outcome.p_single_step)},
        {"p_step_down", count_significant(outcome.p_step_down)},
        {"p_false_discovery", count_significant(outcome.p_false_discovery)}}},
      {"device", back_end.device},
      {"execution_space", back_end.execution_space},
      {"concurrency", back_end.concurrency},
      {"kokkos_version", back_end.kokkos_version},
      {"riffle_version", back_end.riffle_version},
      {"results", results_json(task, outcome)},
  };
  return json_line(object);
}

std::string report_of(Task const& task, Settings const& settings, Plan const& plan,
                      Outcome const& outcome) {
  Lines lines;
  add_data(lines, task, outcome);
  add_design(lines, task, settings);
  lines.add("statistic", words(task, settings) + " (" + alternative_words(settings) + ")");
  lines.add("permutes", scheme_text(task, settings) + ": " + arrangements_text(plan.arrangements));
  lines.add("replicates", replicates_text(settings, plan, outcome.replicates) +
                              (plan.is_exact ? ": " + exactness_text(plan, outcome)
                                             : "; seed " + std::to_string(settings.seed)));
  add_back_end(lines, outcome);
  lines.add("speed", speed(outcome));
  lines.add("p <= 0.05",
            plural(count_significant(outcome.p), "variable") + " unadjusted; " +
                grouped(count_significant(outcome.p_single_step)) + " single-step, " +
                grouped(count_significant(outcome.p_step_down)) + " step-down max-T; " +
                grouped(count_significant(outcome.p_false_discovery)) + " by false discovery rate" +
                (settings.min_p ? "; " + grouped(count_significant(outcome.p_step_down_min_p)) +
                                      " step-down min-P"
                                : ""));
  if (settings.intervals > 0) {
    lines.add("intervals", interval_text(settings, plan, outcome));
  }
  for (auto const& [label, file] :
       {std::pair{"table", &settings.output}, std::pair{"json", &settings.json},
        std::pair{"plot", &settings.plot}}) {
    if (!file->empty()) lines.add(label, *file);
  }
  return lines.text() + "\n" + table_of(task, settings, outcome);
}

}  // namespace example::permute
