#include "pairs.hpp"

#include <array>
#include <cmath>
#include <unordered_map>
#include <utility>

#include "blocks.hpp"
#include "input_error.hpp"
#include "text.hpp"

namespace example::permute {
namespace {

struct Pair {
  std::string name;
  std::vector<std::size_t> members;
};

// Pairs in the order of their first members.
std::vector<Pair> pairs_of(std::vector<std::string> const& names) {
  std::vector<Pair> pairs;
  std::unordered_map<std::string, std::size_t> place;
  for (std::size_t i = 0; i < names.size(); ++i) {
    auto const [at, is_new] = place.try_emplace(names[i], pairs.size());
    if (is_new) pairs.push_back({names[i], {}});
    pairs[at->second].members.push_back(i);
  }
  return pairs;
}

class Differences {
 public:
  Differences(DesignFile const& design, Settings const& settings, Task& task)
      : design_(design),
        settings_(settings),
        task_(task),
        pairs_(pairs_of(design.texts(settings.pair))) {}

  void take() {
    for (auto& pair : pairs_) {
      check(pair);
      if (task_.by[pair.members[0]] != 0) std::swap(pair.members[0], pair.members[1]);
    }
    take_values();
    for (auto& level : task_.blocks) {
      std::vector<int> block_of;
      for (auto const& pair : pairs_) block_of.push_back(level.block_of[pair.members[0]]);
      level.block_of = std::move(block_of);
    }
    task_.by.clear();
    task_.pairs = pairs_.size();
  }

 private:
  [[noreturn]] void refuse(Pair const& pair, std::string const& why) const {
    throw InputError(design_.file() + ": " + lines_of(design_, pair.members) + ", column " +
                     in_quotes(settings_.pair) + ": the pair " + in_quotes(pair.name) + " " + why);
  }

  void check(Pair const& pair) const {
    auto const& groups = task_.groups;
    std::string const wanted = ": it must have 2, one of each group (" + in_quotes(groups[0].name) +
                               ", " + in_quotes(groups[1].name) + ")";
    if (pair.members.size() != 2) {
      refuse(pair, "has " + plural(pair.members.size(), "member") + wanted);
    }
    auto const [a, b] = std::array{pair.members[0], pair.members[1]};
    if (task_.by[a] == task_.by[b]) {
      refuse(pair, "has two members of the group " +
                       in_quotes(groups[static_cast<std::size_t>(task_.by[a])].name) + wanted);
    }
    for (auto const& level : task_.blocks) {
      if (level.block_of[a] != level.block_of[b]) {
        refuse(pair, "is in two blocks of " + in_quotes(level.column) + ": it must be in one");
      }
    }
  }

  void take_values() {
    auto& data = task_.data;
    std::vector<double> values;
    values.reserve(data.variables.size() * pairs_.size());
    for (std::size_t g = 0; g < data.variables.size(); ++g) {
      for (auto const& pair : pairs_) {
        values.push_back(
            decimal_difference(data.at(g, pair.members[1]), data.at(g, pair.members[0])));
      }
    }
    data.values = std::move(values);
    data.observations.clear();
    for (auto const& pair : pairs_) data.observations.push_back(pair.name);
  }

  DesignFile const& design_;
  Settings const& settings_;
  Task& task_;
  std::vector<Pair> pairs_;
};

// The nearest whole number of units, and whether the value is this number up to the rounding of its decimal notation.
bool is_whole(double value, double units, double& whole) {
  constexpr double few_roundings = 0x1p-50;
  constexpr double most = 0x1p45;
  whole = std::nearbyint(value * units);
  return std::abs(whole) < most &&
         std::abs(value * units - whole) <= few_roundings * std::abs(whole);
}

}  // namespace

double decimal_difference(double a, double b) {
  for (double const units : {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9}) {
    double of_a = 0;
    double of_b = 0;
    if (is_whole(a, units, of_a) && is_whole(b, units, of_b)) return (of_a - of_b) / units;
  }
  return a - b;
}

void take_differences(DesignFile const& design, Settings const& settings, Task& task) {
  Differences(design, settings, task).take();
}

}  // namespace example::permute
