#pragma once

// The layout of blocks in blocks in blocks:
//   [1] A. M. Winkler, M. A. Webster, D. Vidaurre, T. E. Nichols, S. M. Smith, "Multi-level block permutation",
//       NeuroImage 123 (2015), doi 10.1016/j.neuroimage.2015.05.092.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <utility>
#include <vector>

#include <riffle/errors.hpp>
#include <riffle/monte_carlo/detail/exchanges/layout.hpp>

namespace riffle::detail {

/// Builds the tree of [1] from the outermost level to the innermost, and its layout from the innermost outwards.
class NestedBlocks {
 public:
  using Levels = std::vector<std::vector<int>>;
  using Positions = std::vector<std::uint32_t>;

  explicit NestedBlocks(Levels const& levels) : levels_(levels), found_(levels.size()) {}

  ExchangeLayout layout(std::uint32_t n) {
    Positions all(n);
    for (std::uint32_t i = 0; i < n; ++i) all[i] = i;
    if (!levels_.empty()) add_members(0, all);
    ExchangeLayout result;
    result.n = n;
    for (auto const& sets : found_) {
      for (auto const& [count, positions] : sets) result.add_set(count, positions);
    }
    return result;
  }

 private:
  /// What lies in a block: in which order, and the number of its structure. Equal structures have equal numbers.
  struct Contents {
    Positions positions;
    int structure;
  };
  struct Member {
    int name;
    Contents contents;
  };
  static constexpr int observation = 0;

  /// The blocks that one level cuts the positions into, by their names.
  std::vector<Member> add_members(std::size_t level, Positions const& positions) {
    std::map<int, Positions> blocks;
    for (auto const i : positions) blocks[std::abs(levels_[level][i])].push_back(i);
    std::vector<Member> members;
    for (auto const& [name, inside] : blocks) {
      members.push_back({name, add_block(level, name, inside)});
    }
    return members;
  }

  Contents add_block(std::size_t level, int name, Positions const& positions) {
    bool const is_exchanged = has_positive_sign(level, name, positions);
    auto const members = members_of(level, positions);
    // One member alone stays, whatever the sign.
    std::vector<int> structure{is_exchanged && members.size() > 1};
    Contents contents{{}, 0};
    for (auto const& member : members) {
      if (is_exchanged) check_alike(level, name, members[0], member);
      structure.push_back(member.contents.structure);
      auto const& inside = member.contents.positions;
      contents.positions.insert(contents.positions.end(), inside.begin(), inside.end());
    }
    if (is_exchanged) {
      found_[level].emplace_back(static_cast<std::uint32_t>(members.size()), contents.positions);
    }
    auto const next = static_cast<int>(structures_.size()) + 1;
    contents.structure = structures_.emplace(std::move(structure), next).first->second;
    return contents;
  }

  /// The blocks of the next level, or the observations.
  std::vector<Member> members_of(std::size_t level, Positions const& positions) {
    if (level + 1 < levels_.size()) return add_members(level + 1, positions);
    std::vector<Member> members;
    for (auto const i : positions) members.push_back({static_cast<int>(i), {{i}, observation}});
    return members;
  }

  bool has_positive_sign(std::size_t level, int name, Positions const& positions) const {
    bool const is_positive = levels_[level][positions[0]] > 0;
    for (auto const i : positions) {
      check((levels_[level][i] > 0) == is_positive, "Exchanges::nested", "level ", level,
            ", block ", name, ": observation ", i,
            " has another sign than those before it: a block must have one sign");
    }
    return is_positive;
  }

  static void check_alike(std::size_t level, int name, Member const& a, Member const& b) {
    check(a.contents.structure == b.contents.structure, "Exchanges::nested", "level ", level,
          ", block ", name, ": its members ", a.name, " of ", a.contents.positions.size(),
          " observations and ", b.name, " of ", b.contents.positions.size(),
          " must have the same structure, as they are exchanged as wholes");
  }

  Levels const& levels_;
  std::vector<std::vector<std::pair<std::uint32_t, Positions>>> found_;  // sets of each level
  std::map<std::vector<int>, int> structures_;
};

inline void check_levels(std::vector<std::vector<int>> const& levels) {
  std::uint64_t const names = levels.empty() ? 0 : std::uint64_t{levels.size()} * levels[0].size();
  check(names < std::uint64_t{1} << 32, "Exchanges::nested", "levels have ", names,
        " names of blocks in all: must be fewer than 2^32");
  for (std::size_t l = 0; l < levels.size(); ++l) {
    check(levels[l].size() == levels[0].size(), "Exchanges::nested", "level ", l, " has ",
          levels[l].size(), " observations and level 0 has ", levels[0].size(), ": must be equal");
    for (std::size_t i = 0; i < levels[l].size(); ++i) {
      // The least integer has no positive counterpart.
      check(levels[l][i] != 0 && levels[l][i] != INT32_MIN, "Exchanges::nested", "level ", l,
            ", observation ", i, ": block ", levels[l][i], " has no sign that could be changed");
    }
  }
}

}  // namespace riffle::detail
