#include "samples.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "input_error.hpp"
#include "text.hpp"

namespace example {
namespace {

constexpr std::size_t max_groups = 64;  // limit of riffle::FStatistic and riffle::KruskalWallisH

bool is_constant(std::vector<double> const& values) {
  return std::all_of(values.begin(), values.end(), [&](double v) { return v == values.front(); });
}

std::vector<std::string> names_of(Samples const& samples) {
  std::vector<std::string> names;
  for (auto const& sample : samples) names.push_back(sample.name);
  return names;
}

bool is_left_out(CsvTable const& table, Options const& options, std::size_t row,
                 std::size_t column) {
  return options.skip_missing && table.is_missing(row, column);
}

// The columns x and y. If the test takes pairs, a missing value removes both values of its row.
Samples read_columns(CsvTable const& table, Options const& options) {
  std::array const columns{table.column(options.x), table.column(options.y)};
  Samples samples{{options.x, {}}, {options.y, {}}};
  for (std::size_t row = 0; row < table.rows(); ++row) {
    std::array const left_out{is_left_out(table, options, row, columns[0]),
                              is_left_out(table, options, row, columns[1])};
    bool const any = left_out[0] || left_out[1];
    if (any) ++samples.rows_with_missing;
    for (std::size_t i = 0; i < columns.size(); ++i) samples.missing[i] += left_out[i] ? 1 : 0;
    if (any && takes_pairs(options.statistic)) continue;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (!left_out[i]) samples[i].values.push_back(table.number(row, columns[i]));
    }
  }
  return samples;
}

// The groups of all rows. Groups that are not compared are listed, but their values are not parsed and may be any text.
Samples read_groups(CsvTable const& table, Options const& options) {
  std::size_t const value = table.column(options.value);
  std::size_t const group = table.column(options.group);
  auto const is_wanted = [&groups = options.groups](std::string const& name) {
    return groups.empty() || std::find(groups.begin(), groups.end(), name) != groups.end();
  };
  Samples samples;
  std::unordered_map<std::string, std::size_t> place;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    if (is_left_out(table, options, row, group)) {
      ++samples.rows_with_missing;
      ++samples.missing[1];
      continue;
    }
    auto const& name = table.text(row, group);
    auto const [at, is_new] = place.try_emplace(name, samples.size());
    if (is_new) samples.push_back({name, {}});
    if (!is_wanted(name)) continue;
    if (is_left_out(table, options, row, value)) {
      ++samples.rows_with_missing;
      ++samples.missing[0];
      continue;
    }
    samples[at->second].values.push_back(table.number(row, value));
  }
  return samples;
}

// In sorted order. If two groups are subtracted, the second one comes first: the difference is second - first.
std::vector<std::string> order_of_groups(Samples const& samples, Options const& options) {
  auto names = sorted_levels(names_of(samples));
  if (names.size() == 2 && !takes_many_groups(options.statistic)) std::swap(names[0], names[1]);
  return names;
}

Samples pick(Samples all, std::vector<std::string> const& names, CsvTable const& table,
             Options const& options) {
  Samples picked;
  picked.rows_with_missing = all.rows_with_missing;
  picked.missing = all.missing;
  for (auto const& name : names) {
    auto const named = [&](Sample const& sample) { return sample.name == name; };
    if (std::any_of(picked.begin(), picked.end(), named)) {
      throw InputError("--groups names " + in_quotes(name) + " twice");
    }
    auto const at = std::find_if(all.begin(), all.end(), named);
    if (at == all.end()) {
      throw InputError(table.file() + ": no group " + in_quotes(name) + " in column " +
                       in_quotes(options.group) + "; its groups are " +
                       list_in_quotes(names_of(all)));
    }
    picked.push_back(*at);
  }
  return picked;
}

void check_number_of_groups(Samples const& samples, CsvTable const& table, Options const& options) {
  if (samples.empty()) {
    throw InputError(table.file() + ": column " + in_quotes(options.group) +
                     " has no group: all of its cells are missing");
  }
  if (samples.size() < 2) {
    throw InputError(table.file() + ": only one group, " + in_quotes(samples.front().name) +
                     " of column " + in_quotes(options.group) + ": at least two are required");
  }
  if (samples.size() > 2 && !takes_many_groups(options.statistic)) {
    bool const of_ranks = options.statistic == Statistic::mann_whitney_u;
    throw InputError(table.file() + ": " + std::to_string(samples.size()) + " groups in column " +
                     in_quotes(options.group) + " (" + list_in_quotes(names_of(samples)) +
                     ") where " + name_of(options.statistic) +
                     " compares two: choose two with --groups, or use --statistic " +
                     name_of(of_ranks ? Statistic::kruskal_wallis_h : Statistic::f));
  }
  if (samples.size() > max_groups) {
    throw InputError(table.file() + ": " + std::to_string(samples.size()) + " groups in column " +
                     in_quotes(options.group) + " where " + name_of(options.statistic) +
                     " takes at most " + std::to_string(max_groups));
  }
}

// The smallest sample size: 1 for means and ranks, 2 for Welch's t, which needs a variance. F and H need more values than
// groups.
void check_sizes(Samples const& samples, CsvTable const& table, Options const& options) {
  std::size_t const least = options.statistic == Statistic::welch_t ? 2
                            : is_correlation(options.statistic)     ? 2
                                                                    : 1;
  std::size_t all = 0;
  for (auto const& sample : samples) {
    std::size_t const size = sample.values.size();
    all += size;
    if (size >= least) continue;
    throw InputError(table.file() + ": " + (size == 0 ? "no value" : "a single value") + " of " +
                     in_quotes(sample.name) + ": " + name_of(options.statistic) + " needs " +
                     (least == 1 ? "one or more" : "two or more"));
  }
  if (takes_many_groups(options.statistic) && all <= samples.size()) {
    throw InputError(table.file() + ": " + std::to_string(samples.size()) +
                     " groups with a single value each: " + name_of(options.statistic) +
                     " needs a group of two or more");
  }
}

[[noreturn]] void refuse_constant(CsvTable const& table, std::string const& what, double value) {
  throw InputError(table.file() + ": " + what + " is constant: every value is " + shortest(value) +
                   "; there is nothing to test");
}

void check_that_values_vary(Samples const& samples, CsvTable const& table, Options const& options) {
  if (options.statistic == Statistic::paired_difference) {
    if (samples[0].values != samples[1].values) return;
    throw InputError(table.file() + ": columns " + list_in_quotes(names_of(samples)) +
                     " are equal in every row; there is nothing to test");
  }
  if (is_correlation(options.statistic)) {
    for (auto const& sample : samples) {
      if (is_constant(sample.values)) {
        refuse_constant(table, "column " + in_quotes(sample.name), sample.values.front());
      }
    }
    return;
  }
  bool const constant = std::all_of(samples.begin(), samples.end(),
                                    [](auto const& s) { return is_constant(s.values); });
  if (!constant) return;
  double const first = samples.front().values.front();
  if (std::all_of(samples.begin(), samples.end(),
                  [&](auto const& s) { return s.values.front() == first; })) {
    std::string const what = options.value.empty()
                                 ? "all of " + list_in_quotes({options.x, options.y})
                                 : "column " + in_quotes(options.value);
    refuse_constant(table, what, first);
  }
  if (options.statistic == Statistic::welch_t || options.statistic == Statistic::f) {
    throw InputError(table.file() + ": the values of each group are equal, so " +
                     name_of(options.statistic) + " would divide by zero: use difference-of-means");
  }
}

Samples read_samples(CsvTable const& table, Options const& options) {
  if (!options.value.empty() && !options.group.empty()) {
    auto samples = read_groups(table, options);
    auto const names = options.groups.empty() ? order_of_groups(samples, options) : options.groups;
    samples = pick(std::move(samples), names, table, options);
    check_number_of_groups(samples, table, options);
    return samples;
  }
  if (!options.x.empty() && !options.y.empty()) {
    return read_columns(table, options);
  }
  throw InputError("two columns are required, --value and --group or --x and --y; those of " +
                   table.file() + " are " + list_in_quotes(table.columns()));
}

}  // namespace

double Sample::mean() const {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

Samples choose_samples(CsvTable const& table, Options const& options) {
  auto samples = read_samples(table, options);
  check_sizes(samples, table, options);
  check_that_values_vary(samples, table, options);
  return samples;
}

}  // namespace example
