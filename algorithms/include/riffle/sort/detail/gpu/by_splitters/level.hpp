#pragma once

// What the passes of a sort by splitters have in common.

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <riffle/backend/backend.hpp>
#include <riffle/primitives/tile_tree.hpp>
#include <riffle/sort/detail/gpu/by_splitters/kinds.hpp>
#include <riffle/sort/detail/gpu/by_splitters/tree.hpp>
#include <riffle/sort/detail/view_as_array.hpp>

namespace riffle::detail::sort::by_splitters {

/// Indices of elements, and of tiles, which are fewer than 2^32.
using Index = std::uint32_t;

inline constexpr int bucket_depth = 8;
inline constexpr int buckets = 1 << bucket_depth;
/// A bucket is split into at most 2^max_part_depth parts, as many as there are buckets.
inline constexpr int max_part_depth = 8;

/// Teams that move elements have a thread for each bucket, and hold a tile at a time in registers: 32 KiB at most.
inline constexpr int threads = buckets;
template <class Word>
inline constexpr int held = sizeof(Word) <= 8 ? 16 : 8;
template <class Word>
inline constexpr Index tile_size = threads* held<Word>;

/// The sizes of the samples that splitters are drawn from: about 16 elements of a sample lie between two splitters, so
/// that none of 65536 parts is likely to be four times as large as the average.
inline constexpr int sample_per_part = 16;
inline constexpr int sample_size = sample_per_part * buckets;
inline constexpr int min_sample_size = 256;

/// The most words of a part that are sorted in scratch memory, 16 or 32 KiB; on average a part is to have half of them.
template <class Word>
inline constexpr Index max_in_scratch = sizeof(Word) <= 4 ? 4096 : 2048;
template <class Word>
inline constexpr std::uint64_t leaf_size = max_in_scratch<Word> / 2;

/// The most tiles of a bucket. The average bucket of the largest array has 64, of pairs 128.
inline constexpr Index max_runs = 512;
template <class Word>
inline constexpr std::uint64_t max_elements = leaf_size<Word> << (bucket_depth + max_part_depth);

/// Of parts of the average leaf's size there is one in a thousand that scratch memory does not hold. To sort it takes
/// longer than all others together, unless these are many; up to this number, leaves have half of that size.
inline constexpr std::uint64_t max_with_small_leaves = std::uint64_t{1} << 22;

/// The depth of a bucket's parts: so many parts that leaves are as small as they should be, or as many as are possible.
template <class Word>
int part_depth(std::uint64_t n) {
  std::uint64_t const leaf = n <= max_with_small_leaves ? leaf_size<Word> / 2 : leaf_size<Word>;
  int depth = 1;
  while (depth < max_part_depth && n >> (bucket_depth + depth) > leaf) ++depth;
  return depth;
}

constexpr int part_sample_size(int depth) {
  return std::max(min_sample_size, sample_per_part << depth);
}

/// Whether a sort by splitters is possible, the worse verdict last.
enum class Verdict : std::uint32_t { can_sort = 0, cannot_sort = 1 };

/// Keys that lie one after the other.
struct Stretch {
  Index begin;
  Index size;
};

/// Elements in tiles that follow each other, the last of which may be smaller. For each tile, part_begins has a row
/// that says where in the tile each part begins.
template <class Word>
struct TilesOfParts {
  Word const* elements;
  std::uint16_t const* part_begins;
  Index parts;
  Index begin;  // of the first tile among all elements
  Index size;   // of all tiles
  Index tile_size;
  Index tiles;  // max_runs at most
};

/// The temporary arrays of a sort of words.
template <class Word>
struct Arrays {
  Arrays(ArrayMemory& memory, std::uint64_t n, int depth)
      : part_depth(depth),
        tiles(static_cast<int>((n + tile_size<Word> - 1) / tile_size<Word>) + buckets),
        elements(memory.take<Word>(n)),
        bucket_of(memory.take<std::uint8_t>(n)),
        sample(memory.take<Word>(static_cast<std::uint64_t>(buckets * part_sample_size(depth)))),
        drawn(memory.take<IndexedCode>(sample_size)),
        chosen(memory.take<Word>(buckets)),
        splitters(memory.take<Word>(Splitters<Word>::words(bucket_depth))),
        part_splitters(
            memory.take<Word>(static_cast<std::uint64_t>(buckets * Splitters<Word>::words(depth)))),
        part_begins(memory.take<std::uint16_t>(static_cast<std::uint64_t>(tiles) << depth)),
        sizes(memory.take<std::uint64_t>(buckets)),
        cursors(memory.take<std::uint64_t>(buckets)),
        begins(memory.take<Index>(buckets + 1)),
        first_tiles(memory.take<Index>(buckets + 1)),
        crowded(memory.take<Stretch>(static_cast<std::uint64_t>(buckets) << depth)),
        crowded_count(memory.take<Index>(1)) {}

  KOKKOS_FUNCTION Splitters<Word> bucket_splitters() const { return {splitters, bucket_depth}; }
  KOKKOS_FUNCTION Splitters<Word> splitters_of(int bucket) const {
    return {words_of(bucket), part_depth};
  }
  /// Where the splitters of a bucket's parts lie.
  KOKKOS_FUNCTION Word* words_of(int bucket) const {
    return part_splitters +
           static_cast<std::ptrdiff_t>(bucket) * Splitters<Word>::words(part_depth);
  }

  KOKKOS_FUNCTION TilesOfParts<Word> tiles_of(int bucket) const {
    Index const size = begins[bucket + 1] - begins[bucket];
    return {elements,
            part_begins + (std::uint64_t{first_tiles[bucket]} << part_depth),
            Index{1} << part_depth,
            begins[bucket],
            size,
            Index{tile_size<Word>},
            (size + tile_size<Word> - 1) / tile_size<Word>};
  }

  int part_depth;
  int tiles;  // of all buckets, at most
  Word* elements;
  std::uint8_t* bucket_of;  // of each of the keys
  Word* sample;             // of buckets
  IndexedCode* drawn;       // the sample of all
  Word* chosen;             // splitters of buckets, in order
  Word* splitters;
  Word* part_splitters;
  std::uint16_t* part_begins;  // where in a tile each part begins, tile by tile
  std::uint64_t* sizes;        // of buckets
  std::uint64_t* cursors;      // where the next elements of a bucket go
  Index* begins;               // of buckets among all elements, and the end
  Index* first_tiles;          // of buckets, and the end
  Stretch* crowded;            // parts that are left to a network
  Index* crowded_count;
};

}  // namespace riffle::detail::sort::by_splitters
