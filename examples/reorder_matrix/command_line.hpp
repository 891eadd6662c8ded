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

/// Help that was asked for, or a fault, has been printed: the program ends.
struct Exit {
  int code;
};

/// Leaves Kokkos's own flags to Kokkos.
std::variant<Options, Exit> parse_command_line(int argc, char const* const* argv);

}  // namespace reorder
