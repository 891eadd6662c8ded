#pragma once

// Computes the sums of term(i, sigma(i)) over i for permutations sigma in lexicographic order, on a CPU. A block
// consists of 24 consecutive permutations that differ only in the last four positions i. All 24 share the partial sum
// over the other positions, groups of six also share the next term, and so on. So a sum takes 1.5 additions on average.
// Without blocks, 2.7 terms change on average from one permutation to the next.

#include <algorithm>
#include <cstdint>

#include <riffle/random/lehmer.hpp>

namespace riffle::detail {

/// Enumerates the permutations of n >= 4 items in blocks of `size` permutations, and stores the current block.
class PermutationBlocks {
 public:
  static constexpr int last_places = 4;
  static constexpr int size = 24;

  /// Starts with block `number`, 0 <= number < n! / size.
  PermutationBlocks(int n, std::uint64_t number) : n_(n) {
    LehmerPermutation const sigma(n, number * size);
    for (int i = 0; i < n; ++i) {
      images_[i] = static_cast<std::uint8_t>(sigma(static_cast<std::uint64_t>(i)));
    }
  }

  /// Advances to the next block, and from the last one to the first.
  void advance() {
    std::reverse(images_ + n_ - last_places, images_ + n_);
    std::next_permutation(images_, images_ + n_);
  }

  /// Computes the sums of term(i, sigma(i)) for all permutations of the block, in order.
  template <class Sum, class Term>
  void sum(Term const& term, Sum (&sums)[size]) const {
    int const before = n_ - last_places;
    Sum first = {};
    for (int i = 0; i < before; ++i) first += term(i, images_[i]);
    Sum terms[last_places][last_places];
    for (int i = 0; i < last_places; ++i) {
      for (int k = 0; k < last_places; ++k) terms[i][k] = term(before + i, images_[before + k]);
    }
    sum_orders(first, terms, sums);
  }

 private:
  /// terms[i][k] is the term for the i-th of the last four positions if sigma maps this position to the k-th smallest
  /// of the four remaining values.
  template <class Sum>
  static void sum_orders(Sum const& before, Sum const (&terms)[last_places][last_places],
                         Sum (&sums)[size]) {
    Sum* to = sums;
    for (int i = 0; i < last_places; ++i) {
      Sum const first = before + terms[0][i];
      for (int j = 0; j < last_places; ++j) {
        if (j == i) continue;
        // low and high are the two indices in 0, ..., 3 other than i and j; the sum of all four is 6.
        int const low = (i == 0 || j == 0) ? (i == 1 || j == 1) ? 2 : 1 : 0;
        int const high = 6 - i - j - low;
        Sum const second = first + terms[1][j];
        *to++ = second + (terms[2][low] + terms[3][high]);
        *to++ = second + (terms[2][high] + terms[3][low]);
      }
    }
  }

  std::uint8_t images_[max_ranked_size];
  int n_;
};

/// Calls use(sum) with the sum of term(i, sigma(i)) over i, for each permutation sigma of ranks first, ..., first +
/// count - 1, in order. Requires: first + count <= n!, n <= max_ranked_size.
template <class Sum, class Term, class Use>
void sum_ranked_permutations(int n, std::uint64_t first, std::uint64_t count, Term const& term,
                             Use const& use) {
  if (n < PermutationBlocks::last_places) {
    for (std::uint64_t w = 0; w < count; ++w) {
      LehmerPermutation const sigma(n, first + w);
      Sum sum = {};
      for (int i = 0; i < n; ++i) {
        sum += term(i, static_cast<int>(sigma(static_cast<std::uint64_t>(i))));
      }
      use(sum);
    }
    return;
  }
  constexpr std::uint64_t size = PermutationBlocks::size;
  PermutationBlocks blocks(n, first / size);
  Sum sums[size];
  for (std::uint64_t begin = first % size; count > 0; begin = 0) {
    blocks.sum(term, sums);
    std::uint64_t const end = std::min(size, begin + count);
    for (std::uint64_t k = begin; k < end; ++k) use(sums[k]);
    count -= end - begin;
    blocks.advance();
  }
}

}  // namespace riffle::detail
