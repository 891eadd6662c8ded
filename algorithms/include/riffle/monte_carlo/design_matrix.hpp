#pragma once

// Design matrices from factors and covariates, column by column, and contrasts by their columns' names.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

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
  DesignMatrix& add_intercept();

  /// A column of numbers; `centred` by their mean, so that the intercept is the mean's and not that of 0.
  DesignMatrix& add_covariate(std::string const& name, std::vector<double> values,
                              bool centred = false);

  /// Dummy coding: for each level but the reference a column "name[level]", 1 where the observation has the level and
  /// else 0. Levels are in sorted order (as text), the reference is the first of them unless it is named. With an
  /// intercept, a column's coefficient is the difference of its level and the reference.
  DesignMatrix& add_factor(std::string const& name, std::vector<std::string> const& values,
                           std::optional<std::string> const& reference = {});

  /// Group means: a column "name[level]" for each level, in sorted order. A column's coefficient is its level's mean;
  /// together with an intercept the columns depend on each other, which LinearModel refuses.
  DesignMatrix& add_group_means(std::string const& name, std::vector<std::string> const& values);

  /// The products of each column of one term with each of another, "first:second", named "a:b" after the two columns.
  DesignMatrix& add_interaction(std::string const& first, std::string const& second);

  /// n.
  std::size_t rows() const { return rows_; }
  /// p.
  std::size_t columns() const { return columns_.size(); }
  /// The p columns' names.
  std::vector<std::string> const& names() const { return names_; }

  /// The matrix, n rows of p values.
  std::vector<double> values() const;

  /// The p coefficients of a linear expression of columns, such as "group[treated]", "a - b" or "0.5 * a + 0.5 b - c".
  std::vector<double> contrast(std::string_view expression) const;

  /// Several expressions, a row of p coefficients for each: an F contrast.
  std::vector<double> contrasts(std::vector<std::string> const& expressions) const;

  /// The contrast that tests all columns of a term by one F: a factor, an interaction "group:age".
  std::vector<double> term(std::string const& name) const;

 private:
  /// The columns from begin to end, the latter left out.
  struct Term {
    std::string name;
    std::size_t begin;
    std::size_t end;
  };

  void check_length(std::string const& name, std::size_t length) const;

  std::vector<std::string> levels_of(std::string const& name,
                                     std::vector<std::string> const& values) const;

  static void centre(std::vector<double>& values);

  static std::vector<double> product(std::vector<double> const& a, std::vector<double> const& b);

  DesignMatrix& add_indicators(std::string const& name, std::vector<std::string> const& levels,
                               std::vector<std::string> const& values);

  DesignMatrix& add_term(std::string const& name, std::vector<std::string> names,
                         std::vector<std::vector<double>> columns);

  std::size_t find_term(std::string const& name) const;

  Term const& term_called(std::string const& name) const;

  std::size_t rows_;
  std::vector<std::string> names_;
  std::vector<std::vector<double>> columns_;
  std::vector<Term> terms_;
};

}  // namespace riffle
