#include <iostream>
#include <string>
#include <vector>

#include "uniformity/battery_run.hpp"
#include "uniformity/cases.hpp"
#include "uniformity/commands.hpp"
#include "uniformity/progress.hpp"
#include "uniformity/table.hpp"

namespace perf::quality {
namespace {

Table make_battery_table() {
  return {std::cout,
          {{"generator", 22},
           {"n", 7, true},
           {"samples", 9, true},
           {"worst test", 46},
           {"p", 9, true},
           {"adjusted", 9, true},
           {"", 6},
           {"time", 10, true}}};
}

std::vector<std::string> first_cells(Case const& one) {
  return {one.candidate->name, std::to_string(one.draw.n), std::to_string(one.draw.samples)};
}

void print(Table const& table, Case const& one, BatteryRun const& run, bool passes) {
  auto const& worst = run.battery.worst();
  auto cells = first_cells(one);
  cells.insert(cells.end(),
               {worst.result.test, rounded(worst.result.p_value), rounded(worst.adjusted_p_value),
                passes ? "passes" : "FAILS", duration_text(run.seconds)});
  table.print(cells);
}

void print_twin(Table const& table, Case const& one) {
  auto cells = first_cells(one);
  cells.push_back("the same as " + one.twin);
  table.print(cells);
}

Json head_as_json(Case const& one) {
  Json json{{"generator", one.candidate->name}, {"n", one.draw.n}, {"samples", one.draw.samples}};
  if (one.draw.rounds != 0) json["rounds"] = one.draw.rounds;
  if (!one.twin.empty()) json["same_as"] = one.twin;
  return json;
}

Json as_json(Case const& one, BatteryRun const& run, bool passes) {
  Json json = head_as_json(one);
  json["passes"] = passes;
  json["seconds"] = run.seconds;
  json["worst"] = worst_as_json(run);
  json["rows"] = rows_as_json(run);
  return json;
}

double total_work(std::vector<Case> const& cases) {
  double work = 0;
  for (auto const& one : cases) work += one.twin.empty() ? work_of(one.draw) : 0;
  return work;
}

/// Tests a case, prints its line, and returns the result as JSON.
Json run_case(Options const& options, Case const& one, Table const& table, Progress& progress) {
  progress.begin(label(*one.candidate, one.draw), work_of(one.draw));
  auto const run = run_battery(*one.candidate, one.draw, options.seeds,
                               [&](double share) { progress.update(share); });
  bool const passes = run.battery.passes(options.alpha);
  progress.clear();
  print(table, one, run, passes);
  return as_json(one, run, passes);
}

bool is_failure_of_riffle(Json const& line) {
  bool const is_of_riffle = line["generator"] == "riffle" || line["generator"] == "bucket-shuffle";
  return is_of_riffle && !line["passes"].get<bool>();
}

}  // namespace

int run_battery(Options const& options, Json const& context) {
  auto const cases = make_cases(options);
  Json json{{"context", context}, {"alpha", options.alpha}, {"battery", Json::array()}};
  bool riffle_fails = false;
  Progress progress(total_work(cases));
  Table const table = make_battery_table();
  for (auto const& one : cases) {
    if (one.twin.empty()) {
      json["battery"].push_back(run_case(options, one, table, progress));
      riffle_fails = riffle_fails || is_failure_of_riffle(json["battery"].back());
    } else {
      print_twin(table, one);
      json["battery"].push_back(head_as_json(one));
    }
    write_json(options.json, json);
  }
  return riffle_fails ? 1 : 0;
}

}  // namespace perf::quality
