#include "uniformity/battery_run.hpp"

#include <Kokkos_Core.hpp>

namespace perf::quality {
namespace {

using riffle::uniformity::BatteryResult;
using riffle::uniformity::TestResult;

ReportShare report_for_seed(ReportShare const& report_share, std::size_t seed, std::size_t seeds) {
  return [=](double share) {
    report_share((static_cast<double>(seed) + share) / static_cast<double>(seeds));
  };
}

Json row_as_json(BatteryRun const& run, std::size_t row) {
  auto const& [result, adjusted] = run.battery.rows[row];
  Json json{{"seed", run.seeds[run.seed_of_row[row]]}};
  json.update(result_as_json(result));
  json["adjusted_p_value"] = adjusted;
  return json;
}

}  // namespace

std::uint64_t samples_for(std::uint64_t n, std::uint64_t asked) {
  if (asked != 0) return asked;
  return n >= 4096 ? 10'000 : 1'000'000;
}

BatteryRun run_battery(Candidate const& candidate, Draw draw,
                       std::vector<std::uint64_t> const& seeds, ReportShare const& report_share) {
  BatteryRun run{seeds, {}, {}, 0};
  std::vector<TestResult> results;
  Kokkos::Timer const timer;
  for (std::size_t s = 0; s < seeds.size(); ++s) {
    draw.seed = seeds[s];
    for (auto const& row :
         candidate.battery(draw, report_for_seed(report_share, s, seeds.size())).rows) {
      results.push_back(row.result);
      run.seed_of_row.push_back(s);
    }
  }
  run.battery = riffle::detail::uniformity::with_adjusted_p_values(results);
  run.seconds = timer.seconds();
  return run;
}

Json rows_as_json(BatteryRun const& run) {
  Json rows = Json::array();
  for (std::size_t r = 0; r < run.battery.rows.size(); ++r) {
    rows.push_back(row_as_json(run, r));
  }
  return rows;
}

Json worst_as_json(BatteryRun const& run) {
  return row_as_json(run, static_cast<std::size_t>(&run.battery.worst() - run.battery.rows.data()));
}

}  // namespace perf::quality
