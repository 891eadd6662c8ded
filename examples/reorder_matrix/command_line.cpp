#include "command_line.hpp"

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace reorder {
namespace {

void describe(CLI::App& app, Options& options) {
  auto const max_points = CLI::Range(1, 65535);
  app.add_option("--width", options.width, "points in a row of the grid")
      ->capture_default_str()
      ->check(max_points);
  app.add_option("--height", options.height, "rows of the grid")
      ->capture_default_str()
      ->check(max_points);
  app.add_option("--seed", options.seed, "of the random numbering")->capture_default_str();
  app.add_option("--repeats", options.repeats, "each time is the best of so many")
      ->capture_default_str()
      ->check(CLI::Range(1, 1'000'000));
}

}  // namespace

std::variant<Options, Exit> parse_command_line(int argc, char const* const* argv) {
  Options options;
  CLI::App app("Reorders a sparse matrix and its vectors by reverse Cuthill-McKee.",
               "reorder_matrix");
  describe(app, options);
  std::vector<std::string> arguments;
  for (int i = argc - 1; i > 0; --i) {  // CLI11 takes them from the back of the vector
    if (std::string(argv[i]).rfind("--kokkos-", 0) != 0) arguments.emplace_back(argv[i]);
  }
  try {
    app.parse(arguments);
  } catch (CLI::ParseError const& error) {
    return Exit{app.exit(error) == 0 ? 0 : 2};
  }
  return options;
}

}  // namespace reorder
