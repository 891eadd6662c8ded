#pragma once

// The items of a sample but for its last ones, assigned to groups in lexicographic order. Host only.

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/monte_carlo/detail/label_tails.hpp>
#include <riffle/monte_carlo/detail/label_walk.hpp>

namespace riffle::detail {

/// The assignments of all items but the last ones, one after the other.
template <int Capacity, class Statistic>
class LabelHead {
 public:
  using Sums = typename Statistic::Sums;
  static constexpr std::uint32_t max_items = 256;

  /// Of at most max_items items. Begins at that of the assignment of rank `rank` < assignments, whose last items `tails` has.
  LabelHead(GroupSizes<Capacity> const& groups, std::uint64_t assignments, std::uint64_t rank,
            LabelTails<Capacity, Statistic> const& tails, Statistic const& statistic)
      : statistic_(statistic), left_(groups), size_(groups.total() - tails.places()) {
    walk_ranked_labels(groups, assignments, rank, Begin{*this});
    rank_in_tail_ = rank_of(labels_ + size_, tails.places(), tails.of(left_).size());
  }

  /// How many assignments of the last items come before the one of the rank.
  std::uint64_t rank_in_tail() const { return rank_in_tail_; }
  /// What is left for the last items.
  GroupSizes<Capacity> const& left() const { return left_; }
  Sums const& sums() const { return sums_; }

  /// Goes on to the next one; behind the last one comes the first.
  void advance() {
    std::uint32_t i = size_;
    // The last item that can go to a later group does; those behind it go to the first ones.
    while (i > 0) {
      int const later = next_group(give_back(--i) + 1);
      if (later == left_.count) continue;
      take(i++, later);
      break;
    }
    for (int group = 0; i < size_; ++i) {
      group = next_group(group);
      take(i, group);
    }
  }

 private:
  /// Takes the labels of all items in their order. A lambda would be of the host, and walk_ranked_labels() is not.
  struct Begin {
    LabelHead& head;

    KOKKOS_FUNCTION void operator()(std::uint32_t i, int group) const {
      head.labels_[i] = static_cast<std::uint8_t>(group);
      if (i < head.size_) head.take(i, group);
    }
  };

  /// The rank of the labels of `items` items among all of the `assignments` of what is left.
  std::uint64_t rank_of(std::uint8_t const* labels, std::uint32_t items,
                        std::uint64_t assignments) const {
    auto left = left_;
    std::uint64_t rank = 0;
    for (; items > 0; --items, ++labels) {
      for (int g = 0; g < *labels; ++g) rank += assignments * left.size[g] / items;
      assignments = assignments * left.size[*labels] / items;
      --left.size[*labels];
    }
    return rank;
  }

  /// The first from `group` on that is not full.
  int next_group(int group) const {
    while (group < left_.count && left_.size[group] == 0) ++group;
    return group;
  }

  KOKKOS_FUNCTION void take(std::uint32_t i, int group) {
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
  std::uint32_t size_;
  std::uint8_t labels_[max_items];
  Sums sums_{};
  std::uint64_t rank_in_tail_;
};

}  // namespace riffle::detail
