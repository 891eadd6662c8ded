#include "program_options.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <iostream>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "input_error.hpp"
#include "text.hpp"

namespace example {
namespace {

constexpr std::size_t help_width = 80;
constexpr std::size_t description_column = 30;  // CLI11's

int fail(std::string const& program, std::exception const& error, int exit_code) {
  std::cerr << program << ": " << one_line(error.what()) << '\n';
  return exit_code;
}

// One line as several, the later ones behind `indent` blanks.
std::string wrapped_line(std::string line, std::size_t indent) {
  std::string text;
  while (line.size() > help_width) {
    auto const at = line.rfind(' ', help_width);
    if (at == std::string::npos || at <= indent) break;
    text += line.substr(0, line.find_last_not_of(' ', at) + 1) + '\n';
    line = std::string(indent, ' ') + line.substr(at + 1);
  }
  return text + line;
}

}  // namespace

Arguments split(int argc, char** argv) {
  Arguments arguments;
  for (int i = 1; i < argc; ++i) {
    std::string argument = argv[i];
    bool const is_kokkos = argument.rfind("--kokkos-", 0) == 0;
    (is_kokkos ? arguments.kokkos : arguments.own).push_back(std::move(argument));
  }
  return arguments;
}

void check_kokkos_flags(std::vector<std::string> const& flags) {
  for (std::string const name : {"--kokkos-num-threads", "--kokkos-device-id"}) {
    for (auto const& flag : flags) {
      if (flag.rfind(name + "=", 0) == 0) {
        count(name, flag.substr(name.size() + 1), name == "--kokkos-num-threads" ? 1 : 0);
      }
    }
  }
}

int exit_code_of(std::string const& program, std::function<int()> const& run) {
  try {
    return run();
  } catch (InputError const& error) {
    return fail(program, error, 2);
  } catch (std::invalid_argument const& error) {  // Riffle's own checks
    return fail(program, error, 2);
  } catch (std::exception const& error) {
    return fail(program, error, 1);
  }
}

void refuse(std::string const& option, std::string const& text, std::string const& wanted) {
  throw InputError(option + " " + in_quotes(text) + ": " + wanted);
}

std::uint64_t count(std::string const& option, std::string const& text, std::uint64_t least) {
  auto number = to_unsigned(text);
  // Of numbers as 1e6, what a double holds exactly.
  if (auto const real = to_double(text);
      !number && real && *real >= 0 && *real <= 9007199254740992.0 && *real == std::floor(*real)) {
    number = static_cast<std::uint64_t>(*real);
  }
  if (!number || *number < least) {
    refuse(option, text, "a whole number of at least " + std::to_string(least) + " is required");
  }
  return *number;
}

Delimiter delimiter(std::string const& text) {
  if (auto const known = to_delimiter(text)) return *known;
  refuse("--delimiter", text, "comma, semicolon or tab is required, or the character itself");
}

std::string wrapped(std::string const& help) {
  std::istringstream lines(help);
  std::string text;
  for (std::string line; std::getline(lines, line);) {
    bool const is_of_option = !line.empty() && line[0] == ' ';
    text += wrapped_line(line, is_of_option ? description_column : 0) + '\n';
  }
  return text;
}

std::string one_line(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return text;
}

}  // namespace example
