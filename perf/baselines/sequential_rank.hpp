#pragma once

// Competition ranks on one thread: the loop of section I of J. Liang et al. (see rank.cpp), to which their speedups refer, and
// the same loop without its branch.

#include <algorithm>
#include <cstdint>

#include <riffle/rank/ties.hpp>

#include "support/check_rank.hpp"

namespace perf {

/// A row: see rank.cpp.
class SequentialRanking {
 public:
  using Rule = riffle::ties::Competition;
  using Rank = std::int32_t;
  static constexpr char const* name = "Sequential";
  static constexpr std::uint64_t bytes_per_item = 8;
  static constexpr std::uint64_t scratch_bytes_per_item = 0;

  SequentialRanking(Exec const&, std::uint64_t) {}

  void operator()(Values const& values, Ranks<Rank> const& ranks) const {
    rank(values.data(), ranks.data(), static_cast<Rank>(values.extent(0)));
  }

 private:
  static void rank(float const* data, Rank* rank, Rank n) {
    rank[0] = 1;
    for (Rank i = 1; i < n; ++i) {
      if (data[i] == data[i - 1]) {
        rank[i] = rank[i - 1];
      } else {
        rank[i] = i + 1;
      }
    }
  }
};

/// A row: see rank.cpp.
class SequentialBranchFreeRanking {
 public:
  using Rule = riffle::ties::Competition;
  using Rank = std::int32_t;
  static constexpr char const* name = "SequentialBranchFree";
  static constexpr std::uint64_t bytes_per_item = 8;
  static constexpr std::uint64_t scratch_bytes_per_item = 0;

  SequentialBranchFreeRanking(Exec const&, std::uint64_t) {}

  void operator()(Values const& values, Ranks<Rank> const& ranks) const {
    rank(values.data(), ranks.data(), static_cast<Rank>(values.extent(0)));
  }

 private:
  // Ranks do not decrease, so the next rank is the maximum of the last rank and, where ties begin, the place. A mask is used,
  // because compilers turn a selection between the place and 0 into a branch.
  static void rank(float const* data, Rank* rank, Rank n) {
    Rank last = 1;
    rank[0] = last;
    for (Rank i = 1; i < n; ++i) {
      Rank const begins = -static_cast<Rank>(data[i] != data[i - 1]) & (i + 1);
      last = std::max(last, begins);
      rank[i] = last;
    }
  }
};

}  // namespace perf
