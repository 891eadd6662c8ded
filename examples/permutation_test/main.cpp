// permutation_test: a permutation test on a CSV file, of whether groups differ or whether two columns are related.

#include <algorithm>
#include <cstdio>
#include <exception>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "csv_table.hpp"
#include "file.hpp"
#include "gnuplot.hpp"
#include "histogram.hpp"
#include "input_error.hpp"
#include "options.hpp"
#include "output_file.hpp"
#include "program_options.hpp"
#include "progress_bar.hpp"
#include "report.hpp"
#include "run.hpp"
#include "samples.hpp"

namespace {

using namespace example;

Progress progress_on_terminal() {
  if (!is_terminal(stderr)) return {};
  return [bar = std::make_shared<ProgressBar>(std::cerr)](std::uint64_t done, std::uint64_t total) {
    bar->update(done, total);
  };
}

// Without this message, a program that waits for input seems to hang.
void say_what_is_waited_for(Options const& options) {
  if (options.file != standard_input || !is_terminal(stdin)) return;
  std::cerr << "permutation_test: reading CSV from this terminal until Ctrl-D\n";
}

int test(Options const& options, std::vector<std::string> kokkos_arguments) {
  bool const picture = !options.histogram.empty();
  check_files({{"FILE", options.file}}, {{"--histogram", options.histogram}});
  say_what_is_waited_for(options);
  CsvTable const table = read_csv(options.file, options.delimiter);
  Samples const samples = choose_samples(table, options);
  if (picture) check_that_picture_can_be_written("--histogram", options.histogram);

  Outcome outcome = run(samples, options, std::move(kokkos_arguments), progress_on_terminal());

  Failures failures("permutation_test");
  if (picture) {
    failures.attempt([&] {
      double const middle =
          options.statistic == Statistic::mann_whitney_u
              ? 0.5 * static_cast<double>(samples[0].values.size() * samples[1].values.size())
              : 0;
      auto const histogram = make_histogram(std::move(outcome.null_distribution), outcome.statistic,
                                            options.alternative, options.bins, middle);
      write_picture("--histogram", options.histogram,
                    gnuplot_script(histogram, captions(table, samples, options, outcome)));
    });
  }
  failures.attempt([&] {
    write_standard_output(options.json ? json_report(table, samples, options, outcome)
                                       : text_report(table, samples, options, outcome));
  });
  return failures.any() ? 1 : 0;
}

int run_command(Arguments arguments) {
  auto const& kokkos = arguments.kokkos;
  if (std::find(kokkos.begin(), kokkos.end(), "--kokkos-help") != kokkos.end()) {
    print_kokkos_help();
  }
  check_kokkos_settings(kokkos);
  auto const command = parse_options(std::move(arguments.own));
  if (auto const* help = std::get_if<Help>(&command)) {
    write_standard_output(help->text);
    return 0;
  }
  return test(std::get<Options>(command), std::move(arguments.kokkos));
}

}  // namespace

int main(int argc, char** argv) {
  return exit_code_of("permutation_test", [&] { return run_command(split(argc, argv)); });
}
