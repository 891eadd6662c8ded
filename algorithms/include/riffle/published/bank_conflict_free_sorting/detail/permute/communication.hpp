#pragma once

// Sends labels to their cells, colour by colour. These are the phases "coloring", "communication"
// and "synchronization" of
//   P. Afshani, N. Sitchinava, "Sorting and Permuting without Bank Conflicts on GPUs", ESA 2015, arXiv 1507.01391 [1],
//   section 3.

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/published/bank_conflict_free_sorting/detail/permute/matrix_items.hpp>
#include <riffle/published/bank_conflict_free_sorting/detail/permute/random.hpp>
#include <riffle/published/bank_conflict_free_sorting/detail/permute/tally.hpp>

namespace riffle::detail::matrix_permute {

/// Linked lists of the items in each row, one list per row and colour. heads(row, colour) is the column of the first
/// item of a list. links(row, column) is the column of the item that follows the item in `column` in its list.
template <class Words>
struct ColourLists {
  KOKKOS_FUNCTION static constexpr std::uint32_t end() { return ~std::uint32_t{0}; }
  /// The link of an item that has been sent and removed from its list.
  KOKKOS_FUNCTION static constexpr std::uint32_t sent() { return end() - 1; }

  Words heads;
  Words links;

  KOKKOS_FUNCTION void clear(std::uint32_t row) const {
    for (std::uint32_t colour = 0; colour < heads.columns(); ++colour) {
      heads.write(row, colour, end());
    }
  }
  KOKKOS_FUNCTION void push(std::uint32_t row, std::uint32_t colour, std::uint32_t column) const {
    links.write(row, column, heads.read(row, colour));
    heads.write(row, colour, column);
  }
  KOKKOS_FUNCTION void pop(std::uint32_t row, std::uint32_t colour, std::uint32_t column) const {
    heads.write(row, colour, links.read(row, column));
    links.write(row, column, sent());
  }
  KOKKOS_FUNCTION bool is_sent(std::uint32_t row, std::uint32_t column) const {
    return links.read(row, column) == sent();
  }
};

/// The memory that the algorithm needs, in addition to the matrix of items.
template <class Arrivals, class Words, class Tallies>
struct Memory {
  /// A matrix of the same size as the items, in which values arrive.
  Arrivals arrivals;
  /// Two matrices of 32-bit words, of the same size as the items.
  ColourLists<Words> lists;
  /// One column of Tally.
  Tallies tallies;
};

template <class Processors, class Items, class Words, class Counts>
KOKKOS_FUNCTION void list_by_colour(Processors& processors, Items const& items,
                                    ColourLists<Words> const& lists, Colouring const& colouring,
                                    Counts& waiting) {
  processors.step([&](std::uint32_t p) {
    lists.clear(p);
    for (std::uint32_t column = 0; column < waiting[p]; ++column) {
      lists.push(p, colouring(items.label(p, column)), column);
    }
  });
}

/// In step k, each row that has an item of colour k sends it. Among all labels (i, j) with the same
/// i, only one has colour k, so each row receives at most one item.
template <class Processors, class Items, class Memory>
KOKKOS_FUNCTION void send_each_colour(Processors& processors, Items const& items,
                                      Memory const& memory) {
  Labels const labels = labels_of(items);
  for (std::uint32_t colour = 0; colour < labels.columns; ++colour) {
    processors.step([&](std::uint32_t p) {
      std::uint32_t const column = memory.lists.heads.read(p, colour);
      if (column == memory.lists.end()) return;
      auto const item = items.read(p, column);
      memory.arrivals.write(labels.row(item.label), labels.column(item.label), item.value);
      memory.lists.pop(p, colour, column);
    });
  }
}

/// Moves the items that still wait to the first columns of their rows.
template <class Processors, class Items, class Words, class Counts>
KOKKOS_FUNCTION void drop_sent(Processors& processors, Items const& items,
                               ColourLists<Words> const& lists, Counts& waiting) {
  processors.step([&](std::uint32_t p) {
    std::uint32_t kept = 0;
    for (std::uint32_t column = 0; column < waiting[p]; ++column) {
      if (lists.is_sent(p, column)) continue;
      if (kept != column) items.write(p, kept, items.read(p, column));
      ++kept;
    }
    waiting[p] = kept;
  });
}

/// Runs one round. Before and after the round, the waiting items of row p are in columns 0, ..., waiting[p] - 1. A row
/// sends up to `repetitions` items of each colour, and at least one item. Returns the number of waiting items in all
/// rows, and the maximum number in one row.
template <class Processors, class Items, class Memory, class Counts>
KOKKOS_FUNCTION Tally communicate(Processors& processors, Items const& items, Memory const& memory,
                                  Colouring const& colouring, std::uint32_t repetitions,
                                  Counts& waiting) {
  list_by_colour(processors, items, memory.lists, colouring, waiting);
  for (std::uint32_t i = 0; i < repetitions; ++i) send_each_colour(processors, items, memory);
  drop_sent(processors, items, memory.lists, waiting);
  return combine_rows(processors, memory.tallies, [&](std::uint32_t p) {
    return Tally{waiting[p], waiting[p]};
  });
}

}  // namespace riffle::detail::matrix_permute
