#pragma once

// Computes sums over random subsets for two-sample tests. The subset of a replicate is group 0 of walk_random_labels()
// for two groups, and only the sums over group 0 are computed. On a GPU a lane computes one replicate. On a CPU a
// thread computes several replicates in its vector lanes.

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/backend/backend.hpp>
#include <riffle/monte_carlo/detail/label_walk.hpp>
#include <riffle/random/philox.hpp>

namespace riffle::detail {

/// The sum of values over the items in group 0 and, if `WithSquares`, the sum of the squared values.
struct SubsetSums {
  std::int64_t values = 0;
  std::int64_t squares = 0;
};

/// The implementations of SubsetWalk that a kernel contains. On a GPU a kernel contains only one, because the most
/// expensive implementation in a kernel determines the number of registers of all its lanes.
enum class SubsetWalks {
  any,
  few_items,  // so few that a word gives max_labels_per_word labels
  many_items,
};

KOKKOS_INLINE_FUNCTION constexpr bool are_few_items(std::uint32_t n) {
  return labels_per_word(n) == max_labels_per_word;
}

/// Computes the sums of one replicate. `left_` is the number of free places in the subset.
template <bool WithSquares, class Values>
class SubsetWalk {
 public:
  KOKKOS_FUNCTION SubsetWalk(Values const& values, Values const& squares, std::uint32_t subset_size,
                             LabelStream const& stream)
      : values_(values), squares_(squares), stream_(stream), left_(subset_size) {}

  template <SubsetWalks Walks>
  KOKKOS_FORCEINLINE_FUNCTION SubsetSums sum() {
    if constexpr (Walks == SubsetWalks::few_items) {
      visit_words();
    } else if constexpr (Walks == SubsetWalks::many_items) {
      visit_blocks_of_many();
    } else if (are_few_items(stream_.n)) {
      visit_words();
    } else {
      visit_blocks_of_many();
    }
    return sums_;
  }

 private:
  /// Few items are loaded one at a time, because the random places and the values of a whole block would take too many
  /// registers.
  KOKKOS_FORCEINLINE_FUNCTION void visit_words() {
    walk_words<max_labels_per_word>(stream_,
                                    [&](std::uint32_t i, std::uint32_t place) { visit(i, place); });
  }

  KOKKOS_FORCEINLINE_FUNCTION void visit_blocks_of_many() {
    switch (labels_per_word(stream_.n)) {
      case 1: visit_blocks<1>(); break;
      case 2: visit_blocks<2>(); break;
      default: visit_blocks<3>();
    }
  }

  /// The items whose labels are drawn from one Philox block. Each of its 4 words gives `Labels` labels.
  template <std::uint32_t Labels>
  struct Items {
    std::int64_t value[4 * Labels];
    std::int64_t square[WithSquares ? 4 * Labels : 1];
  };

  /// The random places of these items: item first + k joins the subset if place[k] < left_.
  template <std::uint32_t Labels>
  struct Places {
    std::uint32_t place[4 * Labels];
    /// accept_word() compares the last lower half of each word with a bound. least_rest is the minimum of these lower
    /// halves over all words of the block. If it is not less than the product of the bounds of a word, all words are
    /// accepted.
    std::uint32_t least_rest = ~std::uint32_t{0};

    KOKKOS_FORCEINLINE_FUNCTION Places(Philox4x32::Block const& words, std::uint32_t bound) {
      RIFFLE_UNROLL
      for (std::uint32_t j = 0; j < 4; ++j) {
        std::uint32_t word = words[j];
        RIFFLE_UNROLL
        for (std::uint32_t k = j * Labels; k < (j + 1) * Labels; ++k) {
          std::uint64_t const product = std::uint64_t{word} * (bound - k);
          word = static_cast<std::uint32_t>(product);
          place[k] = static_cast<std::uint32_t>(product >> 32);
        }
        least_rest = word < least_rest ? word : least_rest;
      }
    }
  };

  /// Visits all items, one Philox block at a time. The values are loaded before the places are computed, so that the
  /// loads overlap, and one branch checks whether any word of the block must be drawn again.
  template <std::uint32_t Labels>
  KOKKOS_FORCEINLINE_FUNCTION void visit_blocks() {
    std::uint32_t i = 0;
    std::uint32_t block = 0;
    RIFFLE_NO_UNROLL
    for (; stream_.n - i >= 4 * Labels; ++block, i += 4 * Labels) visit_block<Labels>(block, i);
    walk_last_words<Labels>(stream_, block, i,
                            [&](std::uint32_t at, std::uint32_t place) { visit(at, place); });
  }

  template <std::uint32_t Labels>
  KOKKOS_FORCEINLINE_FUNCTION void visit_block(std::uint32_t block, std::uint32_t first) {
    Items<Labels> const items = load<Labels>(first);
    Philox4x32::Block words = stream_.block(block);
    Places<Labels> places(words, stream_.n - first);
    // The product of bounds is largest for the first word.
    if (places.least_rest < product_of_bounds(stream_.n, first, first + Labels)) {
      accept<Labels>(block, first, words);
      places = Places<Labels>(words, stream_.n - first);
    }
    RIFFLE_UNROLL
    for (std::uint32_t k = 0; k < 4 * Labels; ++k) {
      if (places.place[k] < left_) join(items.value[k], WithSquares ? items.square[k] : 0);
    }
  }

  template <std::uint32_t Labels>
  KOKKOS_FORCEINLINE_FUNCTION Items<Labels> load(std::uint32_t first) const {
    Items<Labels> items;
    RIFFLE_UNROLL
    for (std::uint32_t k = 0; k < 4 * Labels; ++k) {
      items.value[k] = values_(first + k);
      if constexpr (WithSquares) items.square[k] = squares_(first + k);
    }
    return items;
  }

  template <std::uint32_t Labels>
  KOKKOS_FUNCTION void accept(std::uint32_t block, std::uint32_t first,
                              Philox4x32::Block& words) const {
    for (std::uint32_t j = 0; j < 4; ++j) {
      std::uint32_t const i = first + j * Labels;
      words[j] = accept_word(words[j], product_of_bounds(stream_.n, i, i + Labels), stream_.seed,
                             stream_.replicate, std::uint64_t{4} * block + j);
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION void visit(std::uint32_t i, std::uint32_t place) {
    if (place < left_) join(values_(i), WithSquares ? squares_(i) : 0);
  }

  KOKKOS_FORCEINLINE_FUNCTION void join(std::int64_t value, [[maybe_unused]] std::int64_t square) {
    --left_;
    sums_.values += value;
    if constexpr (WithSquares) sums_.squares += square;
  }

  Values const& values_;
  Values const& squares_;
  LabelStream stream_;
  std::uint32_t left_;
  SubsetSums sums_;
};

template <bool WithSquares, SubsetWalks Walks, class Values>
KOKKOS_INLINE_FUNCTION SubsetSums sum_random_subset(Values const& values, Values const& squares,
                                                    std::uint32_t subset_size, std::uint64_t seed,
                                                    std::uint64_t replicate) {
  LabelStream const stream{static_cast<std::uint32_t>(values.extent(0)), seed, replicate};
  return SubsetWalk<WithSquares, Values>(values, squares, subset_size, stream)
      .template sum<Walks>();
}

/// The state of several replicates, one in each vector lane.
template <bool WithSquares>
struct SubsetVector {
  backend::Vector left;
  backend::Vector values = backend::Vector::broadcast(0);
  backend::Vector squares = backend::Vector::broadcast(0);

  explicit SubsetVector(std::uint32_t subset_size)
      : left(backend::Vector::broadcast(subset_size)) {}

  /// Adds the item to the subset on the lanes where its place is less than the number of free places.
  void visit(backend::Vector place, backend::Vector value,
             [[maybe_unused]] backend::Vector square) {
    auto const taken = less(place, left);
    left = left + taken;
    values = values + (value & taken);
    if constexpr (WithSquares) squares = squares + (square & taken);
  }

  void store(SubsetSums* sums) const {
    std::int64_t of_values[backend::Vector::width];
    std::int64_t of_squares[backend::Vector::width];
    values.store(of_values);
    squares.store(of_squares);
    for (int l = 0; l < backend::Vector::width; ++l) sums[l] = {of_values[l], of_squares[l]};
  }
};

/// Computes random_block() for replicates first, first + 1, ..., one in each vector lane.
inline void random_blocks(std::uint64_t seed, std::uint64_t first, Purpose purpose,
                          std::uint32_t index, backend::Vector (&words)[4]) {
  auto const stream = backend::Vector::iota(first);
  words[0] = backend::Vector::broadcast(index);
  words[1] = backend::Vector::broadcast(static_cast<std::uint32_t>(purpose) << 24);
  words[2] = stream;
  words[3] = upper(stream);
  Philox4x32(seed).transform(words);
}

/// Computes accept_word() for replicates first, first + 1, ..., one in each vector lane.
inline backend::Vector accept_words(backend::Vector words, std::uint32_t bound, std::uint64_t seed,
                                    std::uint64_t first, std::uint64_t index) {
  auto const bounds = backend::Vector::broadcast(bound);
  auto const remainder = multiply_low(words, bounds) & backend::Vector::broadcast(0xFFFFFFFFu);
  if (!any_negative(remainder - bounds)) return words;
  std::int64_t each[backend::Vector::width];
  words.store(each);
  for (int l = 0; l < backend::Vector::width; ++l) {
    each[l] = accept_word(static_cast<std::uint32_t>(each[l]), bound, seed,
                          first + static_cast<std::uint64_t>(l), index);
  }
  return backend::Vector::load(each);
}

/// Computes sum_random_subset() for replicates first, ..., first + Width - 1 in the vector lanes of a CPU. Host only.
template <int Width, bool WithSquares, class Values>
void sum_random_subset_vectors(Values const& values, Values const& squares,
                               std::uint32_t subset_size, std::uint64_t seed, std::uint64_t first,
                               SubsetSums (&sums)[Width]) {
  using backend::Vector;
  // Two vectors are processed at a time: their chains of dependent multiplications overlap, and their state still fits
  // in registers.
  static_assert(Width % (2 * Vector::width) == 0);
  auto const n = static_cast<std::uint32_t>(values.extent(0));
  std::uint32_t const labels = labels_per_word(n);
  for (int w = 0; w < Width; w += 2 * Vector::width) {
    std::uint64_t const first_a = first + static_cast<std::uint64_t>(w);
    std::uint64_t const first_b = first_a + Vector::width;
    SubsetVector<WithSquares> a(subset_size);
    SubsetVector<WithSquares> b(subset_size);
    for (std::uint32_t i = 0, block = 0; i < n; ++block) {
      Vector words_a[4];
      Vector words_b[4];
      random_blocks(seed, first_a, Purpose::labels, block, words_a);
      random_blocks(seed, first_b, Purpose::labels, block, words_b);
      for (std::uint32_t j = 0; j < 4 && i < n; ++j) {
        std::uint32_t const last = n - i < labels ? n : i + labels;
        std::uint32_t const bound = product_of_bounds(n, i, last);
        std::uint64_t const index = std::uint64_t{4} * block + j;
        Vector word_a = accept_words(words_a[j], bound, seed, first_a, index);
        Vector word_b = accept_words(words_b[j], bound, seed, first_b, index);
        for (; i < last; ++i) {
          auto const places = Vector::broadcast(n - i);
          auto const value = Vector::broadcast(static_cast<std::uint64_t>(values(i)));
          auto const square =
              WithSquares ? Vector::broadcast(static_cast<std::uint64_t>(squares(i))) : value;
          word_a = multiply_low(word_a, places);
          word_b = multiply_low(word_b, places);
          a.visit(upper(word_a), value, square);
          b.visit(upper(word_b), value, square);
        }
      }
    }
    a.store(sums + w);
    b.store(sums + w + Vector::width);
  }
}

/// Computes the sums of replicates first, ..., first + Width - 1. Requires: `Walks` contains the implementation for
/// this number of values.
template <int Width, bool WithSquares, SubsetWalks Walks = SubsetWalks::any, class Values>
KOKKOS_INLINE_FUNCTION void sum_random_subsets(Values const& values, Values const& squares,
                                               std::uint32_t subset_size, std::uint64_t seed,
                                               std::uint64_t first, SubsetSums (&sums)[Width]) {
  if constexpr (Width == 1) {
    sums[0] = sum_random_subset<WithSquares, Walks>(values, squares, subset_size, seed, first);
  } else {
    KOKKOS_IF_ON_HOST((sum_random_subset_vectors<Width, WithSquares>(values, squares, subset_size,
                                                                     seed, first, sums);))
  }
}

}  // namespace riffle::detail
