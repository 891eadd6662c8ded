// riffle_permute: permutation tests of many variables, with p-values adjusted for the number of variables.

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <variant>
#include <vector>

#include "csv_rows.hpp"
#include "engine.hpp"
#include "file.hpp"
#include "gnuplot.hpp"
#include "input_error.hpp"
#include "interrupt.hpp"
#include "output_file.hpp"
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

constexpr char const* program = "riffle_permute";
// shells report a program ended by signal s with exit code 128 + s
constexpr int first_signal_exit_code = 128;
constexpr int interrupt_signal = 2;  // SIGINT

// Candidate files for the counts if --state is not given. A new name is chosen, so that counts of another run are kept.
std::vector<std::string> candidates_for_counts(Settings const& settings) {
  std::string const name = "riffle_permute.state";
  std::vector<std::string> stems;
  if (!settings.output.empty() && is_replaced(settings.output)) {
    stems.push_back(settings.output + ".state");
  }
  stems.push_back(name);
  std::error_code failure;
  auto const folder = std::filesystem::temp_directory_path(failure);
  stems.push_back(((failure ? std::filesystem::path("/tmp") : folder) / name).string());
  return stems;
}

bool is_writable(std::string const& stem) {
  try {
    check_output("--state", stem + ".json");
    return true;
  } catch (InputError const&) {
    return false;
  }
}

// Checks the files before the test, so that no result is lost after a long computation.
void check_all_files(Settings const& settings) {
  check_files(
      {{"FILE", settings.data}, {"--design", settings.design}, {"--resume", settings.resume}},
      {{"--output", settings.output},
       {"--json", settings.json},
       {"--plot", settings.plot},
       {"--state", settings.state}});
  if (!settings.plot.empty()) check_that_picture_can_be_written("--plot", settings.plot);
  auto const places = candidates_for_counts(settings);
  if (can_save_counts(settings) && settings.state.empty() &&
      std::none_of(places.begin(), places.end(), is_writable)) {
    say(program, "the counts cannot be saved in any of " + list_in_quotes(places) +
                     ", so Ctrl-C will lose them (--state FILE chooses another file)");
  }
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

// Returns the name of the file with the counts; empty if they could not be saved.
std::string save_under_new_name(std::string const& text, Settings const& settings,
                                Failures& failures) {
  if (!can_save_counts(settings)) return {};
  for (auto const& stem : candidates_for_counts(settings)) {
    try {
      auto const usual = stem + ".json";
      if (!settings.resume.empty() && is_same_file(usual, settings.resume)) {
        write_file(usual, text);  // the new counts include the counts in this file
        return usual;
      }
      return write_new_file(stem, ".json", text);
    } catch (OutputError const&) {  // try the next candidate
    }
  }
  failures.add("the counts could not be saved and are lost");
  return {};
}

// Writes the counts to the file of --state. Returns whether they are kept there: a pipe does not keep them.
bool write_state(std::string const& text, Settings const& settings, Failures& failures) {
  return !settings.state.empty() && failures.attempt([&] { write_file(settings.state, text); }) &&
         is_replaced(settings.state);
}

int finish_interrupted(std::string const& counts, Settings const& settings, Plan const& plan,
                       Outcome const& outcome) {
  Failures failures(program);
  auto const place = write_state(counts, settings, failures)
                         ? settings.state
                         : save_under_new_name(counts, settings, failures);
  auto const how_far = "interrupted after " + grouped(outcome.replicates) + " of " +
                       grouped(plan.total) + " replicates";
  say(program, place.empty()
                   ? how_far
                   : how_far + "; the counts are saved in " + place +
                         ": run the same command with --resume " + place + " to continue");
  if (failures.any()) return 1;
  return first_signal_exit_code + (interrupt() != 0 ? interrupt() : interrupt_signal);
}

// Writes each result even if another one cannot be written.
int write_results(std::string const& counts, Task const& task, Settings const& settings,
                  Plan const& plan, Outcome const& outcome) {
  Failures failures(program);
  bool const is_kept = write_state(counts, settings, failures);
  if (!settings.output.empty()) {
    failures.attempt([&] { write_file(settings.output, csv_of(task, outcome)); });
  }
  if (!settings.json.empty()) {
    failures.attempt([&] { write_file(settings.json, json_of(task, settings, plan, outcome)); });
  }
  if (!settings.plot.empty()) {
    failures.attempt([&] {
      write_picture("--plot", settings.plot, plot_script(task, settings, plan, outcome));
    });
  }
  if (settings.output != standard_output && settings.json != standard_output &&
      settings.state != standard_output) {
    failures.attempt([&] { write_standard_output(report_of(task, settings, plan, outcome)); });
  }
  if (!failures.any()) return 0;
  // The counts are saved, so that the computation need not be repeated.
  auto const place = is_kept ? settings.state : save_under_new_name(counts, settings, failures);
  if (!place.empty()) {
    say(program, "the counts are saved in " + place + ": --resume " + place +
                     " writes the results to other files without computing them again");
  }
  return 1;
}

int test(Settings const& settings, std::vector<std::string> kokkos_arguments) {
  check_all_files(settings);
  // Without this message, a program that waits for input seems to hang.
  if (settings.data == standard_input && is_terminal(stdin)) {
    std::cerr << "riffle_permute: reading CSV from this terminal until Ctrl-D\n";
  }
  Task const task = make_task(settings);
  Plan const plan = plan_of(task, settings);
  auto const fingerprint = fingerprint_of(task, settings, plan);
  std::optional<Counts> resume;
  if (!settings.resume.empty()) resume = load_state(settings.resume, fingerprint, task, plan);

  if (can_save_counts(settings)) catch_interrupts();
  auto const outcome =
      run(task, settings, plan, resume, callbacks(settings, resume ? resume->done : 0),
          std::move(kokkos_arguments));
  auto const counts = state_text(fingerprint, settings, outcome.counts);
  return outcome.stopped ? finish_interrupted(counts, settings, plan, outcome)
                         : write_results(counts, task, settings, plan, outcome);
}

int run_command(Arguments arguments) {
  auto const& kokkos = arguments.kokkos;
  if (std::find(kokkos.begin(), kokkos.end(), "--kokkos-help") != kokkos.end()) {
    print_kokkos_help();
  }
  check_kokkos_settings(kokkos);
  auto const command = parse_settings(std::move(arguments.own), arguments.kokkos);
  if (auto const* help = std::get_if<Help>(&command)) {
    write_standard_output(help->text);
    return 0;
  }
  if (auto const* simulation = std::get_if<Simulation>(&command)) return simulate(*simulation);
  return test(std::get<Settings>(command), std::move(arguments.kokkos));
}

}  // namespace

int main(int argc, char** argv) {
  return exit_code_of(program, [&] { return run_command(split(argc, argv)); });
}
