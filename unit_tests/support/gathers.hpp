#pragma once

// Compares gathers of rows with an oracle on the host. The elements around the rows must not change.

#include <Kokkos_Core.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "support/matrices.hpp"

namespace riffle::test {

/// An element with the size of `Words` words and the alignment of one.
template <class Word, int Words>
struct Struct {
  Word word[Words];

  friend bool operator==(Struct const& a, Struct const& b) {
    return std::memcmp(a.word, b.word, sizeof(a.word)) == 0;
  }
};

template <class T>
struct MakeElement {
  static T of(std::size_t place) {
    return static_cast<T>(sizeof(T) < 4 ? place * 2654435761u >> 13 & 0xFF : place);
  }
};

template <class Word, int Words>
struct MakeElement<Struct<Word, Words>> {
  static Struct<Word, Words> of(std::size_t place) {
    Struct<Word, Words> element;
    for (int k = 0; k < Words; ++k) {
      element.word[k] = MakeElement<Word>::of(place * Words + static_cast<std::size_t>(k));
    }
    return element;
  }
};

template <class T>
std::vector<T> make_elements(std::size_t count, std::size_t first) {
  std::vector<T> elements;
  for (std::size_t i = 0; i < count; ++i) elements.push_back(MakeElement<T>::of(first + i));
  return elements;
}

/// n rows of m columns, with `margin` rows and columns before and after them.
struct RowShape {
  std::size_t n;
  std::size_t m;
  std::size_t margin = 0;
};

/// A matrix of known elements, and the View of its inner rows.
template <class Exec, class T, class Layout>
struct InnerRows {
  InnerRows(RowShape const& rows, std::size_t first)
      : shape(rows),
        whole(make_matrix<Exec, T, Layout>(rows.n + 2 * rows.margin, rows.m + 2 * rows.margin)) {
    fill(whole, make_elements<T>(whole.size(), first));
  }

  /// The View has the same type for each margin, so that its callers are compiled once.
  auto inner() const {
    using Range = Kokkos::pair<std::size_t, std::size_t>;
    std::size_t const begin = shape.margin;
    return begin == 0 ? whole
                      : decltype(whole)(Kokkos::subview(whole, Range(begin, begin + shape.n),
                                                        Range(begin, begin + shape.m)));
  }

  /// The first inner column, as a View of rank 1.
  auto column() const {
    using Range = Kokkos::pair<std::size_t, std::size_t>;
    return Kokkos::subview(whole, Range(shape.margin, shape.margin + shape.n), shape.margin);
  }

  RowShape shape;
  decltype(make_matrix<Exec, T, Layout>(0, 0)) whole;
};

/// out[margin + i][margin + k] = in[margin + sigma[i]][margin + k] for k < columns.
template <class T, class Index>
void gather_by_host(std::vector<std::vector<T>> const& in, std::vector<std::vector<T>>& out,
                    std::vector<Index> const& sigma, std::size_t columns, std::size_t margin) {
  for (std::size_t i = 0; i < sigma.size(); ++i) {
    for (std::size_t k = 0; k < columns; ++k) {
      out[margin + i][margin + k] = in[margin + static_cast<std::size_t>(sigma[i])][margin + k];
    }
  }
}

/// Expects that gather(in, out) moves row sigma[i] of `in` to row i of `out`, and changes nothing else.
template <class T, class InLayout, class OutLayout, class Exec, class Gather, class Index>
void expect_gathers_rows(Gather const& gather, RowShape const& shape,
                         std::vector<Index> const& sigma) {
  InnerRows<Exec, T, InLayout> const in(shape, 0);
  InnerRows<Exec, T, OutLayout> const out(shape, 1'000'003);
  auto const source = to_rows(in.whole);
  auto expected = to_rows(out.whole);
  gather_by_host(source, expected, sigma, shape.m, shape.margin);
  gather(in.inner(), out.inner());
  Kokkos::fence();
  EXPECT_TRUE(to_rows(out.whole) == expected) << shape.n << " x " << shape.m << " elements of "
                                              << sizeof(T) << " bytes, margin " << shape.margin;
  EXPECT_TRUE(to_rows(in.whole) == source);
}

/// The same check for Views of rank 1.
template <class T, class Layout, class Exec, class Gather, class Index>
void expect_gathers_values(Gather const& gather, RowShape const& shape,
                           std::vector<Index> const& sigma) {
  InnerRows<Exec, T, Layout> const in(shape, 0);
  InnerRows<Exec, T, Layout> const out(shape, 1'000'003);
  auto expected = to_rows(out.whole);
  gather_by_host(to_rows(in.whole), expected, sigma, 1, shape.margin);
  gather(in.column(), out.column());
  Kokkos::fence();
  EXPECT_TRUE(to_rows(out.whole) == expected)
      << shape.n << " values of " << sizeof(T) << " bytes, " << shape.m << " apart";
}

}  // namespace riffle::test
