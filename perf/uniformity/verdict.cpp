#include "uniformity/verdict.hpp"

#include <Kokkos_Core.hpp>

namespace perf::quality {
namespace {

using riffle::uniformity::BatteryResult;
using riffle::uniformity::TestResult;

ToldShare told_of_seed(ToldShare const& told, std::size_t seed, std::size_t seeds) {
  return
      [=](double share) { told((static_cast<double>(seed) + share) / static_cast<double>(seeds)); };
}

Json row_as_json(Verdict const& verdict, std::size_t row) {
  auto const& [result, adjusted] = verdict.battery.rows[row];
  Json json{{"seed", verdict.seeds[verdict.seed_of_row[row]]}};
  json.update(result_as_json(result));
  json["adjusted_p_value"] = adjusted;
  return json;
}

}  // namespace

std::uint64_t samples_for(std::uint64_t n, std::uint64_t asked) {
  if (asked != 0) return asked;
  return n >= 4096 ? 10'000 : 1'000'000;
}

Verdict judge(Candidate const& candidate, Draw draw, std::vector<std::uint64_t> const& seeds,
              ToldShare const& told) {
  Verdict verdict{seeds, {}, {}, 0};
  std::vector<TestResult> results;
  Kokkos::Timer const timer;
  for (std::size_t s = 0; s < seeds.size(); ++s) {
    draw.seed = seeds[s];
    for (auto const& row : candidate.battery(draw, told_of_seed(told, s, seeds.size())).rows) {
      results.push_back(row.result);
      verdict.seed_of_row.push_back(s);
    }
  }
  verdict.battery = riffle::detail::uniformity::with_adjusted_p_values(results);
  verdict.seconds = timer.seconds();
  return verdict;
}

Json rows_as_json(Verdict const& verdict) {
  Json rows = Json::array();
  for (std::size_t r = 0; r < verdict.battery.rows.size(); ++r) {
    rows.push_back(row_as_json(verdict, r));
  }
  return rows;
}

Json worst_as_json(Verdict const& verdict) {
  return row_as_json(
      verdict, static_cast<std::size_t>(&verdict.battery.worst() - verdict.battery.rows.data()));
}

}  // namespace perf::quality
