#pragma once

// Sorts a row in place. The row's processor does all the work.
//   J. W. J. Williams, "Algorithm 232: Heapsort", Communications of the ACM 7 (1964);
//   R. W. Floyd, "Algorithm 245: Treesort 3", Communications of the ACM 7 (1964).

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace riffle::detail::matrix_sort {

/// A row sorter (row_segment.hpp) that compares elements. Takes O(m log m) time in the worst case,
/// and no additional memory. Not stable.
template <class Compare>
class HeapSort {
 public:
  KOKKOS_FUNCTION explicit HeapSort(Compare const& compare) : compare_(compare) {}

  template <class T>
  KOKKOS_FUNCTION bool before(T const& a, T const& b) const {
    return compare_(a, b);
  }

  template <class Segment>
  KOKKOS_FUNCTION void operator()(Segment const& segment, bool descending) const {
    std::uint32_t const size = segment.size();
    for (std::uint32_t root = size / 2; root-- > 0;) {
      sift(segment, root, size, segment.read(root), descending);
    }
    for (std::uint32_t last = size; last-- > 1;) {
      auto const value = segment.read(last);
      segment.write(last, segment.read(0));
      sift(segment, 0, last, value, descending);
    }
  }

 private:
  template <class T>
  KOKKOS_FUNCTION bool comes_before(T const& a, T const& b, bool descending) const {
    return descending ? compare_(b, a) : compare_(a, b);
  }

  // Inserts `value` into a heap of `size` elements whose root is the maximum (the minimum if
  // `descending`). Requires that position `root` is free and that its two subtrees are heaps.
  template <class Segment>
  KOKKOS_FUNCTION void sift(Segment const& segment, std::uint32_t root, std::uint32_t size,
                            typename Segment::value_type const& value, bool descending) const {
    for (std::uint32_t child = 2 * root + 1; child < size; child = 2 * root + 1) {
      auto largest = segment.read(child);
      if (child + 1 < size) {
        auto const other = segment.read(child + 1);
        if (comes_before(largest, other, descending)) {
          largest = other;
          ++child;
        }
      }
      if (!comes_before(value, largest, descending)) break;
      segment.write(root, largest);
      root = child;
    }
    segment.write(root, value);
  }

  Compare compare_;
};

}  // namespace riffle::detail::matrix_sort
