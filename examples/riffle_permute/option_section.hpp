#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "program_options.hpp"

namespace example::permute {

/// The options under one heading of the help. Conversion functions may throw InputError, which passes through CLI11.
class OptionSection {
 public:
  OptionSection(CLI::App& app, char const* heading) : app_(app), heading_(heading) {}

  /// An option whose value is a text, or a list of texts if the option may be repeated.
  template <class Value>
  void add(char const* name, Value& value, std::string const& what, char const* type) {
    app_.add_option(name, value, what)->group(heading_)->type_name(type)->allow_extra_args(false);
  }
  void flag(char const* name, bool& value, char const* what) {
    app_.add_flag(name, value, what)->group(heading_);
  }
  /// An option whose value is convert(name, text).
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
  /// An option whose value is one of `names`, by default the first; `more` is added to the description.
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
  /// An option whose value is a list of names, separated by commas.
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
