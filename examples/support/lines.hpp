#pragma once

#include <sstream>
#include <string>
#include <string_view>

#include "text.hpp"

namespace example {

/// Lines "label   text" with aligned texts, made printable for a terminal.
class Lines {
 public:
  void add(std::string_view label, std::string const& text) {
    constexpr std::size_t width = 14;
    out_ << label << std::string(width - label.size(), ' ') << visible(text) << '\n';
  }
  std::string text() const { return out_.str(); }

 private:
  std::ostringstream out_;
};

}  // namespace example
