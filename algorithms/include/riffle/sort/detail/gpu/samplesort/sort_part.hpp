#pragma once

// Sorts a part with a team of a GPU. The words of a part are in several tiles. Those in one tile
// are consecutive, and are called a run of the part.
//
//     tile 0             tile 1             tile 2
//     +----+======+---+  +--+=======+----+  +------+===+--+      each tile is in the order of parts
//     +----+======+---+  +--+=======+----+  +------+===+--+
//               \               |              /
//                 +=============+===========+                    PartRuns reads the runs of a part as one sequence,
//                 +=============+===========+                    ClassSorter or PartBitonicSorter sorts it

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

#include <riffle/backend/backend.hpp>
#include <riffle/primitives/team_sum.hpp>
#include <riffle/random/integers.hpp>
#include <riffle/sort/detail/gpu/samplesort/elements.hpp>

namespace riffle::detail::sort::samplesort {

/// The maximum number of words in a part that is sorted in scratch memory, in which they take 16 or
/// 32 KiB. With one level of splitters, the average part has a quarter of this number. With two
/// levels, it has between a quarter and half of this number, or between an eighth and a quarter if
/// there are at most max_with_small_parts elements.
template <class Word>
inline constexpr Index max_in_scratch = sizeof(Word) <= 4 ? 4096 : 2048;
/// The maximum number of tiles that can contain runs of a part.
inline constexpr Index max_runs = 512;

/// Elements in consecutive tiles, of which only the last may have fewer than tile_size elements.
/// part_begins[tile * parts + part] is the index at which the part begins in the tile.
template <class Word>
struct TilesOfParts {
  Word const* elements;
  std::uint16_t const* part_begins;
  Index parts;
  Index begin;  // the index in `elements` at which the first tile begins
  Index size;   // the number of elements in all tiles
  Index tile_size;
  Index tiles;  // at most max_runs
};

/// Gives access to the runs of a part as one sequence, in which each run follows the previous one.
/// The positions in the sequence at which runs begin are stored in the scratch memory of the team,
/// which has `threads` threads.
template <class T, int threads>
class PartRuns {
 public:
  static constexpr std::size_t sum_bytes = threads / backend::width * sizeof(std::uint64_t);
  static constexpr std::size_t bytes = sum_bytes + 2 * max_runs * sizeof(Index);

  /// Finds the runs. All threads of the team call this; it ends with a team barrier. `memory` is
  /// aligned to 8 bytes.
  template <class Member>
  KOKKOS_FUNCTION PartRuns(Member const& team, void* memory, TilesOfParts<T> const& tiles,
                           Index part)
      : elements_(tiles.elements),
        starts_(reinterpret_cast<Index*>(static_cast<std::byte*>(memory) + sum_bytes)) {
    auto* const sums = static_cast<std::uint64_t*>(memory);
    Index const count = tiles.tiles;
    Index const whole = count < 2 ? 1 : Index{2} << backend::highest_one(count - 1);
    half_ = whole / 2;
    // Bits 32-63 of a sum count the elements of lower parts in the tiles; in the output, all of
    // these precede the part. Bits 0-31 count the elements of this part.
    std::uint64_t sum = 0;
    RIFFLE_NO_UNROLL
    for (Index first = 0; first < whole; first += threads) {
      Index const run = first + static_cast<Index>(team.team_rank());
      std::uint64_t const own = run < count ? run_of(tiles, part, run) : 0;
      std::uint64_t all;
      auto const start = static_cast<Index>(sum + exclusive_team_sum(team, sums, own, all));
      if (run < whole) starts_[run] = run < count ? start : ~Index{0};
      // Differences wrap around, as unsigned integers do.
      if (run < count) {
        starts_[max_runs + run] =
            tiles.begin + run * tiles.tile_size + static_cast<Index>(own >> 32) - start;
      }
      sum += all;
      team.team_barrier();
    }
    begin_ = tiles.begin + (sum >> 32);
    size_ = static_cast<Index>(sum);
  }

  /// The index of the part's first element among all sorted elements.
  KOKKOS_FUNCTION std::uint64_t begin() const { return begin_; }
  KOKKOS_FUNCTION Index size() const { return size_; }

  /// Loads the elements first, first + step, ... of the sequence, as far as they exist.
  template <int count>
  KOKKOS_FUNCTION void load(Index first, Index step, T* elements) const {
    // The run of each element, as a pointer to its entry in starts_.
    Index const* runs[count];
    RIFFLE_UNROLL
    for (int k = 0; k < count; ++k) runs[k] = starts_;
    RIFFLE_UNROLL
    for (Index half = max_runs / 2; half > 0; half /= 2) {
      if (half > half_) continue;
      // The binary searches for all elements take each step together, so that their reads overlap.
      RIFFLE_UNROLL
      for (int k = 0; k < count; ++k) {
        if (runs[k][half] <= first + static_cast<Index>(k) * step) runs[k] += half;
      }
    }
    RIFFLE_UNROLL
    for (int k = 0; k < count; ++k) {
      Index const i = first + static_cast<Index>(k) * step;
      if (i < size_) elements[k] = elements_[runs[k][max_runs] + i];
    }
  }

  /// Loads the elements thread, thread + threads, ... of the sequence, `batch` at a time, as far as
  /// they exist.
  template <int batch, int count>
  KOKKOS_FUNCTION void load_own(Index thread, T (&elements)[count]) const {
    RIFFLE_UNROLL
    for (int first = 0; first < count; first += batch) {
      if (static_cast<Index>(first * threads) >= size_) break;
      T loaded[batch] = {};
      load<batch>(static_cast<Index>(first * threads) + thread, threads, loaded);
      RIFFLE_UNROLL
      for (int k = 0; k < batch; ++k) elements[first + k] = loaded[k];
    }
  }

 private:
  KOKKOS_FUNCTION static std::uint64_t run_of(TilesOfParts<T> const& tiles, Index part, Index run) {
    std::uint16_t const* const begins = tiles.part_begins + std::uint64_t{run} * tiles.parts;
    Index const begin = begins[part];
    Index const end = part + 1 < tiles.parts
                          ? begins[part + 1]
                          : Kokkos::min(tiles.tile_size, tiles.size - run * tiles.tile_size);
    return std::uint64_t{begin} << 32 | (end - begin);
  }

  T const* elements_;
  // starts_[r] is the position in the sequence at which run r starts. The entries after the last
  // run, up to the next power of two, contain the largest Index. starts_[max_runs + r] is the
  // offset to add to a position in run r to get its index in elements_.
  Index* starts_;
  Index half_;
  std::uint64_t begin_;
  Index size_;
};

// --- by classes ---
//
// A team sorts words by classes [1]. Linear interpolation between bounds maps each word to a class.
// The words of each class are moved next to each other, and each word is compared with the others
// of its class. The number of classes is at least the number of words, so a class contains few
// words if words are distributed evenly. A large class whose words have one code and different
// indices is divided once more, by interpolation between indices.
//
// [1] K.-D. Neubert, "The Flashsort1 algorithm", Dr. Dobb's Journal 23 (1998).

/// The bounds of a part: no word is less than `least` or greater than `greatest`. For the first
/// part of the first bucket and the last part of the last bucket, only one bound is known, so
/// are_known is false.
template <class Word>
struct Bounds {
  Word least;
  Word greatest;
  bool are_known = true;
};

/// Maps a word w to its class, which is about count * (w - least) / (greatest - least), rounded
/// down. The class is less than `count`, and never decreases as w increases. Only 32 bits of
/// w - least are used, starting at the highest bit that is set in greatest - least.
template <class Word>
class ClassOf {
 public:
  KOKKOS_FUNCTION ClassOf(Bounds<Word> const& bounds, Index count) : least_(bounds.least) {
    auto const range = static_cast<Word>(bounds.greatest - bounds.least);
    shift_ = highest_bit - highest_one(range);
    // Slightly less than 2^32, so that rounding cannot give a class beyond the last.
    constexpr float whole = 4294967296.0f * 0.999999f;
    // The scaled range has its highest bit set, unless all words are equal.
    factor_ =
        static_cast<std::uint32_t>(static_cast<float>(count) * whole /
                                   static_cast<float>(scaled(range) | std::uint32_t{1} << 31));
  }

  KOKKOS_FUNCTION Index operator()(Word word) const {
    return multiply_high(scaled(static_cast<Word>(word - least_)), factor_);
  }

  /// Whether least_of() may be called, that is, whether its sums fit in 64 bits.
  KOKKOS_FUNCTION bool has_bounds() const { return shift_ <= 32; }

  /// The least word of class c.
  KOKKOS_FUNCTION Word least_of(Index c) const {
    std::uint64_t const scaled_least = ((std::uint64_t{c} << 32) + factor_ - 1) / factor_;
    std::uint64_t const shifted = scaled_least << (highest_bit - 31);
    std::uint64_t const rounding = (std::uint64_t{1} << shift_) - 1;
    return static_cast<Word>(least_ + static_cast<Word>((shifted + rounding) >> shift_));
  }

 private:
  static constexpr int highest_bit = 8 * static_cast<int>(sizeof(Word)) - 1;

  KOKKOS_FUNCTION static int highest_one(Word range) {
    auto const high = static_cast<std::uint32_t>(std::uint64_t{range} >> 32);
    return high != 0 ? 32 + backend::highest_one(high)
                     : backend::highest_one(static_cast<std::uint32_t>(range) | 1);
  }

  KOKKOS_FUNCTION std::uint32_t scaled(Word distance) const {
    return static_cast<std::uint32_t>(static_cast<Word>(distance << shift_) >> (highest_bit - 31));
  }

  Word least_;
  int shift_;
  std::uint32_t factor_;
};

/// Maps words with an index to classes, by their codes. If all words have one code, maps them by
/// their indices.
template <>
class ClassOf<IndexedCode> {
 public:
  KOKKOS_FUNCTION ClassOf(Bounds<IndexedCode> const& bounds, Index count)
      : has_one_code_(bounds.least.code == bounds.greatest.code),
        class_of_({code_or_index(bounds.least), code_or_index(bounds.greatest)}, count) {}

  KOKKOS_FUNCTION Index operator()(IndexedCode const& word) const {
    return class_of_(code_or_index(word));
  }

  /// Whether least_of() may be called. If so, all words with the same code are in the same class.
  KOKKOS_FUNCTION bool has_bounds() const { return !has_one_code_ && class_of_.has_bounds(); }
  KOKKOS_FUNCTION IndexedCode least_of(Index c) const { return {class_of_.least_of(c), 0, 0}; }

 private:
  KOKKOS_FUNCTION std::uint64_t code_or_index(IndexedCode const& word) const {
    return has_one_code_ ? word.index : word.code;
  }

  bool has_one_code_;
  ClassOf<std::uint64_t> class_of_;
};

/// Sorts words by classes, with a team of `threads` threads. The words are in registers first, then
/// in scratch memory.
template <class Word, int threads>
class ClassSorter {
 public:
  /// The maximum number of words, which is also the number of classes.
  static constexpr Index max_words = max_in_scratch<Word>;
  /// Each thread holds the words thread, thread + threads, ...
  static constexpr int items_per_thread = static_cast<int>(max_words) / threads;
  static constexpr Index counters =
      (max_words + threads + 4 * threads - 1) / (4 * threads) * 4 * threads;
  // A class with more words than this is overfull, because sorting a class compares each of its
  // words with all others. The bound is higher for words with an index, since many of them may have
  // one code without being equal.
  static constexpr Index max_of_class = has_index<Word> ? 96 : 24;
  static constexpr std::size_t words_bytes = max_words * sizeof(Word);
  static constexpr std::size_t bytes =
      words_bytes + (counters + threads / backend::width + 4) * sizeof(Index);

  /// All threads call this. The part of `memory` that will contain the words may be used for
  /// something else until the first team barrier in sort().
  KOKKOS_FUNCTION ClassSorter(void* memory, Index thread)
      : words_(static_cast<Word*>(memory)),
        counters_(reinterpret_cast<Index*>(words_ + max_words)),
        sums_(counters_ + counters),
        has_overfull_class_(sums_ + threads / backend::width),
        has_several_codes_(has_overfull_class_ + 1) {
    clear(thread);
  }

  /// Calls write(i, word) for sorted word i. If this is not possible, because a class of different
  /// words is overfull, calls store_unsorted(i, word) for all words in any order, and returns
  /// false.
  template <class Member, class Write, class StoreUnsorted>
  KOKKOS_FUNCTION bool sort(Member const& team, Word const (&words)[items_per_thread], Index size,
                            Bounds<Word> bounds, Write const& write,
                            StoreUnsorted const& store_unsorted) const {
    auto const thread = static_cast<Index>(team.team_rank());
    team.team_barrier();
    if (!bounds.are_known) bounds = find_bounds(team, words, size);
    ClassOf<Word> const class_of(bounds, max_words);
    for_each_own_word(thread, size,
                      [&](int k) { backend::add_in_scratch(&counter(class_of(words[k])), 1); });
    team.team_barrier();
    counts_to_begins(team);
    team.team_barrier();
    for_each_own_word(thread, size, [&](int k) {
      words_[backend::fetch_add_in_scratch(&counter(class_of(words[k])), 1)] = words[k];
    });
    team.team_barrier();
    if (*has_overfull_class_ != 0) {
      bool const is_mixed = has_overfull_class_of_several_codes(team, size, class_of);
      if constexpr (has_index<Word>) {
        if (!is_mixed && divide_overfull_classes(team, words, size, class_of, write)) return true;
      }
      if (is_mixed || has_index<Word>) {
        for (Index i = thread; i < size; i += threads) store_unsorted(i, words_[i]);
        return false;
      }
    }
    RIFFLE_NO_UNROLL
    for (Index i = thread; i < size; i += threads) {
      write(place_in_class(i, words_[i], class_of(words_[i])), words_[i]);
    }
    return true;
  }

 private:
  struct alignas(16) Quad {
    Index counters[4];
  };

  static constexpr int classes_per_thread = static_cast<int>(max_words) / threads;

  /// Clears the counters.
  KOKKOS_FUNCTION void clear(Index thread) const {
    auto* const quads = reinterpret_cast<Quad*>(counters_);
    RIFFLE_UNROLL
    for (Index i = 0; i < counters / 4; i += threads) quads[i + thread] = Quad{};
    if (thread == 0) *has_overfull_class_ = *has_several_codes_ = 0;
  }

  /// The counter of a class. Each thread scans the counters of several consecutive classes. Gaps
  /// between these groups of counters avoid bank conflicts, because the distance between the groups
  /// of neighbouring threads is an odd number of words.
  KOKKOS_FUNCTION Index& counter(Index c) const { return counters_[c + c / classes_per_thread]; }

  template <class F>
  KOKKOS_FUNCTION static void for_each_own_word(Index thread, Index size, F const& f) {
    constexpr int batch = 4;
    RIFFLE_UNROLL
    for (int first = 0; first < items_per_thread; first += batch) {
      if (static_cast<Index>(first * threads) >= size) break;
      RIFFLE_UNROLL
      for (int k = first; k < first + batch; ++k) {
        if (static_cast<Index>(k * threads) + thread < size) f(k);
      }
    }
  }

  /// Finds the bounds of the words. Overwrites the scratch memory for words.
  template <class Member>
  KOKKOS_FUNCTION Bounds<Word> find_bounds(Member const& team,
                                           Word const (&words)[items_per_thread],
                                           Index size) const {
    using Code = decltype(code_of(Word{}));
    auto* const codes = reinterpret_cast<Code*>(words_);
    if (team.team_rank() == 0) {
      codes[0] = static_cast<Code>(~Code{0});
      codes[1] = 0;
    }
    team.team_barrier();
    for_each_own_word(static_cast<Index>(team.team_rank()), size, [&](int k) {
      Kokkos::atomic_min(&codes[0], code_of(words[k]));
      Kokkos::atomic_max(&codes[1], code_of(words[k]));
    });
    team.team_barrier();
    Bounds<Word> const found{least_of_code<Word>(codes[0]), greatest_of_code<Word>(codes[1])};
    team.team_barrier();
    return found;
  }

  /// Replaces the count of each class by the index at which the class begins in words_.
  template <class Member>
  KOKKOS_FUNCTION void counts_to_begins(Member const& team) const {
    auto const first = static_cast<Index>(team.team_rank() * classes_per_thread);
    Index counts[classes_per_thread];
    Index sum = 0;
    Index largest = 0;
    RIFFLE_UNROLL
    for (int k = 0; k < classes_per_thread; ++k) {
      counts[k] = counter(first + static_cast<Index>(k));
      sum += counts[k];
      largest = Kokkos::max(largest, counts[k]);
    }
    if (largest > max_of_class) backend::store_same(has_overfull_class_, 1);
    Index all;
    Index begin = exclusive_team_sum(team, sums_, sum, all);
    RIFFLE_UNROLL
    for (int k = 0; k < classes_per_thread; ++k) {
      counter(first + static_cast<Index>(k)) = begin;
      begin += counts[k];
    }
  }

  // After all words are in their classes, the counter of a class is its end.
  KOKKOS_FUNCTION Index begin_of(Index c) const { return c == 0 ? 0 : counter(c - 1); }
  KOKKOS_FUNCTION Index end_of(Index c) const { return counter(c); }
  KOKKOS_FUNCTION bool is_overfull(Index c) const { return end_of(c) - begin_of(c) > max_of_class; }

  /// Whether an overfull class contains words with different codes.
  template <class Member>
  KOKKOS_FUNCTION bool has_overfull_class_of_several_codes(Member const& team, Index size,
                                                           ClassOf<Word> const& class_of) const {
    bool is_mixed = false;
    for (auto i = static_cast<Index>(team.team_rank()); i < size; i += threads) {
      Index const c = class_of(words_[i]);
      is_mixed = is_mixed || (is_overfull(c) && code_of(words_[begin_of(c)]) != code_of(words_[i]));
    }
    if (is_mixed) backend::store_same(has_several_codes_, 1);
    team.team_barrier();
    return *has_several_codes_ != 0;
  }

  // --- overfull classes of one code ---

  /// Sorts by new classes. The words of an overfull class have the indices b, ..., b + m - 1 in
  /// words_; they are divided into the new classes b, ..., b + m - 1, by interpolation between the
  /// least and the greatest IndexedCode::index of the class. The words of any other class stay
  /// together and become the new class b, where b is the first of their indices in words_. If a new
  /// class is overfull, the function only moves the words of each new class next to each other, and
  /// returns false.
  template <class Member, class Write>
  KOKKOS_FUNCTION bool divide_overfull_classes(Member const& team,
                                               Word const (&words)[items_per_thread], Index size,
                                               ClassOf<Word> const& class_of,
                                               Write const& write) const {
    auto const thread = static_cast<Index>(team.team_rank());
    find_index_ranges(team, words, size, class_of);
    Index classes[items_per_thread];
    for_each_own_word(thread, size,
                      [&](int k) { classes[k] = new_class(words[k], class_of(words[k])); });
    team.team_barrier();
    clear(thread);
    team.team_barrier();
    for_each_own_word(thread, size,
                      [&](int k) { backend::add_in_scratch(&counter(classes[k]), 1); });
    team.team_barrier();
    counts_to_begins(team);
    team.team_barrier();
    for_each_own_word(thread, size, [&](int k) {
      words_[backend::fetch_add_in_scratch(&counter(classes[k]), 1)] = words[k];
    });
    team.team_barrier();
    if (*has_overfull_class_ != 0) return false;
    for_each_own_word(thread, size,
                      [&](int k) { write(place_among(words[k], classes[k]), words[k]); });
    return true;
  }

  /// Overwrites the first word of each overfull class in words_: its index becomes the least index
  /// in the class, and its payload the greatest index.
  template <class Member>
  KOKKOS_FUNCTION void find_index_ranges(Member const& team, Word const (&words)[items_per_thread],
                                         Index size, ClassOf<Word> const& class_of) const {
    auto const thread = static_cast<Index>(team.team_rank());
    for (Index i = thread; i < size; i += threads) {
      Index const c = class_of(words_[i]);
      if (!is_overfull(c) || i != begin_of(c)) continue;
      words_[i].index = ~Index{0};
      words_[i].payload = 0;
    }
    team.team_barrier();
    for_each_own_word(thread, size, [&](int k) {
      Index const c = class_of(words[k]);
      if (!is_overfull(c)) return;
      Word& range = words_[begin_of(c)];
      Kokkos::atomic_min(&range.index, words[k].index);
      Kokkos::atomic_max(&range.payload, words[k].index);
    });
    team.team_barrier();
  }

  KOKKOS_FUNCTION Index new_class(Word const& word, Index c) const {
    Index const begin = begin_of(c);
    if (!is_overfull(c)) return begin;
    Word const& range = words_[begin];
    std::uint64_t const span = std::uint64_t{range.payload} - range.index + 1;
    return begin +
           static_cast<Index>(std::uint64_t{word.index - range.index} * (end_of(c) - begin) / span);
  }

  /// Returns the index that a word in class c has in the sorted part. No two words are equal.
  KOKKOS_FUNCTION Index place_among(Word const& word, Index c) const {
    Index const end = end_of(c);
    Index place = begin_of(c);
    RIFFLE_NO_UNROLL
    for (Index k = begin_of(c); k < end; ++k) place += static_cast<Index>(words_[k] < word);
    return place;
  }

  // --- indices of sorted words ---

  /// Returns the index that words_[i], which is in class c, has in the sorted part.
  KOKKOS_FUNCTION Index place_in_class(Index i, Word word, Index c) const {
    if constexpr (has_index<Word>) return place_among(word, c);
    if (is_overfull(c)) return i;
    Index const begin = begin_of(c);
    Index const end = end_of(c);
    Index place = begin;
    Index alike = 0;
    RIFFLE_NO_UNROLL
    for (Index k = begin; k < end; ++k) {
      Word const other = words_[k];
      place += static_cast<Index>(other < word);
      alike += static_cast<Index>(other == word);
    }
    if (alike == 1) return place;
    for (Index k = begin; k < i; ++k) place += static_cast<Index>(words_[k] == word);
    return place;
  }

  Word* words_;
  Index* counters_;
  Index* sums_;
  Index* has_overfull_class_;
  Index* has_several_codes_;
};

// --- by a bitonic network ---
//
// Sorts a part of an output in place, for any size and any words. It is used for the few parts that
// cannot be sorted by classes, so short code is more important than fast code: compiling an
// unrolled network would take longer than compiling all other kernels of a sort.
//
// All comparators of the bitonic network [2] put the lesser word first. The network sorts a power
// of two words. If there are fewer words, the missing ones count as greater than all others; they
// would never move, so they need not be stored. Steps that compare words of the same block are done
// in scratch memory, block by block; the other steps compare words in the output.
//
// [2] K. E. Batcher, "Sorting networks and their applications", AFIPS Spring Joint Computer
//     Conference (1968).

/// Sorts the `size` words that an output has stored unsorted, starting at index `begin`, with a
/// team of `threads` threads.
template <class Word, class Out, int threads>
class PartBitonicSorter {
 public:
  /// Scratch memory for one block of words. The size of a block is a power of two.
  static constexpr std::size_t bytes = max_in_scratch<Word> * sizeof(Word);

  KOKKOS_FUNCTION PartBitonicSorter(Out const& out, std::uint64_t begin, Index size, void* memory)
      : out_(out), begin_(begin), size_(size), words_(static_cast<Word*>(memory)) {}

  /// All threads of the team call this. It begins and ends with a team barrier.
  template <class Member>
  KOKKOS_FUNCTION void sort(Member const& team) const {
    team.team_barrier();
    for_each_block(team, [&](Index count) {
      RIFFLE_NO_UNROLL
      for (int run = 1; run <= log_block && count > Index{1} << (run - 1); ++run) {
        merge_in_block(team, count, run);
      }
    });
    RIFFLE_NO_UNROLL
    for (int run = log_block + 1; size_ > std::uint64_t{1} << (run - 1); ++run) {
      step_in_output(team, run - 1, true);
      RIFFLE_NO_UNROLL
      for (int log = run - 2; log >= log_block; --log) step_in_output(team, log, false);
      for_each_block(team, [&](Index count) { steps_in_block(team, count, log_block - 1); });
    }
  }

 private:
  static constexpr Index block = max_in_scratch<Word>;
  static constexpr int log_block = block == 4096 ? 12 : 11;
  static_assert(block == Index{1} << log_block);

  /// Loads each block of `count` words to scratch memory, calls f(count), and stores the block.
  template <class Member, class F>
  KOKKOS_FUNCTION void for_each_block(Member const& team, F const& f) const {
    auto const thread = static_cast<Index>(team.team_rank());
    RIFFLE_NO_UNROLL
    for (std::uint64_t first = 0; first < size_; first += block) {
      auto const count = static_cast<Index>(Kokkos::min<std::uint64_t>(block, size_ - first));
      RIFFLE_NO_UNROLL
      for (Index i = thread; i < count; i += threads)
        words_[i] = out_.load_unsorted(begin_ + first + i);
      team.team_barrier();
      f(count);
      RIFFLE_NO_UNROLL
      for (Index i = thread; i < count; i += threads)
        out_.store_unsorted(begin_ + first + i, words_[i]);
      team.team_barrier();
    }
  }

  /// Merges the two sorted halves of each run of 2^run words.
  template <class Member>
  KOKKOS_FUNCTION void merge_in_block(Member const& team, Index count, int run) const {
    step_in_block(team, count, run - 1, true);
    steps_in_block(team, count, run - 2);
  }

  template <class Member>
  KOKKOS_FUNCTION void steps_in_block(Member const& team, Index count, int log) const {
    RIFFLE_NO_UNROLL
    for (; log >= 0; --log) step_in_block(team, count, log, false);
  }

  template <class Member>
  KOKKOS_FUNCTION void step_in_block(Member const& team, Index count, int log,
                                     bool is_first) const {
    for_each_pair(team, count, log, is_first, [&](std::uint64_t low, std::uint64_t high) {
      Word const a = words_[low];
      Word const b = words_[high];
      if (b < a) {
        words_[low] = b;
        words_[high] = a;
      }
    });
  }

  template <class Member>
  KOKKOS_FUNCTION void step_in_output(Member const& team, int log, bool is_first) const {
    for_each_pair(team, size_, log, is_first, [&](std::uint64_t low, std::uint64_t high) {
      Word const a = out_.load_unsorted(begin_ + low);
      Word const b = out_.load_unsorted(begin_ + high);
      if (b < a) {
        out_.store_unsorted(begin_ + low, b);
        out_.store_unsorted(begin_ + high, a);
      }
    });
  }

  /// Calls compare(low, high) for each pair of indices that a step compares: low = 2 k * 2^log + i
  /// for all k and all i < 2^log, and high = low + 2^log. In the first step of a merge, high is
  /// instead the mirror image of low in the 2^(log + 1) words that start at 2 k * 2^log. Ends with
  /// a team barrier.
  template <class Member, class Compare>
  KOKKOS_FUNCTION static void for_each_pair(Member const& team, std::uint64_t count, int log,
                                            bool is_first, Compare const& compare) {
    std::uint64_t const distance = std::uint64_t{1} << log;
    std::uint64_t const flipped = is_first ? 2 * distance - 1 : distance;
    RIFFLE_NO_UNROLL
    for (auto pair = static_cast<std::uint64_t>(team.team_rank());; pair += threads) {
      std::uint64_t const low = (pair >> log << (log + 1)) + (pair & (distance - 1));
      if (low >= count) break;
      std::uint64_t const high = low ^ flipped;
      if (high < count) compare(low, high);
    }
    team.team_barrier();
  }

  Out const& out_;
  std::uint64_t begin_;
  std::uint64_t size_;
  Word* words_;
};

}  // namespace riffle::detail::sort::samplesort
