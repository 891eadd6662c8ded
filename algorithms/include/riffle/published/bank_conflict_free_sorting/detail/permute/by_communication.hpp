#pragma once

// Permutes items without bank conflicts. The label of an item is its destination cell. Rows send items to each other in
// rounds of communication. A waiting item is one that has not been sent yet. When few items are waiting, they are
// sorted and then sent (finishing.hpp).
//   P. Afshani, N. Sitchinava, "Sorting and Permuting without Bank Conflicts on GPUs", ESA 2015, arXiv 1507.01391 [1],
//   section 3, Theorem 4: O(m log log log_m w) expected time for a w x m matrix.

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/published/bank_conflict_free_sorting/detail/permute/communication.hpp>
#include <riffle/published/bank_conflict_free_sorting/detail/permute/finishing.hpp>
#include <riffle/published/bank_conflict_free_sorting/detail/permute/matrix_items.hpp>
#include <riffle/published/bank_conflict_free_sorting/detail/permute/packing.hpp>
#include <riffle/published/bank_conflict_free_sorting/detail/permute/spread.hpp>

namespace riffle::detail::matrix_permute {

/// Returns w m / max(4, log_m w)^3. If at most this number of items are waiting, they are sorted by comparisons
/// (finishing.hpp) instead of being sent in further rounds of communication. The logarithm counts as at least 4,
/// because for small w the rounds are few and short, and cost less than the sort.
KOKKOS_INLINE_FUNCTION constexpr std::uint64_t max_to_finish(std::uint32_t rows,
                                                             std::uint32_t columns) {
  std::uint64_t logarithm = 1;
  for (std::uint64_t power = columns; columns > 1 && power < rows; power *= columns) ++logarithm;
  if (logarithm < 4) logarithm = 4;
  return std::uint64_t{rows} * columns / (logarithm * logarithm * logarithm);
}

/// Returns a width for packing. At least half of the rows have fewer than `width` waiting items, and so have free cells
/// in columns 0, ..., width - 1.
KOKKOS_INLINE_FUNCTION std::uint32_t packed_width(std::uint64_t waiting, std::uint32_t rows) {
  return static_cast<std::uint32_t>(2 * ((waiting + rows - 1) / rows));
}

/// Packs and sends the last items. Returns false if packing was unlucky and the items have not been
/// sent.
template <class Processors, class Items, class Memory, class Counts>
KOKKOS_FUNCTION bool pack_and_finish(Processors& processors, Items const& items,
                                     Memory const& memory, std::uint64_t seed, std::uint32_t round,
                                     Tally left, Counts& waiting) {
  std::uint32_t const width = packed_width(left.sum, processors.rows());
  if (left.most > width) {
    left = pack(processors, items, memory.lists.heads, memory.tallies, width, seed, round, waiting);
  }
  if (left.most > width) return false;
  finish(processors, items, memory, static_cast<std::uint32_t>(left.most), waiting);
  return true;
}

template <class Processors, class Items, class Memory>
KOKKOS_FUNCTION void take_arrivals(Processors& processors, Items const& items,
                                   Memory const& memory) {
  Labels const labels = labels_of(items);
  processors.step([&](std::uint32_t p) {
    for (std::uint32_t column = 0; column < labels.columns; ++column) {
      items.write(p, column, {labels.of(p, column), memory.arrivals.read(p, column)});
    }
  });
}

/// Moves every item to the cell that its label names. Requires that the labels are a permutation of all cells. Returns
/// the number of rounds of communication. The algorithm terminates for every seed, because each round sends at least
/// one item.
template <class Processors, class Items, class Memory>
KOKKOS_FUNCTION std::uint32_t permute_by_communication(Processors& processors, Items const& items,
                                                       Memory const& memory, std::uint64_t seed,
                                                       std::uint32_t repetitions) {
  Labels const labels = labels_of(items);
  std::uint64_t const few = max_to_finish(labels.rows, labels.columns);
  auto waiting = processors.template registers<std::uint32_t>();
  processors.step([&](std::uint32_t p) { waiting[p] = labels.columns; });
  spread(processors, items, seed);
  std::uint32_t rounds = 0;
  for (bool ended = false; !ended;) {
    Colouring const colouring{seed, rounds, labels};
    Tally const left = communicate(processors, items, memory, colouring, repetitions, waiting);
    ended = left.sum == 0 || (left.sum <= few && pack_and_finish(processors, items, memory, seed,
                                                                 rounds, left, waiting));
    ++rounds;
  }
  take_arrivals(processors, items, memory);
  return rounds;
}

}  // namespace riffle::detail::matrix_permute
