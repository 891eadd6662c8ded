#pragma once

// The buckets and parts of a two-level samplesort. One sorted sample determines which elements
// belong to each bucket and part, and how much space each bucket is likely to need.

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include <riffle/backend/backend.hpp>
#include <riffle/primitives/scope.hpp>
#include <riffle/primitives/team_sum.hpp>
#include <riffle/sort/detail/gpu/samplesort/elements.hpp>
#include <riffle/sort/detail/gpu/samplesort/one_level.hpp>
#include <riffle/sort/detail/gpu/samplesort/sort_part.hpp>
#include <riffle/sort/tuning.hpp>

namespace riffle::detail::sort::samplesort::two_levels {

/// Consecutive elements.
struct Range {
  Index begin;
  Index size;
};

// --- the bucket of a word ---

/// Sorted splitters 0, ..., 2^depth - 2 between 2^depth buckets: bucket b contains the words w with
/// splitter b - 1 < w <= splitter b.
///
/// If all splitters have different codes, only codes are compared. Otherwise the comparison depends
/// on the type of words:
/// - Words without an index may be equal, and so may splitters. If splitters b, b + 1, ... are
///   equal, bucket b contains only words that are less than these splitters. Bucket b + 1 contains
///   all words that are equal to them; it does not have to be sorted. The buckets of any further
///   equal splitters are empty.
/// - Two words with an index are never equal, so words with equal codes are compared by index. But
///   the same word may be a splitter twice.
///
/// Splitters are stored twice: in ascending order, and as a search tree, level by level [1]. The
/// tree stores the codes of all nodes first, then their indices. The nodes of a level are
/// consecutive, so lanes that read different nodes of an upper level read different banks. There is
/// no node 0; codes_[0] is instead a flag, which is not 0 if two splitters have equal codes.
///
///     node     1         | 2    3    | 4  5  6  7        (depth 3)
///     splitter 3         | 1    5    | 0  2  4  6
///
/// [1] P. Sanders, S. Winkel, "Super scalar sample sort", ESA (2004), sec. 4.
template <class Word>
class Splitters {
 public:
  using Code = decltype(code_of(Word{}));

  KOKKOS_FUNCTION static constexpr int words(int depth) { return 2 << depth; }

  KOKKOS_FUNCTION Splitters(Word const* words, int depth)
      : codes_(reinterpret_cast<Code const*>(words)),
        in_order_(words + (std::size_t{1} << depth)),
        depth_(depth) {}

  /// Constructs an object for a tree and sorted splitters at different places in memory.
  KOKKOS_FUNCTION Splitters(Word const* tree, Word const* in_order, int depth)
      : codes_(reinterpret_cast<Code const*>(tree)), in_order_(in_order), depth_(depth) {}

  /// Stores splitter(i) for i < 2^depth - 1. All threads of a team call this.
  template <class Member, class Splitter>
  KOKKOS_FUNCTION static void store(Member const& team, Word* words, int depth,
                                    Splitter const& splitter) {
    int const count = 1 << depth;
    auto* const codes = reinterpret_cast<Code*>(words);
    Word* const in_order = words + count;
    if (team.team_rank() == 0) {
      // Node 0 and the last entry of in_order are read, but never used as splitters.
      set_node(codes, 0, depth, Word{});
      in_order[count - 1] = Word{};
    }
    team.team_barrier();
    for (int i = team.team_rank(); i + 1 < count; i += team.team_size()) {
      in_order[i] = splitter(i);
      set_node(codes, i + 1, depth, splitter(index_at(i + 1, depth)));
      if (i > 0 && code_of(splitter(i - 1)) == code_of(splitter(i))) codes[0] = 1;
    }
  }

  /// Finds the bucket of each word. All searches descend one level at a time, together, so that
  /// their reads overlap.
  template <int count>
  KOKKOS_FUNCTION void find(Word const (&words)[count], int (&buckets)[count]) const {
    bool const have_ties = codes_[0] != 0;
    if (has_index<Word> && have_ties) {
      search(words, buckets,
             [&](int node, Word const& word) { return is_node_before(node, word); });
    } else {
      search(words, buckets,
             [&](int node, Word const& word) { return codes_[node] < code_of(word); });
    }
    if constexpr (!has_index<Word>) {
      if (!have_ties) return;
      RIFFLE_UNROLL
      for (int k = 0; k < count; ++k) {
        bool const has_next = buckets[k] + 2 < 1 << depth_;
        if (has_next && in_order_[buckets[k] + 1] == words[k]) ++buckets[k];
      }
    }
  }

  /// Does the same as find(), for `batch` words at a time, because all words at once would take too
  /// many registers.
  template <int batch, int count, class Group>
  KOKKOS_FUNCTION void find_in_batches(Word const (&words)[count], Group (&groups)[count]) const {
    RIFFLE_UNROLL
    for (int first = 0; first < count; first += batch) {
      Word some[batch];
      int found[batch];
      RIFFLE_UNROLL
      for (int k = 0; k < batch; ++k) some[k] = words[first + k];
      find(some, found);
      RIFFLE_UNROLL
      for (int k = 0; k < batch; ++k) groups[first + k] = static_cast<Group>(found[k]);
    }
  }

  /// Whether only codes are compared. If so, a bucket also contains the words that have the code of
  /// its splitter and are greater than the splitter.
  KOKKOS_FUNCTION bool are_by_codes() const { return codes_[0] == 0; }

  /// Whether all words of the bucket are equal to splitter `bucket`.
  KOKKOS_FUNCTION bool has_equal_words_only(int bucket) const {
    return !has_index<Word> && bucket > 0 && bucket + 1 < 1 << depth_ &&
           in_order_[bucket - 1] == in_order_[bucket];
  }

  KOKKOS_FUNCTION Word splitter(int i) const { return in_order_[i]; }

  /// The index of the splitter at a node. Requires: node >= 1.
  KOKKOS_FUNCTION static int index_at(int node, int depth) {
    int level = 0;
    while (2 << level <= node) ++level;
    return (2 * (node - (1 << level)) + 1) * (1 << (depth - 1 - level)) - 1;
  }

 private:
  template <int count, class IsBefore>
  KOKKOS_FUNCTION void search(Word const (&words)[count], int (&buckets)[count],
                              IsBefore const& is_before) const {
    RIFFLE_UNROLL
    for (int k = 0; k < count; ++k) buckets[k] = 1;
    RIFFLE_NO_UNROLL
    for (int level = 0; level < depth_; ++level) {
      RIFFLE_UNROLL
      for (int k = 0; k < count; ++k) {
        buckets[k] = 2 * buckets[k] + static_cast<int>(is_before(buckets[k], words[k]));
      }
    }
    RIFFLE_UNROLL
    for (int k = 0; k < count; ++k) buckets[k] -= 1 << depth_;
  }

  // If words have an index, the indices of all nodes follow the codes of all nodes.
  KOKKOS_FUNCTION static void set_node([[maybe_unused]] Code* codes, int node, int depth,
                                       Word const& splitter) {
    codes[node] = code_of(splitter);
    if constexpr (has_index<Word>) codes[(1 << depth) + node] = splitter.index;
  }

  KOKKOS_FUNCTION bool is_node_before(int node, Word const& word) const {
    if constexpr (has_index<Word>) {
      Word const splitter{codes_[node], static_cast<std::uint32_t>(codes_[(1 << depth_) + node]),
                          0};
      return splitter < word;
    } else {
      return codes_[node] < word;
    }
  }

  Code const* codes_;
  Word const* in_order_;
  int depth_;
};

// --- the division of elements, and its arrays ---

/// There are 2^bucket_depth buckets of 2^part_depth parts each, where part_depth <= bucket_depth <=
/// max_depth. With half the number of buckets and twice the number of parts per bucket, sorts would
/// take slightly longer, since more teams would gather shorter runs.
inline constexpr int max_depth = 10;
inline constexpr int min_bucket_depth = 8;

/// A team that moves elements holds one tile of up to 32 KiB at a time in the registers of its
/// threads.
inline constexpr int threads = 256;
template <class Word>
inline constexpr int items_per_thread = (sizeof(Word) == 16  ? 2048
                                         : sizeof(Word) == 8 ? 4096
                                                             : 6144) /
                                        threads;
template <class Word>
inline constexpr Index tile_size = threads* items_per_thread<Word>;

/// The number of sampled elements between two splitters.
inline constexpr Index sample_per_part = 16;

/// The maximum, over all n, of the average part size in words. The average is between half of this
/// number and this number, since the number of parts is a power of two. For at most
/// max_with_small_parts elements, parts are half as large.
template <class Word>
inline constexpr std::uint64_t part_size = max_in_scratch<Word> / 2;

template <class Word>
inline constexpr std::uint64_t max_elements = part_size<Word> << (2 * max_depth);

/// The division of n elements into buckets, and of each bucket into parts.
template <class Word>
struct BucketDivision {
  explicit constexpr BucketDivision(std::uint64_t n)
      : BucketDivision(n, std::bit_width((n - 1) / (n <= max_with_small_parts ? part_size<Word> / 2
                                                                              : part_size<Word>))) {
  }

  /// Divides n elements into about 2^depth parts in total.
  constexpr BucketDivision(std::uint64_t n, int depth)
      : size(static_cast<Index>(n)),
        bucket_depth(std::clamp((depth + 1) / 2, min_bucket_depth, max_depth)),
        part_depth(std::clamp(depth - bucket_depth, 1, max_depth)) {}

  KOKKOS_FUNCTION Index buckets() const { return Index{1} << bucket_depth; }
  KOKKOS_FUNCTION Index parts() const { return Index{1} << part_depth; }
  KOKKOS_FUNCTION constexpr Index sample_size() const {
    return sample_per_part << (bucket_depth + part_depth);
  }

  /// An upper bound on the number of tiles that are reserved for all buckets, that is, the sum of
  /// tiles_for(). It holds because the square roots of the buckets' sample sizes add up to at most
  /// sqrt(sample_size() * buckets()).
  KOKKOS_FUNCTION Index tiles() const {
    double const per_sampled = static_cast<double>(size) / sample_size();
    double const roots = Kokkos::sqrt(static_cast<double>(sample_size()) * buckets());
    return static_cast<Index>((size + deviations * per_sampled * roots) / tile_size<Word>) +
           2 * buckets();
  }

  /// The number of tiles to reserve for a bucket with `count` sampled elements, at most max_runs.
  /// The tiles have space for the expected number of elements in the bucket plus `deviations`
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
  // With 1024 buckets, about one array in a million has a bucket that does not fit.
  static constexpr double deviations = 6;
};

/// The temporary arrays of a two-level samplesort.
template <class Word>
struct BucketArrays : BucketDivision<Word> {
  BucketArrays(ArrayMemory& memory, BucketDivision<Word> const& division)
      : BucketDivision<Word>(division),
        elements(memory.take<Word>(std::uint64_t{this->tiles()} * tile_size<Word>)),
        sample(memory.take<Word>(this->sample_size())),
        splitters(memory.take<Word>(Splitters<Word>::words(this->bucket_depth))),
        part_splitters(memory.take<Word>(std::uint64_t{this->buckets()} *
                                         Splitters<Word>::words(this->part_depth))),
        are_interpolated(memory.take<std::uint8_t>(this->buckets())),
        part_begins(memory.take<std::uint16_t>(std::uint64_t{this->tiles()} << this->part_depth)),
        ranges(memory.take<Range>(this->buckets())),
        first_tiles(memory.take<Index>(this->buckets() + 1)),
        sizes(memory.take<Index>(this->buckets())),
        begins(memory.take<Index>(this->buckets() + 1)),
        overfull_parts(memory.take<Range>(std::uint64_t{this->buckets()} << this->part_depth)),
        overfull_part_count(memory.take<Index>(1)) {}

  KOKKOS_FUNCTION Splitters<Word> bucket_splitters() const {
    return {splitters, this->bucket_depth};
  }
  KOKKOS_FUNCTION Splitters<Word> splitters_of(Index bucket) const {
    return {part_splitters_of(bucket), this->part_depth};
  }
  /// Where the splitters between a bucket's parts are stored.
  KOKKOS_FUNCTION Word* part_splitters_of(Index bucket) const {
    return part_splitters + std::size_t{bucket} * Splitters<Word>::words(this->part_depth);
  }

  /// Whether a bucket has two known bounds, so that its parts may be found by linear interpolation.
  KOKKOS_FUNCTION bool has_bounds(Index bucket) const {
    return bucket > 0 && bucket + 1 < this->buckets();
  }
  KOKKOS_FUNCTION ClassOf<Word> classes_of(Index bucket) const {
    auto const of_buckets = bucket_splitters();
    auto const b = static_cast<int>(bucket);
    return ClassOf<Word>({of_buckets.splitter(b - 1), of_buckets.splitter(b)}, this->parts());
  }

  /// The index of a bucket's splitter in the sorted sample. If no sampled elements tie, the
  /// splitter is the last sampled element in the bucket.
  KOKKOS_FUNCTION Index last_in_sample(Index bucket) const {
    return ((bucket + 1) * sample_per_part << this->part_depth) - 1;
  }
  /// Whether this bucket and the next one have splitters with equal codes. If not, and if words
  /// have an index, the bucket ends after all words with the code of its splitter.
  KOKKOS_FUNCTION bool shares_code(Index bucket) const {
    return bucket + 2 < this->buckets() &&
           code_of(sample[last_in_sample(bucket + 1)]) == code_of(sample[last_in_sample(bucket)]);
  }

  /// The number of elements for which a bucket has space.
  KOKKOS_FUNCTION Index capacity_of(Index bucket) const {
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

  Word* elements;  // by bucket; each bucket starts at the start of a tile
  Word* sample;
  Word* splitters;
  Word* part_splitters;
  std::uint8_t* are_interpolated;  // for each bucket, whether its parts are found by interpolation
  std::uint16_t* part_begins;      // for each tile, where each part begins in it
  Range* ranges;                   // for each bucket, its range in the sorted sample
  Index* first_tiles;              // for each bucket, its first tile; then the number of all tiles
  Index* sizes;                    // for each bucket; more than capacity_of() if it is overfull
  Index* begins;                   // for each bucket, where it begins in the output
  Range* overfull_parts;           // parts that are left to SortOverfullParts
  Index* overfull_part_count;
};

// --- kernels for the sample ---

/// Reads the sample.
template <class Word, class In>
struct DrawSample {
  DrawSample(In const& in_, BucketArrays<Word> const& arrays)
      : in(in_), sample(arrays.size, arrays.sample_size()), drawn(arrays.sample) {}

  KOKKOS_FUNCTION void operator()(std::uint64_t j) const {
    drawn[j] = in(sample.index(static_cast<Index>(j)));
  }

  In in;
  Sample sample;
  Word* drawn;
};

/// Input of a sort of the sample, whose elements are (word, index) pairs. The index of an element
/// is its position in the sample instead of its index in the input. Ties are sorted in the same
/// order by either index, because the sample is drawn in ascending order of indices in the input.
template <class In>
struct SampleIn {
  using Element = IndexedCode;

  KOKKOS_FUNCTION Element operator()(std::uint64_t j) const {
    auto const place = static_cast<Index>(j);
    return {in(sample.index(place)).code, place, 0};
  }

  In in;
  Sample sample;
};

/// Output of a sort for the sorted sample, whose elements are (word, index) pairs. write() replaces
/// the index, which is a position in the sample, by the index of the element in the input.
struct SampleOut {
  using Element = IndexedCode;

  KOKKOS_FUNCTION void write(std::uint64_t i, Element const& element) const {
    sorted[i] = {element.code, sample.index(element.index), 0};
  }
  KOKKOS_FUNCTION void store_unsorted(std::uint64_t i, Element const& element) const {
    sorted[i] = element;
  }
  KOKKOS_FUNCTION Element load_unsorted(std::uint64_t i) const { return sorted[i]; }

  Sample sample;
  IndexedCode* sorted;
};

/// Finds the range of each bucket in the sorted sample. The range includes all sampled elements
/// that tie with the bucket's splitter. There are exceptions if the next bucket's splitter has the
/// same code. Then, for words with an index, the range ends with the bucket's own splitter. For
/// words without an index, it ends before the elements that tie, because these belong to the next
/// bucket.
template <class Word>
struct FindRanges {
  BucketArrays<Word> arrays;

  KOKKOS_FUNCTION void operator()(std::uint64_t b) const {
    auto const bucket = static_cast<Index>(b);
    Index begin = 0;
    if (bucket > 0) {
      if constexpr (has_index<Word>) {
        begin = end_of(bucket - 1);
      } else {
        begin = end_with_ties(arrays.last_in_sample(bucket - 1));
      }
    }
    arrays.ranges[bucket] = {begin, Kokkos::max(begin, end_of(bucket)) - begin};
  }

 private:
  KOKKOS_FUNCTION Index end_of(Index bucket) const {
    if (bucket + 1 == arrays.buckets()) return arrays.sample_size();
    Index const last = arrays.last_in_sample(bucket);
    if (!arrays.shares_code(bucket)) return end_with_ties(last);
    if constexpr (has_index<Word>) {
      return last + 1;
    } else {
      return search(0, last, [&](Word const& other) { return other < arrays.sample[last]; });
    }
  }

  /// The index after the last sampled element that has the same code as sample[place].
  KOKKOS_FUNCTION Index end_with_ties(Index place) const {
    auto const code = code_of(arrays.sample[place]);
    if (place + 1 == arrays.sample_size() || code_of(arrays.sample[place + 1]) != code) {
      return place + 1;
    }
    return search(place + 1, arrays.sample_size(),
                  [&](Word const& other) { return code_of(other) == code; });
  }

  /// Binary search for the first i in begin, ..., end - 1 for which goes_on(sample[i]) is false.
  /// Returns `end` if there is none. Requires: goes_on(sample[j]) is false for all j > i, too.
  template <class GoesOn>
  KOKKOS_FUNCTION Index search(Index begin, Index end, GoesOn const& goes_on) const {
    while (begin < end) {
      Index const middle = begin + (end - begin) / 2;
      if (goes_on(arrays.sample[middle])) {
        begin = middle + 1;
      } else {
        end = middle;
      }
    }
    return begin;
  }
};

/// Stores the splitters between the parts of each bucket, with one team per bucket. Also stores
/// whether the sample shows that keys are distributed evenly in the bucket; if so, parts are found
/// by interpolation instead of by splitters. One more team stores the splitters between buckets,
/// and reserves tiles for each bucket.
template <class Word>
struct StoreSplitters {
  static constexpr int threads = 1 << min_bucket_depth;
  static constexpr int teams_per_processor = 4;
  static constexpr std::size_t used_bytes = (sizeof(Index) << max_depth) + sizeof(Index);
  static constexpr std::size_t scratch_bytes = used_bytes + 16;

  BucketArrays<Word> arrays;

  int teams() const { return static_cast<int>(arrays.buckets()) + 1; }

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    auto* const memory =
        static_cast<Index*>(team.team_scratch(0).get_shmem_aligned(std::size_t{used_bytes}, 16));
    auto const bucket = static_cast<Index>(team.league_rank());
    if (bucket == arrays.buckets()) {
      place_buckets(team, memory);
      Splitters<Word>::store(team, arrays.splitters, arrays.bucket_depth,
                             [&](int b) { return bucket_splitter(static_cast<Index>(b)); });
      if (team.team_rank() == 0) *arrays.overfull_part_count = 0;
      return;
    }
    auto const [begin, size] = arrays.ranges[bucket];
    Splitters<Word>::store(team, arrays.part_splitters_of(bucket), arrays.part_depth, [&](int i) {
      return part_splitter(bucket, begin, size, static_cast<Index>(i));
    });
    test_spread(team, memory, bucket);
  }

 private:
  /// If a class contains more sampled elements than this, keys are not distributed evenly. The
  /// expected number is 16; fewer than one class in a million exceeds the bound by chance.
  static constexpr Index max_of_class = 40;

  KOKKOS_FUNCTION Word splitter(Index bucket) const {
    return arrays.sample[arrays.last_in_sample(bucket)];
  }

  /// The greatest word of a bucket.
  KOKKOS_FUNCTION Word bucket_splitter(Index bucket) const {
    if constexpr (has_index<Word>) {
      if (!arrays.shares_code(bucket)) return greatest_of_code<Word>(code_of(splitter(bucket)));
    }
    return splitter(bucket);
  }

  /// The splitter at the end of `part`: the last of the bucket's sampled elements in this part.
  KOKKOS_FUNCTION Word part_splitter(Index bucket, Index begin, Index size, Index part) const {
    if (size == 0) return splitter(Kokkos::min(bucket, arrays.buckets() - 2));
    auto const end = static_cast<Index>(std::uint64_t{size} * (part + 1) >> arrays.part_depth);
    return arrays.sample[begin + Kokkos::max(end, Index{1}) - 1];
  }

  /// Counts the bucket's sampled elements by class, and stores in are_interpolated[bucket] whether
  /// keys are distributed evenly.
  template <class Member>
  KOKKOS_FUNCTION void test_spread(Member const& team, Index* counts, Index bucket) const {
    Index* const has_large_class = counts + (std::size_t{1} << max_depth);
    auto const thread = static_cast<Index>(team.team_rank());
    for (Index p = thread; p < arrays.parts(); p += threads) counts[p] = 0;
    if (thread == 0) *has_large_class = 0;
    team.team_barrier();
    auto const [begin, size] = arrays.ranges[bucket];
    bool is_interpolated = arrays.has_bounds(bucket) && size > 0;
    if (is_interpolated) {
      ClassOf<Word> const class_of({splitter(bucket - 1), splitter(bucket)}, arrays.parts());
      is_interpolated = class_of.has_bounds();
      for (Index i = thread; i < size; i += threads) {
        Word const word = arrays.sample[begin + i];
        if (backend::fetch_add_in_scratch(counts + class_of(word), 1) >= max_of_class)
          backend::store_same(has_large_class, 1);
      }
    }
    team.team_barrier();
    if (thread == 0) arrays.are_interpolated[bucket] = is_interpolated && *has_large_class == 0;
  }

  template <class Member>
  KOKKOS_FUNCTION void place_buckets(Member const& team, Index* sums) const {
    Index const per_thread = arrays.buckets() / threads;
    Index const first = static_cast<Index>(team.team_rank()) * per_thread;
    Index sum = 0;
    for (Index b = first; b < first + per_thread; ++b) sum += tiles_of(b);
    Index begin = exclusive_team_sum(team, sums, sum);
    for (Index b = first; b < first + per_thread; ++b) {
      arrays.sizes[b] = 0;
      arrays.first_tiles[b] = begin;
      begin += tiles_of(b);
    }
    if (first + per_thread == arrays.buckets()) arrays.first_tiles[arrays.buckets()] = begin;
  }

  /// The number of tiles reserved for a bucket. It is at least 1, also for buckets that need none.
  KOKKOS_FUNCTION Index tiles_of(Index bucket) const {
    return arrays.tiles_for(arrays.ranges[bucket].size);
  }
};

}  // namespace riffle::detail::sort::samplesort::two_levels
