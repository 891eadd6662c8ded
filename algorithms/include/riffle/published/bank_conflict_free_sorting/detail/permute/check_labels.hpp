#pragma once

// Checks whether labels are a permutation, in O(m + log w) time and without a bank conflict.
//
// Marking the cells that labels name would meet banks twice where labels are bad, and be as much work as permuting.
// Instead each label has a random 64-bit word; the words of the labels that there are, less those of the labels that
// there should be, add to 0 modulo 2^64. Where labels are in range and one is repeated, another is missing; its word,
// which nothing else depends on, makes the sum 0 with probability 2^-64.

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/published/bank_conflict_free_sorting/detail/permute/matrix_items.hpp>
#include <riffle/published/bank_conflict_free_sorting/detail/permute/random.hpp>
#include <riffle/published/bank_conflict_free_sorting/detail/permute/tally.hpp>

namespace riffle::detail::matrix_permute {

enum class LabelFault { none, out_of_range, repeated };

KOKKOS_INLINE_FUNCTION std::uint64_t fingerprint(std::uint64_t seed, std::uint32_t label) {
  auto const words = draw(seed, Draw::fingerprint, 0, label);
  return std::uint64_t{words[1]} << 32 | words[0];
}

/// For row p: the difference of its labels' words and its cells' words, and whether a label is out of range.
template <class Items>
KOKKOS_FUNCTION Tally check_row(Items const& items, std::uint64_t seed, std::uint32_t p) {
  Labels const labels = labels_of(items);
  Tally result{0, 0};
  for (std::uint32_t column = 0; column < labels.columns; ++column) {
    std::uint32_t const label = items.label(p, column);
    if (label >= labels.count()) result.most = 1;
    result.sum += fingerprint(seed, label) - fingerprint(seed, labels.of(p, column));
  }
  return result;
}

template <class Processors, class Items, class Tallies>
KOKKOS_FUNCTION LabelFault check_labels(Processors& processors, Items const& items,
                                        Tallies const& tallies, std::uint64_t seed) {
  Tally const all =
      combine_rows(processors, tallies, [&](std::uint32_t p) { return check_row(items, seed, p); });
  if (all.most != 0) return LabelFault::out_of_range;
  return all.sum != 0 ? LabelFault::repeated : LabelFault::none;
}

}  // namespace riffle::detail::matrix_permute
