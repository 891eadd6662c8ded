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

/// The rest of a file. Throws std::system_error if it cannot be read.
std::string read_to_end(std::FILE* file);

}  // namespace example
