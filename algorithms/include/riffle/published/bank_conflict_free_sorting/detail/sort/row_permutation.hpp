#pragma once

// Permutes a row in place. The row's processor does all the work, and uses one marking bit for each
// element.

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/published/bank_conflict_free_sorting/detail/sort/row_segment.hpp>

namespace riffle::detail::matrix_sort {

/// Marks are bits in a matrix of 32-bit words. Returns the number of columns of this matrix, for
/// rows with `columns` elements.
KOKKOS_FUNCTION constexpr std::uint32_t mark_columns(std::uint32_t columns) {
  return (columns + 31) / 32;
}

/// The marks of one row.
template <class Words>
class RowMarks {
 public:
  KOKKOS_FUNCTION RowMarks(Words const& words, std::uint32_t row) : words_(words), row_(row) {}

  KOKKOS_FUNCTION void clear(std::uint32_t count) const {
    for (std::uint32_t word = 0; word < mark_columns(count); ++word) words_.write(row_, word, 0);
  }
  KOKKOS_FUNCTION bool test(std::uint32_t i) const {
    return (words_.read(row_, i / 32) >> (i % 32) & 1) != 0;
  }
  KOKKOS_FUNCTION void set(std::uint32_t i) const {
    words_.write(row_, i / 32, words_.read(row_, i / 32) | std::uint32_t{1} << (i % 32));
  }

 private:
  Words words_;
  std::uint32_t row_;
};

/// Moves element i to position target(i). Requires that target is a permutation of 0, ..., size -
/// 1. Takes O(size) time.
template <class Segment, class Words, class Target>
KOKKOS_FUNCTION void scatter_row(Segment const& segment, RowMarks<Words> const& marks,
                                 Target const& target) {
  marks.clear(segment.size());
  for (std::uint32_t leader = 0; leader < segment.size(); ++leader) {
    std::uint32_t i = target(leader);
    if (i == leader || marks.test(leader)) continue;
    auto value = segment.read(leader);
    for (; i != leader; i = target(i)) {
      auto const next = segment.read(i);
      segment.write(i, value);
      marks.set(i);
      value = next;
    }
    segment.write(leader, value);
  }
}

/// Moves element source(i) to position i. Requires that source is a permutation of 0, ..., size -
/// 1. Takes O(size) time.
template <class Segment, class Words, class Source>
KOKKOS_FUNCTION void gather_row(Segment const& segment, RowMarks<Words> const& marks,
                                Source const& source) {
  marks.clear(segment.size());
  for (std::uint32_t leader = 0; leader < segment.size(); ++leader) {
    std::uint32_t from = source(leader);
    if (from == leader || marks.test(leader)) continue;
    auto const value = segment.read(leader);
    std::uint32_t i = leader;
    for (; from != leader; from = source(i)) {
      segment.write(i, segment.read(from));
      marks.set(from);
      i = from;
    }
    segment.write(i, value);
  }
}

}  // namespace riffle::detail::matrix_sort
