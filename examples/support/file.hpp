#pragma once

#include <cstdio>
#include <memory>
#include <string>

namespace example {

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

bool is_terminal(std::FILE* file);

/// What is left to read of a file. Throws std::system_error where it cannot be read.
std::string read_to_end(std::FILE* file);

/// Throws InputError where a file of this name could not be written. Leaves none behind.
void check_that_file_can_be_written(std::string const& option, std::string const& file);

/// Writes a file under a temporary name beside it, and renames it: nobody ever sees half of it, and what was there before
/// stays where this fails. Throws InputError.
void write_file(std::string const& file, std::string const& text);

}  // namespace example
