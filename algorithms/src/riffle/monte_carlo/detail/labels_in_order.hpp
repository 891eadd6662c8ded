#pragma once

// Computes the test statistics of all assignments of items to groups, in lexicographic order. Host only.
//
// Consecutive assignments differ in few items: on average in 1.7 if all groups have one item, and in 4 for two large
// groups (D. E. Knuth, The Art of Computer Programming 4A, section 7.2.1.2, algorithm L). But the processor cannot
// predict which items change. Therefore the items are divided into a head and a tail, the last few items. The sums of
// all assignments of the tail are computed in advance and stored in lists. The sums of an assignment are then the sums
// of the head, which seldom change, plus one entry of a list.
//
//   items:   0 1 ... | n - places ... n - 1
//            head      tail: one list for each (c_1, ..., c_G), where c_g tail items go to group g

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include <riffle/monte_carlo/detail/label_walk.hpp>
#include <riffle/monte_carlo/tuning.hpp>

namespace riffle::detail {

// --- the tail ---
//
// The head determines how many tail items go to each group. The possible sums of the tail depend only on these numbers.
// Host only.

/// Precomputed sums of the tail. Suppose c_g tail items go to group g. For each possible (c_1, ..., c_G) there is a
/// list with one entry per assignment of the tail items with these numbers, in lexicographic order. An entry contains
/// the sums that the tail items contribute.
///
/// Statistic::Sums is the type of an entry; statistic.add(sums, i, group) adds item i. The number of tail items is
/// chosen so that all lists fit in a cache, and making them takes little time compared with the enumeration.
template <int Capacity, class Statistic>
class LabelTails {
 public:
  using Sums = typename Statistic::Sums;
  using List = std::vector<Sums>;

  LabelTails(GroupSizes<Capacity> const& groups, std::uint64_t assignments,
             Statistic const& statistic)
      : groups_(groups) {
    number_groups();
    lists_[0] = {Sums{}};
    std::uint64_t const most = std::clamp<std::uint64_t>(assignments / 16, 1, max_listed_sums);
    while (is_longer_tail_listed(most)) prepend_item(statistic);
  }

  /// Returns the number of items in the tail.
  std::uint32_t places() const { return places_; }

  /// Returns the list for tails in which group g has left.size[g] items.
  List const& of(GroupSizes<Capacity> const& left) const { return lists_.find(key(left))->second; }

 private:
  // The key of a list contains c_g for each nonempty group g, four bits for each.
  static constexpr int most_groups = 16;
  static constexpr std::uint32_t most_places = 15;
  using Lists = std::unordered_map<std::uint64_t, List>;

  void number_groups() {
    for (int g = 0; g < groups_.count; ++g) {
      if (groups_.size[g] > 0) ++occupied_;
      if (groups_.size[g] > 0 && occupied_ <= most_groups) shift_[g] = 4 * (occupied_ - 1);
    }
  }

  bool is_longer_tail_listed(std::uint64_t most) const {
    return occupied_ <= most_groups && places_ < std::min(most_places, groups_.total()) &&
           sums_ * static_cast<std::uint64_t>(occupied_) <= most;
  }

  std::uint64_t key(GroupSizes<Capacity> const& left) const {
    std::uint64_t key = 0;
    if (places_ == 0) return key;
    for (int g = 0; g < groups_.count; ++g) {
      key |= static_cast<std::uint64_t>(left.size[g]) << shift_[g];
    }
    return key;
  }

  /// Returns whether, in the tails with this key, the group already contains all of its items.
  bool is_full(std::uint64_t key, int group) const {
    std::uint32_t const size = groups_.size[group];
    return size == 0 || (key >> shift_[group] & 15) == size;
  }

  /// Replaces the lists by the lists for tails that begin one item earlier.
  void prepend_item(Statistic const& statistic) {
    std::uint32_t const item = groups_.total() - ++places_;
    Lists longer;
    sums_ = 0;
    for (int g = 0; g < groups_.count; ++g) {
      // The assignments with the new first item in group 0 come first, then those with it in group 1, and so on. This
      // keeps the lists in lexicographic order.
      for (auto const& [key, list] : lists_) {
        if (is_full(key, g)) continue;
        List& to = longer[key + (std::uint64_t{1} << shift_[g])];
        for (Sums sums : list) {
          statistic.add(sums, item, g);
          to.push_back(sums);
        }
        sums_ += list.size();
      }
    }
    lists_ = std::move(longer);
  }

  GroupSizes<Capacity> groups_;
  int occupied_ = 0;
  int shift_[Capacity] = {};
  std::uint32_t places_ = 0;
  std::uint64_t sums_ = 1;  // the number of entries in all lists
  Lists lists_;
};

// --- the head ---
//
// Enumerates the assignments of the items before the tail, in lexicographic order. Host only.

/// Stores the current assignment of the head, and its sums.
template <int Capacity, class Statistic>
class LabelHead {
 public:
  using Sums = typename Statistic::Sums;
  static constexpr std::uint32_t max_items = 256;

  /// Starts with the assignment with rank `rank` < assignments. `tails` determines how many of its items are in the
  /// tail. Requires: at most max_items items.
  LabelHead(GroupSizes<Capacity> const& groups, std::uint64_t assignments, std::uint64_t rank,
            LabelTails<Capacity, Statistic> const& tails, Statistic const& statistic)
      : statistic_(statistic), left_(groups), size_(groups.total() - tails.places()) {
    walk_ranked_labels(groups, assignments, rank, Begin{*this});
    rank_in_tail_ = rank_of(labels_ + size_, tails.places(), tails.of(left_).size());
  }

  /// Returns the index, in the list of tails, of the tail of the assignment whose rank was passed to the constructor.
  std::uint64_t rank_in_tail() const { return rank_in_tail_; }
  /// Returns how many tail items each group gets.
  GroupSizes<Capacity> const& left() const { return left_; }
  Sums const& sums() const { return sums_; }

  /// Advances to the next assignment of the head, and from the last one to the first.
  void advance() {
    std::uint32_t i = size_;
    // The last item that can move to a later group moves there, and all items after it are assigned to the first groups
    // with free places.
    while (i > 0) {
      int const later = next_group(release(--i) + 1);
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
  /// Receives the groups of all items in order. It is not a lambda, because a lambda would be a host function, which
  /// the host-device function walk_ranked_labels() cannot call.
  struct Begin {
    LabelHead& head;

    KOKKOS_FUNCTION void operator()(std::uint32_t i, int group) const {
      head.labels_[i] = static_cast<std::uint8_t>(group);
      if (i < head.size_) head.take(i, group);
    }
  };

  /// Returns the lexicographic rank of the labels of the remaining items among all `assignments` assignments of these
  /// items.
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

  /// Returns the first of the groups group, group + 1, ... that has a free place, or the number of groups.
  int next_group(int group) const {
    while (group < left_.count && left_.size[group] == 0) ++group;
    return group;
  }

  KOKKOS_FUNCTION void take(std::uint32_t i, int group) {
    labels_[i] = static_cast<std::uint8_t>(group);
    --left_.size[group];
    statistic_.add(sums_, i, group);
  }

  int release(std::uint32_t i) {
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

// --- all items ---

/// Enumerates the test statistics of all assignments. A Statistic has a type Sums and the functions
///   add(sums, i, group)      adds item i,
///   remove(sums, i, group)   removes item i,
///   merge(sums, others)      adds the sums of other items,
///   test_statistic(sums)     returns the test statistic, given the sums of all items.
template <int Capacity, class Statistic>
class LabelsInOrder {
 public:
  LabelsInOrder(GroupSizes<Capacity> const& groups, std::uint64_t assignments,
                Statistic const& statistic)
      : groups_(groups),
        assignments_(assignments),
        statistic_(statistic),
        tails_(groups, assignments, statistic) {}

  /// Writes the test statistics of the assignments with ranks first, ..., first + count - 1. Requires: first + count <=
  /// assignments.
  void enumerate(std::uint64_t first, std::uint64_t count, double* test_statistics) const {
    if (groups_.total() <= Head::max_items) {
      enumerate_by_lists(first, count, test_statistics);
    } else {
      enumerate_by_ranks(first, count, test_statistics);
    }
  }

 private:
  using Head = LabelHead<Capacity, Statistic>;
  using Sums = typename Statistic::Sums;

  // It is not a lambda, because a lambda would be a host function, which the host-device function sum_ranked_labels()
  // cannot call.
  struct AddItem {
    Statistic const& statistic;

    KOKKOS_FUNCTION void operator()(Sums& to, std::uint32_t i, int group) const {
      statistic.add(to, i, group);
    }
  };

  void enumerate_by_lists(std::uint64_t first, std::uint64_t count, double* test_statistics) const {
    Head head(groups_, assignments_, first, tails_, statistic_);
    std::uint64_t begin = head.rank_in_tail();
    double* const end = test_statistics + count;
    while (true) {
      auto const& tails = tails_.of(head.left());
      auto const room = static_cast<std::uint64_t>(end - test_statistics);
      std::uint64_t const last = std::min<std::uint64_t>(tails.size(), begin + room);
      for (std::uint64_t k = begin; k < last; ++k) {
        auto sums = head.sums();
        statistic_.merge(sums, tails[k]);
        *test_statistics++ = statistic_.test_statistic(sums);
      }
      if (test_statistics == end) return;
      head.advance();
      begin = 0;
    }
  }

  void enumerate_by_ranks(std::uint64_t first, std::uint64_t count, double* test_statistics) const {
    for (std::uint64_t w = 0; w < count; ++w) {
      Sums sums[1];
      sum_ranked_labels(groups_, assignments_, first + w, sums, AddItem{statistic_});
      test_statistics[w] = statistic_.test_statistic(sums[0]);
    }
  }

  GroupSizes<Capacity> groups_;
  std::uint64_t assignments_;
  Statistic statistic_;
  LabelTails<Capacity, Statistic> tails_;
};

}  // namespace riffle::detail
