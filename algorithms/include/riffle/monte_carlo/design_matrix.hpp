#pragma once

// Design matrices from factors and covariates, and contrasts that are written with column names.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace riffle {

/// A design matrix of n observations, on the host. Terms are added one after the other; each has a unique name:
///
///     DesignMatrix design(n);
///     design.add_intercept().add_factor("group", groups, "control").add_covariate("age", ages);
///     LinearModel const model(design, design.contrast("group[treated]"));
///
/// Throws: std::invalid_argument, and leaves the design unchanged, if the length of an argument is not n, a value is
/// not finite (the message gives its row), a level is an empty string, a level or name is unknown (the message lists
/// the known ones), or a name already exists.
///
/// Complexity: O(n) for each column. Reproducible: the values are exact, except for centred covariates and products,
/// which are rounded.
class DesignMatrix {
 public:
  /// Makes a design with n rows and no columns.
  explicit DesignMatrix(std::size_t n) : rows_(n) {}

  /// Adds a column of ones, "intercept".
  DesignMatrix& add_intercept();

  /// Adds a column of numbers. If `centred`, their mean is subtracted; the intercept is then the expected value at the
  /// mean of the covariate, not at covariate 0.
  DesignMatrix& add_covariate(std::string const& name, std::vector<double> values,
                              bool centred = false);

  /// Adds a factor in dummy coding: for each level except the reference level, a column "name[level]" that is 1 for
  /// observations with this level and 0 for others. Levels are sorted as text; the first level is the reference unless
  /// `reference` names another. With an intercept, the coefficient of a column is the difference between the mean of
  /// its level and the mean of the reference level.
  DesignMatrix& add_factor(std::string const& name, std::vector<std::string> const& values,
                           std::optional<std::string> const& reference = {});

  /// Adds a column "name[level]" for each level, in sorted order. The coefficient of a column is the mean of its level.
  /// Together with an intercept, the columns are linearly dependent, so LinearModel throws.
  DesignMatrix& add_group_means(std::string const& name, std::vector<std::string> const& values);

  /// Adds the product of each column a of term `first` with each column b of term `second`. The new term is named
  /// "first:second"; the columns are named "a:b".
  DesignMatrix& add_interaction(std::string const& first, std::string const& second);

  /// Returns n.
  std::size_t rows() const { return rows_; }
  /// Returns p.
  std::size_t columns() const { return columns_.size(); }
  /// Returns the names of the p columns.
  std::vector<std::string> const& names() const { return names_; }

  /// Returns the n x p matrix in row-major order.
  std::vector<double> values() const;

  /// Returns the p coefficients of a linear expression of column names, such as "group[treated]", "a - b" or "0.5 * a +
  /// 0.5 b - c".
  std::vector<double> contrast(std::string_view expression) const;

  /// Returns an F contrast: the p coefficients of each expression, one expression after the other.
  std::vector<double> contrasts(std::vector<std::string> const& expressions) const;

  /// Returns the F contrast that tests all columns of a term together. The term may be a factor, or an interaction such
  /// as "group:age".
  std::vector<double> term(std::string const& name) const;

 private:
  /// A term, which consists of columns begin, ..., end - 1.
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
