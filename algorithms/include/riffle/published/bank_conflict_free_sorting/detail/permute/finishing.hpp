#pragma once

// Sends the last waiting items, after they have been packed into few columns and sorted:
//   P. Afshani, N. Sitchinava, "Sorting and Permuting without Bank Conflicts on GPUs", ESA 2015, arXiv 1507.01391 [1],
//   appendix B.

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/published/bank_conflict_free_sorting/detail/permute/matrix_items.hpp>
#include <riffle/published/bank_conflict_free_sorting/detail/sort/heap_sort.hpp>
#include <riffle/published/bank_conflict_free_sorting/detail/sort/tall_sort.hpp>
#include <riffle/published/bank_conflict_free_sorting/row_groups.hpp>

namespace riffle::detail::matrix_permute {

/// A matrix that consists of the first columns of another matrix.
template <class Matrix>
class FirstColumns {
 public:
  using value_type = typename Matrix::value_type;

  KOKKOS_FUNCTION FirstColumns(Matrix const& matrix, std::uint32_t columns)
      : matrix_(matrix), columns_(columns) {}

  KOKKOS_FUNCTION std::uint32_t rows() const { return matrix_.rows(); }
  KOKKOS_FUNCTION std::uint32_t columns() const { return columns_; }
  KOKKOS_FUNCTION value_type read(std::uint32_t row, std::uint32_t column) const {
    return matrix_.read(row, column);
  }
  KOKKOS_FUNCTION void write(std::uint32_t row, std::uint32_t column,
                             value_type const& value) const {
    matrix_.write(row, column, value);
  }

 private:
  Matrix matrix_;
  std::uint32_t columns_;
};

/// Compares items by their destinations in row-major order.
struct ByDestination {
  Labels labels;

  template <class T>
  KOKKOS_FUNCTION bool operator()(LabelledItem<T> const& a, LabelledItem<T> const& b) const {
    return labels.place(a.label) < labels.place(b.label);
  }
};

/// Sorts the packed items. Rows are filled up with empty items, which are last in the order.
template <class Processors, class Items, class Words, class Counts>
KOKKOS_FUNCTION void sort_packed(Processors& processors, Items const& items,
                                 FirstColumns<Items> const& packed, Words const& marks,
                                 Counts& waiting) {
  processors.step([&](std::uint32_t p) {
    for (std::uint32_t column = waiting[p]; column < packed.columns(); ++column) {
      items.set_label(p, column, no_label);
    }
  });
  matrix_sort::HeapSort<ByDestination> const sorter(ByDestination{labels_of(items)});
  matrix_sort::sort_matrix(packed, RowGroups<Processors>(processors), marks, sorter);
}

/// In each row, sends all items except the first group. A group is a sequence of items with the same destination row.
///
/// No two rows send to the same row here, in any order of sending. To see this, consider all items with one destination
/// row. Because items are sorted, these items are contiguous, so they start after a row's first item in at most one
/// row. In every later row that contains any of them, they are the first group. The paper divides these items into two
/// sets, which is not needed.
template <class Processors, class Packed, class Arrivals, class Targets>
KOKKOS_FUNCTION void send_later_groups(Processors& processors, Packed const& packed,
                                       Arrivals const& arrivals, Labels const& labels,
                                       Targets& first_target) {
  for (std::uint32_t column = 1; column < packed.columns(); ++column) {
    processors.step([&](std::uint32_t p) {
      auto const item = packed.read(p, column);
      if (item.label == no_label || labels.row(item.label) == first_target[p]) return;
      arrivals.write(labels.row(item.label), labels.column(item.label), item.value);
    });
  }
}

/// In each row, sends the first group, that is, the items with the same destination row as the row's first item. The
/// first groups of several rows may have the same destination row i, but no two rows may send to row i in the same step.
/// Therefore the item with label (i, j), which goes to column j of row i, is sent in step j. Only one item has this label.
template <class Processors, class Packed, class Arrivals, class Targets>
KOKKOS_FUNCTION void send_first_group(Processors& processors, Packed const& packed,
                                      Arrivals const& arrivals, Labels const& labels,
                                      Targets& first_target) {
  auto next = processors.template registers<std::uint32_t>();
  processors.step([&](std::uint32_t p) { next[p] = 0; });
  for (std::uint32_t j = 0; j < labels.columns; ++j) {
    processors.step([&](std::uint32_t p) {
      if (next[p] == packed.columns()) return;
      auto const item = packed.read(p, next[p]);
      if (item.label == no_label || labels.row(item.label) != first_target[p]) return;
      if (labels.column(item.label) != j) return;
      arrivals.write(first_target[p], j, item.value);
      ++next[p];
    });
  }
}

template <class Processors, class Packed, class Arrivals>
KOKKOS_FUNCTION void send_sorted(Processors& processors, Packed const& packed,
                                 Arrivals const& arrivals, Labels const& labels) {
  auto first_target = processors.template registers<std::uint32_t>();
  processors.step([&](std::uint32_t p) { first_target[p] = labels.row(packed.read(p, 0).label); });
  send_later_groups(processors, packed, arrivals, labels, first_target);
  send_first_group(processors, packed, arrivals, labels, first_target);
}

/// Sends the last items. The items of row p are in columns 0, ..., waiting[p] - 1. Requires that waiting[p] is at most
/// `width`.
template <class Processors, class Items, class Memory, class Counts>
KOKKOS_FUNCTION void finish(Processors& processors, Items const& items, Memory const& memory,
                            std::uint32_t width, Counts& waiting) {
  FirstColumns<Items> const packed(items, width);
  sort_packed(processors, items, packed, memory.lists.heads, waiting);
  send_sorted(processors, packed, memory.arrivals, labels_of(items));
}

}  // namespace riffle::detail::matrix_permute
