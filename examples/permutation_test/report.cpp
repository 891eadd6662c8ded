#include "report.hpp"

#include <array>
#include <cstddef>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "json_text.hpp"
#include "lines.hpp"
#include "text.hpp"

namespace example {
namespace {

std::string words(Statistic statistic) {
  switch (statistic) {
    case Statistic::difference_of_means: return "difference of means";
    case Statistic::paired_difference: return "mean difference of pairs";
    case Statistic::welch_t: return "Welch's t";
    case Statistic::f: return "F";
    case Statistic::correlation: return "Pearson's correlation";
    case Statistic::mann_whitney_u: return "Mann and Whitney's U";
    case Statistic::kruskal_wallis_h: return "Kruskal and Wallis's H";
    case Statistic::spearman: return "Spearman's correlation";
  }
  return {};
}

bool by_group(Options const& options) { return !options.value.empty(); }

// The groups or columns and the operation between them: "of height, crossed - selfed".
std::string between(Samples const& samples, Options const& options, std::string const& minus) {
  std::string out = by_group(options) ? " of " + options.value + "," : ",";
  if (takes_many_groups(options.statistic)) {
    return out + " " + std::to_string(samples.size()) + " groups";
  }
  std::string link = minus;
  if (is_correlation(options.statistic)) link = " and ";
  if (options.statistic == Statistic::mann_whitney_u) link = " above ";
  return out + " " + samples[0].name + link + samples[1].name;
}

std::string alternative_words(Options const& options) {
  return alternative_text(name_of(options.alternative), symbol(options.statistic));
}

std::string p_text(double p) { return rounded(p, 4); }

// The name of the replicates.
std::string replicates(Options const& options) {
  return options.statistic == Statistic::paired_difference ? "sign patterns" : "permutations";
}

std::string method_of_p(Options const& options, Outcome const& outcome) {
  bool const of_signs = options.statistic == Statistic::paired_difference;
  if (!outcome.exact) return grouped(outcome.replicates) + " random " + replicates(options);
  std::string const all =
      "all " + grouped(outcome.replicates) + (of_signs ? " sign patterns" : " arrangements");
  if (outcome.uncertain == 0) return "exact: " + all;
  return "exact up to the rounding of the data: " + all + ", " + grouped(outcome.uncertain) +
         " of them uncertain, p at least " + p_text(outcome.lower);
}

std::string sizes(Samples const& samples, Options const& options) {
  if (options.statistic == Statistic::paired_difference) {
    return plural(samples[0].values.size(), "pair");
  }
  std::string out;
  for (auto const& sample : samples) {
    out += (out.empty() ? "" : " + ") + std::to_string(sample.values.size());
  }
  return out + " values";
}

std::array<std::string, 2> columns_of(Options const& options) {
  if (by_group(options)) return {options.value, options.group};
  return {options.x, options.y};
}

// The file, its size, and the number of rows that were left out.
std::string data(CsvTable const& table, Samples const& samples, Options const& options) {
  std::string text = table.file() + ", " + plural(table.rows(), "row");
  if (table.delimiter() != Delimiter::comma) {
    text += ", separated by " + plural_of(table.delimiter());
  }
  if (samples.rows_with_missing > 0) {
    text += "; " + grouped(samples.rows_with_missing) + " with a missing value left out (";
    auto const columns = columns_of(options);
    for (std::size_t i = 0; i < columns.size(); ++i) {
      bool const is_second = i > 0 && samples.missing[0] > 0;
      if (samples.missing[i] == 0) continue;
      text +=
          (is_second ? ", " : "") + grouped(samples.missing[i]) + " in " + in_quotes(columns[i]);
    }
    text += ")";
  }
  return text;
}

void add_samples(Lines& lines, Samples const& samples, Options const& options) {
  std::string_view label = by_group(options) ? "groups" : "columns";
  for (auto const& sample : samples) {
    std::string const name =
        by_group(options) ? options.group + " " + in_quotes(sample.name) : in_quotes(sample.name);
    lines.add(label, name + ": " + plural(sample.values.size(), "value") + ", mean " +
                         rounded(sample.mean(), 5));
    label = "";
  }
}

}  // namespace

std::string text_report(CsvTable const& table, Samples const& samples, Options const& options,
                        Outcome const& outcome) {
  Lines lines;
  lines.add("data", data(table, samples, options));
  add_samples(lines, samples, options);
  lines.add("statistic", words(options.statistic) + between(samples, options, " - ") + ": " +
                             rounded(outcome.statistic, 6));
  lines.add("p", p_text(outcome.p_value) + " (" + alternative_words(options) + ", " +
                     method_of_p(options, outcome) + ")");
  if (!outcome.exact) {
    lines.add("", rounded(100 * options.level, 4) + "% interval " + p_text(outcome.lower) + " to " +
                      p_text(outcome.upper));
  }
  lines.add("speed", rate_text(outcome.replicates_per_second()) + " " + replicates(options) +
                         " per second (" + grouped(outcome.replicates) + " in " +
                         rounded(outcome.seconds, 3) + " s)");
  auto const& back_end = outcome.back_end;
  lines.add("back end", "Kokkos " + back_end.kokkos_version + " " + back_end.execution_space +
                            ", concurrency " + std::to_string(back_end.concurrency) + "; Riffle " +
                            back_end.riffle_version);
  lines.add("seed", std::to_string(options.seed));
  if (!options.histogram.empty()) lines.add("histogram", options.histogram);
  return lines.text();
}

std::string json_report(CsvTable const& table, Samples const& samples, Options const& options,
                        Outcome const& outcome) {
  using Json = nlohmann::ordered_json;
  Json groups = Json::array();
  for (auto const& sample : samples) {
    groups.push_back(
        {{"name", sample.name}, {"size", sample.values.size()}, {"mean", sample.mean()}});
  }
  Json missing = Json::object();
  for (std::size_t i = 0; auto const& column : columns_of(options)) {
    missing[column] = samples.missing[i++];
  }
  auto const& back_end = outcome.back_end;
  Json object{
      {"file", table.file()},
      {"rows", table.rows()},
      {"delimiter", std::string(1, static_cast<char>(table.delimiter()))},
      {"rows_with_missing", samples.rows_with_missing},
      {"missing_values", std::move(missing)},
      {by_group(options) ? "groups" : "columns", std::move(groups)},
      {"statistic", {{"name", name_of(options.statistic)}, {"value", outcome.statistic}}},
      {"alternative", name_of(options.alternative)},
      {"p_value", outcome.p_value},
      {"p_interval",
       {{"level", options.level}, {"lower", outcome.lower}, {"upper", outcome.upper}}},
      {"exact", outcome.exact && outcome.uncertain == 0},
      {"enumerated", outcome.exact},
      {"uncertain", outcome.uncertain},
      {"replicates", outcome.replicates},
      {"seconds", outcome.seconds},
      {"replicates_per_second", outcome.replicates_per_second()},
      {"seed", options.seed},
      {"execution_space", back_end.execution_space},
      {"concurrency", back_end.concurrency},
      {"kokkos_version", back_end.kokkos_version},
      {"riffle_version", back_end.riffle_version},
  };
  if (!options.histogram.empty()) object["histogram"] = options.histogram;
  return json_line(object);
}

Captions captions(CsvTable const& table, Samples const& samples, Options const& options,
                  Outcome const& outcome) {
  std::string axis = words(options.statistic) + between(samples, options, " − ");
  if (axis[0] >= 'a' && axis[0] <= 'z') axis[0] = static_cast<char>(axis[0] - 'a' + 'A');
  bool const has_article = options.statistic == Statistic::difference_of_means ||
                           options.statistic == Statistic::paired_difference;
  std::string const article = has_article ? "the " : "";
  std::string const file = std::filesystem::path(table.file()).filename().string();
  return {"Null distribution of " + article + words(options.statistic),
          valid_utf8("p = " + p_text(outcome.p_value) + " (" + alternative_words(options) + ", " +
                     method_of_p(options, outcome) + " of " + file + ", " +
                     sizes(samples, options) + ")"),
          valid_utf8(axis), replicates(options)};
}

}  // namespace example
