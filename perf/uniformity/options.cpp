#include "uniformity/options.hpp"

#include <CLI/CLI.hpp>

#include "uniformity/candidate.hpp"

namespace perf::quality {
namespace {

constexpr std::uint64_t largest_n = std::uint64_t{1} << 30;
constexpr std::uint64_t max_samples = std::uint64_t{1} << 40;
constexpr double battery_alpha = 0.001;
constexpr double figure_alpha = 0.05;  // of the paper

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (auto const& known : all_candidates()) all.push_back(known.name);
  return all;
}

void declare_common(CLI::App& command, Options& options) {
  command.add_option("--generator", options.generators, "generators to test")
      ->check(CLI::IsMember(names()));
  command.add_option("--n", options.ns, "numbers of points")
      ->check(CLI::Range(std::uint64_t{2}, largest_n));
  command.add_option("--samples", options.samples, "permutations of each n")
      ->check(CLI::Range(std::uint64_t{2}, max_samples));
  command.add_option("--seed", options.seeds, "master seeds");
  command.add_option("--alpha", options.alpha, "probability that a uniform generator fails")
      ->check(CLI::Range(1e-12, 0.5));
  command.add_option("--json", options.json, "file for all results")->type_name("FILE");
}

void declare_battery(CLI::App& app, Options& options) {
  auto* const battery = app.add_subcommand("battery", "All uniformity tests of each generator");
  declare_common(*battery, options);
  battery
      ->add_option("--rounds", options.rounds,
                   "number of rounds, for generators that have a choice")
      ->check(CLI::Range(1, 48));
  battery->footer(
      "The default is 1,000,000 samples, and 10,000 from n = 4096 on. The tests of all seeds are\n"
      "adjusted together (Holm). Exit code: 0, or 1 if 'riffle' or 'bucket-shuffle' fails.");
  battery->callback([&options] {
    options.command = Options::Command::battery;
    if (options.alpha == 0) options.alpha = battery_alpha;
  });
}

void declare_rounds(CLI::App& app, Options& options) {
  auto* const rounds = app.add_subcommand("rounds", "Test statistics against the number of rounds");
  declare_common(*rounds, options);
  rounds
      ->add_flag("--fewest", options.fewest,
                 "instead, find the fewest rounds of 'feistel' that pass the battery")
      ->excludes("--generator");
  rounds->footer(
      "Figures 6 to 9 of Mitchell et al. (2022): by default n = 5, 100, 1000, with 100,000 "
      "samples\n"
      "of the first seed. With --fewest: n above 20, samples, seeds and alpha as for the battery.");
  rounds->callback([&options] {
    options.command = Options::Command::rounds;
    if (options.alpha == 0) options.alpha = options.fewest ? battery_alpha : figure_alpha;
  });
}

void declare_audit(CLI::App& app, Options& options) {
  auto* const audit =
      app.add_subcommand("audit", "Tests of permutations that any program has drawn");
  audit
      ->add_option(
          "--from", options.from,
          "the permutations; - for standard input. Each is N unsigned integers of 32 bits, a\n"
          "rearrangement of 0, ..., N - 1, the least significant byte first")
      ->type_name("FILE")
      ->required();
  audit->add_option("--n", options.points, "number of points of each permutation")
      ->check(CLI::Range(std::uint64_t{2}, largest_n))
      ->type_name("N")
      ->required();
  audit->add_option("--name", options.name, "name of the generator in the output");
  audit->add_flag("--pairs", options.in_pairs,
                  "only compare permutations 2 r and 2 r + 1, such as those of two similar seeds");
  audit->add_option("--alpha", options.alpha, "probability that a uniform generator fails")
      ->check(CLI::Range(1e-12, 0.5));
  audit->add_option("--json", options.json, "file for all results")->type_name("FILE");
  audit->footer("Exit code: 0, or 1 if a test fails.");
  audit->callback([&options] {
    options.command = Options::Command::audit;
    if (options.alpha == 0) options.alpha = battery_alpha;
  });
}

}  // namespace

void declare(CLI::App& app, Options& options) {
  app.require_subcommand(1);
  declare_battery(app, options);
  declare_rounds(app, options);
  declare_audit(app, options);
  app.footer("Kokkos's own flags are accepted, too, for example --kokkos-num-threads=2.");
}

}  // namespace perf::quality
