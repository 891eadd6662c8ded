#pragma once

// Observations by the names of their blocks, and the layouts of one level of blocks.

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <unordered_map>
#include <vector>

#include <riffle/errors.hpp>
#include <riffle/monte_carlo/detail/exchanges/layout.hpp>

namespace riffle::detail {

/// Nothing has more observations: positions are kept in 32 bits, and words decide numbers below 2^31.
inline std::uint32_t check_observations(char const* function, std::uint64_t n) {
  check(n < std::uint64_t{1} << 31, function, "n = ", n, " observations: must be less than 2^31");
  return static_cast<std::uint32_t>(n);
}

/// The blocks in the order in which they appear, their members too.
struct Blocks {
  std::vector<int> names;
  std::vector<std::vector<std::uint32_t>> members;
  std::vector<std::uint32_t> block;  // of each observation

  explicit Blocks(std::vector<int> const& block_of) {
    std::unordered_map<int, std::uint32_t> number_of;
    block.reserve(block_of.size());
    for (std::size_t i = 0; i < block_of.size(); ++i) {
      auto const [found, is_new] =
          number_of.emplace(block_of[i], static_cast<std::uint32_t>(names.size()));
      if (is_new) {
        names.push_back(block_of[i]);
        members.emplace_back();
      }
      members[found->second].push_back(static_cast<std::uint32_t>(i));
      block.push_back(found->second);
    }
  }
};

inline ExchangeLayout fixed_layout(std::uint32_t n) {
  ExchangeLayout layout;
  layout.n = n;
  return layout;
}

inline ExchangeLayout free_layout(std::uint32_t n) {
  auto layout = fixed_layout(n);
  std::vector<std::uint32_t> all(n);
  std::iota(all.begin(), all.end(), 0u);
  layout.add_set(n, all);
  return layout;
}

inline void add_whole_blocks(char const* function, Blocks const& blocks, ExchangeLayout& layout) {
  std::vector<std::uint32_t> positions;
  for (std::size_t b = 0; b < blocks.names.size(); ++b) {
    check(blocks.members[b].size() == blocks.members[0].size(), function, "block ", blocks.names[0],
          " has ", blocks.members[0].size(), " observations and block ", blocks.names[b], " has ",
          blocks.members[b].size(), ": must be equal, as blocks are exchanged as wholes");
    positions.insert(positions.end(), blocks.members[b].begin(), blocks.members[b].end());
  }
  layout.add_set(static_cast<std::uint32_t>(blocks.names.size()), positions);
}

inline void add_inside_of_blocks(Blocks const& blocks, ExchangeLayout& layout) {
  for (auto const& members : blocks.members) {
    layout.add_set(static_cast<std::uint32_t>(members.size()), members);
  }
}

inline void check_pairs(Blocks const& pairs) {
  for (std::size_t b = 0; b < pairs.names.size(); ++b) {
    check(pairs.members[b].size() == 2, "Exchanges::pairs", "pair ", pairs.names[b], " has ",
          pairs.members[b].size(), " observations: must have 2");
  }
}

}  // namespace riffle::detail
