#pragma once

// A team sorts words by classes [1]: linear interpolation between bounds tells a word's class, the words of a class are
// brought together, and each is compared with the others of its class. Where words are spread evenly, there is about
// one word to two classes.
//
// [1] K.-D. Neubert, "The Flashsort1 algorithm", Dr. Dobb's Journal 23 (1998).

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

#include <riffle/kernel/team_sum.hpp>
#include <riffle/lanes/lanes.hpp>
#include <riffle/random/wide_integer.hpp>
#include <riffle/sort/detail/gpu/by_splitters/kinds.hpp>
#include <riffle/sort/detail/gpu/by_splitters/level.hpp>

namespace riffle::detail::sort::by_splitters {

/// The bounds of a part: no word is less than `least`, or greater than `greatest`. For the first and the last part of
/// all, one of them is not known.
template <class Word>
struct Bounds {
  Word least;
  Word greatest;
  bool are_known = true;
};

/// class(w) = floor of about count * (w - least) / (greatest - least), below `count`; never falls as w rises. Of
/// w - least 32 bits are used, from the highest bit on that greatest - least has.
template <class Word>
class ClassOf {
 public:
  KOKKOS_FUNCTION ClassOf(Bounds<Word> const& bounds, Index count) : least_(bounds.least) {
    auto const range = static_cast<Word>(bounds.greatest - bounds.least);
    shift_ = highest_bit - highest_one(range);
    // A bit less than exact, so that rounding cannot give a class beyond the last.
    constexpr float whole = 4294967296.0f * 0.999999f;
    // The scaled range has its highest bit set, unless all words are alike.
    factor_ =
        static_cast<std::uint32_t>(static_cast<float>(count) * whole /
                                   static_cast<float>(scaled(range) | std::uint32_t{1} << 31));
  }

  KOKKOS_FUNCTION Index operator()(Word word) const {
    return multiply_high(scaled(static_cast<Word>(word - least_)), factor_);
  }

 private:
  static constexpr int highest_bit = 8 * static_cast<int>(sizeof(Word)) - 1;

  KOKKOS_FUNCTION static int highest_one(Word range) {
    auto const high = static_cast<std::uint32_t>(std::uint64_t{range} >> 32);
    return high != 0 ? 32 + lanes::highest_one(high)
                     : lanes::highest_one(static_cast<std::uint32_t>(range) | 1);
  }

  KOKKOS_FUNCTION std::uint32_t scaled(Word distance) const {
    return static_cast<std::uint32_t>(static_cast<Word>(distance << shift_) >> (highest_bit - 31));
  }

  Word least_;
  int shift_;
  std::uint32_t factor_;
};

/// Classes by codes or, where all words have one code, by indices.
template <>
class ClassOf<IndexedCode> {
 public:
  KOKKOS_FUNCTION ClassOf(Bounds<IndexedCode> const& bounds, Index count)
      : has_one_code_(bounds.least.code == bounds.greatest.code),
        class_of_({what_differs(bounds.least), what_differs(bounds.greatest)}, count) {}

  KOKKOS_FUNCTION Index operator()(IndexedCode const& word) const {
    return class_of_(what_differs(word));
  }

 private:
  KOKKOS_FUNCTION std::uint64_t what_differs(IndexedCode const& word) const {
    return has_one_code_ ? word.index : word.code;
  }

  bool has_one_code_;
  ClassOf<std::uint64_t> class_of_;
};

/// Sorts by a team of `threads` threads. The words come in registers, and are then in scratch memory.
template <class Word, int threads>
class ClassesOfTeam {
 public:
  /// The most words, and the number of classes.
  static constexpr Index most = max_in_scratch<Word>;
  /// Each thread holds the words thread, thread + threads, ...
  static constexpr int held = static_cast<int>(most) / threads;
  static constexpr Index counters =
      (most + threads + 4 * threads - 1) / (4 * threads) * 4 * threads;
  // Words of larger classes are not compared with all others of their class. Words with an index may have many of one
  // code, which are not alike.
  static constexpr Index max_of_class = has_index<Word> ? 96 : 24;
  static constexpr std::size_t words_bytes = most * sizeof(Word);
  static constexpr std::size_t bytes =
      words_bytes + (counters + threads / lanes::width + 4) * sizeof(Index);

  /// All threads call this; the team meets in sort(). The words' part of `memory` may be in use until sort() is called.
  KOKKOS_FUNCTION ClassesOfTeam(void* memory, Index thread)
      : words_(static_cast<Word*>(memory)),
        counters_(reinterpret_cast<Index*>(words_ + most)),
        sums_(counters_ + counters),
        is_crowded_(sums_ + threads / lanes::width),
        is_mixed_(is_crowded_ + 1) {
    auto* const quads = reinterpret_cast<Quad*>(counters_);
    RIFFLE_UNROLL
    for (Index i = 0; i < counters / 4; i += threads) quads[i + thread] = Quad{};
    if (thread == 0) *is_crowded_ = *is_mixed_ = 0;
  }

  /// Calls write(i, word) for the words in order. Where a class of different words is too large, calls it for all words
  /// in no order, and returns false.
  template <class Member, class Write>
  KOKKOS_FUNCTION bool sort(Member const& team, Word const (&words)[held], Index size,
                            Bounds<Word> bounds, Write const& write) const {
    auto const thread = static_cast<Index>(team.team_rank());
    team.team_barrier();
    if (!bounds.are_known) bounds = find_bounds(team, words, size);
    ClassOf<Word> const class_of(bounds, most);
    for_each_held(thread, size,
                  [&](int k) { lanes::add_in_scratch(&counter(class_of(words[k])), 1); });
    team.team_barrier();
    place_classes(team);
    team.team_barrier();
    for_each_held(thread, size, [&](int k) {
      words_[lanes::fetch_add_in_scratch(&counter(class_of(words[k])), 1)] = words[k];
    });
    team.team_barrier();
    if (*is_crowded_ != 0 && has_mixed_crowd(team, size, class_of)) {
      for (Index i = thread; i < size; i += threads) write(i, words_[i]);
      return false;
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

  static constexpr int classes_per_thread = static_cast<int>(most) / threads;

  /// The counter of a class. Those of neighbouring threads begin an odd number of words apart, for the sake of banks.
  KOKKOS_FUNCTION Index& counter(Index c) const { return counters_[c + c / classes_per_thread]; }

  template <class F>
  KOKKOS_FUNCTION static void for_each_held(Index thread, Index size, F const& f) {
    constexpr int batch = 4;
    RIFFLE_UNROLL
    for (int first = 0; first < held; first += batch) {
      if (static_cast<Index>(first * threads) >= size) break;
      RIFFLE_UNROLL
      for (int k = first; k < first + batch; ++k) {
        if (static_cast<Index>(k * threads) + thread < size) f(k);
      }
    }
  }

  /// Finds the bounds of the words, in the words' place in scratch memory.
  template <class Member>
  KOKKOS_FUNCTION Bounds<Word> find_bounds(Member const& team, Word const (&words)[held],
                                           Index size) const {
    using Code = decltype(code_of(Word{}));
    auto* const codes = reinterpret_cast<Code*>(words_);
    if (team.team_rank() == 0) {
      codes[0] = static_cast<Code>(~Code{0});
      codes[1] = 0;
    }
    team.team_barrier();
    for_each_held(static_cast<Index>(team.team_rank()), size, [&](int k) {
      Kokkos::atomic_min(&codes[0], code_of(words[k]));
      Kokkos::atomic_max(&codes[1], code_of(words[k]));
    });
    team.team_barrier();
    Bounds<Word> const found{least_of_code<Word>(codes[0]), greatest_of_code<Word>(codes[1])};
    team.team_barrier();
    return found;
  }

  /// Turns the counters into where classes begin.
  template <class Member>
  KOKKOS_FUNCTION void place_classes(Member const& team) const {
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
    if (largest > max_of_class) *is_crowded_ = 1;
    Index all;
    Index begin = exclusive_team_sum(team, sums_, sum, all);
    RIFFLE_UNROLL
    for (int k = 0; k < classes_per_thread; ++k) {
      counter(first + static_cast<Index>(k)) = begin;
      begin += counts[k];
    }
  }

  // Once the words are in their classes, the counters are where classes end.
  KOKKOS_FUNCTION Index begin_of(Index c) const { return c == 0 ? 0 : counter(c - 1); }
  KOKKOS_FUNCTION Index end_of(Index c) const { return counter(c); }

  /// Whether a class that is too large has different words.
  template <class Member>
  KOKKOS_FUNCTION bool has_mixed_crowd(Member const& team, Index size,
                                       ClassOf<Word> const& class_of) const {
    bool is_mixed = false;
    for (auto i = static_cast<Index>(team.team_rank()); i < size; i += threads) {
      Index const c = class_of(words_[i]);
      Index const begin = begin_of(c);
      is_mixed = is_mixed || (end_of(c) - begin > max_of_class && !(words_[begin] == words_[i]));
    }
    if (is_mixed) *is_mixed_ = 1;
    team.team_barrier();
    return *is_mixed_ != 0;
  }

  /// Where the word at i belongs.
  KOKKOS_FUNCTION Index place_in_class(Index i, Word word, Index c) const {
    Index const begin = begin_of(c);
    Index const end = end_of(c);
    if (end - begin > max_of_class) return i;
    Index place = begin;
    if constexpr (has_index<Word>) {
      RIFFLE_NO_UNROLL
      for (Index k = begin; k < end; ++k) place += static_cast<Index>(words_[k] < word);
      return place;
    }
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
  Index* is_crowded_;
  Index* is_mixed_;
};

}  // namespace riffle::detail::sort::by_splitters
