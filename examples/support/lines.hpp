#pragma once

#include <sstream>
#include <string>
#include <string_view>

namespace example {

/// Lines "label   text" with the texts in one column.
class Lines {
 public:
  void add(std::string_view label, std::string const& text) {
    constexpr std::size_t width = 14;
    out_ << label << std::string(width - label.size(), ' ') << text << '\n';
  }
  std::string text() const { return out_.str(); }

 private:
  std::ostringstream out_;
};

}  // namespace example
