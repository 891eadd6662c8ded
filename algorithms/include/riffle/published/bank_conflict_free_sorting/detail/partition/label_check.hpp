#pragma once

// Checks of labels, without bank conflicts.

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/published/bank_conflict_free_sorting/bank_processors.hpp>

namespace riffle::detail::matrix_partition {

/// Returns, on all processors, whether flags[p] is true for all processors p. Takes O(log w) time.
/// Requires that `words` has at least one column.
///
/// After the step with distance d, the flag of processor p is the conjunction of the flags of
/// processors p, ..., p + 2 d - 1, modulo w.
template <class Processors, class Words, class Flags>
KOKKOS_FUNCTION bool all_agree(Processors& processors, Words const& words, Flags& flags) {
  std::uint32_t const rows = processors.rows();
  processors.step([&](std::uint32_t p) { words.write(p, 0, flags[p] ? 1 : 0); });
  for (std::uint32_t distance = 1; distance < rows; distance *= 2) {
    processors.step([&](std::uint32_t p) {
      bool const other = words.read((p + distance) % rows, 0) != 0;
      flags[p] = flags[p] && other;
    });
    processors.step([&](std::uint32_t p) { words.write(p, 0, flags[p] ? 1 : 0); });
  }
  bool result = false;
  processors.step([&](std::uint32_t p) { result = flags[p]; });
  return result;
}

/// For 0 <= k < count, sets counter k of a row to the number of items in this row whose label is
/// begin + k.
template <class Items, class Words, class Label>
KOKKOS_FUNCTION void count_labels(Items const& items, Words const& counters, Label const& label,
                                  std::uint32_t row, std::uint32_t begin, std::uint32_t count) {
  for (std::uint32_t k = 0; k < count; ++k) counters.write(row, k, 0);
  for (std::uint32_t c = 0; c < items.columns(); ++c) {
    std::uint32_t const k = label(items.read(row, c)) - begin;
    if (k < count) counters.write(row, k, counters.read(row, k) + 1);
  }
}

/// For 0 <= k < count, sets sum[k], which belongs to processor k, to the sum of counter k over all
/// rows, in O(count + log w) time. Requires 0 < count <= w.
///
/// Rows are divided into blocks of `count` rows. First, the counters of the rows after the last
/// whole block are added to the counters of that block. Then processor k of each block sums counter
/// k over the rows of the block. Each processor starts with its own row, so that no two processors
/// access the same row at a time. Last, the sums of blocks are added in pairs.
template <class Processors, class Words, class Sums>
KOKKOS_FUNCTION void sum_counters(Processors& processors, Words const& counters,
                                  std::uint32_t count, Sums& sum) {
  std::uint32_t const blocks = processors.rows() / count;
  processors.step([&](std::uint32_t p) {
    if (p < blocks * count) return;
    for (std::uint32_t k = 0; k < count; ++k) {
      std::uint32_t const more = counters.read(p, k);
      counters.write(p - count, k, counters.read(p - count, k) + more);
    }
  });
  processors.step([&](std::uint32_t p) {
    sum[p] = 0;
    if (p >= blocks * count) return;
    std::uint32_t const own = p % count;
    for (std::uint32_t i = 0; i < count; ++i) {
      sum[p] += counters.read(p - own + (own + i) % count, own);
    }
  });
  for (std::uint32_t distance = 1; distance < blocks; distance *= 2) {
    processors.step([&](std::uint32_t p) { counters.write(p, 0, sum[p]); });
    processors.step([&](std::uint32_t p) {
      std::uint32_t const block = p / count;
      if (block % (2 * distance) != 0 || block + distance >= blocks) return;
      sum[p] += counters.read(p + distance * count, 0);
    });
  }
}

/// Whether each label less than w occurs m times in `items`, a w x m matrix, which is not changed.
/// In that case no other label occurs.
///
/// Processes b = min(w, counters.columns()) labels at a time, in O(w / b (m + b + log w)) time.
/// With counter_columns() columns, this is O(m) if w <= m, and O(w / m (m + log w)) if w > m.
template <class Processors, class Items, class Words, class Label>
KOKKOS_FUNCTION bool has_all_labels(Processors& processors, Items const& items,
                                    Words const& counters, Label const& label) {
  std::uint32_t const rows = processors.rows();
  std::uint32_t const count = counters.columns() < rows ? counters.columns() : rows;
  auto is_right = processors.template registers<bool>();
  auto sum = processors.template registers<std::uint32_t>();
  processors.step([&](std::uint32_t p) { is_right[p] = true; });
  for (std::uint32_t begin = 0; begin < rows; begin += count) {
    processors.step(
        [&](std::uint32_t p) { count_labels(items, counters, label, p, begin, count); });
    sum_counters(processors, counters, count, sum);
    processors.step([&](std::uint32_t p) {
      bool const is_label = p < count && begin + p < rows;
      is_right[p] = is_right[p] && (!is_label || sum[p] == items.columns());
    });
  }
  return all_agree(processors, counters, is_right);
}

}  // namespace riffle::detail::matrix_partition
