#pragma once

// Checks whether labels are a permutation, in O(m + log w) time and without bank conflicts.
//
// It would be possible to mark the cell that each label names. But wrong labels would cause bank
// conflicts, and marking would be as expensive as permuting. Instead, a random 64-bit word is
// assigned to each possible label. The sum of the words of the given labels, minus the sum of the
// words of all cells, must be 0 modulo 2^64. If all labels are in range and one occurs twice,
// another label is missing. The word of the missing label occurs only in the second sum, so the
// difference is 0 with probability 2^-64.

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

/// For row p, computes the sum of the words of its labels minus the sum of the words of its cells,
/// and whether a label is out of range.
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
