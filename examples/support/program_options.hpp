#pragma once

// What the programs' command lines have in common.

#include <cstdint>
#include <exception>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "delimiter.hpp"

namespace CLI {
class App;
}

namespace example {

struct Arguments {
  std::vector<std::string> own;
  std::vector<std::string> kokkos;
};

/// Kokkos's flags are kept for Kokkos::initialize, which comes late: bad input should not first wait for a device, and
/// Kokkos would take --help for itself.
Arguments split(int argc, char** argv);

/// The most threads that Kokkos's OpenMP takes: it writes past the end of a table for more, and says nothing.
inline constexpr std::uint64_t max_threads = 512;

/// A whole number from 1 to max_threads.
std::uint64_t thread_count(std::string const& option, std::string const& text);

/// Throws InputError where Kokkos's own flags, its environment variables or OMP_NUM_THREADS have a value that Kokkos would
/// not take: it would abort the program.
void check_kokkos_settings(std::vector<std::string> const& flags);

/// Throws InputError where an option has an empty text: most often it is a variable of a script that was not set, and it
/// does not mean that the option is not given.
void refuse_empty_values(CLI::App const& app);

/// "program: message" on standard error, on one line that a terminal may show.
void say(std::string const& program, std::string const& message);

/// What could not be written is said, in a line each, and does not keep other results from being written.
class Failures {
 public:
  explicit Failures(std::string program) : program_(std::move(program)) {}

  /// Whether `write` came to its end without an exception.
  template <class Write>
  bool attempt(Write write) {
    try {
      write();
      return true;
    } catch (std::exception const& error) {
      add(error.what());
      return false;
    }
  }
  void add(std::string const& failure) {
    say(program_, failure);
    any_ = true;
  }
  bool any() const { return any_; }

 private:
  std::string program_;
  bool any_ = false;
};

/// Runs a program and gives its exit code: 2 where input cannot be used, 1 where another thing fails, after one line on
/// standard error that begins with the program's name. A pipe without a reader is a file that cannot be written to, and not
/// the end of the program.
int exit_code_of(std::string const& program, std::function<int()> const& run);

// --- the values of options, as the user typed them. CLI11's own conversions differ between its versions in what they take
// --- for a number (hexadecimal, digit separators), so that all conversion is done here. All throw InputError.

/// Throws InputError: "--option 'text': what is wanted".
[[noreturn]] void refuse(std::string const& option, std::string const& text,
                         std::string const& wanted);

/// The value of a name in a list of pairs (name, value).
template <class Names>
auto choose(std::string const& option, std::string const& text, Names const& names) {
  std::string known;
  for (auto const& [name, value] : names) {
    if (name == text) return value;
    known += (known.empty() ? "" : ", ") + std::string(name);
  }
  refuse(option, text, "one of " + known + " is required");
}

/// The name of a value in such a list.
template <class Names, class Value>
std::string name_in(Names const& names, Value value) {
  for (auto const& [name, known] : names) {
    if (known == value) return std::string(name);
  }
  return {};
}

/// A whole number, such as 10000 or 1e4.
std::uint64_t count(std::string const& option, std::string const& text, std::uint64_t least);

Delimiter delimiter(std::string const& text);

/// Names between commas, none of them empty; those with commas in double quotes.
std::vector<std::string> split_names(std::string const& option, std::string const& text);

/// CLI11's help in lines of at most 80 characters; descriptions go on where they began.
std::string wrapped(std::string const& help);

/// A message of several lines on one.
std::string one_line(std::string text);

}  // namespace example
