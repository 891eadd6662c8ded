#pragma once

// Sorts numbers of 8 bytes on a GPU, each with a value of up to 4 bytes, by splitters [1]: into 256 buckets, and these into
// up to 256 parts, which teams sort in scratch memory: by classes, or, where they are crowded, by a network.
//
// Keys are read twice, and then moved once to their buckets, once within tiles, and once to where they belong. Only the
// last passes write to the result: before sort(), the sort may be given up.
//
// [1] W. D. Frazer, A. C. McKellar, "Samplesort: a sampling approach to minimal storage tree sorting", J. ACM 17
//     (1970); on GPUs, N. Leischner, V. Osipov, P. Sanders, "GPU sample sort", IPDPS (2010).

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <riffle/backend/backend.hpp>
#include <riffle/context.hpp>
#include <riffle/primitives/launch.hpp>
#include <riffle/primitives/loops.hpp>
#include <riffle/primitives/scope.hpp>
#include <riffle/primitives/team_sum.hpp>
#include <riffle/primitives/tile_tree.hpp>
#include <riffle/random/philox.hpp>
#include <riffle/sort/detail/gpu/by_ranks.hpp>
#include <riffle/sort/detail/gpu/samplesort/by_estimates.hpp>
#include <riffle/sort/detail/view_as_array.hpp>
#include <riffle/sort/tuning.hpp>

namespace riffle::detail::sort::samplesort::by_splitters {

// --- how elements are divided, and the arrays that this takes ---

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

/// The words of a part on average.
template <class Word>
inline constexpr std::uint64_t leaf_size = max_in_scratch<Word> / 2;

template <class Word>
inline constexpr std::uint64_t max_elements = leaf_size<Word> << (bucket_depth + max_part_depth);

/// The depth of a bucket's parts: so many parts that leaves are as small as they should be, or as many as are possible.
template <class Word>
int part_depth(std::uint64_t n) {
  std::uint64_t const leaf = n <= max_with_small_parts ? leaf_size<Word> / 2 : leaf_size<Word>;
  int depth = 1;
  while (depth < max_part_depth && n >> (bucket_depth + depth) > leaf) ++depth;
  return depth;
}

constexpr int part_sample_size(int depth) {
  return std::max(min_sample_size, sample_per_part << depth);
}

/// The temporary arrays of a sort of words.
template <class Word>
struct CountedArrays {
  CountedArrays(ArrayMemory& memory, std::uint64_t n, int depth)
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

// --- splitters, from samples: of all elements, and of each bucket, which a team sorts ---

/// An array as an output that is sorted in place.
template <class Word>
struct WordsInPlace {
  KOKKOS_FUNCTION void keep(std::uint64_t i, Word const& word) const { words[i] = word; }
  KOKKOS_FUNCTION Word kept(std::uint64_t i) const { return words[i]; }

  Word* words;
};

/// Samples all elements: sorts the chunks of the sample. Also clears what later passes add to.
template <class Word, class In>
struct SampleChunks : SortsChunks {
  SampleChunks(In const& in_, CountedArrays<Word> const& arrays_)
      : in(in_), arrays(arrays_), sample(static_cast<Index>(in_.extent(0)), sample_size) {}

  int teams() const { return by_ranks::teams_of(sample.size()); }

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    if (team.league_rank() == 0) {
      for (int b = team.team_rank(); b < buckets; b += threads) arrays.sizes[b] = 0;
      if (team.team_rank() == 0) *arrays.crowded_count = 0;
    }
    sort_chunk(team, in, sample, arrays.drawn);
  }

  In in;
  CountedArrays<Word> arrays;
  Sample sample;
};

/// Chooses the splitters of the buckets.
template <class Word>
struct ChooseSplitters : RanksSample {
  explicit ChooseSplitters(CountedArrays<Word> const& arrays_)
      : RanksSample{arrays_.drawn, sample_size}, arrays(arrays_) {}

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    rank(team, [&](IndexedCode const& element, Index rank) {
      Index const bucket = rank / sample_per_part;
      if (rank % sample_per_part != sample_per_part - 1 || bucket + 1 >= buckets) return;
      if constexpr (has_index<Word>) {
        arrays.chosen[bucket] = element;
      } else {
        arrays.chosen[bucket] = static_cast<Word>(element.code);
      }
    });
  }

  CountedArrays<Word> arrays;
};

/// Samples each bucket that is to be sorted, with a team for each.
template <class Word>
struct SampleBuckets {
  static constexpr int threads = by_splitters::threads;
  static constexpr int teams_per_processor = 2;

  CountedArrays<Word> arrays;
  std::uint64_t seed;
  int drawn;

  using Network = PartNetwork<Word, WordsInPlace<Word>, threads>;
  static constexpr std::size_t alignment = 16;
  static constexpr std::size_t scratch_bytes = Network::bytes + alignment;

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    int const bucket = team.league_rank();
    Index const begin = arrays.begins[bucket];
    Index const size = arrays.begins[bucket + 1] - begin;
    if (size == 0 || arrays.bucket_splitters().has_ties_only(bucket)) return;
    Word* const sample = arrays.sample + bucket * drawn;
    RIFFLE_NO_UNROLL
    for (int i = team.team_rank(); i < drawn; i += threads) {
      // Some may be drawn twice.
      std::uint64_t const random =
          Philox4x32(seed)({static_cast<std::uint32_t>(i), 0, begin, 0})[0];
      sample[i] = arrays.elements[begin + (random * size >> 32)];
    }
    void* const memory = team.team_scratch(0).get_shmem_aligned(
        std::size_t{Network::bytes}, static_cast<std::ptrdiff_t>(alignment));
    WordsInPlace<Word> const sorted{sample};
    Network(sorted, 0, static_cast<Index>(drawn), memory).sort(team);
    int const per_bucket = drawn >> arrays.part_depth;
    Splitters<Word>::store(team, arrays.words_of(bucket), arrays.part_depth,
                           [&](int i) { return sample[(i + 1) * per_bucket]; });
  }
};

// --- first pass: the bucket of each key, how many each has, and where buckets begin ---

/// A team takes some batches of keys.
template <class Word, class Keys>
struct CountBuckets {
  static constexpr int threads = by_splitters::threads;
  static constexpr int teams_per_processor = 8;
  // The keys that a thread holds at a time, so that all are in registers; and the batches of a team.
  static constexpr int held = 4;
  static constexpr std::uint64_t batch = threads * held;
  static constexpr std::uint64_t max_batches = 16;
  // With fewer teams a GPU is not busy.
  static constexpr std::uint64_t wanted_teams = 1024;
  static constexpr int splitter_words = Splitters<Word>::words(bucket_depth);

  Keys keys;
  CountedArrays<Word> arrays;

  KOKKOS_FUNCTION std::uint64_t batches_per_team() const {
    std::uint64_t const wanted = keys.extent(0) / (wanted_teams * batch);
    return wanted < 1 ? 1 : wanted < max_batches ? wanted : max_batches;
  }
  int teams() const {
    std::uint64_t const size = batches_per_team() * batch;
    return static_cast<int>((keys.extent(0) + size - 1) / size);
  }
  static constexpr std::size_t used_bytes =
      splitter_words * sizeof(Word) + buckets * sizeof(std::uint32_t);
  static constexpr std::size_t scratch_bytes = used_bytes + 16;

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    auto* const words =
        static_cast<Word*>(team.team_scratch(0).get_shmem_aligned(std::size_t{used_bytes}, 16));
    auto* const histogram = reinterpret_cast<std::uint32_t*>(words + splitter_words);
    int const thread = team.team_rank();
    histogram[thread] = 0;
    auto const chosen = [&](int i) { return arrays.chosen[i]; };
    Splitters<Word>::store(team, words, bucket_depth, chosen);
    // Later passes look at them.
    if (team.league_rank() == 0) {
      Splitters<Word>::store(team, arrays.splitters, bucket_depth, chosen);
    }
    team.team_barrier();
    Splitters<Word> const splitters(words, bucket_depth);
    std::uint64_t const first =
        static_cast<std::uint64_t>(team.league_rank()) * batches_per_team() * batch;
    RIFFLE_NO_UNROLL
    for (std::uint64_t b = 0; b < batches_per_team(); ++b) {
      count(splitters, histogram, first + b * batch, static_cast<std::uint64_t>(thread));
    }
    team.team_barrier();
    if (histogram[thread] != 0) {
      Kokkos::atomic_add(arrays.sizes + thread, std::uint64_t{histogram[thread]});
    }
  }

 private:
  KOKKOS_FUNCTION void count(Splitters<Word> const& splitters, std::uint32_t* histogram,
                             std::uint64_t first, std::uint64_t thread) const {
    std::uint64_t const n = keys.extent(0);
    Word words[held] = {};
    read_elements(keys, first + thread, threads, n, words);
    int found[held];
    splitters.find(words, found);
    RIFFLE_UNROLL
    for (int k = 0; k < held; ++k) {
      std::uint64_t const i = first + static_cast<std::uint64_t>(k * threads) + thread;
      if (i >= n) continue;
      arrays.bucket_of[i] = static_cast<std::uint8_t>(found[k]);
      backend::add_in_scratch(histogram + found[k], 1);
    }
  }
};

/// Finds where buckets begin, and their tiles, by one team.
template <class Word>
struct PlaceBuckets {
  static constexpr int threads = by_splitters::threads;
  static constexpr int teams_per_processor = 1;

  CountedArrays<Word> arrays;

  static constexpr std::size_t sum_bytes = threads / backend::width * sizeof(Index);
  static constexpr std::size_t scratch_bytes = 2 * sum_bytes + 16;

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    auto* const sums =
        static_cast<Index*>(team.team_scratch(0).get_shmem_aligned(2 * sum_bytes, 16));
    int const bucket = team.team_rank();
    auto const size = static_cast<Index>(arrays.sizes[bucket]);
    Index const tiles = (size + tile_size<Word> - 1) / tile_size<Word>;
    Index all;
    Index all_tiles;
    Index const begin = exclusive_team_sum(team, sums, size, all);
    Index const first_tile =
        exclusive_team_sum(team, sums + threads / backend::width, tiles, all_tiles);
    arrays.begins[bucket] = begin;
    arrays.cursors[bucket] = begin;
    arrays.first_tiles[bucket] = first_tile;
    if (bucket + 1 < buckets) return;
    arrays.begins[buckets] = all;
    arrays.first_tiles[buckets] = all_tiles;
  }
};

/// Finds whether a bucket is overfull.
template <class Word>
struct FindOverfull {
  CountedArrays<Word> arrays;

  KOKKOS_FUNCTION void operator()(std::uint64_t bucket, std::uint32_t& found) const {
    found = Kokkos::max(found, static_cast<std::uint32_t>(is_overfull(static_cast<int>(bucket))));
  }

  KOKKOS_FUNCTION bool is_overfull(int bucket) const {
    bool const is_large = arrays.sizes[bucket] > max_of_bucket();
    return is_large && !arrays.bucket_splitters().has_ties_only(bucket);
  }

 private:
  /// The largest bucket whose parts find room for their runs, and are sorted in scratch memory for the most part; the
  /// average bucket has an eighth of this or less.
  KOKKOS_FUNCTION std::uint64_t max_of_bucket() const {
    std::uint64_t const by_parts = (8 * leaf_size<Word>) << arrays.part_depth;
    return Kokkos::min(by_parts, std::uint64_t{max_runs} * tile_size<Word>);
  }
};

// --- a tile's elements in the order of their buckets, through scratch memory ---
//
// The order of the elements of one bucket is
// left to chance: either they are sorted later on, or they are alike and cannot be told apart.

/// All threads of a team use this. Each has the elements thread, thread + threads, ... of the tile.
template <class T>
class TileOrder {
 public:
  static constexpr std::size_t counter_bytes = buckets * sizeof(Index);
  static constexpr std::size_t sum_bytes = threads / backend::width * sizeof(Index);
  static constexpr std::size_t bytes = tile_size<T> * sizeof(T) + counter_bytes + sum_bytes;

  KOKKOS_FUNCTION TileOrder(void* memory, int thread, Index size)
      : staged_(static_cast<T*>(memory)),
        counters_(reinterpret_cast<Index*>(staged_ + tile_size<T>)),
        thread_(thread),
        size_(size) {}

  KOKKOS_FUNCTION Index place(int k) const { return static_cast<Index>(k * threads + thread_); }
  KOKKOS_FUNCTION bool exists(int k) const { return place(k) < size_; }

  /// Clears the counters. The team meets between this and rank().
  KOKKOS_FUNCTION void clear() const { counters_[thread_] = 0; }

  /// Counts an element of a bucket, and returns how many were counted before it.
  KOKKOS_FUNCTION Index rank(int bucket) const {
    return backend::fetch_add_in_scratch(counters_ + bucket, 1);
  }

  /// After all are ranked: returns where in the tile bucket `thread` begins, and sets `count` to how many elements it
  /// has.
  template <class Member>
  KOKKOS_FUNCTION Index scan(Member const& team, Index& count) const {
    team.team_barrier();
    count = counters_[thread_];
    Index all;
    Index const begin = exclusive_team_sum(team, counters_ + buckets, count, all);
    counters_[thread_] = begin;
    team.team_barrier();
    return begin;
  }

  /// After scan(): stores an element where it belongs, and returns where.
  KOKKOS_FUNCTION Index store(int bucket, Index rank, T const& element) const {
    Index const place = counters_[bucket] + rank;
    staged_[place] = element;
    return place;
  }

  /// After store() and a barrier: the element that is at place(k).
  KOKKOS_FUNCTION T const& element(int k) const { return staged_[place(k)]; }

 private:
  T* staged_;
  Index* counters_;
  int thread_;
  Index size_;
};

// --- second pass: all keys go to their buckets ---

/// A team per tile, which writes a run of some 16 elements, or 8 pairs, of each bucket.
template <class Word, class Keys>
struct ScatterCounted {
  static constexpr int held = by_splitters::held<Word>;
  static constexpr Index tile_size = by_splitters::tile_size<Word>;
  static constexpr int threads = by_splitters::threads;
  static constexpr int teams_per_processor = 3;

  Keys keys;
  CountedArrays<Word> arrays;

  int teams() const { return static_cast<int>((keys.extent(0) + tile_size - 1) / tile_size); }
  static constexpr std::size_t alignment = 16;
  static constexpr std::size_t used_bytes =
      TileOrder<Word>::bytes + buckets * sizeof(Index) + tile_size * sizeof(std::uint8_t);
  static constexpr std::size_t scratch_bytes = used_bytes + alignment;

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    auto* const memory = static_cast<std::byte*>(team.team_scratch(0).get_shmem_aligned(
        std::size_t{used_bytes}, static_cast<std::ptrdiff_t>(alignment)));
    auto* const shifts = reinterpret_cast<Index*>(memory + TileOrder<Word>::bytes);
    auto* const bucket_at = reinterpret_cast<std::uint8_t*>(shifts + buckets);
    int const thread = team.team_rank();
    std::uint64_t const first = static_cast<std::uint64_t>(team.league_rank()) * tile_size;
    TileOrder<Word> const order(
        memory, thread,
        static_cast<Index>(Kokkos::min<std::uint64_t>(tile_size, keys.extent(0) - first)));
    order.clear();
    Word elements[held] = {};
    int bucket[held] = {};
    RIFFLE_UNROLL
    for (int k = 0; k < held; ++k) {
      if (order.exists(k)) bucket[k] = arrays.bucket_of[first + order.place(k)];
    }
    read_elements(keys, first + order.place(0), threads, keys.extent(0), elements);
    team.team_barrier();
    Index ranks[held] = {};
    RIFFLE_UNROLL
    for (int k = 0; k < held; ++k) {
      if (order.exists(k)) ranks[k] = order.rank(bucket[k]);
    }
    Index count;
    Index const begin = order.scan(team, count);
    shifts[thread] = reserve(thread, count) - begin;
    RIFFLE_UNROLL
    for (int k = 0; k < held; ++k) {
      if (!order.exists(k)) continue;
      bucket_at[order.store(bucket[k], ranks[k], elements[k])] =
          static_cast<std::uint8_t>(bucket[k]);
    }
    team.team_barrier();
    RIFFLE_UNROLL
    for (int k = 0; k < held; ++k) {
      if (!order.exists(k)) continue;
      // Shifts wrap round, as unsigned numbers do.
      arrays.elements[shifts[bucket_at[order.place(k)]] + order.place(k)] = order.element(k);
    }
  }

 private:
  /// Takes the next `count` places of a bucket, and returns the first.
  KOKKOS_FUNCTION Index reserve(int bucket, Index count) const {
    return count == 0
               ? 0
               : static_cast<Index>(backend::fetch_add_relaxed(arrays.cursors + bucket, count));
  }
};

// --- third pass: the tiles of each bucket are put in the order of the bucket's parts, each in place ---

/// A team per tile. The tiles of buckets of ties are in order, and are only copied from the temporary to where they
/// belong.
template <class Word, class Out>
struct SplitCounted {
  static constexpr int held = by_splitters::held<Word>;
  static constexpr Index tile_size = by_splitters::tile_size<Word>;
  static constexpr int threads = by_splitters::threads;
  static constexpr int teams_per_processor = 3;

  Out out;
  CountedArrays<Word> arrays;

  static constexpr std::size_t alignment = 16;
  static constexpr std::size_t used_bytes =
      TileOrder<Word>::bytes + Splitters<Word>::words(max_part_depth) * sizeof(Word);
  static constexpr std::size_t scratch_bytes = used_bytes + alignment;

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    auto const tile = static_cast<Index>(team.league_rank());
    if (tile >= arrays.first_tiles[buckets]) return;
    auto* const memory = static_cast<std::byte*>(team.team_scratch(0).get_shmem_aligned(
        std::size_t{used_bytes}, static_cast<std::ptrdiff_t>(alignment)));
    int const bucket = find_bucket(team, memory, tile);
    std::uint64_t const first =
        arrays.begins[bucket] + std::uint64_t{tile - arrays.first_tiles[bucket]} * tile_size;
    auto const size = static_cast<Index>(
        Kokkos::min<std::uint64_t>(tile_size, arrays.begins[bucket + 1] - first));
    TileOrder<Word> const order(memory, team.team_rank(), size);
    Word elements[held] = {};
    RIFFLE_UNROLL
    for (int k = 0; k < held; ++k) {
      if (order.exists(k)) elements[k] = arrays.elements[first + order.place(k)];
    }
    if (arrays.bucket_splitters().has_ties_only(bucket)) {
      RIFFLE_UNROLL
      for (int k = 0; k < held; ++k) {
        if (order.exists(k)) out.write(first + order.place(k), elements[k]);
      }
      return;
    }
    order.clear();
    auto* const words = reinterpret_cast<Word*>(memory + TileOrder<Word>::bytes);
    load_splitters(bucket, words, team.team_rank());
    team.team_barrier();
    int parts[held];
    Splitters<Word>(words, arrays.part_depth).template find_in_batches<held / 2>(elements, parts);
    Index ranks[held] = {};
    RIFFLE_UNROLL
    for (int k = 0; k < held; ++k) {
      if (order.exists(k)) ranks[k] = order.rank(parts[k]);
    }
    Index count;
    write_begin(tile, team.team_rank(), order.scan(team, count));
    RIFFLE_UNROLL
    for (int k = 0; k < held; ++k) {
      if (order.exists(k)) order.store(parts[k], ranks[k], elements[k]);
    }
    team.team_barrier();
    RIFFLE_UNROLL
    for (int k = 0; k < held; ++k) {
      if (order.exists(k)) arrays.elements[first + order.place(k)] = order.element(k);
    }
  }

 private:
  /// Finds the bucket of a tile: each thread looks at one bucket.
  template <class Member>
  KOKKOS_FUNCTION int find_bucket(Member const& team, void* memory, Index tile) const {
    auto* const found = static_cast<int*>(memory);
    int const own = team.team_rank();
    if (arrays.first_tiles[own] <= tile && tile < arrays.first_tiles[own + 1]) *found = own;
    team.team_barrier();
    int const bucket = *found;
    team.team_barrier();
    return bucket;
  }

  KOKKOS_FUNCTION void load_splitters(int bucket, Word* words, int thread) const {
    int const count = Splitters<Word>::words(arrays.part_depth);
    Word const* const from = arrays.words_of(bucket);
    for (int i = thread; i < count; i += threads) words[i] = from[i];
  }

  KOKKOS_FUNCTION void write_begin(Index tile, int part, Index begin) const {
    if (part >> arrays.part_depth != 0) return;
    arrays.part_begins[(std::uint64_t{tile} << arrays.part_depth) +
                       static_cast<std::uint64_t>(part)] = static_cast<std::uint16_t>(begin);
  }
};

// --- last passes: the parts of buckets, from the tiles of a bucket to where a part belongs among all keys ---

/// Sorts with a team per part of a bucket. A crowded part is kept as it is.
template <class Word, class Out>
struct SortCountedParts {
  static constexpr int threads = 128;
  static constexpr int teams_per_processor = sizeof(Word) <= 4 ? 6 : sizeof(Word) <= 8 ? 8 : 5;

  Out out;
  CountedArrays<Word> arrays;

  int teams() const { return buckets << arrays.part_depth; }
  using Sorter = PartSorter<Word, Out, CountedArrays<Word>, threads>;
  using Runs = typename Sorter::Runs;
  using Classes = typename Sorter::Classes;
  static constexpr std::size_t alignment = 16;
  static constexpr std::size_t scratch_bytes = Classes::bytes + alignment;

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    int const bucket = team.league_rank() >> arrays.part_depth;
    int const part = team.league_rank() & ((1 << arrays.part_depth) - 1);
    if (arrays.begins[bucket] == arrays.begins[bucket + 1]) return;
    if (arrays.bucket_splitters().has_ties_only(bucket)) return;
    void* const memory = team.team_scratch(0).get_shmem_aligned(
        std::size_t{Classes::bytes}, static_cast<std::ptrdiff_t>(alignment));
    auto const thread = static_cast<Index>(team.team_rank());
    // The runs lie where the words come later on.
    Runs const runs(team, memory, arrays.tiles_of(bucket), static_cast<Index>(part));
    Sorter const sorter(out, arrays, runs, static_cast<Index>(runs.begin()));
    if (arrays.splitters_of(bucket).has_ties_only(part)) {
      sorter.write_ties(arrays.splitters_of(bucket).splitter(part), thread);
    } else if (runs.size() > max_in_scratch<Word>) {
      sorter.leave(team);
    } else if (runs.size() > 0) {
      sorter.sort(team, Classes(memory, thread), bounds_of(bucket, part));
    }
  }

 private:
  KOKKOS_FUNCTION Bounds<Word> bounds_of(int bucket, int part) const {
    auto const all = arrays.bucket_splitters();
    auto const own = arrays.splitters_of(bucket);
    bool const is_last = part + 1 == 1 << arrays.part_depth;
    Bounds<Word> bounds{Word{}, Word{}, false};
    if ((part == 0 && bucket == 0) || (is_last && bucket + 1 == buckets)) return bounds;
    bounds.least = part > 0 ? own.splitter(part - 1) : all.splitter(bucket - 1);
    bounds.greatest = is_last ? all.splitter(bucket) : own.splitter(part);
    if ((is_last ? all : own).are_by_codes()) {
      bounds.greatest = greatest_of_code<Word>(code_of(bounds.greatest));
    }
    bounds.are_known = true;
    return bounds;
  }
};

// --- sorts ---

/// The passes, launched in order by launch(name, teams, kernel): first sample(), then count(); then, where FindOverfull
/// finds nothing, sort().
template <class Word, class In, class Out, class Launch>
class Passes {
 public:
  /// `in` may be `out`.
  Passes(In const& in, Out const& out, CountedArrays<Word> const& arrays, Launch const& launch)
      : in_(in), out_(out), arrays_(arrays), launch_(launch) {}

  void sample() const {
    SampleChunks<Word, In> const chunks(in_, arrays_);
    ChooseSplitters<Word> const choose(arrays_);
    launch_("sample", chunks.teams(), chunks);
    launch_("choose", choose.teams(), choose);
  }

  void count() const {
    CountBuckets<Word, In> const count{in_, arrays_};
    launch_("count", count.teams(), count);
    launch_("place", 1, PlaceBuckets<Word>{arrays_});
  }

  void sort() const {
    ScatterCounted<Word, In> const scatter{in_, arrays_};
    SortCountedParts<Word, Out> const leaves{out_, arrays_};
    SortCrowdedParts<Word, Out, CountedArrays<Word>> const crowded{out_, arrays_};
    launch_("scatter", scatter.teams(), scatter);
    launch_("sample_buckets", buckets,
            SampleBuckets<Word>{arrays_, in_.extent(0), part_sample_size(arrays_.part_depth)});
    launch_("split", arrays_.tiles, SplitCounted<Word, Out>{out_, arrays_});
    launch_("leaves", leaves.teams(), leaves);
    launch_("crowded", crowded.teams(), crowded);
  }

 private:
  In in_;
  Out out_;
  CountedArrays<Word> arrays_;
  Launch launch_;
};

/// Sorts 1 to max_elements elements from `in` to `out`, which may be the same. Returns false where a bucket is overfull, and
/// then nothing is written. Fences.
template <class Word, class Exec, class In, class Out>
bool sort_elements(Context<Exec> const& context, In const& in, Out const& out,
                   CountedArrays<Word> const& arrays) {
  auto const launch = launches_of(context);
  Passes<Word, In, Out, decltype(launch)> const passes(in, out, arrays, launch);
  passes.sample();
  passes.count();
  std::uint32_t has_overfull = 0;
  Kokkos::parallel_reduce(context.named("overfull").label(), range(context.exec(), 0, buckets),
                          FindOverfull<Word>{arrays}, Kokkos::Max<std::uint32_t>(has_overfull));
  if (has_overfull != 0) return false;
  passes.sort();
  return true;
}

static_assert(max_pairs_by_splitters<std::uint64_t, std::uint32_t> <= max_elements<IndexedCode>);

/// Sorts keys in place, and values with them. Returns false where a bucket is overfull, and then nothing is written. Fences.
template <class Order, class Exec, class Keys, class Values>
bool sort_pairs(Context<Exec> const& context, Keys const& keys, Values const& values) {
  struct Temporaries {
    std::uint32_t* indices;
    CountedArrays<IndexedCode> arrays;
  };
  std::uint64_t const n = keys.extent(0);
  Scope scope(context);
  auto const all = scope.arrays([&](ArrayMemory& memory) {
    auto* const indices = memory.take<std::uint32_t>(n);
    return Temporaries{indices, {memory, n, part_depth<IndexedCode>(n)}};
  });
  using Value = CompanionOf<Values>;
  auto const words = words_of<Order>(keys);
  auto const companions = companions_of(values, nullptr);
  return sort_elements(context, PairsIn<std::uint64_t, Value>{words, companions},
                       PairsOut<std::uint64_t, Value>{words, companions, all.indices}, all.arrays);
}

}  // namespace riffle::detail::sort::samplesort::by_splitters
