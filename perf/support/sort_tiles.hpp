#pragma once

// Input for the rows of team_sort.cpp: tiles of keys, each sorted separately; easy and hard inputs; and checks of the result.

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "baselines/split_mix.hpp"
#include "support/exec.hpp"
#include "support/timing.hpp"

namespace perf {

using TileKeys = Kokkos::View<std::uint32_t*, Exec>;

/// n keys in tiles of `tile`, a divisor of n.
struct TileProblem {
  Exec exec;
  std::uint64_t tile;
  TileKeys in;
  TileKeys out;

  std::uint64_t n() const { return in.extent(0); }
  std::uint64_t tiles() const { return n() / tile; }
};

/// Keys with random bits.
struct FillRandomTiles {
  TileKeys keys;
  KOKKOS_FUNCTION void operator()(std::uint64_t i) const {
    keys(i) = static_cast<std::uint32_t>(mix(i + 1));
  }
};

/// The same tile, repeated.
struct FillEqualTiles {
  TileKeys keys;
  TileKeys tile;
  KOKKOS_FUNCTION void operator()(std::uint64_t i) const { keys(i) = tile(i % tile.extent(0)); }
};

inline void fill_random(Exec const& exec, TileKeys const& keys) {
  Kokkos::parallel_for("perf::random_tiles", range(exec, keys.extent(0)), FillRandomTiles{keys});
}

inline void fill_tiles(Exec const& exec, TileKeys const& keys,
                       std::vector<std::uint32_t> const& tile) {
  TileKeys const one = allocate<std::uint32_t>(exec, "perf::tile", tile.size());
  using OnHost = Kokkos::View<std::uint32_t const*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;
  Kokkos::deep_copy(exec, one, OnHost(tile.data(), tile.size()));
  exec.fence("perf::fill_tiles");
  Kokkos::parallel_for("perf::equal_tiles", range(exec, keys.extent(0)), FillEqualTiles{keys, one});
}

/// A tile for which all threads of a warp read the same bank in a pairwise merge sort by `threads` threads (a power of two) with
/// `items` items each, after
///   K. Berney, N. Sitchinava, "Engineering worst-case inputs for pairwise merge sort on GPUs", IPDPS 2020.
/// As in the paper, it is constructed backwards from the sorted tile: where possible, each thread of a merge takes all its items
/// from one list, beginning at bank 0. For the other threads this construction is simpler than the paper's.
class MergeAdversary {
 public:
  MergeAdversary(std::uint32_t threads, std::uint32_t items)
      : items_(items), blocked_(std::size_t{threads} * items) {
    std::vector<std::uint32_t> sorted(blocked_.size());
    for (std::size_t i = 0; i < sorted.size(); ++i) sorted[i] = static_cast<std::uint32_t>(i);
    undo_merges(sorted, 0, threads);
  }

  /// In striped order: item k of thread t is at k threads + t.
  std::vector<std::uint32_t> striped() const {
    std::size_t const threads = blocked_.size() / items_;
    std::vector<std::uint32_t> tile(blocked_.size());
    for (std::size_t i = 0; i < tile.size(); ++i)
      tile[i % items_ * threads + i / items_] = blocked_[i];
    return tile;
  }

 private:
  static constexpr std::uint32_t banks = 32;

  static std::uint32_t to_bank_0(std::size_t address) {
    return static_cast<std::uint32_t>((banks - address % banks) % banks);
  }

  /// The number of items that a thread takes from the first list, which it enters at address a; it enters the other at b.
  std::uint32_t share(std::size_t a, std::size_t b) const {
    if (to_bank_0(a) == 0) return items_;
    if (to_bank_0(b) == 0) return 0;
    return std::min(items_, to_bank_0(a));
  }

  /// `sorted` becomes the list of `threads` threads from `first` on.
  void undo_merges(std::vector<std::uint32_t> const& sorted, std::size_t first,
                   std::size_t threads) {
    std::size_t const begin = first * items_;
    if (threads == 1) {
      std::copy(sorted.begin(), sorted.end(),
                blocked_.begin() + static_cast<std::ptrdiff_t>(begin));
      return;
    }
    std::size_t const half = sorted.size() / 2;
    std::vector<std::uint32_t> lists[2];
    for (auto next = sorted.begin(); next != sorted.end();) {
      std::size_t const left_a = half - lists[0].size();
      std::size_t const left_b = half - lists[1].size();
      std::size_t of_a = std::min<std::size_t>(
          share(begin + lists[0].size(), begin + half + lists[1].size()), left_a);
      if (items_ - of_a > left_b) of_a = items_ - left_b;
      auto const middle = next + static_cast<std::ptrdiff_t>(of_a);
      auto const end = next + items_;
      lists[0].insert(lists[0].end(), next, middle);
      lists[1].insert(lists[1].end(), middle, end);
      next = end;
    }
    undo_merges(lists[0], first, threads / 2);
    undo_merges(lists[1], first + threads / 2, threads / 2);
  }

  std::uint32_t items_;
  std::vector<std::uint32_t> blocked_;
};

/// Items and threads of the merge sort for which adversarial tiles are built, for rows that are not merge sorts.
constexpr std::uint32_t merge_items(std::uint64_t tile) { return tile % 17 == 0 ? 17 : 16; }
constexpr std::uint32_t merge_threads(std::uint64_t tile) {
  return static_cast<std::uint32_t>(tile / merge_items(tile));
}

/// Counts the keys that are less than the key before them in their tile. The content of tiles is compared by sums of hashes.
struct CountTileErrors {
  TileKeys in;
  TileKeys out;
  std::uint64_t tile;

  KOKKOS_FUNCTION void operator()(std::uint64_t i, std::uint64_t& wrong,
                                  std::uint64_t& difference) const {
    wrong += i % tile != 0 && out(i) < out(i - 1) ? 1 : 0;
    difference += hash(in(i), i / tile) - hash(out(i), i / tile);
  }

 private:
  KOKKOS_FUNCTION static std::uint64_t hash(std::uint32_t key, std::uint64_t number) {
    return mix(std::uint64_t{key} << 32 | number);
  }
};

inline void check_tiles(TileProblem const& problem) {
  std::uint64_t wrong = 0;
  std::uint64_t difference = 0;
  Kokkos::parallel_reduce("perf::count_tile_errors", range(problem.exec, problem.n()),
                          CountTileErrors{problem.in, problem.out, problem.tile}, wrong,
                          difference);
  if (wrong != 0)
    throw std::logic_error("not sorted: keys less than the key before: " + std::to_string(wrong));
  if (difference != 0) throw std::logic_error("the keys differ from the input");
}

/// The element of `choices` for which run(choice) is fastest.
template <class Choice, class Run>
Choice fastest(Exec const& exec, std::vector<Choice> const& choices, Run const& run) {
  Choice best = choices.at(0);
  double best_seconds = 0;
  for (auto const& choice : choices) {
    double const seconds = choices.size() == 1 ? 0 : median_seconds(exec, 1, [&] { run(choice); });
    if (&choice != &choices.front() && seconds >= best_seconds) continue;
    best = choice;
    best_seconds = seconds;
  }
  return best;
}

}  // namespace perf
