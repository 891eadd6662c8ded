#include <algorithm>
#include <cmath>
#include <iostream>
#include <string>
#include <vector>

#include "uniformity/cases.hpp"
#include "uniformity/commands.hpp"
#include "uniformity/figure.hpp"
#include "uniformity/progress.hpp"
#include "uniformity/table.hpp"

namespace perf::quality {
namespace {

struct Point {
  Candidate const* candidate;
  Draw draw;
};

std::vector<int> rounds_shown(Candidate const& candidate) {
  return candidate.figure_rounds.empty() ? std::vector<int>{0} : candidate.figure_rounds;
}

/// All points of a generator; empty if another generator has the same.
std::vector<Point> points_of(Candidate const& candidate, Draw draw,
                             std::vector<std::string> const& names) {
  std::vector<Point> points;
  bool is_twin = true;
  for (int const rounds : rounds_shown(candidate)) {
    draw.rounds = rounds;
    points.push_back({&candidate, draw});
    is_twin = is_twin && contains(names, candidate.twin(draw));
  }
  return is_twin ? std::vector<Point>{} : points;
}

std::vector<Point> points_of(Figure const& figure, Options const& options) {
  auto const names = chosen_generators(options);
  std::vector<Point> all;
  for (auto const& name : names) {
    auto const points =
        points_of(candidate(name), {figure.n, figure.samples, options.seeds.at(0)}, names);
    all.insert(all.end(), points.begin(), points.end());
  }
  return all;
}

double total_work(std::vector<Figure> const& figures, Options const& options) {
  double work = 0;
  for (auto const& figure : figures) {
    for (auto const& point : points_of(figure, options)) work += work_of(point.draw);
  }
  return work;
}

Table make_figures_table() {
  return {std::cout,
          {{"test", 23},
           {"n", 7, true},
           {"generator", 22},
           {"rounds", 6, true},
           {"statistic", 10, true},
           {"accepted", 10, true},
           {"p", 9, true},
           {"", 8}}};
}

void print(Table const& table, Figure const& figure, Point const& point,
           Candidate::TestResult const& result) {
  double const most = figure.thresholds.at(0).second;
  int const rounds = point.draw.rounds;
  table.print({figure.test, std::to_string(figure.n), point.candidate->name,
               rounds == 0 ? "" : std::to_string(rounds), rounded(result.statistic, 4),
               "< " + rounded(most), rounded(result.p_value),
               std::abs(result.statistic) < most ? "" : "rejected"});
}

Json as_json(Point const& point, Candidate::TestResult const& result) {
  Json json{{"generator", point.candidate->name}};
  if (point.draw.rounds != 0) json["rounds"] = point.draw.rounds;
  json["statistic"] = result.statistic;
  json["p_value"] = result.p_value;
  return json;
}

Json as_json(Figure const& figure) {
  Json json{{"test", figure.test}, {"n", figure.n}, {"samples", figure.samples}};
  for (auto const& [name, threshold] : figure.thresholds) json["thresholds"][name] = threshold;
  json["points"] = Json::array();
  return json;
}

Json run_figure(Figure const& figure, Options const& options, Table const& table,
                Progress& progress) {
  Json json = as_json(figure);
  for (auto const& point : points_of(figure, options)) {
    progress.begin(label(*point.candidate, point.draw), work_of(point.draw));
    auto const result = figure.measure(*point.candidate, point.draw);
    progress.clear();
    print(table, figure, point, result);
    json["points"].push_back(as_json(point, result));
  }
  return json;
}

}  // namespace

int run_figures(Options const& options, Json const& context) {
  constexpr std::uint64_t usual_samples = 100'000;
  auto const figures =
      make_figures(options.ns.empty() ? std::vector<std::uint64_t>{5, 100, 1000} : options.ns,
                   options.samples == 0 ? usual_samples : options.samples, options.alpha);
  Json json{{"context", context},
            {"alpha", options.alpha},
            {"seed", options.seeds.at(0)},
            {"figures", Json::array()}};
  Progress progress(total_work(figures, options));
  Table const table = make_figures_table();
  for (auto const& figure : figures) {
    json["figures"].push_back(run_figure(figure, options, table, progress));
    write_json(options.json, json);
  }
  return 0;
}

}  // namespace perf::quality
