#pragma once

// Ranks within sorted groups, compared with ranks of each group by their definitions.

#include <Kokkos_Core.hpp>
#include <riffle/order.hpp>
#include <riffle/rank/rank_groups.hpp>
#include <riffle/workspace.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <limits>
#include <vector>

#include "support/rank_oracle.hpp"
#include "support/segments.hpp"
#include "support/unsorted_data.hpp"
#include "support/views.hpp"

namespace riffle::test {

/// The data of most tests: of one type, with NaNs or without, so that less is compiled.
using SortedGroups = Segments<float>;

/// Adds a segment of ascending data with ties, also to the segment before.
inline void add_ascending(SortedGroups& segments, std::size_t size, unsigned values) {
  auto const seed = static_cast<unsigned>(segments.values.size()) + values;
  auto segment = few_values<float>(size, values, seed);
  std::sort(segment.begin(), segment.end());
  segments.add(segment);
}

inline SortedGroups groups_of_all_sizes() {
  SortedGroups segments;
  for (std::size_t const size : {1, 0, 2, 3, 0, 0, 31, 32, 33, 1, 1, 127, 128, 129, 1000, 5000}) {
    add_ascending(segments, size, 10);
  }
  return segments;
}

inline SortedGroups many_short_groups() {
  SortedGroups segments;
  for (std::size_t s = 0; s < 20'000; ++s) add_ascending(segments, s % 4, 2);
  return segments;
}

/// All groups have the same value.
inline SortedGroups groups_of_one_value() {
  SortedGroups segments;
  for (std::size_t const size : {4095, 1, 4097, 8192, 7}) add_ascending(segments, size, 1);
  return segments;
}

/// A group of `numbers` elements, sorted by a Before, with NaNs before or after them.
template <class Before>
std::vector<float> sorted_group(std::size_t numbers, std::size_t missing, bool has_nans_first,
                                Before const& is_before) {
  auto group = few_values<float>(numbers, 5, static_cast<unsigned>(numbers + missing));
  std::sort(group.begin(), group.end(), is_before);
  group.insert(has_nans_first ? group.begin() : group.end(), missing,
               std::numeric_limits<float>::quiet_NaN());
  return group;
}

/// Groups without NaNs, with some, and with NaNs only, which begin and end near the edges of tiles.
template <class Before = std::less<float>>
SortedGroups groups_with_nans(bool has_nans_first = false, Before const& is_before = {}) {
  SortedGroups segments;
  auto const add = [&](std::size_t numbers, std::size_t missing) {
    segments.add(sorted_group(numbers, missing, has_nans_first, is_before));
  };
  for (std::size_t const numbers : {0, 1, 2, 5, 1023, 1024, 1025, 4095}) {
    for (std::size_t const missing : {0, 1, 2, 33}) add(numbers, missing);
  }
  for (std::size_t const missing : {4096, 4097}) add(3, missing);
  add(4097, 0);
  for (std::size_t s = 0; s < 3000; ++s) add(s % 3, s % 2);
  return segments;
}

template <class Exec>
class RankGroupsBase : public ::testing::Test {
 protected:
  /// Expects the oracle's ranks within segments.
  template <class Rank, class Rule, class Order = Ascending, class Before = std::less<float>>
  void expect_ranks_in_segments(SortedGroups const& segments, Rule const& rule,
                                RankOptions<Order> const& options, Before const& is_before = {}) {
    expect_ranks<Rank>(segments, rule, options, is_before,
                       [&](auto const& context, auto const& sorted, auto const& ranks) {
                         riffle::rank_segments(context, to_view<Exec>(segments.offsets), sorted,
                                               ranks, rule, options);
                       });
  }

  /// Expects the same ranks within the groups of the segments' keys.
  template <class Rank, class Rule, class Order = Ascending, class Before = std::less<float>>
  void expect_ranks_in_groups(SortedGroups const& segments, Rule const& rule,
                              RankOptions<Order> const& options, Before const& is_before = {}) {
    expect_ranks<Rank>(segments, rule, options, is_before,
                       [&](auto const& context, auto const& sorted, auto const& ranks) {
                         riffle::rank_groups(context, to_view<Exec>(segments.keys()), sorted, ranks,
                                             rule, options);
                       });
  }

  Exec exec;
  riffle::Workspace<Exec> workspace{exec};

 private:
  template <class Rank, class Rule, class Order, class Before, class Call>
  void expect_ranks(SortedGroups const& segments, Rule const& rule,
                    RankOptions<Order> const& options, Before const& is_before, Call const& call) {
    RankOracleOptions const oracle{options.missing == Missing::excluded, options.first,
                                   options.relative};
    auto const ranks = to_view<Exec>(std::vector<Rank>(segments.values.size(), Rank(77)));
    call(Context(exec, workspace), to_view<Exec>(segments.values), ranks);
    exec.fence();
    EXPECT_TRUE(same_ranks(to_vector(ranks), segments.values_by([&](auto const& s) {
      return rank_oracle(s, rule, oracle, is_before);
    })));
  }
};

}  // namespace riffle::test
