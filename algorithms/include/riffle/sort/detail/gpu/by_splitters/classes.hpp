#pragma once

// A team sorts words by classes [1]: linear interpolation between bounds tells a word's class, the words of a class are
// brought together, and each is compared with the others of its class. Where words are spread evenly, there is about
// one word to two classes. A large class whose words have one code and differ by their indices is divided once more, by
// interpolation between its indices.
//
// [1] K.-D. Neubert, "The Flashsort1 algorithm", Dr. Dobb's Journal 23 (1998).

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

#include <riffle/backend/backend.hpp>
#include <riffle/primitives/team_sum.hpp>
#include <riffle/random/integers.hpp>
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

  /// Whether least_of() may be called: its sums have less than 64 bits.
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
      words_bytes + (counters + threads / backend::width + 4) * sizeof(Index);

  /// All threads call this; the team meets in sort(). The words' part of `memory` may be in use until sort() is called.
  KOKKOS_FUNCTION ClassesOfTeam(void* memory, Index thread)
      : words_(static_cast<Word*>(memory)),
        counters_(reinterpret_cast<Index*>(words_ + most)),
        sums_(counters_ + counters),
        is_crowded_(sums_ + threads / backend::width),
        is_mixed_(is_crowded_ + 1) {
    clear(thread);
  }

  /// Calls write(i, word) for the words in order. Where a class of different words is too large, calls leave(i, word)
  /// for all words in no order, and returns false.
  template <class Member, class Write, class Leave>
  KOKKOS_FUNCTION bool sort(Member const& team, Word const (&words)[held], Index size,
                            Bounds<Word> bounds, Write const& write, Leave const& leave) const {
    auto const thread = static_cast<Index>(team.team_rank());
    team.team_barrier();
    if (!bounds.are_known) bounds = find_bounds(team, words, size);
    ClassOf<Word> const class_of(bounds, most);
    for_each_held(thread, size,
                  [&](int k) { backend::add_in_scratch(&counter(class_of(words[k])), 1); });
    team.team_barrier();
    place_classes(team);
    team.team_barrier();
    for_each_held(thread, size, [&](int k) {
      words_[backend::fetch_add_in_scratch(&counter(class_of(words[k])), 1)] = words[k];
    });
    team.team_barrier();
    if (*is_crowded_ != 0) {
      bool const is_mixed = has_mixed_crowd(team, size, class_of);
      if constexpr (has_index<Word>) {
        if (!is_mixed && sort_by_crowds(team, words, size, class_of, write)) return true;
      }
      if (is_mixed || has_index<Word>) {
        for (Index i = thread; i < size; i += threads) leave(i, words_[i]);
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

  static constexpr int classes_per_thread = static_cast<int>(most) / threads;

  /// Clears the counters.
  KOKKOS_FUNCTION void clear(Index thread) const {
    auto* const quads = reinterpret_cast<Quad*>(counters_);
    RIFFLE_UNROLL
    for (Index i = 0; i < counters / 4; i += threads) quads[i + thread] = Quad{};
    if (thread == 0) *is_crowded_ = *is_mixed_ = 0;
  }

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
  KOKKOS_FUNCTION bool is_crowd(Index c) const { return end_of(c) - begin_of(c) > max_of_class; }

  /// Whether a class that is too large has different words, or different codes where words have an index.
  template <class Member>
  KOKKOS_FUNCTION bool has_mixed_crowd(Member const& team, Index size,
                                       ClassOf<Word> const& class_of) const {
    bool is_mixed = false;
    for (auto i = static_cast<Index>(team.team_rank()); i < size; i += threads) {
      Index const c = class_of(words_[i]);
      is_mixed = is_mixed || (is_crowd(c) && code_of(words_[begin_of(c)]) != code_of(words_[i]));
    }
    if (is_mixed) *is_mixed_ = 1;
    team.team_barrier();
    return *is_mixed_ != 0;
  }

  // --- crowds of one code ---

  /// Sorts by new classes: a crowd's words are divided by their indices among as many classes as there are words, and
  /// other classes stay as they are. The number of a new class is no less than that of the words before it, so that it
  /// is below the number of words. Where a new class is too large, brings the words together, and returns false.
  template <class Member, class Write>
  KOKKOS_FUNCTION bool sort_by_crowds(Member const& team, Word const (&words)[held], Index size,
                                      ClassOf<Word> const& class_of, Write const& write) const {
    auto const thread = static_cast<Index>(team.team_rank());
    find_ranges_of_crowds(team, words, size, class_of);
    Index classes[held];
    for_each_held(thread, size,
                  [&](int k) { classes[k] = new_class(words[k], class_of(words[k])); });
    team.team_barrier();
    clear(thread);
    team.team_barrier();
    for_each_held(thread, size, [&](int k) { backend::add_in_scratch(&counter(classes[k]), 1); });
    team.team_barrier();
    place_classes(team);
    team.team_barrier();
    for_each_held(thread, size, [&](int k) {
      words_[backend::fetch_add_in_scratch(&counter(classes[k]), 1)] = words[k];
    });
    team.team_barrier();
    if (*is_crowded_ != 0) return false;
    for_each_held(thread, size, [&](int k) { write(place_among(words[k], classes[k]), words[k]); });
    return true;
  }

  /// Puts the least and the greatest index of a crowd to the place of its first word, as index and companion.
  template <class Member>
  KOKKOS_FUNCTION void find_ranges_of_crowds(Member const& team, Word const (&words)[held],
                                             Index size, ClassOf<Word> const& class_of) const {
    auto const thread = static_cast<Index>(team.team_rank());
    for (Index i = thread; i < size; i += threads) {
      Index const c = class_of(words_[i]);
      if (!is_crowd(c) || i != begin_of(c)) continue;
      words_[i].index = ~Index{0};
      words_[i].companion = 0;
    }
    team.team_barrier();
    for_each_held(thread, size, [&](int k) {
      Index const c = class_of(words[k]);
      if (!is_crowd(c)) return;
      Word& range = words_[begin_of(c)];
      Kokkos::atomic_min(&range.index, words[k].index);
      Kokkos::atomic_max(&range.companion, words[k].index);
    });
    team.team_barrier();
  }

  KOKKOS_FUNCTION Index new_class(Word const& word, Index c) const {
    Index const begin = begin_of(c);
    if (!is_crowd(c)) return begin;
    Word const& range = words_[begin];
    std::uint64_t const span = std::uint64_t{range.companion} - range.index + 1;
    return begin +
           static_cast<Index>(std::uint64_t{word.index - range.index} * (end_of(c) - begin) / span);
  }

  /// Where a word of class c belongs.
  KOKKOS_FUNCTION Index place_among(Word const& word, Index c) const {
    Index const end = end_of(c);
    Index place = begin_of(c);
    RIFFLE_NO_UNROLL
    for (Index k = begin_of(c); k < end; ++k) place += static_cast<Index>(words_[k] < word);
    return place;
  }

  // --- words in place ---

  /// Where the word at i belongs.
  KOKKOS_FUNCTION Index place_in_class(Index i, Word word, Index c) const {
    if constexpr (has_index<Word>) return place_among(word, c);
    if (is_crowd(c)) return i;
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
  Index* is_crowded_;
  Index* is_mixed_;
};

}  // namespace riffle::detail::sort::by_splitters
