#pragma once

// The shuffle of
//   C. R. Rao, "Generation of random permutations of given number of elements using random sampling
//   numbers", Sankhya A 23 (1961); M. Sandelius, "A simple randomization procedure", J. R. Stat.
//   Soc. B 24 (1962):
// Every item draws a random digit, and items with equal digits form a bucket. Each bucket is shuffled in the same way until it
// fits in a cache, where it is shuffled by Fisher and Yates's method. This version is parallel, out of place, and has digits of
// several bits. The digits are drawn twice, once to count and once to move, and not stored.

#include <algorithm>
#include <bit>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "baselines/fisher_yates.hpp"
#include "baselines/host_tasks.hpp"
#include "support/check_shuffle.hpp"

namespace perf {

/// Calls visit(i, digit) for i < n with random digits of eight bits; the seed determines the digits.
template <class Visit>
void for_each_digit(std::uint64_t seed, std::uint64_t n, Visit const& visit) {
  constexpr std::uint64_t per_word = 8;
  SplitMix64 random(seed);
  std::uint64_t i = 0;
  for (; n - i >= per_word; i += per_word) {
    std::uint64_t const word = random();
    for (std::uint64_t k = 0; k < per_word; ++k) visit(i + k, word >> 8 * k & 0xFF);
  }
  for (std::uint64_t word = random(); i < n; ++i, word >>= 8) visit(i, word & 0xFF);
}

/// For each digit, the number of items with this digit, or the place of the first one.
using Offsets = std::vector<std::uint64_t>;

/// A row: see shuffle.cpp.
class RaoSandelius {
 public:
  static constexpr char const* name = "RaoSandelius";
  static constexpr std::uint64_t scratch_bytes_per_item = sizeof(std::uint64_t);

  RaoSandelius(Exec const& exec, std::uint64_t n)
      : passes_(passes_for(n)),
        scratch_(allocate<std::uint64_t>(exec, "perf::rao_sandelius", passes_ > 1 ? n : 0)) {}

  void operator()(Keys const& in, Keys const& out) const {
    std::uint64_t const n = in.extent(0);
    if (passes_ == 0) {
      std::copy_n(in.data(), n, out.data());
      finish(1, out.data(), n);
      return;
    }
    // The last pass must write to `out`.
    auto* const to = passes_ % 2 == 1 ? out.data() : scratch_.data();
    auto* const other = passes_ % 2 == 1 ? scratch_.data() : out.data();
    Offsets const offsets = split_in_parallel(in.data(), to, n);
    for_each_task("perf::rao_sandelius::buckets", buckets, [&](std::uint64_t bucket) {
      std::uint64_t const begin = offsets[bucket];
      std::uint64_t const size = offsets[bucket + 1] - begin;
      auto* const own_other = passes_ > 1 ? other + begin : nullptr;
      shuffle_bucket(mix(bucket + 1), to + begin, own_other, size, passes_ - 1);
    });
  }

 private:
  // With few buckets, threads compete for cursors; with many, the TLB misses.
  static constexpr std::uint64_t buckets = 256;
  // The bucket fits in a level 2 cache, with space for other data.
  static constexpr std::uint64_t leaf_size = std::uint64_t{1} << 16;

  static int passes_for(std::uint64_t n) {
    return n <= leaf_size ? 0 : 1 + passes_for((n + buckets - 1) / buckets);
  }

  static void finish(std::uint64_t seed, std::uint64_t* keys, std::uint64_t n) {
    SplitMix64 random(seed);
    fisher_yates(random, keys, n);
  }

  // The first split: every thread moves its part of the items. Returns the begins of the buckets.
  Offsets split_in_parallel(std::uint64_t const* from, std::uint64_t* to, std::uint64_t n) const {
    auto const parts = static_cast<std::uint64_t>(Host().concurrency());
    auto const begin = [=](std::uint64_t part) { return n * part / parts; };
    auto const size = [=](std::uint64_t part) { return begin(part + 1) - begin(part); };
    std::vector<Offsets> cursors(parts);
    for_each_task("perf::rao_sandelius::count", parts,
                  [&](std::uint64_t part) { cursors[part] = histogram(mix(~part), size(part)); });
    Offsets const offsets = place_parts(cursors);
    for_each_task("perf::rao_sandelius::split", parts, [&](std::uint64_t part) {
      move_items(mix(~part), from + begin(part), to, size(part), cursors[part]);
    });
    return offsets;
  }

  // Converts the counts of each part to the destinations of its items, by digit. Returns the begins of the buckets.
  Offsets place_parts(std::vector<Offsets>& counts) const {
    Offsets offsets(buckets + 1);
    std::uint64_t place = 0;
    for (std::uint64_t bucket = 0; bucket < buckets; ++bucket) {
      offsets[bucket] = place;
      for (Offsets& of_part : counts) place += std::exchange(of_part[bucket], place);
    }
    offsets[buckets] = place;
    return offsets;
  }

  // Shuffles keys[0 .. n) by `passes` further splits; each writes to the other array.
  void shuffle_bucket(std::uint64_t seed, std::uint64_t* keys, std::uint64_t* other,
                      std::uint64_t n, int passes) const {
    if (passes == 0) return finish(seed, keys, n);
    Offsets offsets = count_digits(seed, n);
    move_items(seed, keys, other, n, offsets);
    // Now each offset is the end of its bucket.
    std::uint64_t begin = 0;
    for (std::uint64_t bucket = 0; bucket < buckets; ++bucket) {
      std::uint64_t const end = offsets[bucket];
      shuffle_bucket(mix(seed + bucket + 1), other + begin, keys + begin, end - begin, passes - 1);
      begin = end;
    }
  }

  // The begins of the buckets of n items.
  Offsets count_digits(std::uint64_t seed, std::uint64_t n) const {
    Offsets offsets = histogram(seed, n);
    std::exclusive_scan(offsets.begin(), offsets.end(), offsets.begin(), std::uint64_t{0});
    return offsets;
  }

  Offsets histogram(std::uint64_t seed, std::uint64_t n) const {
    Offsets counts(buckets, 0);
    for_each_digit(seed, n, [&](std::uint64_t, std::uint64_t digit) { ++counts[digit]; });
    return counts;
  }

  void move_items(std::uint64_t seed, std::uint64_t const* from, std::uint64_t* to, std::uint64_t n,
                  Offsets& offsets) const {
    std::uint64_t* const cursors = offsets.data();
    for_each_digit(seed, n,
                   [=](std::uint64_t i, std::uint64_t digit) { to[cursors[digit]++] = from[i]; });
  }

  int passes_;
  Keys scratch_;
};

}  // namespace perf
