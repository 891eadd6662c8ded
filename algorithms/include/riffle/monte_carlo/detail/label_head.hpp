#pragma once

// The items of a sample but for its last ones, assigned to groups in lexicographic order. Host only.

#include <cstddef>
#include <cstdint>
#include <vector>

#include <riffle/monte_carlo/detail/label_tails.hpp>
#include <riffle/monte_carlo/detail/label_walk.hpp>

namespace riffle::detail {

/// The assignments of all items but the last ones, one after the other.
template <int Capacity, class Statistic>
class LabelHead {
 public:
  using Sums = typename Statistic::Sums;

  /// Begins at that of the assignment of rank `rank` < assignments, whose last items `tails` has.
  LabelHead(GroupSizes<Capacity> const& groups, std::uint64_t assignments, std::uint64_t rank,
            LabelTails<Capacity, Statistic> const& tails, Statistic const& statistic)
      : statistic_(statistic), left_(groups), labels_(groups.total() - tails.places()) {
    std::vector<int> tail;
    walk_ranked_labels(groups, assignments, rank, [&](std::uint32_t i, int group) {
      if (i < labels_.size()) {
        take(i, group);
      } else {
        tail.push_back(group);
      }
    });
    rank_in_tail_ = rank_of(tail, tails.of(left_).size());
  }

  /// How many assignments of the last items come before the one of the rank.
  std::uint64_t rank_in_tail() const { return rank_in_tail_; }
  /// What is left for the last items.
  GroupSizes<Capacity> const& left() const { return left_; }
  Sums const& sums() const { return sums_; }

  /// Goes on to the next one; behind the last one comes the first.
  void advance() {
    auto i = static_cast<std::uint32_t>(labels_.size());
    // The last item that can go to a later group does; those behind it go to the first ones.
    while (i > 0) {
      int const later = next_group(give_back(--i) + 1);
      if (later == left_.count) continue;
      take(i++, later);
      break;
    }
    for (int group = 0; i < labels_.size(); ++i) {
      group = next_group(group);
      take(i, group);
    }
  }

 private:
  /// The rank of the last items' labels among all of their `assignments`.
  std::uint64_t rank_of(std::vector<int> const& labels, std::uint64_t assignments) const {
    auto left = left_;
    std::uint64_t rank = 0;
    for (std::size_t i = 0; i < labels.size(); ++i) {
      std::uint64_t const items = labels.size() - i;
      for (int g = 0; g < labels[i]; ++g) rank += assignments * left.size[g] / items;
      assignments = assignments * left.size[labels[i]] / items;
      --left.size[labels[i]];
    }
    return rank;
  }

  /// The first from `group` on that is not full.
  int next_group(int group) const {
    while (group < left_.count && left_.size[group] == 0) ++group;
    return group;
  }

  void take(std::uint32_t i, int group) {
    labels_[i] = static_cast<std::uint8_t>(group);
    --left_.size[group];
    statistic_.add(sums_, i, group);
  }

  int give_back(std::uint32_t i) {
    int const group = labels_[i];
    ++left_.size[group];
    statistic_.remove(sums_, i, group);
    return group;
  }

  Statistic const& statistic_;
  GroupSizes<Capacity> left_;
  std::vector<std::uint8_t> labels_;
  Sums sums_{};
  std::uint64_t rank_in_tail_;
};

}  // namespace riffle::detail
