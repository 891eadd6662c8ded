#pragma once

// MergeShuffle of
//   A. Bacher, O. Bodini, A. Hollender, J. Lumbroso, "MergeShuffle: a very fast, parallel random
//   permutation algorithm", arXiv 1508.03167 (2015), algorithms 1 and 2:
// Blocks that fit in a cache are shuffled. Then neighbours are merged in rounds; a coin for each place selects the source. The
// selection has no branch, as in the authors' assembly.

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>

#include "baselines/fisher_yates.hpp"
#include "baselines/host_tasks.hpp"
#include "support/check_shuffle.hpp"

namespace perf {

/// Fills `count` places from the two halves as selected by `coins`. The halves must be long enough.
template <class Item>
void take_by_coins(std::uint64_t coins, std::ptrdiff_t count, Item*& place, Item*& right) {
  Item front = *right;
  for (std::ptrdiff_t c = 0; c < count; ++c, coins >>= 1) {
    bool const takes_right = coins & 1;
    Item const own = *place;
    *right = takes_right ? own : front;
    *place++ = takes_right ? front : own;
    // Always read from memory: forwarding a recent store would be slower.
    Item const next = right[1];
    front = takes_right ? next : front;
    right += takes_right;
  }
}

/// Merges the shuffled halves [first, middle) and [middle, last) into one shuffled array.
template <class Item>
void merge_shuffled(SplitMix64& random, Item* first, Item* middle, Item* last) {
  Item* place = first;
  Item* right = middle;
  while (true) {
    // This number of coins cannot exhaust either half.
    auto const safe = std::min<std::ptrdiff_t>({64, right - place, last - right - 1});
    if (safe > 0) take_by_coins(random(), safe, place, right);
    if (safe == 64) continue;
    bool const takes_right = random() & 1;
    if (takes_right ? right == last : right == place) break;
    if (takes_right) std::swap(*place, *right++);
    ++place;
  }
  // The remaining items are swapped into random places, possibly their own.
  for (; place != last; ++place) {
    std::uint64_t index[1];
    draw_indices(random, static_cast<std::uint64_t>(place - first) + 1, index);
    std::swap(*place, first[index[0]]);
  }
}

/// A row: see shuffle.cpp.
class MergeShuffle {
 public:
  static constexpr char const* name = "MergeShuffle";
  static constexpr std::uint64_t scratch_bytes_per_item = 0;

  MergeShuffle(Exec const&, std::uint64_t n)
      : n_(n), block_exponent_(std::bit_width(n / largest_block)) {}

  void operator()(Keys const& in, Keys const& out) const {
    auto const* const from = in.data();
    auto* const to = out.data();
    for_each_task("perf::merge_shuffle::blocks", blocks(), [=, this](std::uint64_t block) {
      SplitMix64 random(mix(block));
      std::copy(from + begin(block), from + begin(block + 1), to + begin(block));
      fisher_yates(random, to + begin(block), begin(block + 1) - begin(block));
    });
    for (std::uint64_t width = 1; width < blocks(); width *= 2) merge_pairs(to, width);
  }

 private:
  // Half of a level 2 cache.
  static constexpr std::uint64_t largest_block = std::uint64_t{1} << 15;

  std::uint64_t blocks() const { return std::uint64_t{1} << block_exponent_; }

  std::uint64_t begin(std::uint64_t block) const { return n_ * block >> block_exponent_; }

  // Merges runs of length `width` with their neighbours.
  void merge_pairs(std::uint64_t* keys, std::uint64_t width) const {
    for_each_task("perf::merge_shuffle::merge", blocks() / (2 * width),
                  [=, this](std::uint64_t pair) {
                    std::uint64_t const block = 2 * width * pair;
                    SplitMix64 random(mix(blocks() * width + block));
                    merge_shuffled(random, keys + begin(block), keys + begin(block + width),
                                   keys + begin(block + 2 * width));
                  });
  }

  std::uint64_t n_;
  int block_exponent_;
};

}  // namespace perf
