#pragma once

#include <string>
#include <vector>

namespace example {

/// How a program ended, and what it wrote.
struct Finished {
  bool found = false;  // whether there was such a program to run
  int exit_code = -1;  // -1 where a signal ended it
  std::string output;
  std::string errors;
};

/// Runs a program, looked up in PATH, with `input` on its standard input, and waits for its end.
/// No shell comes between: no argument needs quotes. Throws std::system_error where the system has
/// no room for another process or file.
Finished run_program(std::vector<std::string> const& command, std::string const& input = {});

}  // namespace example
