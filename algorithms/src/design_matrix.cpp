// Implements design matrices, and contrasts that are written as expressions.

#include <riffle/monte_carlo/design_matrix.hpp>

#include <algorithm>
#include <charconv>
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

namespace riffle {
namespace detail {
namespace {

// Parses contrasts such as "group[treated]", "a - b" or "0.5 * a + 0.5 b - control".

std::string list_of_names(std::vector<std::string> const& names) {
  std::string text;
  for (auto const& name : names) text += (text.empty() ? "" : ", ") + name;
  return text.empty() ? "none" : text;
}

/// Parses an expression from left to right. Its grammar is
///   expression = [sign] term {sign term};  term = [number ["*"]] name;  sign = "+" | "-".
/// Where a name is expected, the longest matching column name is read, so that names may contain spaces, signs and
/// digits.
class ContrastExpression {
 public:
  ContrastExpression(std::string_view text, std::vector<std::string> const& names)
      : text_(text), names_(names) {}

  /// Returns the coefficient of each column.
  std::vector<double> coefficients() {
    std::vector<double> sums(names_.size(), 0);
    skip_blanks();
    require(position_ < text_.size(), "is empty");
    double sign = read_sign(1);
    while (true) {
      double const factor = read_factor();
      sums[read_name()] += sign * factor;
      skip_blanks();
      if (position_ == text_.size()) return sums;
      sign = read_sign(0);
      require(sign != 0, "+ or - is expected before '" + rest() + "'");
    }
  }

 private:
  void require(bool ok, std::string const& what) const {
    check(ok, "DesignMatrix", "contrast '", text_, "': ", what);
  }

  std::string rest() const { return std::string(text_.substr(position_)); }

  void skip_blanks() {
    while (position_ < text_.size() && (text_[position_] == ' ' || text_[position_] == '\t')) {
      ++position_;
    }
  }

  bool read_character(char wanted) {
    skip_blanks();
    if (position_ == text_.size() || text_[position_] != wanted) return false;
    ++position_;
    return true;
  }

  double read_sign(double without) {
    if (read_character('-')) return -1;
    if (read_character('+')) return 1;
    return without;
  }

  /// Reads the factor of a term. Returns 1 if there is no number, or if the number is the beginning of a name.
  double read_factor() {
    skip_blanks();
    if (find_name() < names_.size()) return 1;
    double factor = 1;
    char const* const begin = text_.data() + position_;
    auto const [end, error] = std::from_chars(begin, text_.data() + text_.size(), factor);
    if (error != std::errc() || !is_finite(factor)) return 1;  // read_name reports the error
    position_ += static_cast<std::size_t>(end - begin);
    read_character('*');
    return factor;
  }

  /// Returns the column with the longest name that matches at position_, or names_.size() if none matches.
  std::size_t find_name() const {
    std::size_t found = names_.size();
    for (std::size_t column = 0; column < names_.size(); ++column) {
      auto const& name = names_[column];
      if (text_.substr(position_, name.size()) != name || !ends_name(position_ + name.size())) {
        continue;
      }
      if (found == names_.size() || name.size() > names_[found].size()) found = column;
    }
    return found;
  }

  /// Returns whether a name can end at `end`: "age" must not match the beginning of "agent".
  bool ends_name(std::size_t end) const {
    return end == text_.size() || std::string_view(" \t+-").find(text_[end]) != std::string::npos;
  }

  std::size_t read_name() {
    skip_blanks();
    std::size_t const column = find_name();
    if (column == names_.size()) {
      auto const end = std::min(text_.find_first_of(" \t+-", position_), text_.size());
      std::string const word(text_.substr(position_, end - position_));
      require(false, word.empty() ? "a name is expected at its end or before a sign"
                                  : "no column is called '" + word + "'; there are " +
                                        list_of_names(names_));
    }
    position_ += names_[column].size();
    return column;
  }

  std::string_view text_;
  std::vector<std::string> const& names_;
  std::size_t position_ = 0;
};

}  // namespace
}  // namespace detail

DesignMatrix& DesignMatrix::add_intercept() {
  return add_term("intercept", {"intercept"}, {std::vector<double>(rows_, 1)});
}

DesignMatrix& DesignMatrix::add_covariate(std::string const& name, std::vector<double> values,
                                          bool centred) {
  check_length(name, values.size());
  for (std::size_t row = 0; row < values.size(); ++row) {
    detail::check(detail::is_finite(values[row]), "DesignMatrix", "covariate '", name, "', row ",
                  row, ": ", values[row], " must be a finite number");
  }
  if (centred) centre(values);
  return add_term(name, {name}, {std::move(values)});
}

DesignMatrix& DesignMatrix::add_factor(std::string const& name,
                                       std::vector<std::string> const& values,
                                       std::optional<std::string> const& reference) {
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

DesignMatrix& DesignMatrix::add_group_means(std::string const& name,
                                            std::vector<std::string> const& values) {
  return add_indicators(name, levels_of(name, values), values);
}

DesignMatrix& DesignMatrix::add_interaction(std::string const& first, std::string const& second) {
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

std::vector<double> DesignMatrix::values() const {
  std::vector<double> values;
  for (std::size_t row = 0; row < rows_; ++row) {
    for (auto const& column : columns_) values.push_back(column[row]);
  }
  return values;
}

std::vector<double> DesignMatrix::contrast(std::string_view expression) const {
  return detail::ContrastExpression(expression, names_).coefficients();
}

std::vector<double> DesignMatrix::contrasts(std::vector<std::string> const& expressions) const {
  std::vector<double> rows;
  for (auto const& expression : expressions) {
    auto const row = contrast(expression);
    rows.insert(rows.end(), row.begin(), row.end());
  }
  return rows;
}

std::vector<double> DesignMatrix::term(std::string const& name) const {
  Term const& found = term_called(name);
  std::vector<double> rows;
  for (std::size_t column = found.begin; column < found.end; ++column) {
    rows.insert(rows.end(), columns(), 0);
    rows[rows.size() - columns() + column] = 1;
  }
  return rows;
}

void DesignMatrix::check_length(std::string const& name, std::size_t length) const {
  detail::check(length == rows_, "DesignMatrix", "'", name, "' has ", length,
                " values: must have the design's rows, ", rows_);
}

std::vector<std::string> DesignMatrix::levels_of(std::string const& name,
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

void DesignMatrix::centre(std::vector<double>& values) {
  double sum = 0;
  for (double const value : values) sum += value;
  double const mean = sum / static_cast<double>(values.size());
  for (double& value : values) value -= mean;
}

std::vector<double> DesignMatrix::product(std::vector<double> const& a,
                                          std::vector<double> const& b) {
  std::vector<double> values;
  for (std::size_t row = 0; row < a.size(); ++row) values.push_back(a[row] * b[row]);
  return values;
}

DesignMatrix& DesignMatrix::add_indicators(std::string const& name,
                                           std::vector<std::string> const& levels,
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

DesignMatrix& DesignMatrix::add_term(std::string const& name, std::vector<std::string> names,
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

std::size_t DesignMatrix::find_term(std::string const& name) const {
  auto const found = std::find_if(terms_.begin(), terms_.end(),
                                  [&](Term const& term) { return term.name == name; });
  return static_cast<std::size_t>(found - terms_.begin());
}

DesignMatrix::Term const& DesignMatrix::term_called(std::string const& name) const {
  std::size_t const found = find_term(name);
  std::vector<std::string> known;
  for (auto const& term : terms_) known.push_back(term.name);
  detail::check(found < terms_.size(), "DesignMatrix", "no term is called '", name, "'; there are ",
                detail::list_of_names(known));
  return terms_[found];
}

}  // namespace riffle
