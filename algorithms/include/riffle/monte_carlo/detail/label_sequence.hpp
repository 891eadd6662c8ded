#pragma once

// Assignments of items to groups in lexicographic order, one after the other: what is summed over the groups then
// changes by the few items that change their group (D. E. Knuth, The Art of Computer Programming 4A, section 7.2.1.2,
// algorithm L: 1.7 of them at a time on average where all groups have one item, 4 of two large groups). For CPUs, whose
// threads have several neighbouring assignments; to begin with, walk_ranked_labels finds the first by divisions.

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <utility>

#include <riffle/monte_carlo/detail/label_walk.hpp>

namespace riffle::detail {

/// The labels of at most max_items items.
class LabelSequence {
 public:
  static constexpr std::uint32_t max_items = 64;

  explicit LabelSequence(std::uint32_t items) : size_(items) {}

  /// Of the assignment that it begins at.
  void set(std::uint32_t i, int group) { labels_[i] = static_cast<std::uint8_t>(group); }

  /// Goes on to the next assignment; behind the last one comes the first. leave(i, group) is told of the items that may
  /// change their group, then join(i, group) of where they are.
  template <class Leave, class Join>
  void advance(Leave const& leave, Join const& join) {
    std::uint32_t const last = size_ - 1;
    std::uint32_t i = last;
    leave(i, int{labels_[i]});
    while (i > 0) {
      --i;
      leave(i, int{labels_[i]});
      if (labels_[i] < labels_[i + 1]) break;
    }
    // Of permutations, every second one: the last two change places.
    if (i + 1 == last) {
      std::swap(labels_[i], labels_[last]);
    } else {
      reverse_behind(i);
    }
    for (; i <= last; ++i) join(i, int{labels_[i]});
  }

 private:
  /// Puts the next larger label in place i, and those behind it, which decrease, in order. Where no label is larger, all
  /// decrease.
  void reverse_behind(std::uint32_t i) {
    std::uint32_t begin = i;
    if (i + 1 < size_ && labels_[i] < labels_[i + 1]) {
      std::uint32_t larger = size_ - 1;
      while (labels_[larger] <= labels_[i]) --larger;
      std::swap(labels_[i], labels_[larger]);
      ++begin;
    }
    std::reverse(labels_ + begin, labels_ + size_);
  }

  std::uint8_t labels_[max_items];
  std::uint32_t size_;
};

/// Of the sums of an assignment, sums[0], makes those of the next ones: add(sums, i, group) adds an item, and
/// remove(sums, i, group) undoes it.
template <int Width, class Sums, class Add, class Remove>
void sum_successors(LabelSequence& labels, Sums (&sums)[Width], Add const& add,
                    Remove const& remove) {
  for (int w = 1; w < Width; ++w) {
    sums[w] = sums[w - 1];
    labels.advance([&](std::uint32_t i, int group) { remove(sums[w], i, group); },
                   [&](std::uint32_t i, int group) { add(sums[w], i, group); });
  }
}

/// The sums of the assignments of ranks first, first + 1, ...; those from `assignments` on are of some assignment. Several
/// at a time are a CPU's.
template <int Width, int Capacity, class Sums, class Add, class Remove>
KOKKOS_INLINE_FUNCTION void sum_ranked_labels(GroupSizes<Capacity> const& groups,
                                              std::uint64_t assignments, std::uint64_t first,
                                              Sums (&sums)[Width], Add const& add,
                                              [[maybe_unused]] Remove const& remove) {
  if constexpr (Width > 1) {
    KOKKOS_IF_ON_HOST(
        (std::uint32_t const items = groups.total(); if (items <= LabelSequence::max_items) {
          LabelSequence labels(items);
          sums[0] = Sums{};
          walk_ranked_labels(groups, assignments, first < assignments ? first : 0,
                             [&](std::uint32_t i, int group) {
                               labels.set(i, group);
                               add(sums[0], i, group);
                             });
          sum_successors(labels, sums, add, remove);
          return;
        }))
  }
  for (int w = 0; w < Width; ++w) {
    std::uint64_t const rank = first + static_cast<std::uint64_t>(w);
    sums[w] = Sums{};
    walk_ranked_labels(groups, assignments, rank < assignments ? rank : 0,
                       [&](std::uint32_t i, int group) { add(sums[w], i, group); });
  }
}

}  // namespace riffle::detail
