#include "program_options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <iostream>
#include <iterator>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "input_error.hpp"
#include "text.hpp"

namespace example {
namespace {

constexpr std::size_t help_width = 80;
constexpr std::size_t description_column = 30;  // column in which CLI11 starts descriptions

int fail(std::string const& program, std::exception const& error, int exit_code) {
  say(program, error.what());
  return exit_code;
}

constexpr std::uint64_t most_devices = 1'000'000;

enum class KokkosValue { threads, number, numbers, yes_or_no, device_rule, any };

// A Kokkos option, and the environment variable with the same meaning. Kokkos::initialize aborts the program if the value is
// not of this kind.
struct KokkosSetting {
  std::string_view flag;
  std::string_view variable;
  KokkosValue kind;
  std::string_view example;
};
constexpr std::array kokkos_settings{
    KokkosSetting{"--kokkos-num-threads", "KOKKOS_NUM_THREADS", KokkosValue::threads, "2"},
    KokkosSetting{"--kokkos-device-id", "KOKKOS_DEVICE_ID", KokkosValue::number, "0"},
    KokkosSetting{"", "KOKKOS_VISIBLE_DEVICES", KokkosValue::numbers, "0,1"},
    KokkosSetting{"--kokkos-map-device-id-by", "KOKKOS_MAP_DEVICE_ID_BY", KokkosValue::device_rule,
                  "random"},
    KokkosSetting{"--kokkos-disable-warnings", "KOKKOS_DISABLE_WARNINGS", KokkosValue::yes_or_no,
                  ""},
    KokkosSetting{"--kokkos-print-configuration", "KOKKOS_PRINT_CONFIGURATION",
                  KokkosValue::yes_or_no, ""},
    KokkosSetting{"--kokkos-tune-internals", "KOKKOS_TUNE_INTERNALS", KokkosValue::yes_or_no, ""},
    KokkosSetting{"--kokkos-tools-help", "", KokkosValue::yes_or_no, ""},
    KokkosSetting{"--kokkos-help", "", KokkosValue::yes_or_no, ""},
    KokkosSetting{"--kokkos-tools-libs", "KOKKOS_TOOLS_LIBS", KokkosValue::any, "FILE"},
    KokkosSetting{"--kokkos-tools-library", "", KokkosValue::any, "FILE"},
    KokkosSetting{"--kokkos-tools-args", "KOKKOS_TOOLS_ARGS", KokkosValue::any, "TEXT"},
};

// Kokkos ignores the case of these words.
bool is_yes_or_no(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  constexpr std::array words{"1", "0", "true", "false", "yes", "no"};
  return std::find(words.begin(), words.end(), text) != words.end();
}

void check_device(std::string const& name, std::string const& text) {
  auto const number = to_unsigned(text);
  if (!number || *number > most_devices) refuse(name, text, "the number of a device is required");
}

void check_kokkos_value(KokkosSetting const& setting, std::string const& name,
                        std::string const& text) {
  switch (setting.kind) {
    case KokkosValue::threads: thread_count(name, text); break;
    case KokkosValue::number: check_device(name, text); break;
    case KokkosValue::numbers:
      for (auto const& part : split_at_commas(text)) check_device(name, part);
      break;
    case KokkosValue::device_rule:
      if (text != "random" && text != "mpi_rank") {
        refuse(name, text, "one of random, mpi_rank is required");
      }
      break;
    case KokkosValue::yes_or_no:
      if (!is_yes_or_no(text)) refuse(name, text, "one of 1, 0, true, false, yes, no is required");
      break;
    case KokkosValue::any: break;
  }
}

// Breaks a line; continuation lines are indented by `indent` blanks.
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

std::uint64_t thread_count(std::string const& option, std::string const& text) {
  auto const number = to_unsigned(text);
  if (!number || *number < 1 || *number > max_threads) {
    refuse(option, text,
           "a whole number from 1 to " + std::to_string(max_threads) + " is required");
  }
  return *number;
}

void check_kokkos_settings(std::vector<std::string> const& flags) {
  for (auto const& flag : flags) {
    auto const equals = flag.find('=');
    auto const name = flag.substr(0, equals);
    auto const at = std::find_if(kokkos_settings.begin(), kokkos_settings.end(),
                                 [&](auto const& setting) { return setting.flag == name; });
    if (at == kokkos_settings.end()) {
      throw InputError(in_quotes(flag) +
                       " is not an option of Kokkos (--kokkos-help lists its options)");
    }
    if (equals != std::string::npos) {
      check_kokkos_value(*at, name, flag.substr(equals + 1));
    } else if (at->kind != KokkosValue::yes_or_no) {
      throw InputError(name + ": a value is required, as in " + name + "=" +
                       std::string(at->example));
    }
  }
  for (auto const& setting : kokkos_settings) {
    std::string const name(setting.variable);
    if (char const* const text = name.empty() ? nullptr : std::getenv(name.c_str())) {
      check_kokkos_value(setting, name, text);
    }
  }
  // OMP_NUM_THREADS may be a list, with one number per level of nested parallel regions.
  if (char const* const text = std::getenv("OMP_NUM_THREADS")) {
    std::string without_blanks;
    std::remove_copy(text, text + std::strlen(text), std::back_inserter(without_blanks), ' ');
    for (auto const& part : split_at_commas(without_blanks)) thread_count("OMP_NUM_THREADS", part);
  }
}

void refuse_empty_values(CLI::App const& app) {
  for (auto const* option : app.get_options()) {
    auto const& texts = option->results();
    if (std::find(texts.begin(), texts.end(), "") != texts.end()) {
      refuse(option->get_name(), "", "a value is required");
    }
  }
}

std::string without_function(std::string_view message) {
  constexpr std::string_view library = "riffle::";
  constexpr std::string_view separator = ": ";
  auto const end = message.find(separator);
  bool const has_function = message.substr(0, library.size()) == library && end != message.npos;
  return std::string(has_function ? message.substr(end + separator.size()) : message);
}

void say(std::string const& program, std::string const& message) {
  std::cerr << program << ": " << visible(one_line(message)) << std::endl;
}

int exit_code_of(std::string const& program, std::function<int()> const& run) {
  std::signal(SIGPIPE, SIG_IGN);
  try {
    return run();
  } catch (InputError const& error) {
    return fail(program, error, 2);
  } catch (std::invalid_argument const& error) {  // Riffle's own checks
    say(program, without_function(error.what()));
    return 2;
  } catch (std::bad_alloc const&) {
    say(program, "not enough memory");
    return 1;
  } catch (std::exception const& error) {
    return fail(program, error, 1);
  }
}

void refuse(std::string const& option, std::string const& text, std::string const& wanted) {
  throw InputError(option + " " + in_quotes(text) + ": " + wanted);
}

std::uint64_t count(std::string const& option, std::string const& text, std::uint64_t least) {
  auto number = to_unsigned(text);
  // A number such as 1e6 is accepted if a double represents it exactly.
  if (auto const real = to_double(text);
      !number && real && *real >= 0 && *real < 9007199254740992.0 && *real == std::floor(*real)) {
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

std::vector<std::string> split_names(std::string const& option, std::string const& text) {
  auto const names = split_quoted_at_commas(text);
  if (!names) {
    refuse(option, text,
           "names separated by commas are required; a name with commas must be in double quotes: "
           "'\"a, b\",c'");
  }
  if (std::find(names->begin(), names->end(), "") != names->end()) {
    refuse(option, text, "a name is empty; names separated by commas are required");
  }
  return *names;
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
