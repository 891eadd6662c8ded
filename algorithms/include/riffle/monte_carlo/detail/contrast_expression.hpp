#pragma once

// Contrasts as users write them: "group[treated]", "a - b", "0.5 * a + 0.5 b - control".

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <riffle/backend/floating_point.hpp>
#include <riffle/errors.hpp>

namespace riffle::detail {

inline std::string list_of_names(std::vector<std::string> const& names) {
  std::string text;
  for (auto const& name : names) text += (text.empty() ? "" : ", ") + name;
  return text.empty() ? "none" : text;
}

/// Reads an expression from left to right:
///   expression = [sign] term {sign term};  term = [number ["*"]] name;  sign = "+" | "-".
/// A name is the longest column name that stands there, so that names may hold spaces, signs and digits.
class ContrastExpression {
 public:
  ContrastExpression(std::string_view text, std::vector<std::string> const& names)
      : text_(text), names_(names) {}

  /// The coefficient of each column.
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

  /// 1 where no number stands, or where the number begins a name.
  double read_factor() {
    skip_blanks();
    if (find_name() < names_.size()) return 1;
    double factor = 1;
    char const* const begin = text_.data() + position_;
    auto const [end, error] = std::from_chars(begin, text_.data() + text_.size(), factor);
    if (error != std::errc() || !is_finite(factor)) return 1;  // read_name says what is wrong
    position_ += static_cast<std::size_t>(end - begin);
    read_character('*');
    return factor;
  }

  /// The column whose name stands here, the longest; names_.size() where none does.
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

  /// "age" is not read from "agent".
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

}  // namespace riffle::detail
