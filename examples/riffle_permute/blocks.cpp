#include "blocks.hpp"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

#include "input_error.hpp"
#include "text.hpp"

namespace example::permute {
namespace {

using Names = std::vector<std::string>;

// The rank of each name among the distinct names in sorted order.
std::vector<int> ranks_of(Names const& names) {
  std::unordered_map<std::string, int> rank;
  for (auto const& name : sorted_levels(names)) rank.emplace(name, static_cast<int>(rank.size()));
  std::vector<int> ranks;
  for (auto const& name : names) ranks.push_back(rank.at(name));
  return ranks;
}

// `around` holds, for each observation, the number of its block one level further out.
BlockLevel level_of(DesignFile const& design, std::string const& column,
                    std::vector<int> const& around) {
  auto const names = design.texts(column);
  auto const ranks = ranks_of(names);
  std::map<std::pair<int, int>, std::string> blocks;
  for (std::size_t i = 0; i < names.size(); ++i) blocks[{around[i], ranks[i]}] = names[i];
  BlockLevel level;
  level.column = column;
  std::map<std::pair<int, int>, int> number;
  for (auto const& [path, name] : blocks) {
    level.names.push_back(name);
    number[path] = static_cast<int>(level.names.size());
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    level.block_of.push_back(number.at({around[i], ranks[i]}));
  }
  return level;
}

void check_pairs(DesignFile const& design, BlockLevel const& pairs) {
  std::vector<std::vector<std::size_t>> members(pairs.size());
  for (std::size_t i = 0; i < pairs.block_of.size(); ++i) {
    members[static_cast<std::size_t>(pairs.block_of[i]) - 1].push_back(i);
  }
  for (std::size_t b = 0; b < members.size(); ++b) {
    if (members[b].size() == 2) continue;
    throw InputError(design.file() + ": " + lines_of(design, members[b]) + ", column " +
                     in_quotes(pairs.column) + ": the pair " + in_quotes(pairs.names[b]) + " has " +
                     plural(members[b].size(), "member") + ": it must have 2");
  }
}

// The nested structure inside each block of a level, as text. Two blocks of a level may be exchanged if their texts are equal.
class Structures {
 public:
  explicit Structures(std::vector<BlockLevel> const& levels) : of_level_(levels.size()) {
    for (std::size_t l = levels.size(); l-- > 0;) add(levels, l);
  }

  std::string const& of(std::size_t level, int block) const {
    return of_level_[level][static_cast<std::size_t>(block) - 1];
  }

 private:
  void add(std::vector<BlockLevel> const& levels, std::size_t l) {
    auto& structures = of_level_[l];
    structures.resize(levels[l].size());
    if (l + 1 == levels.size()) {
      std::vector<std::size_t> sizes(levels[l].size(), 0);
      for (int const block : levels[l].block_of) ++sizes[static_cast<std::size_t>(block) - 1];
      for (std::size_t b = 0; b < sizes.size(); ++b) structures[b] = std::to_string(sizes[b]);
      return;
    }
    std::map<int, int> parent_of;
    for (std::size_t i = 0; i < levels[l].block_of.size(); ++i) {
      parent_of[levels[l + 1].block_of[i]] = levels[l].block_of[i];
    }
    for (auto const& [block, parent] : parent_of) {
      structures[static_cast<std::size_t>(parent) - 1] += "(" + of(l + 1, block) + ")";
    }
  }

  std::vector<Names> of_level_;
};

}  // namespace

std::string lines_of(DesignFile const& design, std::vector<std::size_t> const& observations) {
  constexpr std::size_t max_named_lines = 4;
  std::vector<std::size_t> lines;
  for (auto const i : observations) lines.push_back(design.line(i));
  std::sort(lines.begin(), lines.end());
  if (lines.size() == 1) return "line " + std::to_string(lines[0]);
  std::string text = "lines ";
  std::size_t const named = std::min(lines.size(), max_named_lines);
  for (std::size_t k = 0; k < named; ++k) {
    bool const is_last = k + 1 == lines.size();
    text += (k == 0 ? "" : is_last ? " and " : ", ") + std::to_string(lines[k]);
  }
  return text + (named < lines.size() ? ", ..." : "");
}

std::vector<BlockLevel> number_blocks(DesignFile const& design, Settings const& settings) {
  std::vector<BlockLevel> levels;
  for (auto const& column : settings.blocks) {
    std::vector<int> const none(design.observations(), 0);
    levels.push_back(level_of(design, column, levels.empty() ? none : levels.back().block_of));
  }
  if (settings.blocks_are_pairs) check_pairs(design, levels.back());
  return levels;
}

void check_equal_structure(DesignFile const& design, Settings const& settings,
                           std::vector<BlockLevel> const& levels) {
  Structures const structures(levels);
  for (std::size_t l = 0; l < levels.size(); ++l) {
    if (!settings.permutes_blocks[l]) continue;
    std::map<int, int> first_inside;  // the first block that lies in each enclosing block
    for (std::size_t i = 0; i < levels[l].block_of.size(); ++i) {
      int const around = l == 0 ? 0 : levels[l - 1].block_of[i];
      int const block = levels[l].block_of[i];
      int const first = first_inside.try_emplace(around, block).first->second;
      auto const& a = structures.of(l, first);
      auto const& b = structures.of(l, block);
      if (a == b) continue;
      auto const name = [&](int number) {
        return in_quotes(levels[l].names[static_cast<std::size_t>(number) - 1]);
      };
      bool const is_innermost = l + 1 == levels.size();
      throw InputError(
          design.file() + ": line " + std::to_string(design.line(i)) + ", column " +
          in_quotes(levels[l].column) + ": the blocks " + name(first) + " and " + name(block) +
          " cannot be exchanged as wholes: " +
          (is_innermost ? "they have " + a + " and " + b + " observations"
                        : "they are divided differently by " + in_quotes(levels[l + 1].column)));
    }
  }
}

}  // namespace example::permute
