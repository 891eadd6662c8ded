#pragma once

// What the passes of a sort by estimates have in common.

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include <riffle/primitives/scope.hpp>
#include <riffle/sort/detail/gpu/by_splitters/classes.hpp>
#include <riffle/sort/detail/gpu/by_splitters/level.hpp>
#include <riffle/sort/detail/gpu/by_splitters/tree.hpp>

namespace riffle::detail::sort::by_estimates {

using by_splitters::ClassOf;
using by_splitters::Index;
using by_splitters::max_runs;
using by_splitters::Splitters;
using by_splitters::Stretch;
using by_splitters::TilesOfParts;

/// There are up to 2^max_depth buckets, and as many parts of each, or half as many. (Twice as many parts as buckets take
/// longer, since more teams then gather shorter runs: 2^29 doubles on an H200 16.5 ms, where 1024 buckets take 16.1.)
inline constexpr int max_depth = 10;
inline constexpr int min_bucket_depth = 8;

/// Teams that move elements hold a tile at a time in registers: 32 KiB.
inline constexpr int threads = 256;
template <class Word>
inline constexpr int held = (sizeof(Word) == 8 ? 4096 : 6144) / threads;
template <class Word>
inline constexpr Index tile_size = threads* held<Word>;

/// So many elements of the sample lie between two splitters.
inline constexpr Index sample_per_part = 16;

/// The words of a part on average: half of what scratch memory holds, max_in_scratch. Up to max_with_small_leaves elements a
/// part has a quarter of it, since parts that scratch memory does not hold would take longer than all others together.
template <class Word>
inline constexpr std::uint64_t leaf_size = by_splitters::max_in_scratch<Word> / 2;

template <class Word>
inline constexpr std::uint64_t max_elements = leaf_size<Word> << (2 * max_depth);

/// How n elements are divided: into buckets, and each of these into parts.
template <class Word>
struct Division {
  explicit Division(std::uint64_t n)
      : Division(n, std::bit_width((n - 1) / (n <= by_splitters::max_with_small_leaves
                                                  ? leaf_size<Word> / 2
                                                  : leaf_size<Word>))) {}

  /// Into 2^depth parts of all buckets, or about so many.
  Division(std::uint64_t n, int depth)
      : size(static_cast<Index>(n)),
        bucket_depth(std::clamp((depth + 1) / 2, min_bucket_depth, max_depth)),
        part_depth(std::clamp(depth - bucket_depth, 1, max_depth)) {}

  KOKKOS_FUNCTION Index buckets() const { return Index{1} << bucket_depth; }
  KOKKOS_FUNCTION Index parts() const { return Index{1} << part_depth; }
  KOKKOS_FUNCTION Index sample_size() const {
    return sample_per_part << (bucket_depth + part_depth);
  }

  /// The room of all buckets: the square roots of how many elements of the sample each has add up to this at most.
  KOKKOS_FUNCTION Index tiles() const {
    double const per_sampled = static_cast<double>(size) / sample_size();
    double const roots = Kokkos::sqrt(static_cast<double>(sample_size()) * buckets());
    return static_cast<Index>((size + deviations * per_sampled * roots) / tile_size<Word>) +
           2 * buckets();
  }

  /// The room, in tiles, of a bucket that has `count` elements of the sample: what it is expected to have, and some
  /// standard deviations.
  KOKKOS_FUNCTION Index tiles_for(Index count) const {
    double const per_sampled = static_cast<double>(size) / sample_size();
    double const most =
        per_sampled * (count + deviations * Kokkos::sqrt(static_cast<double>(count)));
    return Kokkos::min(static_cast<Index>(most / tile_size<Word>) + 1, Index{max_runs});
  }

  Index size;
  int bucket_depth;
  int part_depth;

 private:
  // Of 1024 buckets one in a million arrays has one that exceeds this.
  static constexpr double deviations = 6;
};

/// The temporary arrays of a sort of words.
template <class Word>
struct Arrays : Division<Word> {
  Arrays(ArrayMemory& memory, Division<Word> const& division)
      : Division<Word>(division),
        elements(memory.take<Word>(std::uint64_t{this->tiles()} * tile_size<Word>)),
        sample(memory.take<Word>(this->sample_size())),
        splitters(memory.take<Word>(Splitters<Word>::words(this->bucket_depth))),
        part_splitters(memory.take<Word>(std::uint64_t{this->buckets()} *
                                         Splitters<Word>::words(this->part_depth))),
        are_linear(memory.take<std::uint8_t>(this->buckets())),
        part_begins(memory.take<std::uint16_t>(std::uint64_t{this->tiles()} << this->part_depth)),
        ranges(memory.take<Stretch>(this->buckets())),
        first_tiles(memory.take<Index>(this->buckets() + 1)),
        sizes(memory.take<Index>(this->buckets())),
        begins(memory.take<Index>(this->buckets() + 1)),
        crowded(memory.take<Stretch>(std::uint64_t{this->buckets()} << this->part_depth)),
        crowded_count(memory.take<Index>(1)) {}

  KOKKOS_FUNCTION Splitters<Word> bucket_splitters() const {
    return {splitters, this->bucket_depth};
  }
  KOKKOS_FUNCTION Splitters<Word> splitters_of(Index bucket) const {
    return {words_of(bucket), this->part_depth};
  }
  /// Where the splitters of a bucket's parts lie.
  KOKKOS_FUNCTION Word* words_of(Index bucket) const {
    return part_splitters + std::size_t{bucket} * Splitters<Word>::words(this->part_depth);
  }

  /// The parts of a bucket by linear interpolation between its bounds, where these are known.
  KOKKOS_FUNCTION bool has_bounds(Index bucket) const {
    return bucket > 0 && bucket + 1 < this->buckets();
  }
  KOKKOS_FUNCTION ClassOf<Word> classes_of(Index bucket) const {
    auto const of_buckets = bucket_splitters();
    auto const b = static_cast<int>(bucket);
    return ClassOf<Word>({of_buckets.splitter(b - 1), of_buckets.splitter(b)}, this->parts());
  }

  /// The elements for which a bucket has room.
  KOKKOS_FUNCTION Index room_of(Index bucket) const {
    return (first_tiles[bucket + 1] - first_tiles[bucket]) * tile_size<Word>;
  }
  KOKKOS_FUNCTION TilesOfParts<Word> tiles_of(Index bucket) const {
    return {elements,
            part_begins + (std::uint64_t{first_tiles[bucket]} << this->part_depth),
            this->parts(),
            first_tiles[bucket] * tile_size<Word>,
            sizes[bucket],
            Index{tile_size<Word>},
            (sizes[bucket] + tile_size<Word> - 1) / tile_size<Word>};
  }

  Word* elements;  // by buckets, each of which begins with a tile
  Word* sample;
  Word* splitters;
  Word* part_splitters;
  std::uint8_t* are_linear;    // whether a bucket's parts are classes by interpolation
  std::uint16_t* part_begins;  // where in a tile each part begins, tile by tile
  Stretch* ranges;             // of buckets in the sample
  Index* first_tiles;          // of buckets, and the end
  Index* sizes;                // of buckets; more than their room, where it is too small
  Index* begins;               // of buckets in the result
  Stretch* crowded;            // parts that are left to a network
  Index* crowded_count;
};

}  // namespace riffle::detail::sort::by_estimates
