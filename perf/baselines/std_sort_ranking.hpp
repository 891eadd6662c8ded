#pragma once

// Competition ranks of unsorted data on one thread with the standard library: indices are sorted by their values, and a loop
// assigns the ranks.

#include <algorithm>
#include <cstdint>
#include <numeric>

#include <riffle/rank/ties.hpp>

#include "support/check_order.hpp"
#include "support/check_unsorted_ranks.hpp"

namespace perf {

/// A row: see rank_unsorted.cpp.
class StdSortRanking {
 public:
  using Rank = std::int32_t;
  using Answer = RankAnswer<riffle::ties::Competition, Rank>;
  static constexpr char const* name = "StdSort";
  static constexpr std::uint64_t scratch_bytes_per_item = sizeof(std::uint32_t);

  StdSortRanking(Exec const& exec, std::uint64_t n)
      : indices_(allocate<std::uint32_t>(exec, "perf::indices", n)) {}

  void operator()(UnsortedValues const& values, Kokkos::View<Rank*, Exec> const& ranks) const {
    rank(values.data(), indices_.data(), ranks.data(), static_cast<Rank>(values.extent(0)));
  }

 private:
  static void rank(double const* values, std::uint32_t* indices, Rank* ranks, Rank n) {
    std::iota(indices, indices + n, 0u);
    std::sort(indices, indices + n,
              [values](std::uint32_t a, std::uint32_t b) { return values[a] < values[b]; });
    ranks[indices[0]] = 1;
    for (Rank k = 1; k < n; ++k) {
      bool const is_tied = values[indices[k]] == values[indices[k - 1]];
      ranks[indices[k]] = is_tied ? ranks[indices[k - 1]] : k + 1;
    }
  }

  OrderIndices indices_;
};

}  // namespace perf
