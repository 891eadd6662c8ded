#pragma once

// The partition problem on a matrix of any machine

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/detail/matrix_partition/label_check.hpp>
#include <riffle/detail/matrix_partition/radix_sort.hpp>
#include <riffle/detail/matrix_sort/shearsort.hpp>
#include <riffle/detail/matrix_sort/short_sort.hpp>
#include <riffle/detail/matrix_sort/tall_sort.hpp>
#include <riffle/models/row_groups.hpp>

namespace riffle::detail::matrix_partition {

/// What is needed beside the items, for each row: mark_columns(m), counter_columns(m, w) and aside_columns(m, w).
template <class Words, class Items>
struct Beside {
  Words marks;
  Words counters;
  Items aside;
};

/// Up to so many rows Shearsort, whose time is O(m log w), is faster than the steps of Theorem 1, O(m), and those of Theorem 2
/// and Lemma 2 (riffle/detail/matrix_partition/tall_partition.hpp): its constant is a sixth of theirs.
inline constexpr std::uint32_t most_sheared = 64;

/// Sorts by label: by Corollary 1, Shearsort, Theorem 1 or Theorem 2, as the shape would have it. `sorter` is a RadixSort.
///
/// More than 64 rows are the model's alone. If they are more than columns, Theorem 2's O(m log^2 w) is still less than what
/// Lemma 2 takes, up to 512 rows at least.
template <class Processors, class Items, class Words, class RowSorter>
KOKKOS_FUNCTION void sort_by_labels(Processors& processors, Items const& items, Words const& marks,
                                    RowSorter const& sorter) {
  RowGroups<Processors> const all(processors);
  if (matrix_sort::is_short(processors.rows(), items.columns())) {
    matrix_sort::sort_short(items, all, marks, sorter);
  } else if (processors.rows() <= most_sheared) {
    matrix_sort::shearsort(items, all, sorter);
  } else {
    matrix_sort::sort_matrix(items, all, marks, sorter);
  }
}

/// Sends items with label i to row i. False, and nothing is moved, where there are not m items of each label.
template <class Processors, class Items, class Beside, class Label>
KOKKOS_FUNCTION bool partition(Processors& processors, Items const& items, Beside const& beside,
                               Label const& label) {
  if (items.columns() == 0) return true;
  if (!has_all_labels(processors, items, beside.counters, label)) return false;
  RadixSort const sorter(beside.counters, beside.aside, processors.rows(), label);
  sort_by_labels(processors, items, beside.marks, sorter);
  return true;
}

}  // namespace riffle::detail::matrix_partition
