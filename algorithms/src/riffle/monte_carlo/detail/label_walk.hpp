#pragma once

// Draws or enumerates assignments of n items to groups of given sizes, in one pass over the items.
//
// A permutation test of group sums needs no permutation, only the group of each item. Item i is assigned to group g
// with probability (free places in g) / (items left), which makes all assignments equally likely (selection sampling;
// D. E. Knuth, The Art of Computer Programming 2, section 3.4.2, algorithm S, here for any number of groups). The state
// is one counter for each group. The data are read in order, and all lanes of a warp read the same item. So there is no
// gather, and memory does not grow with the number of replicates.

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/monte_carlo/detail/random_words.hpp>
#include <riffle/random/integers.hpp>
#include <riffle/random/philox.hpp>

namespace riffle::detail {

/// Returns how many labels one random 32-bit word gives (accept_word()), if each of them is a draw below n.
KOKKOS_INLINE_FUNCTION constexpr std::uint32_t labels_per_word(std::uint32_t n) {
  std::uint32_t labels = 1;
  std::uint64_t product = n;
  while (labels < max_labels_per_word && product * n <= max_product_of_bounds) {
    product *= n;
    ++labels;
  }
  return labels;
}

/// Returns the product of the bounds n - i of the labels first, ..., last - 1.
KOKKOS_INLINE_FUNCTION constexpr std::uint32_t product_of_bounds(std::uint32_t n,
                                                                 std::uint32_t first,
                                                                 std::uint32_t last) {
  std::uint32_t product = 1;
  for (std::uint32_t i = first; i < last; ++i) product *= n - i;
  return product;
}

/// The sizes of at most `Capacity` groups.
template <int Capacity>
struct GroupSizes {
  Kokkos::Array<std::uint32_t, Capacity> size{};
  int count = 0;

  KOKKOS_FUNCTION std::uint32_t total() const {
    std::uint32_t sum = 0;
    for (int g = 0; g < count; ++g) sum += size[g];
    return sum;
  }
};

/// The Philox blocks from which the labels of a replicate are drawn.
struct LabelStream {
  std::uint32_t n;
  std::uint64_t seed;
  std::uint64_t replicate;

  KOKKOS_FUNCTION Philox4x32::Block block(std::uint32_t index) const {
    return random_block(seed, replicate, Purpose::labels, index);
  }
};

/// Calls visit(i, place) for i = first, ..., last - 1, where place is a random number below n - i. All of these numbers
/// are drawn from `word`, which has index `index` in the stream.
template <class Visit>
KOKKOS_FORCEINLINE_FUNCTION void walk_word(LabelStream const& stream, std::uint32_t word,
                                           std::uint64_t index, std::uint32_t first,
                                           std::uint32_t last, Visit const& visit) {
  word = accept_word(word, product_of_bounds(stream.n, first, last), stream.seed, stream.replicate,
                     index);
  for (std::uint32_t i = first; i < last; ++i) {
    std::uint64_t const product = std::uint64_t{word} * (stream.n - i);
    word = static_cast<std::uint32_t>(product);
    visit(i, static_cast<std::uint32_t>(product >> 32));
  }
}

/// Calls visit(i, place) for i = first, ..., n - 1. The numbers are drawn from the words of block `block`; at most four
/// words are needed.
template <std::uint32_t Labels, class Visit>
KOKKOS_FORCEINLINE_FUNCTION void walk_last_words(LabelStream const& stream, std::uint32_t block,
                                                 std::uint32_t first, Visit const& visit) {
  std::uint32_t const n = stream.n;
  if (first == n) return;
  auto const words = stream.block(block);
  for (std::uint32_t i = first, j = 0; j < 4; ++j) {
    std::uint32_t const last = n - i < Labels ? n : i + Labels;
    if (i < last) walk_word(stream, words[j], std::uint64_t{4} * block + j, i, last, visit);
    i = last;
  }
}

/// Implements walk_random_places(). The number of labels per word is known at compile time, so that the compiler
/// unrolls the loops.
template <std::uint32_t Labels, class Visit>
KOKKOS_FORCEINLINE_FUNCTION void walk_words(LabelStream const& stream, Visit const& visit) {
  std::uint32_t const n = stream.n;
  std::uint32_t i = 0;
  std::uint32_t block = 0;
  for (; n - i >= 4 * Labels; ++block) {
    auto const words = stream.block(block);
    for (std::uint32_t j = 0; j < 4; ++j, i += Labels) {
      walk_word(stream, words[j], std::uint64_t{4} * block + j, i, i + Labels, visit);
    }
  }
  walk_last_words<Labels>(stream, block, i, visit);
}

/// Calls visit(i, place) for i = 0, ..., n - 1. `place` is a random number, uniform in 0, ..., n - i - 1, and a
/// function of (seed, replicate, i) and n.
template <class Visit>
KOKKOS_INLINE_FUNCTION void walk_random_places(std::uint32_t n, std::uint64_t seed,
                                               std::uint64_t replicate, Visit const& visit) {
  LabelStream const stream{n, seed, replicate};
  switch (labels_per_word(n)) {
    case 1: return walk_words<1>(stream, visit);
    case 2: return walk_words<2>(stream, visit);
    case 3: return walk_words<3>(stream, visit);
    default: return walk_words<max_labels_per_word>(stream, visit);
  }
}

/// Calls visit(i, g) for i = 0, 1, ..., where g is the random group of item i in replicate `replicate` for `seed`.
template <int Capacity, class Visit>
KOKKOS_INLINE_FUNCTION void walk_random_labels(GroupSizes<Capacity> left, std::uint64_t seed,
                                               std::uint64_t replicate, Visit const& visit) {
  walk_random_places(left.total(), seed, replicate, [&](std::uint32_t i, std::uint32_t place) {
    int group = 0;
    while (place >= left.size[group]) place -= left.size[group++];
    --left.size[group];
    visit(i, group);
  });
}

/// Calls visit(i, g) like walk_random_labels(), but for the assignment with lexicographic rank `rank`. `assignments` is
/// the number of all assignments. Requires: assignments * n < 2^64.
template <int Capacity, class Visit>
KOKKOS_INLINE_FUNCTION void walk_ranked_labels(GroupSizes<Capacity> left, std::uint64_t assignments,
                                               std::uint64_t rank, Visit const& visit) {
  std::uint32_t const n = left.total();
  for (std::uint32_t i = 0; i < n; ++i) {
    int group = 0;
    std::uint64_t others = assignments;  // those that do not assign i to an earlier group
    for (;; ++group) {
      // The number of assignments of items i, ..., n - 1 in which i is in this group. The last group needs no division.
      std::uint64_t const here =
          group + 1 < left.count ? assignments * left.size[group] / (n - i) : others;
      if (rank < here || group + 1 == left.count) {
        assignments = here;
        break;
      }
      rank -= here;
      others -= here;
    }
    --left.size[group];
    visit(i, group);
  }
}

/// Computes the sums for the assignments with ranks first, ..., first + Width - 1. For a rank >= assignments, computes
/// the sums of an arbitrary assignment instead. add(sums, i, group) adds an item.
template <int Width, int Capacity, class Sums, class Add>
KOKKOS_INLINE_FUNCTION void sum_ranked_labels(GroupSizes<Capacity> const& groups,
                                              std::uint64_t assignments, std::uint64_t first,
                                              Sums (&sums)[Width], Add const& add) {
  for (int w = 0; w < Width; ++w) {
    std::uint64_t const rank = first + static_cast<std::uint64_t>(w);
    sums[w] = Sums{};
    walk_ranked_labels(groups, assignments, rank < assignments ? rank : 0,
                       [&](std::uint32_t i, int group) { add(sums[w], i, group); });
  }
}

/// Returns the number of assignments, n! / (n_1! n_2! ...), or 0 if it exceeds `limit` or if its product with n is 2^64
/// or more.
template <int Capacity>
std::uint64_t count_assignments(GroupSizes<Capacity> const& groups, std::uint64_t limit) {
  uint128 const bound = ~std::uint64_t{0} / groups.total();
  uint128 count = 1;
  std::uint32_t n = 0;
  for (int g = 0; g < groups.count; ++g) {
    // Multiplies by binomial coefficients, from small factors to large ones, so that no partial product exceeds the
    // result.
    std::uint32_t const size = groups.size[g];
    std::uint32_t const smaller = size < n ? size : n;
    std::uint32_t const larger = size + n - smaller;
    for (std::uint32_t k = 1; k <= smaller; ++k) {
      count = count * (larger + k) / k;
      if (count > limit || count > bound) return 0;
    }
    n += size;
  }
  return static_cast<std::uint64_t>(count);
}

}  // namespace riffle::detail
