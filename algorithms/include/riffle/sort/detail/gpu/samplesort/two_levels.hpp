#pragma once

// Two-level samplesort [1] on a GPU, for many numbers, alone or with values of up to 4 bytes.
// Buckets are not counted beforehand, because the sorted sample that divides elements into buckets,
// and buckets into parts, also gives an estimate of the space that each bucket needs (buckets.hpp).
// Elements are read and written three times.
//
//     launch           kernel
//     draw             DrawSample           reads the sample, which is then sorted
//     ranges           FindRanges           finds each bucket's range in the sorted sample
//     splitters        StoreSplitters       stores search trees; reserves tiles for each bucket
//     scatter          ScatterToBuckets     moves elements to the tiles of their buckets
//     overfull         CountOverfullBuckets counts buckets whose space is too small
//     begin            FindBucketBegins     finds where each bucket begins in the output
//     split            SplitBuckets         puts each tile of a bucket in the order of its parts
//     sort_parts       SortBucketParts      sorts each part, from its runs in the tiles to the output
//     overfull_parts   SortOverfullParts    sorts the parts that do not fit in scratch memory
//
//                  bucket 0        bucket 1
//     scatter      | tile | tile | | tile | tile |    any order within a bucket
//     split        |abcd  |abbd  | |efgh  |eegh  |    each tile in the order of the parts a, b, ...
//     sort_parts   |aa|bbb|c|dd|   |eee|f|gg|hh|      in the output
//
// If a bucket is overfull, the sort stops before `begin`, with nothing written to the output.
//
// [1] W. D. Frazer, A. C. McKellar, "Samplesort: a sampling approach to minimal storage tree
//     sorting", J. ACM 17 (1970).

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
#include <riffle/sort/detail/gpu/samplesort/buckets.hpp>
#include <riffle/sort/detail/gpu/samplesort/elements.hpp>
#include <riffle/sort/detail/gpu/samplesort/one_level.hpp>
#include <riffle/sort/detail/gpu/samplesort/sort_part.hpp>
#include <riffle/sort/tuning.hpp>

namespace riffle::detail::sort::samplesort::two_levels {

// --- parts of a bucket ---

/// Sorts a part and writes it to the output, starting at index `begin`. If the part does not fit in
/// scratch memory, or a class is overfull (see ClassSorter), stores the part in the output
/// unsorted, and adds it to the list of overfull parts.
template <class Word, class Out, int threads>
class PartSorter {
 public:
  using Runs = PartRuns<Word, threads>;
  using Classes = ClassSorter<Word, threads>;
  static_assert(Runs::bytes <= Classes::words_bytes);

  KOKKOS_FUNCTION PartSorter(Out const& out, BucketArrays<Word> const& arrays, Runs const& runs,
                             Index begin)
      : out_(out), arrays_(arrays), runs_(runs), begin_(begin) {}

  /// Writes a part whose words are all equal.
  KOKKOS_FUNCTION void write_ties(Word const& word, Index thread) const {
    for (Index i = thread; i < runs_.size(); i += threads) out_.write(begin_ + i, word);
  }

  /// All threads of the team call this. The classes and the runs may use the same scratch memory.
  template <class Member>
  KOKKOS_FUNCTION void sort(Member const& team, Classes const& classes,
                            Bounds<Word> const& bounds) const {
    Word words[Classes::items_per_thread];
    runs_.template load_own<batch>(static_cast<Index>(team.team_rank()), words);
    bool const is_sorted = classes.sort(
        team, words, runs_.size(), bounds,
        [&](Index i, Word const& word) { out_.write(begin_ + i, word); },
        [&](Index i, Word const& word) { out_.store_unsorted(begin_ + i, word); });
    if (!is_sorted) note_overfull(team);
  }

  /// Stores a part unsorted.
  template <class Member>
  KOKKOS_FUNCTION void store_unsorted(Member const& team) const {
    for (auto first = static_cast<Index>(team.team_rank()); first < runs_.size();
         first += batch * threads) {
      Word elements[batch];
      runs_.template load<batch>(first, threads, elements);
      RIFFLE_UNROLL
      for (int k = 0; k < batch; ++k) {
        Index const i = first + static_cast<Index>(k * threads);
        if (i < runs_.size()) out_.store_unsorted(begin_ + i, elements[k]);
      }
    }
    note_overfull(team);
  }

 private:
  static constexpr int batch = 4;

  template <class Member>
  KOKKOS_FUNCTION void note_overfull(Member const& team) const {
    if (team.team_rank() != 0) return;
    auto const place = Kokkos::atomic_fetch_add(arrays_.overfull_part_count, Index{1});
    arrays_.overfull_parts[place] = {begin_, runs_.size()};
  }

  Out const& out_;
  BucketArrays<Word> const& arrays_;
  Runs const& runs_;
  Index begin_;
};

/// Sorts the overfull parts in place by a bitonic network: team t sorts the parts t, t + teams(),
/// ... of the list.
template <class Word, class Out>
struct SortOverfullParts {
  static constexpr int threads = 256;
  static constexpr int teams_per_processor = 3;

  Out out;
  BucketArrays<Word> arrays;

  // More teams than run at a time on large GPUs.
  KOKKOS_FUNCTION static constexpr int teams() { return 512; }
  using Network = PartBitonicSorter<Word, Out, threads>;
  static constexpr std::size_t alignment = 16;
  static constexpr std::size_t scratch_bytes = Network::bytes + alignment;

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    void* const memory = team.team_scratch(0).get_shmem_aligned(
        std::size_t{Network::bytes}, static_cast<std::ptrdiff_t>(alignment));
    Index const count = *arrays.overfull_part_count;
    RIFFLE_NO_UNROLL
    for (auto i = static_cast<Index>(team.league_rank()); i < count; i += teams()) {
      auto const [begin, size] = arrays.overfull_parts[i];
      Network(out, begin, size, memory).sort(team);
      for (Index k = static_cast<Index>(team.team_rank()); k < size; k += threads) {
        out.write(begin + k, out.load_unsorted(begin + k));
      }
      team.team_barrier();
    }
  }
};

// --- sorts the elements of a tile by up to 2^max_depth groups ---
//
// The groups are buckets or parts. Elements are moved through scratch memory; their order within a
// group is unspecified.

/// The counters of groups, in scratch memory. Thread t owns the counters t, t + threads, ..., so
/// that neighbouring threads access neighbouring counters.
class GroupCounters {
 public:
  static constexpr int most_per_thread = (1 << max_depth) / threads;
  static constexpr std::size_t bytes =
      (std::size_t{1} << max_depth) * sizeof(Index) + threads / backend::width * sizeof(Index);

  KOKKOS_FUNCTION GroupCounters(void* memory, Index thread, Index groups)
      : counters_(static_cast<Index*>(memory)), thread_(thread), groups_(groups) {}

  /// A team barrier is needed between this call and rank().
  KOKKOS_FUNCTION void clear() const {
    for_each_own([&](Index group, int) { counters_[group] = 0; });
  }

  /// Counts an element of a group. Returns the number of elements of this group that were counted
  /// before.
  KOKKOS_FUNCTION Index rank(Index group) const {
    return backend::fetch_add_in_scratch(counters_ + group, 1);
  }

  /// Called after all calls of rank(). Replaces the count of each group by the index at which the
  /// group begins in the tile.
  template <class Member>
  KOKKOS_FUNCTION void scan(Member const& team) const {
    team.team_barrier();
    // Here, each thread sums the counts of consecutive groups, not of the groups that it owns.
    Index const per_thread = (groups_ + threads - 1) / threads;
    Index const first = Kokkos::min(thread_ * per_thread, groups_);
    Index const end = Kokkos::min(first + per_thread, groups_);
    Index sum = 0;
    for (Index group = first; group < end; ++group) sum += counters_[group];
    Index begin = exclusive_team_sum<threads / backend::width>(
        team, counters_ + (std::size_t{1} << max_depth), sum);
    for (Index group = first; group < end; ++group) {
      Index const count = counters_[group];
      counters_[group] = begin;
      begin += count;
    }
    team.team_barrier();
  }

  /// Calls f(group, k) for the k-th group that this thread owns.
  template <class F>
  KOKKOS_FUNCTION void for_each_own(F const& f) const {
    RIFFLE_UNROLL
    for (int k = 0; k < most_per_thread; ++k) {
      Index const group = static_cast<Index>(k * threads) + thread_;
      if (group < groups_) f(group, k);
    }
  }

  KOKKOS_FUNCTION Index& operator[](Index group) const { return counters_[group]; }

  /// The number of elements in a group, where `all` is the number of elements in the tile. Called
  /// after scan().
  KOKKOS_FUNCTION Index count(Index group, Index all) const {
    return (group + 1 < groups_ ? counters_[group + 1] : all) - counters_[group];
  }

 private:
  Index* counters_;
  Index thread_;
  Index groups_;
};

/// The number of elements of a thread whose groups are searched for at the same time.
template <class Word>
inline constexpr int batch = sizeof(Word) == 16                ? 4
                             : items_per_thread<Word> % 8 == 0 ? 8
                                                               : items_per_thread<Word> / 2;

/// Copies the nodes of a tree to scratch memory. The splitters in ascending order stay in global
/// memory, since they are read only to handle ties.
template <class Word>
KOKKOS_FUNCTION void load_tree(Word const* from, int depth, Word* nodes, int thread) {
  RIFFLE_NO_UNROLL
  for (int i = thread; i < 1 << depth; i += threads) nodes[i] = from[i];
}

// --- passes over all elements ---

/// Moves elements to their buckets. A team takes a tile of the input, and writes a run of elements
/// to each bucket. If a bucket has no space for a run, the run is only counted.
template <class Word, class In>
struct ScatterToBuckets {
  static constexpr int items_per_thread = two_levels::items_per_thread<Word>;
  static constexpr Index tile_size = two_levels::tile_size<Word>;
  static constexpr int threads = two_levels::threads;
  static constexpr int teams_per_processor = 3;

  In in;
  BucketArrays<Word> arrays;

  int teams() const { return static_cast<int>((arrays.size + tile_size - 1) / tile_size); }
  static constexpr std::size_t alignment = 16;
  // When the bucket of every element has been found, the tree is not needed any more, and the
  // elements are staged in its memory.
  static constexpr std::size_t staged_bytes =
      std::max(tile_size * sizeof(Word), sizeof(Word) << max_depth);
  static constexpr std::size_t used_bytes =
      staged_bytes + GroupCounters::bytes + tile_size * sizeof(std::uint16_t);
  static constexpr std::size_t scratch_bytes = used_bytes + alignment;

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    auto* const memory = static_cast<std::byte*>(team.team_scratch(0).get_shmem_aligned(
        std::size_t{used_bytes}, static_cast<std::ptrdiff_t>(alignment)));
    auto* const words = reinterpret_cast<Word*>(memory);
    auto* const bucket_at =
        reinterpret_cast<std::uint16_t*>(memory + staged_bytes + GroupCounters::bytes);
    auto const thread = static_cast<Index>(team.team_rank());
    Index const first = static_cast<Index>(team.league_rank()) * tile_size;
    Index const size = Kokkos::min(Index{tile_size}, arrays.size - first);
    GroupCounters const counters(memory + staged_bytes, thread, arrays.buckets());
    counters.clear();
    load_tree(arrays.splitters, arrays.bucket_depth, words, team.team_rank());
    Word elements[items_per_thread] = {};
    read_elements(in, first + thread, threads, first + size, elements);
    team.team_barrier();
    // Bits 0-15: bucket. Bits 16-31: rank of the element within its tile and bucket.
    std::uint32_t ranks[items_per_thread];
    Splitters<Word>(words, arrays.splitters + arrays.buckets(), arrays.bucket_depth)
        .template find_in_batches<batch<Word>>(elements, ranks);
    RIFFLE_UNROLL
    for (int k = 0; k < items_per_thread; ++k) {
      if (place(k, thread) < size) ranks[k] |= counters.rank(ranks[k]) << 16;
    }
    counters.scan(team);
    Index shifts[owned] = {};
    reserve(counters, size, shifts);
    RIFFLE_UNROLL
    for (int k = 0; k < items_per_thread; ++k) {
      if (place(k, thread) >= size) continue;
      Index const to = counters[ranks[k] & 0xFFFF] + (ranks[k] >> 16);
      words[to] = elements[k];
      bucket_at[to] = static_cast<std::uint16_t>(ranks[k]);
    }
    team.team_barrier();
    counters.for_each_own([&](Index bucket, int k) { counters[bucket] = shifts[k]; });
    team.team_barrier();
    RIFFLE_UNROLL
    for (int k = 0; k < items_per_thread; ++k) {
      if (place(k, thread) >= size) continue;
      Index const shift = counters[bucket_at[place(k, thread)]];
      if (shift != no_place) arrays.elements[shift + place(k, thread)] = words[place(k, thread)];
    }
  }

 private:
  static constexpr int owned = GroupCounters::most_per_thread;
  // No valid shift has this value, because shifts are not negative: counters[0] is 0, and the space
  // of every other bucket begins at index tile_size or later.
  static constexpr Index no_place = ~Index{0};

  KOKKOS_FUNCTION static Index place(int k, Index thread) {
    return static_cast<Index>(k * threads) + thread;
  }

  /// Reserves space for the elements in the buckets that this thread owns. Sets shifts[k] for the
  /// k-th of these buckets: an element at index i of the sorted tile moves to index i + shifts[k],
  /// modulo 2^32, of arrays.elements. If the bucket has no space, shifts[k] is no_place.
  KOKKOS_FUNCTION void reserve(GroupCounters const& counters, Index size,
                               Index (&shifts)[owned]) const {
    // All atomic operations are started before the first result is used.
    counters.for_each_own([&](Index bucket, int k) {
      shifts[k] = Kokkos::atomic_fetch_add(arrays.sizes + bucket, counters.count(bucket, size));
    });
    counters.for_each_own([&](Index bucket, int k) {
      bool const fits = shifts[k] + counters.count(bucket, size) <= arrays.capacity_of(bucket);
      shifts[k] += arrays.first_tiles[bucket] * tile_size - counters[bucket];
      if (!fits) shifts[k] = no_place;
    });
  }
};

/// Finds the index at which each bucket begins in the output, with one team.
template <class Word>
struct FindBucketBegins {
  static constexpr int threads = 1 << min_bucket_depth;
  static constexpr int teams_per_processor = 1;
  static constexpr std::size_t sum_bytes = threads / backend::width * sizeof(Index);
  static constexpr std::size_t scratch_bytes = sum_bytes + 16;

  BucketArrays<Word> arrays;

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    auto* const sums =
        static_cast<Index*>(team.team_scratch(0).get_shmem_aligned(std::size_t{sum_bytes}, 16));
    Index const per_thread = arrays.buckets() / threads;
    Index const first = static_cast<Index>(team.team_rank()) * per_thread;
    Index sum = 0;
    for (Index b = first; b < first + per_thread; ++b) sum += arrays.sizes[b];
    Index begin = exclusive_team_sum(team, sums, sum);
    for (Index b = first; b < first + per_thread; ++b) {
      arrays.begins[b] = begin;
      begin += arrays.sizes[b];
    }
  }
};

/// Counts the buckets whose elements exceed their space. Buckets of equal words need no space.
template <class Word>
struct CountOverfullBuckets {
  BucketArrays<Word> arrays;

  KOKKOS_FUNCTION void operator()(std::uint64_t b, std::uint32_t& count) const {
    auto const bucket = static_cast<Index>(b);
    if (arrays.bucket_splitters().has_equal_words_only(static_cast<int>(bucket))) return;
    if (arrays.sizes[bucket] > arrays.capacity_of(bucket)) ++count;
  }
};

/// Reorders the elements of each tile in a bucket by part, in place, with one team per tile.
template <class Word>
struct SplitBuckets {
  static constexpr int items_per_thread = two_levels::items_per_thread<Word>;
  static constexpr Index tile_size = two_levels::tile_size<Word>;
  static constexpr int threads = two_levels::threads;
  static constexpr int teams_per_processor = 3;

  BucketArrays<Word> arrays;

  int teams() const { return static_cast<int>(arrays.tiles()); }
  static constexpr std::size_t alignment = 16;
  // When the part of every element has been found, the tree is not needed any more, and the
  // elements are staged in its memory.
  static constexpr std::size_t staged_bytes =
      std::max(tile_size * sizeof(Word), sizeof(Word) << max_depth);
  static constexpr std::size_t used_bytes = staged_bytes + GroupCounters::bytes;
  static constexpr std::size_t scratch_bytes = used_bytes + alignment;

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    auto const tile = static_cast<Index>(team.league_rank());
    if (tile >= arrays.first_tiles[arrays.buckets()]) return;
    auto* const memory = static_cast<std::byte*>(team.team_scratch(0).get_shmem_aligned(
        std::size_t{used_bytes}, static_cast<std::ptrdiff_t>(alignment)));
    Index const bucket = find_bucket(team, memory, tile);
    auto const thread = static_cast<Index>(team.team_rank());
    Index const before = (tile - arrays.first_tiles[bucket]) * tile_size;
    if (before >= arrays.sizes[bucket]) return;
    Index const size = Kokkos::min(Index{tile_size}, arrays.sizes[bucket] - before);
    auto* const words = reinterpret_cast<Word*>(memory);
    Word* const own = arrays.elements + std::size_t{tile} * tile_size;
    GroupCounters const counters(memory + staged_bytes, thread, arrays.parts());
    counters.clear();
    bool const is_interpolated = arrays.are_interpolated[bucket] != 0;
    if (!is_interpolated) {
      load_tree(arrays.part_splitters_of(bucket), arrays.part_depth, words, team.team_rank());
    }
    Word elements[items_per_thread] = {};
    RIFFLE_UNROLL
    for (int k = 0; k < items_per_thread; ++k) {
      if (place(k, thread) < size) elements[k] = own[place(k, thread)];
    }
    team.team_barrier();
    // Bits 0-15: part. Bits 16-31: rank of the element within its tile and part.
    std::uint32_t ranks[items_per_thread];
    if (is_interpolated) {
      ClassOf<Word> const class_of = arrays.classes_of(bucket);
      RIFFLE_UNROLL
      for (int k = 0; k < items_per_thread; ++k) ranks[k] = class_of(elements[k]);
    } else {
      Splitters<Word>(words, arrays.part_splitters_of(bucket) + arrays.parts(), arrays.part_depth)
          .template find_in_batches<batch<Word>>(elements, ranks);
    }
    RIFFLE_UNROLL
    for (int k = 0; k < items_per_thread; ++k) {
      if (place(k, thread) < size) ranks[k] |= counters.rank(ranks[k]) << 16;
    }
    counters.scan(team);
    std::uint16_t* const row = arrays.part_begins + (std::uint64_t{tile} << arrays.part_depth);
    counters.for_each_own(
        [&](Index part, int) { row[part] = static_cast<std::uint16_t>(counters[part]); });
    RIFFLE_UNROLL
    for (int k = 0; k < items_per_thread; ++k) {
      if (place(k, thread) >= size) continue;
      words[counters[ranks[k] & 0xFFFF] + (ranks[k] >> 16)] = elements[k];
    }
    team.team_barrier();
    RIFFLE_UNROLL
    for (int k = 0; k < items_per_thread; ++k) {
      if (place(k, thread) < size) own[place(k, thread)] = words[place(k, thread)];
    }
  }

 private:
  KOKKOS_FUNCTION static Index place(int k, Index thread) {
    return static_cast<Index>(k * threads) + thread;
  }

  /// Finds the bucket of a tile; each thread tests some buckets.
  template <class Member>
  KOKKOS_FUNCTION Index find_bucket(Member const& team, void* memory, Index tile) const {
    auto* const found = static_cast<Index*>(memory);
    for (auto b = static_cast<Index>(team.team_rank()); b < arrays.buckets(); b += threads) {
      if (arrays.first_tiles[b] <= tile && tile < arrays.first_tiles[b + 1]) *found = b;
    }
    team.team_barrier();
    Index const bucket = *found;
    team.team_barrier();
    return bucket;
  }
};

/// Sorts each part of each bucket with one team, from its runs in the bucket's tiles to the output.
/// Overfull parts are stored unsorted. In a bucket of equal words, each team writes a share of the
/// words.
template <class Word, class Out>
struct SortBucketParts {
  static constexpr int threads = 128;
  static constexpr int teams_per_processor = sizeof(Word) <= 4 ? 6 : sizeof(Word) <= 8 ? 8 : 5;

  Out out;
  BucketArrays<Word> arrays;

  int teams() const { return static_cast<int>(arrays.buckets() << arrays.part_depth); }
  using Sorter = PartSorter<Word, Out, threads>;
  using Runs = typename Sorter::Runs;
  using Classes = typename Sorter::Classes;
  static constexpr std::size_t alignment = 16;
  static constexpr std::size_t scratch_bytes = Classes::bytes + alignment;

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    Index const bucket = static_cast<Index>(team.league_rank()) >> arrays.part_depth;
    Index const part = static_cast<Index>(team.league_rank()) & (arrays.parts() - 1);
    auto const thread = static_cast<Index>(team.team_rank());
    if (arrays.sizes[bucket] == 0) return;
    if (arrays.bucket_splitters().has_equal_words_only(static_cast<int>(bucket))) {
      write_share_of_ties(bucket, part, thread);
      return;
    }
    void* const memory = team.team_scratch(0).get_shmem_aligned(
        std::size_t{Classes::bytes}, static_cast<std::ptrdiff_t>(alignment));
    // The constructor of `runs` uses memory that contains the words later.
    auto const tiles = arrays.tiles_of(bucket);
    Runs const runs(team, memory, tiles, part);
    Index const begin = arrays.begins[bucket] + static_cast<Index>(runs.begin()) - tiles.begin;
    auto const splitters = arrays.splitters_of(bucket);
    bool const is_interpolated = arrays.are_interpolated[bucket] != 0;
    Sorter const sorter(out, arrays, runs, begin);
    if (!is_interpolated && splitters.has_equal_words_only(static_cast<int>(part))) {
      sorter.write_ties(splitters.splitter(static_cast<int>(part)), thread);
    } else if (runs.size() > max_in_scratch<Word>) {
      sorter.store_unsorted(team);
    } else if (runs.size() > 0) {
      sorter.sort(team, Classes(memory, thread),
                  is_interpolated ? bounds_of_class(bucket, part) : bounds_of(bucket, part));
    }
  }

 private:
  KOKKOS_FUNCTION void write_share_of_ties(Index bucket, Index part, Index thread) const {
    Word const word = arrays.bucket_splitters().splitter(static_cast<int>(bucket));
    std::uint64_t const size = arrays.sizes[bucket];
    auto const begin = static_cast<Index>(size * part >> arrays.part_depth);
    auto const end = static_cast<Index>(size * (part + 1) >> arrays.part_depth);
    for (Index i = begin + thread; i < end; i += threads) {
      out.write(arrays.begins[bucket] + i, word);
    }
  }

  KOKKOS_FUNCTION Bounds<Word> bounds_of(Index bucket, Index part) const {
    auto const all = arrays.bucket_splitters();
    auto const own = arrays.splitters_of(bucket);
    auto const b = static_cast<int>(bucket);
    auto const p = static_cast<int>(part);
    bool const is_last = part + 1 == arrays.parts();
    if ((part == 0 && bucket == 0) || (is_last && bucket + 1 == arrays.buckets())) {
      return {Word{}, Word{}, false};
    }
    Bounds<Word> bounds{part > 0 ? own.splitter(p - 1) : all.splitter(b - 1),
                        is_last ? all.splitter(b) : own.splitter(p), true};
    if constexpr (has_index<Word>) {
      // If splitters were compared by codes only, the part also contains words that have the code
      // of its splitter and are greater than the splitter.
      if (!is_last && own.are_by_codes()) {
        bounds.greatest = greatest_of_code<Word>(bounds.greatest.code);
      }
    }
    return bounds;
  }

  KOKKOS_FUNCTION Bounds<Word> bounds_of_class(Index bucket, Index part) const {
    ClassOf<Word> const classes = arrays.classes_of(bucket);
    Word const greatest = part + 1 < arrays.parts()
                              ? greatest_below(classes.least_of(part + 1))
                              : arrays.bucket_splitters().splitter(static_cast<int>(bucket));
    return {classes.least_of(part), greatest, true};
  }
};

// --- sorts ---

/// The smallest n for which numbers are sorted with two levels.
inline constexpr std::uint64_t min_elements = max_one_level<std::uint64_t> + 1;
static_assert(max_two_levels<std::uint64_t> <= max_elements<std::uint64_t>);
// The sample of pairs is sorted with one level.
static_assert(BucketDivision<IndexedCode>(max_pairs_two_levels<std::uint64_t, std::uint32_t>)
                  .sample_size() <= one_level::max_elements<IndexedCode>);

/// Launches the kernels in order, by launch(name, teams, kernel). distribute() is called when the
/// sample has been sorted and the range of each bucket in it has been found. sort() is called next,
/// but only if no bucket is overfull.
template <class Word, class In, class Out, class Launch>
class Passes {
 public:
  Passes(In const& in, Out const& out, BucketArrays<Word> const& arrays, Launch const& launch)
      : in_(in), out_(out), arrays_(arrays), launch_(launch) {}

  void distribute() const {
    ScatterToBuckets<Word, In> const scatter{in_, arrays_};
    StoreSplitters<Word> const splitters{arrays_};
    launch_("splitters", splitters.teams(), splitters);
    launch_("scatter", scatter.teams(), scatter);
  }

  void sort() const {
    SplitBuckets<Word> const split{arrays_};
    SortBucketParts<Word, Out> const sort_parts{out_, arrays_};
    SortOverfullParts<Word, Out> const overfull{out_, arrays_};
    launch_("begin", 1, FindBucketBegins<Word>{arrays_});
    launch_("split", split.teams(), split);
    launch_("sort_parts", sort_parts.teams(), sort_parts);
    launch_("overfull_parts", overfull.teams(), overfull);
  }

 private:
  In in_;
  Out out_;
  BucketArrays<Word> arrays_;
  Launch launch_;
};

template <class Word, class Exec, class In, class Out>
bool sort_elements(Context<Exec> const& context, In const& in, Out const& out,
                   BucketArrays<Word> const& arrays);

/// Draws the sample and sorts it. Returns false if the sort of a large sample finds an overfull
/// bucket. Fences if the sample is large.
template <class Word, class Exec, class In>
bool sort_sample(Context<Exec> const& context, In const& in, BucketArrays<Word> const& arrays) {
  std::uint64_t const n = arrays.sample_size();
  if constexpr (has_index<Word>) {
    Sample const sample(arrays.size, arrays.sample_size());
    one_level::sort_elements(context.named("sample"), n, SampleIn<In>{in, sample},
                             SampleOut{sample, arrays.sample});
    return true;
  } else {
    context.named("draw").for_each(n, DrawSample<Word, In>(in, arrays));
    NumberWords<Word> const sample{arrays.sample, 1, {}};
    NumbersIn<Word> const drawn{sample};
    NumbersOut<Word> const sorted{sample};
    if (n < min_elements) {
      one_level::sort_elements(context.named("sample"), n, drawn, sorted);
      return true;
    }
    // The sample of a sample has fewer than min_elements elements, so it is sorted with one level,
    // and the recursion ends.
    Scope scope(context);
    return sort_elements(context.named("sample"), drawn, sorted,
                         scope.arrays([&](ArrayMemory& memory) {
                           return BucketArrays<Word>(memory, BucketDivision<Word>(n));
                         }));
  }
}

/// Sorts n elements from `in` to `out`, which may be the same memory. Returns false if a bucket is
/// overfull; nothing is written then. Fences.
template <class Word, class Exec, class In, class Out>
bool sort_elements(Context<Exec> const& context, In const& in, Out const& out,
                   BucketArrays<Word> const& arrays) {
  auto const launch = launcher_of(context);
  Passes<Word, In, Out, decltype(launch)> const passes(in, out, arrays, launch);
  if (!sort_sample(context, in, arrays)) return false;
  context.named("ranges").for_each(arrays.buckets(), FindRanges<Word>{arrays});
  passes.distribute();
  std::uint32_t overfull = 0;
  Kokkos::parallel_reduce(context.named("overfull").label(),
                          range(context.exec(), 0, arrays.buckets()),
                          CountOverfullBuckets<Word>{arrays}, overfull);
  if (overfull > 0) return false;
  passes.sort();
  return true;
}

/// Does the same as sort_elements(), for numbers.
template <class Order, class Exec, class In, class Out>
bool sort_numbers(Context<Exec> const& context, In const& in, Out const& out) {
  using Word = RadixWord<typename Out::non_const_value_type>;
  BucketDivision<Word> const division(out.extent(0));
  Scope scope(context);
  return sort_elements(
      context, NumbersIn<Word>{words_of<Order>(in)}, NumbersOut<Word>{words_of<Order>(out)},
      scope.arrays([&](ArrayMemory& memory) { return BucketArrays<Word>(memory, division); }));
}

/// Does the same as sort_elements(), for 8-byte numbers with values of up to 4 bytes, in place.
template <class Order, class Exec, class Keys, class Values>
bool sort_pairs(Context<Exec> const& context, Keys const& keys, Values const& values) {
  using Value = PayloadOf<Values>;
  std::uint64_t const n = keys.extent(0);
  Scope scope(context);
  auto* const indices = scope.template take<Index>(n);
  auto const words = words_of<Order>(keys);
  auto const payloads = payloads_of(values, nullptr);
  return sort_elements(context, PairsIn<std::uint64_t, Value>{words, payloads},
                       PairsOut<std::uint64_t, Value>{words, payloads, indices},
                       scope.arrays([&](ArrayMemory& memory) {
                         return BucketArrays<IndexedCode>(memory, BucketDivision<IndexedCode>(n));
                       }));
}

}  // namespace riffle::detail::sort::samplesort::two_levels
