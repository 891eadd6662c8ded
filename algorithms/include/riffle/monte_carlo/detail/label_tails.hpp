#pragma once

// What the last items of a sample add to the sums over its groups: it depends on how many of them each group has, not on
// where the items before them are. Host only.

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include <riffle/monte_carlo/detail/label_walk.hpp>

namespace riffle::detail {

/// For all ways in which the last items may be divided among the groups, the sums of all their assignments, in
/// lexicographic order. Sums are of a type Statistic::Sums, which statistic.add(sums, i, group) tells of item i. So many
/// items are listed as keep the lists within a cache, and their making a small part of what they are made for.
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
    std::uint64_t const most = std::clamp<std::uint64_t>(assignments / 16, 1, most_sums);
    while (is_longer_tail_listed(most)) prepend_item(statistic);
  }

  /// The number of last items that are listed.
  std::uint32_t places() const { return places_; }

  /// The sums of their assignments of which `left` says the numbers of items.
  List const& of(GroupSizes<Capacity> const& left) const { return lists_.find(key(left))->second; }

 private:
  // A key has four bits for each group that is not empty.
  static constexpr int most_groups = 16;
  static constexpr std::uint32_t most_places = 15;
  static constexpr std::uint64_t most_sums = 4096;
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

  /// Whether a tail already has all items of a group.
  bool is_full(std::uint64_t key, int group) const {
    std::uint32_t const size = groups_.size[group];
    return size == 0 || (key >> shift_[group] & 15) == size;
  }

  /// Makes of all lists those of tails that are an item longer.
  void prepend_item(Statistic const& statistic) {
    std::uint32_t const item = groups_.total() - ++places_;
    Lists longer;
    sums_ = 0;
    for (int g = 0; g < groups_.count; ++g) {
      // In the order of the item's group, as assignments are.
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
  std::uint64_t sums_ = 1;  // in all lists
  Lists lists_;
};

}  // namespace riffle::detail
