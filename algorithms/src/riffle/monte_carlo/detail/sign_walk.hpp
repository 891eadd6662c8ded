#pragma once

// Computes sums of n numbers with random or enumerated signs (signed sums).
//
// A sign is one random bit. A Philox block gives 128 signs; if there are few numbers, several replicates share a block.
// For each group of four numbers, the 16 signed sums are computed in advance. Four signs select one of the 16, so a
// quarter of the additions suffices (after V. L. Arlazarov, E. A. Dinic, M. A. Kronrod, I. A. Faradzhev, Soviet Math.
// Doklady 11, 1970). The 16 sums of a group take 128 bytes, which is one cache line. On a GPU a line covers each of the
// 32 banks once, so lanes of a warp that select different sums of a group have no bank conflicts.

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/backend/backend.hpp>
#include <riffle/context.hpp>
#include <riffle/monte_carlo/detail/random_words.hpp>
#include <riffle/monte_carlo/detail/subset_walk.hpp>
#include <riffle/random/philox.hpp>

namespace riffle::detail {

inline constexpr std::uint32_t signs_per_choice = 4;
inline constexpr std::uint32_t sums_per_choice = 1u << signs_per_choice;
/// A table of signed sums of n numbers, in groups of four consecutive numbers with 16 sums per group. sums(16 k +
/// signs) is the sum of numbers 4 k, ..., 4 k + 3 in which number 4 k + j has a minus sign if bit j of `signs` is set.
template <class Sums>
struct SignTable {
  Sums sums;
  std::uint32_t n;

  KOKKOS_FUNCTION std::uint32_t choices() const {
    return (n + signs_per_choice - 1) / signs_per_choice;
  }

  KOKKOS_FUNCTION std::int64_t sum_choice(std::uint32_t choice, std::uint32_t signs) const {
    return sums(std::uint64_t{sums_per_choice} * choice + signs % sums_per_choice);
  }

  /// Returns the sum of numbers first, ..., first + 31 (or up to n - 1), with the signs that the bits of `word` give.
  /// Requires: `first` is a multiple of 4.
  KOKKOS_FUNCTION std::int64_t sum_word(std::uint32_t first, std::uint32_t word) const {
    constexpr std::uint32_t in_word = signs_per_word / signs_per_choice;
    std::uint32_t const choice = first / signs_per_choice;
    std::uint32_t const left = choices() - choice;
    std::int64_t sum = 0;
    if (left >= in_word) {
      RIFFLE_UNROLL
      for (std::uint32_t k = 0; k < in_word; ++k) {
        sum += sum_choice(choice + k, word >> signs_per_choice * k);
      }
    } else {
      for (std::uint32_t k = 0; k < left; ++k) {
        sum += sum_choice(choice + k, word >> signs_per_choice * k);
      }
    }
    return sum;
  }
};

template <class Numbers, class Sums>
struct FillSignTable {
  Numbers numbers;
  Sums sums;

  KOKKOS_FUNCTION void operator()(std::uint64_t at) const {
    std::uint64_t const first = at / sums_per_choice * signs_per_choice;
    std::int64_t sum = 0;
    for (std::uint32_t j = 0; j < signs_per_choice && first + j < numbers.extent(0); ++j) {
      std::int64_t const number = numbers(first + j);
      sum += (at >> j & 1) != 0 ? -number : number;
    }
    sums(at) = sum;
  }
};

/// Returns the table for numbers(0), ..., numbers(n - 1). Requires: the numbers are integers, and their sums with any
/// signs fit in 63 bits; n < 2^31.
template <class Exec, class Numbers>
auto make_sign_table(Context<Exec> const& context, Numbers const& numbers) {
  using Sums = Kokkos::View<std::int64_t*, typename Exec::memory_space>;
  SignTable<Sums> table{{}, static_cast<std::uint32_t>(numbers.extent(0))};
  table.sums = Sums(Kokkos::view_alloc(context.exec(), Kokkos::WithoutInitializing,
                                       context.label() + "::signed_sums"),
                    std::uint64_t{sums_per_choice} * table.choices());
  context.named("signed_sums")
      .for_each(table.sums.extent(0), FillSignTable<Numbers, Sums>{numbers, table.sums});
  return table;
}

/// Returns the signed sum of replicate `replicate` for `seed`.
template <class Sums>
KOKKOS_INLINE_FUNCTION std::int64_t sum_random_signs(SignTable<Sums> const& table,
                                                     std::uint64_t seed, std::uint64_t replicate) {
  std::uint32_t const sharing = replicates_per_block(table.n);
  auto const place = static_cast<std::uint32_t>(replicate % sharing);
  std::int64_t sum = 0;
  for (std::uint32_t block = 0, first = 0; first < table.n; ++block) {
    auto words = random_block(seed, replicate / sharing, Purpose::signs, block);
    // The words of this replicate are moved to the front. Unlike indexing with a variable, this keeps the block in
    // registers.
    std::uint32_t const before = place * (words_per_block / sharing);
    if ((before & 2) != 0) {
      words[0] = words[2];
      words[1] = words[3];
    }
    if ((before & 1) != 0) words[0] = words[1];
    RIFFLE_UNROLL
    for (std::uint32_t j = 0; j < words_per_block; ++j) {
      if (first < table.n) sum += table.sum_word(first, words[j]);
      first += signs_per_word;
    }
  }
  return sum;
}

/// Computes the signed sums of replicates first, ..., first + Width - 1. Random words are computed in the vector lanes
/// of a CPU. Requires: `first` is a multiple of Width. Host only.
template <int Width, class Sums>
void sum_random_sign_vectors(SignTable<Sums> const& table, std::uint64_t seed, std::uint64_t first,
                             std::int64_t (&sums)[Width]) {
  using backend::Vector;
  static_assert(Width % words_per_block == 0 && Width % Vector::width == 0);
  auto const sharing = static_cast<int>(replicates_per_block(table.n));
  int const words_each = static_cast<int>(words_per_block) / sharing;
  for (std::int64_t& sum : sums) sum = 0;
  for (std::uint32_t block = 0, begin = 0; begin < table.n; ++block) {
    std::int64_t words[words_per_block][Width];
    std::uint64_t const stream = first / static_cast<std::uint64_t>(sharing);
    for (int s = 0; s < Width / sharing; s += Vector::width) {
      Vector vectors[words_per_block];
      random_blocks(seed, stream + static_cast<std::uint64_t>(s), Purpose::signs, block, vectors);
      for (std::uint32_t j = 0; j < words_per_block; ++j) vectors[j].store(words[j] + s);
    }
    for (int j = 0; j < words_each && begin < table.n; ++j, begin += signs_per_word) {
      for (int w = 0; w < Width; ++w) {
        auto const word = words[w % sharing * words_each + j][w / sharing];
        sums[w] += table.sum_word(begin, static_cast<std::uint32_t>(word));
      }
    }
  }
}

/// Computes the signed sums of replicates first, ..., first + Width - 1. Requires: `first` is a multiple of Width.
template <int Width, class Sums>
KOKKOS_INLINE_FUNCTION void sum_random_signs(SignTable<Sums> const& table, std::uint64_t seed,
                                             std::uint64_t first, std::int64_t (&sums)[Width]) {
  if constexpr (Width == 1) {
    sums[0] = sum_random_signs(table, seed, first);
  } else {
    KOKKOS_IF_ON_HOST((sum_random_sign_vectors(table, seed, first, sums);))
  }
}

/// Computes the signed sums for the sign patterns first, ..., first + Width - 1; bit i of a pattern is the sign of
/// number i. Requires: `first` is a multiple of Width, so that the patterns differ only in the signs of the first four
/// numbers.
template <int Width, class Sums>
KOKKOS_INLINE_FUNCTION void sum_sign_patterns(SignTable<Sums> const& table, std::uint64_t first,
                                              std::int64_t (&sums)[Width]) {
  static_assert(sums_per_choice % Width == 0);
  std::int64_t common = 0;
  for (std::uint32_t k = 1; k < table.choices(); ++k) {
    common += table.sum_choice(k, static_cast<std::uint32_t>(first >> signs_per_choice * k));
  }
  for (int w = 0; w < Width; ++w) {
    sums[w] = common + table.sum_choice(
                           0, static_cast<std::uint32_t>(first) + static_cast<std::uint32_t>(w));
  }
}

}  // namespace riffle::detail
