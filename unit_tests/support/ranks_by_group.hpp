#pragma once

// Ranks within groups of unsorted data, one group at a time, and keys of groups.

#include <cstddef>
#include <map>
#include <vector>

#include "support/rank_oracle.hpp"
#include "support/unsorted_data.hpp"

namespace riffle::test {

/// Keys are compared by the standard library's operators.
template <class Key, class T, class Rule, class Before>
std::vector<double> ranks_by_group(std::vector<Key> const& keys, std::vector<T> const& data,
                                   Rule const& rule, RankOracleOptions const& options,
                                   Before const& is_before, bool has_nans_first = false) {
  std::map<Key, std::vector<std::size_t>> groups;
  for (std::size_t i = 0; i < data.size(); ++i) groups[keys[i]].push_back(i);
  std::vector<double> ranks(data.size());
  for (auto const& [key, members] : groups) {
    std::vector<T> values;
    for (std::size_t const i : members) values.push_back(data[i]);
    auto const own = unsorted_rank_oracle(values, rule, options, is_before, has_nans_first);
    for (std::size_t k = 0; k < members.size(); ++k) ranks[members[k]] = own[k];
  }
  return ranks;
}

/// Keys of both signs in random order, each of which occurs about n / count times.
inline std::vector<int> random_keys(std::size_t n, unsigned count) {
  auto keys = few_values<int>(n, count, 7);
  for (int& key : keys) key = (key - static_cast<int>(count / 2)) * 123'456;
  return keys;
}

}  // namespace riffle::test
