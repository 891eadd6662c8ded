#pragma once

// Design matrices from factors and covariates, column by column, and contrasts by their columns' names.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <riffle/backend/floating_point.hpp>
#include <riffle/errors.hpp>
#include <riffle/monte_carlo/detail/contrast_expression.hpp>

namespace riffle {

/// A design of n observations, on the host. Terms are added one after the other, each with a name of its own:
///
///     DesignMatrix design(n);
///     design.add_intercept().add_factor("group", groups, "control").add_covariate("age", ages);
///     LinearModel const model(design, design.contrast("group[treated]"));
///
/// Throws std::invalid_argument, and stays as it was, for lengths other than n, values that are not finite (with their
/// row), empty levels, unknown levels and names (with those that there are), and names that are taken.
///
/// Cost: O(n) for each column. Reproducible: no rounding but the means of centred covariates and products.
class DesignMatrix {
 public:
  /// Of n rows and no columns.
  explicit DesignMatrix(std::size_t n) : rows_(n) {}

  /// A column of ones, "intercept".
  DesignMatrix& add_intercept() {
    return add_term("intercept", {"intercept"}, {std::vector<double>(rows_, 1)});
  }

  /// A column of numbers; `centred` by their mean, so that the intercept is the mean's and not that of 0.
  DesignMatrix& add_covariate(std::string const& name, std::vector<double> values,
                              bool centred = false) {
    check_length(name, values.size());
    for (std::size_t row = 0; row < values.size(); ++row) {
      detail::check(detail::is_finite(values[row]), "DesignMatrix", "covariate '", name, "', row ",
                    row, ": ", values[row], " must be a finite number");
    }
    if (centred) centre(values);
    return add_term(name, {name}, {std::move(values)});
  }

  /// Dummy coding: for each level but the reference a column "name[level]", 1 where the observation has the level and
  /// else 0. Levels are in sorted order (as text), the reference is the first of them unless it is named. With an
  /// intercept, a column's coefficient is the difference of its level and the reference.
  DesignMatrix& add_factor(std::string const& name, std::vector<std::string> const& values,
                           std::optional<std::string> const& reference = {}) {
    auto levels = levels_of(name, values);
    detail::check(levels.size() > 1, "DesignMatrix", "factor '", name, "' has one level, ",
                  detail::list_of_names(levels), ": two are needed");
    auto const dropped =
        reference ? std::find(levels.begin(), levels.end(), *reference) : levels.begin();
    detail::check(dropped != levels.end(), "DesignMatrix", "factor '", name, "' has no level '",
                  reference.value_or(""), "' for its reference; there are ",
                  detail::list_of_names(levels));
    levels.erase(dropped);
    return add_indicators(name, levels, values);
  }

  /// Group means: a column "name[level]" for each level, in sorted order. A column's coefficient is its level's mean;
  /// together with an intercept the columns depend on each other, which LinearModel refuses.
  DesignMatrix& add_group_means(std::string const& name, std::vector<std::string> const& values) {
    return add_indicators(name, levels_of(name, values), values);
  }

  /// The products of each column of one term with each of another, "first:second", named "a:b" after the two columns.
  DesignMatrix& add_interaction(std::string const& first, std::string const& second) {
    std::vector<std::string> names;
    std::vector<std::vector<double>> columns;
    Term const& one = term_called(first);
    Term const& other = term_called(second);
    for (std::size_t a = one.begin; a < one.end; ++a) {
      for (std::size_t b = other.begin; b < other.end; ++b) {
        names.push_back(names_[a] + ":" + names_[b]);
        columns.push_back(product(columns_[a], columns_[b]));
      }
    }
    return add_term(first + ":" + second, std::move(names), std::move(columns));
  }

  /// n.
  std::size_t rows() const { return rows_; }
  /// p.
  std::size_t columns() const { return columns_.size(); }
  /// The p columns' names.
  std::vector<std::string> const& names() const { return names_; }

  /// The matrix, n rows of p values.
  std::vector<double> values() const {
    std::vector<double> values;
    for (std::size_t row = 0; row < rows_; ++row) {
      for (auto const& column : columns_) values.push_back(column[row]);
    }
    return values;
  }

  /// The p coefficients of a linear expression of columns, such as "group[treated]", "a - b" or "0.5 * a + 0.5 b - c".
  std::vector<double> contrast(std::string_view expression) const {
    return detail::ContrastExpression(expression, names_).coefficients();
  }

  /// Several expressions, a row of p coefficients for each: an F contrast.
  std::vector<double> contrasts(std::vector<std::string> const& expressions) const {
    std::vector<double> rows;
    for (auto const& expression : expressions) {
      auto const row = contrast(expression);
      rows.insert(rows.end(), row.begin(), row.end());
    }
    return rows;
  }

  /// The contrast that tests all columns of a term by one F: a factor, an interaction "group:age".
  std::vector<double> term(std::string const& name) const {
    Term const& found = term_called(name);
    std::vector<double> rows;
    for (std::size_t column = found.begin; column < found.end; ++column) {
      rows.insert(rows.end(), columns(), 0);
      rows[rows.size() - columns() + column] = 1;
    }
    return rows;
  }

 private:
  /// The columns from begin to end, the latter left out.
  struct Term {
    std::string name;
    std::size_t begin;
    std::size_t end;
  };

  void check_length(std::string const& name, std::size_t length) const {
    detail::check(length == rows_, "DesignMatrix", "'", name, "' has ", length,
                  " values: must have the design's rows, ", rows_);
  }

  std::vector<std::string> levels_of(std::string const& name,
                                     std::vector<std::string> const& values) const {
    check_length(name, values.size());
    for (std::size_t row = 0; row < values.size(); ++row) {
      detail::check(!values[row].empty(), "DesignMatrix", "factor '", name, "', row ", row,
                    ": is empty");
    }
    auto levels = values;
    std::sort(levels.begin(), levels.end());
    levels.erase(std::unique(levels.begin(), levels.end()), levels.end());
    return levels;
  }

  static void centre(std::vector<double>& values) {
    double sum = 0;
    for (double const value : values) sum += value;
    double const mean = sum / static_cast<double>(values.size());
    for (double& value : values) value -= mean;
  }

  static std::vector<double> product(std::vector<double> const& a, std::vector<double> const& b) {
    std::vector<double> values;
    for (std::size_t row = 0; row < a.size(); ++row) values.push_back(a[row] * b[row]);
    return values;
  }

  DesignMatrix& add_indicators(std::string const& name, std::vector<std::string> const& levels,
                               std::vector<std::string> const& values) {
    std::vector<std::string> names;
    std::vector<std::vector<double>> columns;
    for (auto const& level : levels) {
      names.push_back(name + "[" + level + "]");
      columns.emplace_back();
      for (auto const& value : values) columns.back().push_back(value == level ? 1 : 0);
    }
    return add_term(name, std::move(names), std::move(columns));
  }

  DesignMatrix& add_term(std::string const& name, std::vector<std::string> names,
                         std::vector<std::vector<double>> columns) {
    detail::check(!name.empty(), "DesignMatrix", "the name of a term is empty");
    for (auto const& added : names) {
      detail::check(std::find(names_.begin(), names_.end(), added) == names_.end(), "DesignMatrix",
                    "there is a column '", added, "' already");
    }
    detail::check(find_term(name) == terms_.size(), "DesignMatrix", "there is a term '", name,
                  "' already");
    terms_.push_back({name, columns_.size(), columns_.size() + columns.size()});
    std::move(names.begin(), names.end(), std::back_inserter(names_));
    std::move(columns.begin(), columns.end(), std::back_inserter(columns_));
    return *this;
  }

  std::size_t find_term(std::string const& name) const {
    auto const found = std::find_if(terms_.begin(), terms_.end(),
                                    [&](Term const& term) { return term.name == name; });
    return static_cast<std::size_t>(found - terms_.begin());
  }

  Term const& term_called(std::string const& name) const {
    std::size_t const found = find_term(name);
    std::vector<std::string> known;
    for (auto const& term : terms_) known.push_back(term.name);
    detail::check(found < terms_.size(), "DesignMatrix", "no term is called '", name,
                  "'; there are ", detail::list_of_names(known));
    return terms_[found];
  }

  std::size_t rows_;
  std::vector<std::string> names_;
  std::vector<std::vector<double>> columns_;
  std::vector<Term> terms_;
};

}  // namespace riffle
