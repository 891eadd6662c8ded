#pragma once

// Computes, in kernels, the permutation and the signs of a replicate: random ones from the index of the replicate, or
// the ones with a given rank.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include <riffle/context.hpp>
#include <riffle/monte_carlo/detail/permutation_scheme/layout.hpp>
#include <riffle/monte_carlo/detail/random_words.hpp>
#include <riffle/primitives/scope.hpp>
#include <riffle/random/philox.hpp>

namespace riffle::detail {

// Random words for a permutation. Each swap in a set needs a random number below a known bound. One 32-bit word gives
// several such numbers, as many as the product of their bounds allows (accept_word()). The swaps of 24 pairs, for
// instance, need one word.

/// The number of random numbers (draws) that one random word gives, and the product of their bounds.
struct WordDraws {
  std::uint32_t draws;
  std::uint32_t product;
};

/// Returns how the draws of all sets are divided among words. A set of k units needs draws below k, k - 1, ..., 2.
std::vector<WordDraws> words_of_draws(SchemeLayout const& layout);

/// A SchemeLayout in memory that kernels can access. The memory belongs to the scope in which the plan was made.
/// Trivially copyable.
///
/// Functions that write a permutation sigma assign sigma(i) to row(i) for i = 0, ..., n - 1, where row(i) returns a
/// reference to an integer that can hold n - 1. The arrangement of data y is y*_i = s_i y_sigma(i). Each lane passes a
/// different `row` and `scratch`.
template <class MemorySpace>
class SchemePlan {
 public:
  template <class T>
  using Table = Kokkos::View<T const*, MemorySpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

  struct Tables {
    Table<UnitSet> sets;
    Table<std::uint32_t> positions;
    Table<WordDraws> words;
    Table<std::uint32_t> sign_unit;
    Table<RankedSet> ranked_sets;
    Table<std::uint32_t> class_begins;
    Table<std::uint32_t> units_by_class;
  };

  SchemePlan(Tables const& tables, std::uint32_t n, std::uint32_t swaps, std::uint32_t sign_units,
             std::uint32_t scratch)
      : tables_(tables), n_(n), swaps_(swaps), sign_units_(sign_units), scratch_(scratch) {}

  KOKKOS_FUNCTION std::uint32_t size() const { return n_; }

  /// Writes the random permutation of replicate r: a Fisher-Yates shuffle of the units of each set.
  template <class Row>
  KOKKOS_FUNCTION void draw_permutation(std::uint64_t seed, std::uint64_t r, Row const& row) const {
    set_identity(row);
    for_each_swap(seed, r, [&](UnitSet const& set, std::uint32_t a, std::uint32_t b) {
      swap_units(tables_, set, a, b, row);
    });
  }

  /// Returns the number of swaps in a permutation, which is the same for all replicates.
  KOKKOS_FUNCTION std::uint32_t swaps() const { return swaps_; }

  /// Calls visit(b) for each swap in the permutation of replicate r, in order. In each set, the swaps exchange units
  /// left - 1 and b, for left = count, ..., 2.
  template <class Visit>
  KOKKOS_FUNCTION void draw_swaps(std::uint64_t seed, std::uint64_t r, Visit const& visit) const {
    for_each_swap(seed, r, [&](UnitSet const&, std::uint32_t, std::uint32_t b) { visit(b); });
  }

  /// Applies the swaps in reverse order to `content`, which holds one value per observation. Afterwards the value that
  /// was at i is at sigma(i). partner(q) must return the b that draw_swaps() passes for swap q; content.swap(i, j) must
  /// swap the values at i and j.
  template <class Partner, class Content>
  KOKKOS_FUNCTION void swap_back(Partner const& partner, Content const& content) const {
    std::uint32_t next = swaps_;
    for (auto s = static_cast<std::uint32_t>(tables_.sets.extent(0)); s-- > 0;) {
      UnitSet const set = tables_.sets(s);
      for (std::uint32_t left = 2; left <= set.count; ++left) {
        std::uint32_t const a = set.first + (left - 1) * set.size;
        std::uint32_t const b = set.first + static_cast<std::uint32_t>(partner(--next)) * set.size;
        if (a == b) continue;
        for (std::uint32_t k = 0; k < set.size; ++k) {
          content.swap(tables_.positions(a + k), tables_.positions(b + k));
        }
      }
    }
  }

  /// Returns the number of 32-bit elements of scratch that rank_permutation() needs, at most 2 n.
  KOKKOS_FUNCTION std::uint32_t scratch_size() const { return scratch_; }

  /// Writes the permutation of a rank. Requires: rank < arrangements(), arrangements() < 2^64 - 1. scratch(k) returns a
  /// reference to a std::uint32_t for k < scratch_size().
  ///
  /// In each set, the digit of the rank selects a sequence of classes, one for each place p. Place p is assigned the
  /// next unit of its class, and scratch(p) is this unit. The permutation of the set is the inverse of this assignment,
  /// that is, the content of place p moves to unit scratch(p). The inverse is needed because classes describe the
  /// positions to which data move (the arguments i of sigma), not the data themselves (the values sigma(i)).
  template <class Row, class Scratch>
  KOKKOS_FUNCTION void rank_permutation(std::uint64_t rank, Row const& row,
                                        Scratch const& scratch) const {
    set_identity(row);
    rank >>= sign_units_;
    auto const sets = static_cast<std::uint32_t>(tables_.sets.extent(0));
    for (std::uint32_t s = 0; s < sets; ++s) {
      auto const set = tables_.sets(s);
      auto const ranked = tables_.ranked_sets(s);
      order_classes(set, ranked, digit_after_observed(ranked, rank % ranked.arrangements), scratch);
      move_contents(set, row, scratch);
      rank /= ranked.arrangements;
    }
  }

  /// Returns the number of sign units, 0 if signs do not change.
  KOKKOS_FUNCTION std::uint32_t sign_units() const { return sign_units_; }
  /// Returns the sign unit of an observation. Requires: signs change.
  KOKKOS_FUNCTION std::uint32_t sign_unit(std::uint32_t i) const { return tables_.sign_unit(i); }

  /// Returns a word whose bit b says whether sign unit 32 w + b changes its sign. Bits after the last unit are
  /// unspecified. permutation_test with PairedDifference draws the same signs if the number of pairs equals the number
  /// of sign units.
  KOKKOS_FUNCTION std::uint32_t sign_word(std::uint64_t seed, std::uint64_t r,
                                          std::uint32_t w) const {
    return random_sign_word(sign_units_, seed, r, w);
  }
  KOKKOS_FUNCTION std::uint32_t ranked_sign_word(std::uint64_t rank, std::uint32_t w) const {
    return static_cast<std::uint32_t>(rank >> signs_per_word * w);
  }

  KOKKOS_FUNCTION bool is_flipped(std::uint64_t seed, std::uint64_t r, std::uint32_t i) const {
    if (sign_units_ == 0) return false;
    std::uint32_t const unit = sign_unit(i);
    return (sign_word(seed, r, unit / signs_per_word) >> unit % signs_per_word & 1) != 0;
  }
  KOKKOS_FUNCTION bool is_flipped_at_rank(std::uint64_t rank, std::uint32_t i) const {
    return sign_units_ > 0 && (rank >> sign_unit(i) & 1) != 0;
  }

 private:
  template <class Row>
  KOKKOS_FUNCTION void set_identity(Row const& row) const {
    using Value = std::remove_reference_t<decltype(row(0))>;
    for (std::uint32_t i = 0; i < n_; ++i) row(i) = static_cast<Value>(i);
  }

  template <class Row>
  KOKKOS_FUNCTION static void swap_units(Tables const& tables, UnitSet const& set, std::uint32_t a,
                                         std::uint32_t b, Row const& row) {
    using Value = std::remove_reference_t<decltype(row(0))>;
    if (a == b) return;
    for (std::uint32_t k = 0; k < set.size; ++k) {
      Value& of_a = row(tables.positions(set.first + a * set.size + k));
      Value& of_b = row(tables.positions(set.first + b * set.size + k));
      Value const held = of_a;
      of_a = of_b;
      of_b = held;
    }
  }

  /// Calls visit(set, a, b) for each swap of units a and b in all sets, one after the other.
  template <class Visit>
  KOKKOS_FUNCTION void for_each_swap(std::uint64_t seed, std::uint64_t r,
                                     Visit const& visit) const {
    Draws draws(tables_);
    auto const words = static_cast<std::uint32_t>(tables_.words.extent(0));
    for (std::uint32_t first = 0; first < words; first += words_per_block) {
      auto const block = random_block(seed, r, Purpose::permutations, first / words_per_block);
      for (std::uint32_t j = 0; j < words_per_block && first + j < words; ++j) {
        auto const decided = tables_.words(first + j);
        auto const word = accept_word(block[j], decided.product, seed, r, first + j,
                                      Purpose::permutations_redrawn);
        draws.take_word(word, decided.draws, visit);
      }
    }
  }

  /// Computes the draws of all sets from random words.
  class Draws {
   public:
    KOKKOS_FUNCTION explicit Draws(Tables const& tables) : tables_(tables) { begin_set(); }

    template <class Visit>
    KOKKOS_FUNCTION void take_word(std::uint32_t word, std::uint32_t draws, Visit const& visit) {
      for (; draws > 0; --draws) {
        std::uint64_t const product = std::uint64_t{word} * left_;
        word = static_cast<std::uint32_t>(product);
        visit(set_, left_ - 1, static_cast<std::uint32_t>(product >> 32));
        if (--left_ == 1) begin_set();
      }
    }

   private:
    KOKKOS_FUNCTION void begin_set() {
      if (next_ == tables_.sets.extent(0)) return;
      set_ = tables_.sets(next_++);
      left_ = set_.count;
    }

    Tables const& tables_;
    UnitSet set_{};
    std::uint32_t left_ = 0;
    std::uint32_t next_ = 0;
  };

  /// Converts a digit to a lexicographic rank: (digit + ranked.observed) modulo the number of arrangements, so that
  /// digit 0 gives the observed sequence of classes.
  KOKKOS_FUNCTION static std::uint64_t digit_after_observed(RankedSet const& ranked,
                                                            std::uint64_t digit) {
    std::uint64_t const before_end = ranked.arrangements - ranked.observed;
    return digit < before_end ? digit + ranked.observed : digit - before_end;
  }

  /// Writes to scratch(p) the unit that is assigned to place p by the sequence of classes with lexicographic rank
  /// `rank`.
  template <class Scratch>
  KOKKOS_FUNCTION void order_classes(UnitSet const& set, RankedSet const& ranked,
                                     std::uint64_t rank, Scratch const& scratch) const {
    std::uint32_t const next = set.count;  // scratch(next + c): the next unit of class c
    for (std::uint32_t c = 0; c < ranked.classes; ++c) scratch(next + c) = class_begin(ranked, c);
    std::uint64_t arrangements = ranked.arrangements;
    for (std::uint32_t p = 0; p < set.count; ++p) {
      for (std::uint32_t c = 0;; ++c) {
        std::uint32_t const left = class_begin(ranked, c + 1) - scratch(next + c);
        std::uint64_t const here = share_of(arrangements, left, set.count - p);
        if (rank < here) {
          arrangements = here;
          scratch(p) = tables_.units_by_class(set.first_unit + scratch(next + c)++);
          break;
        }
        rank -= here;
      }
    }
  }

  KOKKOS_FUNCTION std::uint32_t class_begin(RankedSet const& ranked, std::uint32_t c) const {
    return tables_.class_begins(ranked.first_class + c);
  }

  /// Moves the content of each unit p to unit scratch(p), following the cycles of the permutation. Overwrites scratch.
  template <class Row, class Scratch>
  KOKKOS_FUNCTION void move_contents(UnitSet const& set, Row const& row,
                                     Scratch const& scratch) const {
    for (std::uint32_t p = 0; p < set.count; ++p) {
      while (scratch(p) != p) {
        std::uint32_t const to = scratch(p);
        swap_units(tables_, set, p, to, row);
        scratch(p) = scratch(to);
        scratch(to) = to;
      }
    }
  }

  Tables tables_;
  std::uint32_t n_;
  std::uint32_t swaps_;
  std::uint32_t sign_units_;
  std::uint32_t scratch_;
};

/// Copies values to memory of the scope. The caller must fence before the values are destroyed.
template <class T, class Exec>
typename SchemePlan<typename Exec::memory_space>::template Table<T> upload_table(
    Context<Exec> const& context, Scope<Exec>& scope, std::vector<T> const& values) {
  using Memory = typename Exec::memory_space;
  std::size_t const bytes = values.size() * sizeof(T);
  if (bytes == 0) return {};
  // Bytes are copied, so that Kokkos::deep_copy is instantiated once for all T.
  T* const to = scope.template take<T>(values.size());
  using Unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;
  Kokkos::deep_copy(
      context.exec(),
      Kokkos::View<unsigned char*, Memory, Unmanaged>(reinterpret_cast<unsigned char*>(to), bytes),
      Kokkos::View<unsigned char const*, Kokkos::HostSpace, Unmanaged>(
          reinterpret_cast<unsigned char const*>(values.data()), bytes));
  return typename SchemePlan<Memory>::template Table<T>(to, values.size());
}

/// Returns the plan of a layout, which is valid until the scope ends. Fences.
template <class Exec>
SchemePlan<typename Exec::memory_space> make_scheme_plan(Context<Exec> const& context,
                                                         Scope<Exec>& scope,
                                                         SchemeLayout const& layout) {
  auto const words = words_of_draws(layout);
  auto const ranks = rank_tables(layout);
  typename SchemePlan<typename Exec::memory_space>::Tables const tables{
      upload_table(context, scope, layout.sets),
      upload_table(context, scope, layout.positions),
      upload_table(context, scope, words),
      upload_table(context, scope, layout.sign_unit),
      upload_table(context, scope, ranks.sets),
      upload_table(context, scope, ranks.class_begins),
      upload_table(context, scope, ranks.units_by_class)};
  context.exec().fence(context.label() + "::tables");
  std::uint32_t swaps = 0;
  for (auto const& set : layout.sets) swaps += set.count - 1;
  return {tables, layout.n, swaps, layout.sign_units, ranks.scratch};
}

}  // namespace riffle::detail
