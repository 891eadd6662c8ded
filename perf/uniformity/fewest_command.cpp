#include <array>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include <riffle/random/lehmer.hpp>

#include "uniformity/battery_run.hpp"
#include "uniformity/cases.hpp"
#include "uniformity/commands.hpp"
#include "uniformity/progress.hpp"
#include "uniformity/table.hpp"

namespace perf::quality {
namespace {

/// Too few rounds usually fail with few samples, so a share of the samples is tested first.
constexpr std::array<std::uint64_t, 3> shares_of_samples{100, 10, 1};
// a share must have this number, or most tests are left out
constexpr std::uint64_t min_samples = 100;

/// The result for one n.
struct Search {
  std::uint64_t n;
  std::uint64_t samples;
  std::optional<int> fewest = std::nullopt;
  Json trials = Json::array();
};

class Searcher {
 public:
  Searcher(Options const& options, Progress& progress)
      : options_(options), progress_(progress), network_(candidate("feistel")) {}

  Search search(std::uint64_t n) {
    Search search{n, samples_for(n, options_.samples)};
    progress_.begin("", work_of({n, search.samples, 0}));
    bool former_passes = false;
    for (int const rounds : network_.rounds) {
      bool const passes = try_rounds(search, rounds);
      // One number may pass by chance, or because of its parity, so two successive numbers must pass.
      if (passes && former_passes) {
        search.fewest = rounds - 1;
        break;
      }
      former_passes = passes;
    }
    return search;
  }

 private:
  bool try_rounds(Search& search, int rounds) {
    for (auto const share : shares_of_samples) {
      Draw const draw{search.n, search.samples / share, 0, rounds};
      bool const is_worth_it = share == 1 || draw.samples >= min_samples;
      if (is_worth_it && !try_samples(search, draw)) return false;
    }
    return true;
  }

  bool try_samples(Search& search, Draw const& draw) {
    progress_.relabel(label(network_, draw));
    auto const run = run_battery(network_, draw, options_.seeds,
                                 [&](double share) { tell(draw.rounds, share); });
    bool const passes = run.battery.passes(options_.alpha);
    search.trials.push_back({{"rounds", draw.rounds},
                             {"samples", draw.samples},
                             {"passes", passes},
                             {"seconds", run.seconds},
                             {"worst", worst_as_json(run)}});
    return passes;
  }

  void tell(int rounds, double share) {
    progress_.update((rounds - 1 + share) / static_cast<double>(network_.rounds.size()));
  }

  Options const& options_;
  Progress& progress_;
  Candidate const& network_;
};

int plus_a_third(int rounds) { return (4 * rounds + 2) / 3; }

Table make_fewest_table() {
  return {std::cout,
          {{"n", 8, true},
           {"samples", 9, true},
           {"fewest", 6, true},
           {"plus a third", 12, true},
           {"default", 7, true},
           {"last failure, in", 46},
           {"p", 9, true}}};
}

Json const* last_failure(Search const& search) {
  Json const* last = nullptr;
  for (auto const& trial : search.trials) {
    if (!trial["passes"].get<bool>()) last = &trial;
  }
  return last;
}

void print(Table const& table, Search const& search) {
  auto const fewest = search.fewest;
  Json const* const failure = last_failure(search);
  table.print({std::to_string(search.n), std::to_string(search.samples),
               fewest ? std::to_string(*fewest) : "none",
               fewest ? std::to_string(plus_a_third(*fewest)) : "",
               std::to_string(candidate("feistel").usual_rounds(search.n)),
               failure ? (*failure)["worst"]["test"].get<std::string>() : "",
               failure ? rounded((*failure)["worst"]["p_value"].get<double>()) : ""});
}

Json as_json(Search const& search) {
  Json json{{"n", search.n}, {"samples", search.samples}, {"rounds", nullptr}};
  if (search.fewest) json["rounds"] = *search.fewest;
  json["default_rounds"] = candidate("feistel").usual_rounds(search.n);
  json["trials"] = search.trials;
  return json;
}

std::vector<std::uint64_t> chosen_ns(Options const& options) {
  if (!options.ns.empty()) return options.ns;
  auto ns = default_battery_ns();
  std::erase_if(ns, [](std::uint64_t n) { return n <= riffle::max_ranked_size; });
  return ns;
}

}  // namespace

int run_fewest(Options const& options, Json const& context) {
  auto const ns = chosen_ns(options);
  Json json{{"context", context},
            {"alpha", options.alpha},
            {"seeds", options.seeds},
            {"fewest", Json::array()}};
  double work = 0;
  for (auto const n : ns) work += work_of({n, samples_for(n, options.samples), 0});
  Progress progress(work);
  Table const table = make_fewest_table();
  Searcher searcher(options, progress);
  for (auto const n : ns) {
    auto const search = searcher.search(n);
    progress.clear();
    print(table, search);
    json["fewest"].push_back(as_json(search));
    write_json(options.json, json);
  }
  return 0;
}

}  // namespace perf::quality
