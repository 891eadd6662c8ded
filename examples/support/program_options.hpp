#pragma once

// Parsing and errors of command lines, shared by the programs.

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

/// Kokkos's flags are separated for Kokkos::initialize, which is called late, so that wrong input is reported without waiting
/// for a device. Kokkos would also take --help for itself.
Arguments split(int argc, char** argv);

/// The largest number of threads that Kokkos's OpenMP back end supports: beyond it, Kokkos writes past the end of a table.
inline constexpr std::uint64_t max_threads = 512;

/// A whole number from 1 to max_threads.
std::uint64_t thread_count(std::string const& option, std::string const& text);

/// Throws InputError if one of Kokkos's flags, its environment variables or OMP_NUM_THREADS has a value for which Kokkos would
/// abort the program.
void check_kokkos_settings(std::vector<std::string> const& flags);

/// Throws InputError if an option has an empty value. This is usually an unset variable of a script, and must not be treated
/// as if the option were absent.
void refuse_empty_values(CLI::App const& app);

/// The message of an exception of Riffle without the C++ function that it begins with, as in "riffle::LinearModel: ...".
std::string without_function(std::string_view message);

/// Prints "program: message" on standard error, on one printable line.
void say(std::string const& program, std::string const& message);

/// Reports results that could not be written, one line each, so that the other results can still be written.
class Failures {
 public:
  explicit Failures(std::string program) : program_(std::move(program)) {}

  /// Calls `write`. Returns whether it threw no exception.
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

/// Runs a program and returns its exit code: 2 for input that cannot be used, 1 for any other error, after one line on standard
/// error that begins with the program's name. SIGPIPE is ignored: a pipe without a reader is an output error.
int exit_code_of(std::string const& program, std::function<int()> const& run);

// --- option values, converted from the texts that the user typed. CLI11's own conversions are not used, because its versions
// --- differ in the numbers that they accept (hexadecimal, digit separators). All functions throw InputError.

/// Throws InputError: "--option 'text': wanted".
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

/// The name of a value in a list of pairs (name, value).
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

/// Names separated by commas; none may be empty. A name with commas must be in double quotes.
std::vector<std::string> split_names(std::string const& option, std::string const& text);

/// CLI11's help, broken into lines of at most 80 characters; continuation lines are aligned with the description.
std::string wrapped(std::string const& help);

/// A message of several lines on one line.
std::string one_line(std::string text);

}  // namespace example
