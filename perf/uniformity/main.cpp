// perf_quality: tests the uniformity of permutations of Riffle and other generators, by the number of rounds.
//
//   perf_quality battery    all tests of riffle/uniformity/uniformity_battery.hpp for each generator,
//   perf_quality audit      the tests of permutations that any program has written to a file,
//   perf_quality rounds     figures 6 to 9 of
//       R. Mitchell, D. Stokes, E. Frank, G. Holmes, "Bandwidth-optimal random shuffling for GPUs",
//       ACM Trans. Parallel Comput. 9 (2022), doi 10.1145/3505287.

#include <Kokkos_Core.hpp>

#include <CLI/CLI.hpp>

#include <ctime>
#include <exception>
#include <iostream>
#include <string>
#include <vector>

#include "support/context.hpp"
#include "uniformity/commands.hpp"

namespace perf::quality {
namespace {

/// The command line in a mutable form, which Kokkos needs.
class Arguments {
 public:
  explicit Arguments(char const* program) { add(program); }

  void add(char const* argument) { texts_.emplace_back(argument); }

  char** begin() {
    pointers_.clear();
    for (auto& text : texts_) pointers_.push_back(text.data());
    pointers_.push_back(nullptr);
    return pointers_.data();
  }

  int size() const { return static_cast<int>(texts_.size()); }

 private:
  std::vector<std::string> texts_;
  std::vector<char*> pointers_;
};

std::string command_line(int argc, char** argv) {
  std::string line = "perf_quality";
  for (int i = 1; i < argc; ++i) line += std::string(" ") + argv[i];
  return line;
}

std::string date() {
  std::time_t const now = std::time(nullptr);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", std::gmtime(&now));
  return text;
}

Json context_of(std::string const& command) {
  Json json{{"date", date()}, {"command", command}};
  for (auto const& [name, value] : run_context()) json[name] = value;
  return json;
}

int run(Options const& options, std::string const& command) {
  auto const context = context_of(command);
  if (options.command == Options::Command::battery) return run_battery(options, context);
  if (options.command == Options::Command::audit) return run_audit(options, context);
  return options.fewest ? run_fewest(options, context) : run_figures(options, context);
}

int follow(int argc, char** argv) {
  Arguments own(argv[0]);
  Arguments kokkos(argv[0]);
  for (int i = 1; i < argc; ++i) {
    bool const is_kokkos = std::string(argv[i]).starts_with("--kokkos-");
    (is_kokkos ? kokkos : own).add(argv[i]);
  }
  CLI::App app{"Tests the uniformity of random permutations.", "perf_quality"};
  Options options;
  declare(app, options);
  try {
    app.parse(own.size(), own.begin());
  } catch (CLI::ParseError const& error) {
    return app.exit(error);
  }
  int size = kokkos.size();
  Kokkos::ScopeGuard const guard(size, kokkos.begin());
  return run(options, command_line(argc, argv));
}

}  // namespace
}  // namespace perf::quality

int main(int argc, char** argv) {
  try {
    return perf::quality::follow(argc, argv);
  } catch (std::exception const& error) {
    std::cerr << "perf_quality: " << error.what() << '\n';
    return 2;
  }
}
