#pragma once

#include <cstdint>
#include <variant>

namespace reorder {

struct Options {
  std::uint32_t width = 1000;
  std::uint32_t height = 1000;
  std::uint64_t seed = 0;
  int repeats = 10;
};

/// Thrown after help or an error message was printed: the program must end.
struct Exit {
  int code;
};

/// Parses the options. Kokkos's own flags are left to Kokkos.
std::variant<Options, Exit> parse_command_line(int argc, char const* const* argv);

}  // namespace reorder
