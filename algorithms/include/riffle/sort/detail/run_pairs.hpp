#pragma once

// Pairs of neighbouring runs that are merged side by side, in parts that threads or teams find independently. Between runs
// there may be gaps; what is merged has none.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

#include <riffle/primitives/merge_parts.hpp>

namespace riffle::detail::sort {

/// Sorted items first, ..., last - 1 of an array.
struct Run {
  std::uint64_t first;
  std::uint64_t last;

  std::uint64_t size() const { return last - first; }
};

/// Runs that begin at all bounds but the last, at which the last one ends.
inline std::vector<Run> runs_between(std::vector<std::uint64_t> const& bounds) {
  std::vector<Run> runs;
  for (std::size_t r = 0; r + 1 < bounds.size(); ++r) runs.push_back({bounds[r], bounds[r + 1]});
  return runs;
}

/// The items of all runs.
inline std::uint64_t count_items(std::vector<Run> const& runs) {
  std::uint64_t count = 0;
  for (auto const& run : runs) count += run.size();
  return count;
}

/// What is merged, and where the result begins.
struct Merged {
  TwoRuns runs;
  std::uint64_t to;
};

/// The pairs of a round, as kernels see them: pair p makes the parts from first_part[p] on.
struct RunPairs {
  Merged const* whole;
  std::uint64_t const* first_part;
  std::uint64_t pairs;
  std::uint64_t part_size;

  template <class Item, class Before>
  KOKKOS_FUNCTION Merged part(Item const* items, std::uint64_t number, Before const& before) const {
    std::uint64_t const pair = pair_of(number);
    std::uint64_t const place = number - first_part[pair];
    std::uint64_t const parts = Kokkos::bit_ceil(first_part[pair + 1] - first_part[pair]);
    return {part_of_merge(items, whole[pair].runs, place, parts, part_size, before),
            whole[pair].to + place * part_size};
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
    std::size_t first_pair;  // in pairs()
    std::size_t first_part;  // in first_parts()
    std::uint64_t pairs;
    std::uint64_t parts;
  };

  /// Runs that follow each other. Empty ones take no part.
  MergeRounds(std::vector<Run> const& runs, std::uint64_t part_size)
      : part_size_(part_size), size_(count_items(runs)) {
    std::vector<Run> left;
    for (auto const& run : runs) {
      if (run.size() > 0) left.push_back(run);
    }
    if (!left.empty()) first_ = left.front().first;
    while (left.size() > 1) add_round(left);
  }

  /// The items of all runs.
  std::uint64_t size() const { return size_; }
  /// Where the first item is that takes part.
  std::uint64_t first() const { return first_; }

  std::vector<Round> const& rounds() const { return rounds_; }
  std::vector<Merged> const& pairs() const { return pairs_; }
  std::vector<std::uint64_t> const& first_parts() const { return first_parts_; }

  std::uint64_t most_parts() const {
    std::uint64_t most = 0;
    for (auto const& round : rounds_) most = most < round.parts ? round.parts : most;
    return most;
  }

  /// A round, where kernels have the lists.
  RunPairs pairs_of(Round const& round, Merged const* pairs,
                    std::uint64_t const* first_parts) const {
    return {pairs + round.first_pair, first_parts + round.first_part, round.pairs, part_size_};
  }

 private:
  /// Lists the merges of neighbours, of which the last one's other may be empty; `runs` becomes what they make.
  void add_round(std::vector<Run>& runs) {
    Round round{pairs_.size(), first_parts_.size(), (runs.size() + 1) / 2, 0};
    std::uint64_t to = 0;
    std::vector<Run> made;
    for (std::size_t r = 0; r < runs.size(); r += 2) {
      Run const left = runs[r];
      Run const right = r + 1 < runs.size() ? runs[r + 1] : Run{left.last, left.last};
      pairs_.push_back({{left.first, left.last, right.first, right.last}, to});
      first_parts_.push_back(round.parts);
      std::uint64_t const size = left.size() + right.size();
      round.parts += (size + part_size_ - 1) / part_size_;
      made.push_back({to, to + size});
      to += size;
    }
    first_parts_.push_back(round.parts);
    rounds_.push_back(round);
    runs = made;
  }

  std::uint64_t part_size_;
  std::uint64_t size_;
  std::uint64_t first_ = 0;
  std::vector<Round> rounds_;
  std::vector<Merged> pairs_;
  std::vector<std::uint64_t> first_parts_;
};

}  // namespace riffle::detail::sort
