#pragma once

// Solves the partition problem on a matrix, with any kind of processors.

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/published/bank_conflict_free_sorting/detail/partition/label_check.hpp>
#include <riffle/published/bank_conflict_free_sorting/detail/partition/radix_sort.hpp>
#include <riffle/published/bank_conflict_free_sorting/detail/sort/shearsort.hpp>
#include <riffle/published/bank_conflict_free_sorting/detail/sort/short_sort.hpp>
#include <riffle/published/bank_conflict_free_sorting/detail/sort/tall_sort.hpp>
#include <riffle/published/bank_conflict_free_sorting/row_groups.hpp>

namespace riffle::detail::matrix_partition {

/// The memory needed in addition to the items: for each row, mark_columns(m), counter_columns(m, w)
/// and aside_columns(m, w) columns.
template <class Words, class Items>
struct PartitionMemory {
  Words marks;
  Words counters;
  Items aside;
};

/// Up to this number of rows, Shearsort is faster than the algorithms of Theorem 1, Theorem 2 and
/// Lemma 2 (tall_partition.hpp). Shearsort takes O(m log w) time, whereas Theorem 1 takes O(m). But
/// the constant factor of Shearsort is only a sixth of the factors of the other algorithms.
inline constexpr std::uint32_t max_sheared = 64;

/// Sorts by label, using Corollary 1, Shearsort, Theorem 1 or Theorem 2, depending on the shape.
/// `sorter` is a RadixSort.
///
/// More than 64 rows occur only in the model. If there are more rows than columns, Theorem 2 (O(m
/// log^2 w)) takes less time than Lemma 2 for up to at least 512 rows.
template <class Processors, class Items, class Words, class RowSorter>
KOKKOS_FUNCTION void sort_by_labels(Processors& processors, Items const& items, Words const& marks,
                                    RowSorter const& sorter) {
  RowGroups<Processors> const all(processors);
  if (matrix_sort::is_short(processors.rows(), items.columns())) {
    matrix_sort::sort_short(items, all, marks, sorter);
  } else if (processors.rows() <= max_sheared) {
    matrix_sort::shearsort(items, all, sorter);
  } else {
    matrix_sort::sort_matrix(items, all, marks, sorter);
  }
}

/// Moves the items with label i to row i. Returns false, and moves nothing, unless each label
/// occurs m times.
template <class Processors, class Items, class Memory, class Label>
KOKKOS_FUNCTION bool partition(Processors& processors, Items const& items, Memory const& memory,
                               Label const& label) {
  if (items.columns() == 0) return true;
  if (!has_all_labels(processors, items, memory.counters, label)) return false;
  RadixSort const sorter(memory.counters, memory.aside, processors.rows(), label);
  sort_by_labels(processors, items, memory.marks, sorter);
  return true;
}

}  // namespace riffle::detail::matrix_partition
