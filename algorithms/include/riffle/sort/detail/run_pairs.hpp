#pragma once

// Pairs of neighbouring runs that are merged side by side, in parts that threads or teams find independently.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

#include <riffle/kernel/merge_parts.hpp>

namespace riffle::detail::sort {

/// The pairs of a round, as kernels see them: pair p has the runs from bounds[2 p] and bounds[2 p + 1] on, and makes the
/// parts from first_part[p] on.
struct RunPairs {
  std::uint64_t const* bounds;
  std::uint64_t const* first_part;
  std::uint64_t pairs;
  std::uint64_t part_size;

  /// What a part of the result is merged from, and where it begins.
  struct Part {
    TwoRuns runs;
    std::uint64_t to;
  };

  template <class Item, class Before>
  KOKKOS_FUNCTION Part part(Item const* items, std::uint64_t number, Before const& before) const {
    std::uint64_t const pair = pair_of(number);
    std::uint64_t const* const ends = bounds + 2 * pair;
    std::uint64_t const place = number - first_part[pair];
    std::uint64_t const parts = Kokkos::bit_ceil(first_part[pair + 1] - first_part[pair]);
    TwoRuns const runs{ends[0], ends[1], ends[1], ends[2]};
    return {part_of_merge(items, runs, place, parts, part_size, before),
            ends[0] + place * part_size};
  }

 private:
  /// The last pair whose parts begin at this one or before.
  KOKKOS_FUNCTION std::uint64_t pair_of(std::uint64_t number) const {
    std::uint64_t first = 0;
    std::uint64_t last = pairs;
    while (last - first > 1) {
      std::uint64_t const middle = first + (last - first) / 2;
      if (first_part[middle] <= number) {
        first = middle;
      } else {
        last = middle;
      }
    }
    return first;
  }
};

/// All rounds, on the host: neighbours are merged until one run is left.
class MergeRounds {
 public:
  struct Round {
    std::size_t bounds;  // where its bounds begin in lists(), behind which come its first parts
    std::uint64_t pairs;
    std::uint64_t parts;
  };

  /// Runs begin at all bounds but the last, at which the last one ends. Empty ones take no part.
  MergeRounds(std::vector<std::uint64_t> const& bounds, std::uint64_t part_size)
      : part_size_(part_size) {
    std::vector<std::uint64_t> runs(1, bounds.front());
    for (auto const bound : bounds) {
      if (bound > runs.back()) runs.push_back(bound);
    }
    while (runs.size() > 2) add_round(runs);
  }

  std::vector<Round> const& rounds() const { return rounds_; }
  std::vector<std::uint64_t> const& lists() const { return lists_; }

  std::uint64_t most_parts() const {
    std::uint64_t most = 0;
    for (auto const& round : rounds_) most = most < round.parts ? round.parts : most;
    return most;
  }

  /// A round, where kernels have the lists.
  RunPairs pairs(Round const& round, std::uint64_t const* lists) const {
    std::uint64_t const* const bounds = lists + round.bounds;
    return {bounds, bounds + 2 * round.pairs + 1, round.pairs, part_size_};
  }

 private:
  /// Lists the merges of neighbours; `runs` becomes the bounds of what they make.
  void add_round(std::vector<std::uint64_t>& runs) {
    if (runs.size() % 2 == 0) runs.push_back(runs.back());  // the last one's other is empty
    Round round{lists_.size(), (runs.size() - 1) / 2, 0};
    lists_.insert(lists_.end(), runs.begin(), runs.end());
    std::vector<std::uint64_t> made(1, runs.front());
    for (std::size_t end = 2; end < runs.size(); end += 2) {
      lists_.push_back(round.parts);
      round.parts += (runs[end] - runs[end - 2] + part_size_ - 1) / part_size_;
      made.push_back(runs[end]);
    }
    lists_.push_back(round.parts);
    rounds_.push_back(round);
    runs = made;
  }

  std::uint64_t part_size_;
  std::vector<Round> rounds_;
  std::vector<std::uint64_t> lists_;
};

}  // namespace riffle::detail::sort
