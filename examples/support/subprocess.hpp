#pragma once

#include <string>
#include <vector>

namespace example {

/// The exit code and the output of a program.
struct Finished {
  bool found = false;  // whether the program exists
  int exit_code = -1;  // -1 if a signal ended it
  std::string output;
  std::string errors;
};

/// Runs a program, found in PATH, with `input` as its standard input, and waits until it ends. No shell is involved, so
/// arguments need no quotes. Throws std::system_error if no process or temporary file can be made.
Finished run_program(std::vector<std::string> const& command, std::string const& input = {});

}  // namespace example
