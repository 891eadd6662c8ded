#pragma once

// A statistic of all assignments of items to groups, in lexicographic order. One after the other, neighbours differ by few
// items (D. E. Knuth, The Art of Computer Programming 4A, section 7.2.1.2, algorithm L: 1.7 on average where all groups
// have one item, 4 of two large groups), but which ones no processor predicts. So what the last items add is listed
// beforehand, and a sum is that of the items before, which seldom change, and one of a list. Host only.

#include <algorithm>
#include <cstdint>

#include <riffle/monte_carlo/detail/label_head.hpp>
#include <riffle/monte_carlo/detail/label_tails.hpp>
#include <riffle/monte_carlo/detail/label_walk.hpp>

namespace riffle::detail {

/// A Statistic has a type Sums, and
///   add(sums, i, group) and remove(sums, i, group), of item i,
///   merge(sums, others), of other items, and
///   comparand(sums), of all of them.
template <int Capacity, class Statistic>
class LabelsInOrder {
 public:
  LabelsInOrder(GroupSizes<Capacity> const& groups, std::uint64_t assignments,
                Statistic const& statistic)
      : groups_(groups),
        assignments_(assignments),
        statistic_(statistic),
        tails_(groups, assignments, statistic) {}

  /// The comparands of the assignments of ranks first, ..., first + count - 1 < assignments.
  void enumerate(std::uint64_t first, std::uint64_t count, double* comparands) const {
    if (groups_.total() <= Head::max_items) {
      enumerate_by_lists(first, count, comparands);
    } else {
      enumerate_by_ranks(first, count, comparands);
    }
  }

 private:
  using Head = LabelHead<Capacity, Statistic>;
  using Sums = typename Statistic::Sums;

  // A lambda would be of the host, and sum_ranked_labels() is not.
  struct AddItem {
    Statistic const& statistic;

    KOKKOS_FUNCTION void operator()(Sums& to, std::uint32_t i, int group) const {
      statistic.add(to, i, group);
    }
  };

  void enumerate_by_lists(std::uint64_t first, std::uint64_t count, double* comparands) const {
    Head head(groups_, assignments_, first, tails_, statistic_);
    std::uint64_t begin = head.rank_in_tail();
    double* const end = comparands + count;
    while (true) {
      auto const& tails = tails_.of(head.left());
      auto const room = static_cast<std::uint64_t>(end - comparands);
      std::uint64_t const last = std::min<std::uint64_t>(tails.size(), begin + room);
      for (std::uint64_t k = begin; k < last; ++k) {
        auto sums = head.sums();
        statistic_.merge(sums, tails[k]);
        *comparands++ = statistic_.comparand(sums);
      }
      if (comparands == end) return;
      head.advance();
      begin = 0;
    }
  }

  void enumerate_by_ranks(std::uint64_t first, std::uint64_t count, double* comparands) const {
    for (std::uint64_t w = 0; w < count; ++w) {
      Sums sums[1];
      sum_ranked_labels(groups_, assignments_, first + w, sums, AddItem{statistic_});
      comparands[w] = statistic_.comparand(sums[0]);
    }
  }

  GroupSizes<Capacity> groups_;
  std::uint64_t assignments_;
  Statistic statistic_;
  LabelTails<Capacity, Statistic> tails_;
};

}  // namespace riffle::detail
