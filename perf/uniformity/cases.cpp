#include "uniformity/cases.hpp"

#include <algorithm>
#include <stdexcept>

#include "uniformity/battery_run.hpp"

namespace perf::quality {
namespace {

int rounds_for(Candidate const& candidate, std::uint64_t n, int asked) {
  auto const& possible = candidate.rounds;
  if (asked == 0 || possible.empty()) return candidate.usual_rounds(n);
  if (std::find(possible.begin(), possible.end(), asked) == possible.end()) {
    throw std::invalid_argument("--rounds " + std::to_string(asked) + ": " + candidate.name +
                                " does not support this number of rounds");
  }
  return asked;
}

Case make_case(Options const& options, std::vector<std::string> const& names,
               std::string const& name, std::uint64_t n) {
  auto const& chosen = candidate(name);
  Draw const draw{n, samples_for(n, options.samples), 0, rounds_for(chosen, n, options.rounds)};
  std::string const twin = chosen.twin(draw);
  return {&chosen, draw, contains(names, twin) ? twin : ""};
}

}  // namespace

std::vector<Case> make_cases(Options const& options) {
  auto const names = chosen_generators(options);
  std::vector<Case> cases;
  for (auto const n : options.ns.empty() ? default_battery_ns() : options.ns) {
    for (auto const& name : names) cases.push_back(make_case(options, names, name, n));
  }
  return cases;
}

std::vector<std::string> chosen_generators(Options const& options) {
  if (!options.generators.empty()) return options.generators;
  std::vector<std::string> names;
  for (auto const& known : all_candidates()) names.push_back(known.name);
  return names;
}

double work_of(Draw const& draw) {
  return static_cast<double>(draw.n) * static_cast<double>(draw.samples);
}

bool contains(std::vector<std::string> const& names, std::string const& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string label(Candidate const& candidate, Draw const& draw) {
  std::string const text = candidate.name + ", n = " + std::to_string(draw.n);
  return draw.rounds == 0 ? text : text + ", " + std::to_string(draw.rounds) + " rounds";
}

}  // namespace perf::quality
