#include "task.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "blocks.hpp"
#include "design_file.hpp"
#include "input_error.hpp"
#include "pairs.hpp"
#include "text.hpp"

namespace example::permute {
namespace {

constexpr std::size_t max_groups = 64;  // limit of riffle::FStatistic and riffle::KruskalWallisH

using Names = std::vector<std::string>;

bool is_among(Names const& names, std::string const& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::optional<std::string> reference_of(Settings const& settings, std::string const& column) {
  for (auto const& [name, level] : settings.references) {
    if (name == column) return level;
  }
  return {};
}

class TaskMaker {
 public:
  explicit TaskMaker(Settings const& settings) : settings_(settings) {}

  Task make() && {
    task_.data = read_data(settings_.data, settings_.delimiter, settings_.observations_in_rows);
    if (!settings_.design.empty()) read_design();
    check_references();
    leave_out_observations();
    if (compares_two_groups(settings_.statistic) || compares_many_groups(settings_.statistic)) {
      take_groups();
    } else if (is_correlation(settings_.statistic)) {
      take_covariate();
    } else if (settings_.statistic == Statistic::linear_model) {
      take_terms();
    }
    take_blocks();
    count_missing_values();
    return std::move(task_);
  }

 private:
  void read_design() {
    if (settings_.design == settings_.data) {
      throw InputError("--design " + in_quotes(settings_.design) + " is the data file itself");
    }
    auto const observations = task_.data.observations.size();
    design_.emplace(read_csv(settings_.design), settings_, task_.data);
    task_.observations_without_row = observations - task_.data.observations.size();
    task_.design_rows_left_over = design_->rows_left_over();
  }

  Names columns_of_model() const {
    if (!settings_.terms.empty()) {
      Names columns;
      for (auto const& term : settings_.terms) {
        if (term.find(':') == std::string::npos || is_among(design_->columns(), term)) {
          columns.push_back(term);
        }
      }
      return columns;
    }
    Names columns = design_->columns();
    for (auto const& block : settings_.blocks) std::erase(columns, block);
    return columns;
  }

  // The columns of the design that the test uses.
  Names columns_used() const {
    Names columns;
    if (settings_.statistic == Statistic::linear_model) columns = columns_of_model();
    if (!settings_.by.empty()) columns.push_back(settings_.by);
    if (!settings_.pair.empty()) columns.push_back(settings_.pair);
    columns.insert(columns.end(), settings_.blocks.begin(), settings_.blocks.end());
    return columns;
  }

  void check_references() const {
    for (auto const& [column, level] : settings_.references) {
      if (!is_among(columns_used(), column)) {
        throw InputError("--reference " + in_quotes(column + "=" + level) + ": no column " +
                         in_quotes(column) + " is used; the columns used are " +
                         list_in_quotes(columns_used()));
      }
    }
  }

  bool has_missing_value(std::size_t observation) const {
    for (std::size_t g = 0; g < task_.data.variables.size(); ++g) {
      if (std::isnan(task_.data.at(g, observation))) return true;
    }
    return false;
  }

  bool has_missing_design(std::size_t observation) const {
    if (!design_) return false;
    for (auto const& column : columns_used()) {
      if (design_->is_missing(observation, column)) return true;
    }
    return false;
  }

  bool is_of_another_group(std::size_t observation) const {
    return !settings_.groups.empty() && !design_->is_missing(observation, settings_.by) &&
           !is_among(settings_.groups, design_->text(observation, settings_.by));
  }

  void check_groups() const {
    auto const& wanted = settings_.groups;
    if (wanted.empty()) return;
    Names names;
    for (std::size_t i = 0; i < design_->observations(); ++i) {
      bool const is_skipped = settings_.skip_missing && design_->is_missing(i, settings_.by);
      if (!is_skipped) names.push_back(design_->text(i, settings_.by));
    }
    for (auto const& group : wanted) {
      if (!is_among(names, group)) {
        throw InputError(design_->file() + ": no group " + in_quotes(group) + " in column " +
                         in_quotes(settings_.by) + "; its groups are " +
                         list_in_quotes(sorted_levels(names)));
      }
      if (std::count(wanted.begin(), wanted.end(), group) > 1) {
        throw InputError("--groups names " + in_quotes(group) + " twice");
      }
    }
  }

  // If one value of a pair is missing, the whole pair is left out.
  std::unordered_set<std::string> find_pairs_with_missing() const {
    std::unordered_set<std::string> found;
    if (settings_.pair.empty() || !settings_.skip_missing) return found;
    for (std::size_t i = 0; i < task_.data.observations.size(); ++i) {
      if (is_of_another_group(i) || design_->is_missing(i, settings_.pair)) continue;
      if (has_missing_design(i) || has_missing_value(i)) {
        found.insert(design_->text(i, settings_.pair));
      }
    }
    return found;
  }

  // Removes observations of groups that are not compared and, with --skip-missing, those with a missing value.
  void leave_out_observations() {
    check_groups();
    auto const pairs_with_missing = find_pairs_with_missing();
    task_.pairs_with_missing = pairs_with_missing.size();
    std::vector<std::size_t> kept;
    for (std::size_t i = 0; i < task_.data.observations.size(); ++i) {
      if (is_of_another_group(i)) {
        ++task_.observations_without_group;
      } else if (!pairs_with_missing.empty() && !design_->is_missing(i, settings_.pair) &&
                 pairs_with_missing.count(design_->text(i, settings_.pair)) > 0) {
        continue;  // already counted as a pair
      } else if (settings_.skip_missing && has_missing_design(i)) {
        ++task_.observations_with_missing_design;
      } else if (settings_.skip_missing && has_missing_value(i)) {
        ++task_.observations_with_missing;
      } else {
        kept.push_back(i);
      }
    }
    if (kept.size() == task_.data.observations.size()) return;
    if (kept.empty()) throw InputError(task_.data.file + ": no observation is left");
    task_.data.keep(kept);
    if (design_) design_->keep(kept);
  }

  // The reference level comes first.
  Names ordered_levels(Names const& names) const {
    auto levels = settings_.groups.empty() ? sorted_levels(names) : settings_.groups;
    if (levels.size() == 2 && !settings_.groups.empty()) std::swap(levels[0], levels[1]);
    auto const reference = reference_of(settings_, settings_.by);
    if (!reference) return levels;
    auto const at = std::find(levels.begin(), levels.end(), *reference);
    if (at == levels.end()) {
      throw InputError("--reference " + in_quotes(settings_.by + "=" + *reference) +
                       ": there is no such level; the levels are " + list_in_quotes(levels));
    }
    std::rotate(levels.begin(), at, at + 1);
    return levels;
  }

  void take_groups() {
    auto const names = design_->texts(settings_.by);
    auto const levels = ordered_levels(names);
    check_number_of_groups(levels, names);
    std::unordered_map<std::string, std::size_t> label;
    for (auto const& level : levels) {
      label.emplace(level, label.size());
      task_.groups.push_back({level, 0});
    }
    for (auto const& name : names) {
      auto const at = label.at(name);
      ++task_.groups[at].size;
      task_.by.push_back(static_cast<double>(at));
    }
  }

  void take_covariate() {
    auto const& values = task_.by = design_->numbers(settings_.by);
    if (std::adjacent_find(values.begin(), values.end(), std::not_equal_to<>()) == values.end()) {
      throw InputError(design_->file() + ": column " + in_quotes(settings_.by) +
                       " is constant, so a correlation with it is not defined");
    }
  }

  void check_number_of_groups(Names const& levels, Names const& names) const {
    std::string const place = design_->file() + ": column " + in_quotes(settings_.by) + " has ";
    if (levels.size() < 2) {
      throw InputError(place + "only one group, " + in_quotes(levels.front()) +
                       ": at least two are required");
    }
    if (compares_two_groups(settings_.statistic) && levels.size() > 2) {
      bool const of_ranks = settings_.statistic == Statistic::mann_whitney_u;
      bool const of_pairs = settings_.statistic == Statistic::paired_t;
      auto const other = name_of(of_ranks ? Statistic::kruskal_wallis_h : Statistic::f);
      throw InputError(place + std::to_string(levels.size()) + " groups (" +
                       list_in_quotes(levels) + ") where " + name_of(settings_.statistic) +
                       " compares two: choose two with --groups" +
                       (of_pairs ? "" : ", or use --statistic " + other));
    }
    if (levels.size() >= names.size()) {
      throw InputError(place + std::to_string(levels.size()) + " groups of " +
                       std::to_string(names.size()) +
                       " observations: at least one group must have two observations");
    }
    if (levels.size() > max_groups) {
      throw InputError(place + std::to_string(levels.size()) + " groups where " +
                       name_of(settings_.statistic) + " takes at most " +
                       std::to_string(max_groups));
    }
  }

  void take_terms() {
    for (auto const& column : columns_of_model()) task_.terms.push_back(term_of(column));
    for (auto const& name : settings_.terms) {
      if (is_among(columns_of_model(), name)) continue;
      auto const colon = name.find(':');
      Term term;
      term.name = name;
      term.first = name.substr(0, colon);
      term.second = name.substr(colon + 1);
      task_.terms.push_back(std::move(term));
    }
  }

  Term term_of(std::string const& column) const {
    Term term;
    term.name = column;
    auto const reference = reference_of(settings_, column);
    if (reference || is_among(settings_.factors, column) || !design_->is_numeric(column)) {
      term.levels = design_->texts(column);
      term.reference = reference.value_or("");
    } else {
      term.numbers = design_->numbers(column);
    }
    return term;
  }

  void take_blocks() {
    if (!settings_.blocks.empty()) task_.blocks = number_blocks(*design_, settings_);
    if (settings_.statistic == Statistic::paired_t) take_differences(*design_, settings_, task_);
    if (!task_.blocks.empty() && !flips_signs_alone(settings_)) {
      check_equal_structure(*design_, settings_, task_.blocks);
    }
  }

  void count_missing_values() {
    auto const& data = task_.data;
    for (std::size_t g = 0; g < data.variables.size(); ++g) {
      auto const values = data.of(g);
      bool const has_missing =
          std::any_of(values.begin(), values.end(), [](double x) { return std::isnan(x); });
      if (has_missing) ++task_.variables_with_missing;
    }
    if (settings_.missing == MissingValues::leave_variable_out &&
        task_.variables_with_missing == data.variables.size()) {
      throw InputError(data.file +
                       ": every variable has a missing value (--skip-missing leaves out such "
                       "observations, --missing leave-value-out only the values)");
    }
  }

  Settings const& settings_;
  Task task_;
  std::optional<DesignFile> design_;
};

}  // namespace

Task make_task(Settings const& settings) { return TaskMaker(settings).make(); }

}  // namespace example::permute
