// riffle_permute: permutation tests of many variables on the same observations, with p-values adjusted for their number.

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "csv_rows.hpp"
#include "engine.hpp"
#include "file.hpp"
#include "gnuplot.hpp"
#include "input_error.hpp"
#include "interrupt.hpp"
#include "plot.hpp"
#include "program_options.hpp"
#include "progress_bar.hpp"
#include "results.hpp"
#include "settings.hpp"
#include "simulate.hpp"
#include "state.hpp"
#include "task.hpp"
#include "text.hpp"

namespace {

using namespace example;
using namespace example::permute;

constexpr int signals_begin =
    128;                         // a shell's exit code of a program that signal s ended is 128 + s
constexpr int of_interrupt = 2;  // SIGINT

// Before the test, so that nobody waits for a result that is then lost.
void check_outputs(Settings const& settings) {
  auto const same = [](std::string const& a, std::string const& b) {
    std::error_code ignored;
    return !a.empty() && !b.empty() && (a == b || std::filesystem::equivalent(a, b, ignored));
  };
  std::vector<std::pair<std::string, std::string>> const outputs{{"--output", settings.output},
                                                                 {"--json", settings.json},
                                                                 {"--plot", settings.plot},
                                                                 {"--state", settings.state}};
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    auto const& [option, file] = outputs[i];
    if (file.empty()) continue;
    bool const is_of_ctrl_c_alone = option == "--state" && !settings.keeps_state;
    if (same(file, settings.data) || same(file, settings.design)) {
      throw InputError(option + " " + in_quotes(file) + " would replace an input");
    }
    for (std::size_t j = 0; j < i; ++j) {
      if (same(file, outputs[j].second)) {
        throw InputError(option + " " + in_quotes(file) + " is the file of " + outputs[j].first);
      }
    }
    if (!is_of_ctrl_c_alone) check_that_file_can_be_written(option, file);
  }
  if (!settings.plot.empty()) check_that_picture_can_be_written("--plot", settings.plot);
}

Callbacks callbacks(Settings const& settings, std::uint64_t begun) {
  auto const done = std::make_shared<std::uint64_t>(0);
  auto const bar = is_terminal(stderr) ? std::make_shared<ProgressBar>(std::cerr, begun) : nullptr;
  Callbacks calls;
  calls.progress = [=](std::uint64_t now, std::uint64_t total) {
    *done = now;
    if (bar) bar->update(now, total);
  };
  calls.stop = [=, limit = settings.stop_after] {
    return interrupt() != 0 || (limit > 0 && *done >= limit);
  };
  return calls;
}

int save_and_say(Settings const& settings, Fingerprint const& fingerprint, Plan const& plan,
                 Outcome const& outcome) {
  save_state(settings.state, fingerprint, settings, outcome.counts);
  std::cerr << "riffle_permute: interrupted after " << grouped(outcome.replicates) << " of "
            << grouped(plan.total) << " replicates; their counts are in " << settings.state
            << ": the same command with --resume " << settings.state << " goes on\n";
  return signals_begin + (interrupt() != 0 ? interrupt() : of_interrupt);
}

void write_results(Task const& task, Settings const& settings, Plan const& plan,
                   Outcome const& outcome) {
  if (!settings.output.empty()) write_file(settings.output, csv_of(task, outcome));
  if (!settings.json.empty()) write_file(settings.json, json_of(task, settings, plan, outcome));
  if (!settings.plot.empty()) {
    write_picture("--plot", settings.plot, plot_script(task, settings, plan, outcome));
  }
  std::cout << report_of(task, settings, plan, outcome);
}

// Where results cannot be written, what took time is not lost.
[[noreturn]] void keep_counts_after(InputError const& error, Settings const& settings,
                                    Fingerprint const& fingerprint, Outcome const& outcome) {
  try {
    save_state(settings.state, fingerprint, settings, outcome.counts);
  } catch (InputError const&) {
    throw error;
  }
  throw InputError(std::string(error.what()) + "; the counts are in " + settings.state +
                   ": --resume " + settings.state + " and other files to write take no time");
}

int test(Settings const& settings, std::vector<std::string> kokkos_arguments) {
  // Else a program that waits for input looks like one that hangs.
  if (settings.data == standard_input && is_terminal(stdin)) {
    std::cerr << "riffle_permute: reading CSV from this terminal, up to Ctrl-D\n";
  }
  check_outputs(settings);
  Task const task = make_task(settings);
  Plan const plan = plan_of(task, settings);
  auto const fingerprint = fingerprint_of(task, settings, plan);
  std::optional<Counts> resume;
  if (!settings.resume.empty()) resume = load_state(settings.resume, fingerprint, task, plan);

  catch_interrupts();
  auto const outcome =
      run(task, settings, plan, resume, callbacks(settings, resume ? resume->done : 0),
          std::move(kokkos_arguments));
  if (outcome.stopped) return save_and_say(settings, fingerprint, plan, outcome);
  if (settings.keeps_state) {
    save_state(settings.state, fingerprint, settings, outcome.counts);
  }
  try {
    write_results(task, settings, plan, outcome);
  } catch (InputError const& error) {
    keep_counts_after(error, settings, fingerprint, outcome);
  }
  return 0;
}

int follow(Arguments arguments) {
  auto const& kokkos = arguments.kokkos;
  if (std::find(kokkos.begin(), kokkos.end(), "--kokkos-help") != kokkos.end()) {
    print_kokkos_help();
  }
  check_kokkos_flags(kokkos);
  auto const command = parse_settings(std::move(arguments.own), arguments.kokkos);
  int code = 0;
  if (auto const* help = std::get_if<Help>(&command)) {
    std::cout << help->text;
  } else if (auto const* simulation = std::get_if<Simulation>(&command)) {
    simulate(*simulation);
  } else {
    code = test(std::get<Settings>(command), std::move(arguments.kokkos));
  }
  if (!std::cout.flush()) throw std::runtime_error("standard output cannot be written to");
  return code;
}

}  // namespace

int main(int argc, char** argv) {
  return exit_code_of("riffle_permute", [&] { return follow(split(argc, argv)); });
}
