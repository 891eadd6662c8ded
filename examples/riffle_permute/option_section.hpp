#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "program_options.hpp"

namespace example::permute {

/// The options below one heading of the help. InputErrors of conversions pass through CLI11.
class OptionSection {
 public:
  OptionSection(CLI::App& app, char const* heading) : app_(app), heading_(heading) {}

  /// A text, or a list of them by an option that may be given several times.
  template <class Value>
  void add(char const* name, Value& value, std::string const& what, char const* type) {
    app_.add_option(name, value, what)->group(heading_)->type_name(type)->allow_extra_args(false);
  }
  void flag(char const* name, bool& value, char const* what) {
    app_.add_flag(name, value, what)->group(heading_);
  }
  /// The text as `convert` reads it.
  template <class Value, class Convert>
  CLI::Option* add(char const* name, Value& value, std::string const& what, char const* type,
                   Convert convert) {
    auto const take = [&value, convert, name](std::string const& text) {
      value = convert(name, text);
    };
    return app_.add_option_function<std::string>(name, take, what)
        ->group(heading_)
        ->type_name(type);
  }
  /// One of the names in a list, the first of which is the default; `more` goes on.
  template <class Names, class Value>
  void choice(char const* name, Value& value, Names const& names, char const* type = "NAME",
              std::string const& more = "") {
    std::string listed;
    for (std::size_t i = 0; i < names.size(); ++i) {
      listed += (i == 0 ? "" : i + 1 < names.size() ? ", " : " or ") + std::string(names[i].first);
      if (i == 0) listed += " (default)";
    }
    add(name, value, listed + more, type, [&names](char const* option, std::string const& text) {
      return choose(option, text, names);
    });
  }
  /// Names between commas.
  void list(char const* name, std::vector<std::string>& value, char const* what, char const* type) {
    add(name, value, what, type,
        [](char const* option, std::string const& text) { return split_names(option, text); });
  }
  CLI::Option* number(char const* name, std::uint64_t& value, std::uint64_t least, char const* what,
                      char const* type) {
    return add(name, value, what, type, [least](char const* option, std::string const& text) {
      return count(option, text, least);
    });
  }

 private:
  CLI::App& app_;
  char const* heading_;
};

}  // namespace example::permute
