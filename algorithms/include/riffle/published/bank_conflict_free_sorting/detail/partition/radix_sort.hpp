#pragma once

// Sorts a row of items whose labels are small integers, in time proportional to the row's length.
//   P. Afshani, N. Sitchinava, "Sorting and Permuting without Bank Conflicts on GPUs", ESA 2015, arXiv 1507.01391 [1],
//   section 2, Corollary 1: "we can "sort" each row in O(m) time (e.g., using radix sort)".
//   The in-place sort: P. M. McIlroy, K. Bostic, M. D. McIlroy, "Engineering Radix Sort", Computing Systems 6 (1993).

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <type_traits>

#include <riffle/published/bank_conflict_free_sorting/detail/sort/row_segment.hpp>

namespace riffle::detail::matrix_partition {

/// Returns the smallest number of bits, at least 1, that can represent `count` different values.
KOKKOS_FUNCTION constexpr std::uint32_t bits_for(std::uint32_t count) {
  std::uint32_t bits = 1;
  while (bits < 32 && std::uint32_t{1} << bits < count) ++bits;
  return bits;
}

/// Returns the number of bits per digit for a row of `size` items. The number of counters, 2^bits, is min(size, labels)
/// rounded up to a power of two, but at least 2.
KOKKOS_FUNCTION constexpr std::uint32_t digit_bits(std::uint32_t size, std::uint32_t labels) {
  return bits_for(size < labels ? size : labels);
}

/// Returns the number of counter columns (32-bit words) that rows with `columns` items need.
KOKKOS_FUNCTION constexpr std::uint32_t counter_columns(std::uint32_t columns,
                                                        std::uint32_t labels) {
  return std::uint32_t{1} << digit_bits(columns, labels);
}

/// The maximum number of items for which insertion sort is used. Up to this number, it is faster than a radix sort with
/// two digits.
inline constexpr std::uint32_t max_inserted = 16;

/// Returns the number of columns of the buffer for radix sorts with several digits. This is the maximum length of a row
/// that is sorted in this way in a w x m matrix, where w = labels. Returns 0 if w <= 32 or w <= sqrt(m), because then
/// all rows are sorted either with one digit or by insertion sort.
KOKKOS_FUNCTION constexpr std::uint32_t aside_columns(std::uint32_t columns, std::uint32_t labels) {
  std::uint32_t const most = std::uint32_t{1} << (bits_for(labels) - 1);
  if (most <= max_inserted || std::uint64_t{labels} * labels <= columns) return 0;
  return columns < most ? columns : most;
}

/// Replaces the buffer if the buffer would have no columns.
struct NothingAside {};

/// A row sorter (detail/sort/row_segment.hpp) for items for which label(item) is less than
/// `labels`. Takes O(size log_size(labels)) time, which is O(size) if the number of labels is at
/// most a fixed power of the size. All accesses, also those to counters, are to the bank of the
/// row. Not stable.
template <class Words, class Items, class Label>
class RadixSort {
 public:
  /// Requires that `counters` has counter_columns(m, labels) columns. `aside` is the buffer; it
  /// must have aside_columns(m, labels) columns, or be NothingAside if that number is 0.
  KOKKOS_FUNCTION RadixSort(Words const& counters, Items const& aside, std::uint32_t labels,
                            Label const& label)
      : counters_(counters), aside_(aside), labels_(labels), label_(label) {}

  template <class T>
  KOKKOS_FUNCTION bool before(T const& a, T const& b) const {
    return label_(a) < label_(b);
  }

  template <class Segment>
  KOKKOS_FUNCTION void operator()(Segment const& segment, bool descending) const {
    Digit const digit{label_, labels_ - 1, descending, 0, digit_bits(segment.size(), labels_)};
    if (segment.size() <= max_inserted) {
      sort_by_insertion(segment, descending);
    } else if (digit.bits >= bits_for(labels_)) {
      sort_in_place(segment, digit);
    } else if constexpr (!std::is_same_v<Items, NothingAside>) {
      sort_by_digits(segment, digit);
    }
  }

 private:
  struct Digit {
    Label label;
    std::uint32_t last;
    bool descending;
    std::uint32_t shift;
    std::uint32_t bits;

    KOKKOS_FUNCTION std::uint32_t count() const { return std::uint32_t{1} << bits; }
    template <class T>
    KOKKOS_FUNCTION std::uint32_t operator()(T const& item) const {
      std::uint32_t const key = descending ? last - label(item) : label(item);
      return key >> shift & (count() - 1);
    }
  };

  template <class Segment>
  KOKKOS_FUNCTION void sort_by_insertion(Segment const& segment, bool descending) const {
    for (std::uint32_t i = 1; i < segment.size(); ++i) {
      auto const item = segment.read(i);
      std::uint32_t to = i;
      for (; to > 0; --to) {
        auto const other = segment.read(to - 1);
        if (!(descending ? before(other, item) : before(item, other))) break;
        segment.write(to, other);
      }
      if (to != i) segment.write(to, item);
    }
  }

  // Sets counter d to the position after the last item whose digit is d.
  template <class Segment>
  KOKKOS_FUNCTION void find_ends(Segment const& segment, Digit const& digit) const {
    std::uint32_t const row = segment.row();
    for (std::uint32_t d = 0; d < digit.count(); ++d) counters_.write(row, d, 0);
    for (std::uint32_t i = 0; i < segment.size(); ++i) {
      std::uint32_t const d = digit(segment.read(i));
      counters_.write(row, d, counters_.read(row, d) + 1);
    }
    std::uint32_t end = 0;
    for (std::uint32_t d = 0; d < digit.count(); ++d) {
      end += counters_.read(row, d);
      counters_.write(row, d, end);
    }
  }

  // Each bucket is filled from its end. Invariant: all items before position i are in their buckets. Therefore item i
  // is also in its bucket if the free part of this bucket ends at or before position i.
  template <class Segment>
  KOKKOS_FUNCTION void sort_in_place(Segment const& segment, Digit const& digit) const {
    std::uint32_t const row = segment.row();
    find_ends(segment, digit);
    for (std::uint32_t i = 0; i < segment.size(); ++i) {
      auto item = segment.read(i);
      for (std::uint32_t to = segment.size(); to != i;) {
        std::uint32_t const d = digit(item);
        std::uint32_t const end = counters_.read(row, d);
        if (end <= i) break;
        to = end - 1;
        counters_.write(row, d, to);
        auto const next = segment.read(to);
        segment.write(to, item);
        if (to != i) item = next;
      }
    }
  }

  template <class Segment>
  KOKKOS_FUNCTION void sort_by_digits(Segment const& segment, Digit digit) const {
    matrix_sort::RowSegment<Items> const aside(aside_, segment.row(), 0, segment.size());
    bool is_aside = false;
    for (; digit.shift < bits_for(labels_); digit.shift += digit.bits) {
      if (is_aside) {
        move(aside, segment, digit);
      } else {
        move(segment, aside, digit);
      }
      is_aside = !is_aside;
    }
    if (!is_aside) return;
    for (std::uint32_t i = 0; i < segment.size(); ++i) segment.write(i, aside.read(i));
  }

  // Moves items into the order of their digits. Stable.
  template <class From, class To>
  KOKKOS_FUNCTION void move(From const& from, To const& to, Digit const& digit) const {
    find_ends(from, digit);
    for (std::uint32_t i = from.size(); i-- > 0;) {
      auto const item = from.read(i);
      std::uint32_t const d = digit(item);
      std::uint32_t const position = counters_.read(from.row(), d) - 1;
      counters_.write(from.row(), d, position);
      to.write(position, item);
    }
  }

  Words counters_;
  Items aside_;
  std::uint32_t labels_;
  Label label_;
};

}  // namespace riffle::detail::matrix_partition
