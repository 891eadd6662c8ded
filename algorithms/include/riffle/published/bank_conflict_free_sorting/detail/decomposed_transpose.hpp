#pragma once

// The index functions of an in-place matrix transposition that permutes each column and each row separately:
//   B. Catanzaro, A. Keller, M. Garland, "A decomposition for in-place matrix transposition", PPoPP 2014,
//   doi 10.1145/2555243.2555253 [1], section 3.

#include <Kokkos_Core.hpp>

namespace riffle::detail {

template <class Word>
KOKKOS_FUNCTION constexpr Word greatest_common_divisor(Word a, Word b) {
  while (b != 0) {
    Word const rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

/// A divisor that is used only a few times. In contrast to Divider (riffle/random/integers.hpp), it needs no
/// preparation, so kernels can construct it.
template <class Word>
struct PlainDivisor {
  Word value;

  KOKKOS_FUNCTION Word divisor() const { return value; }
  KOKKOS_FUNCTION Word quotient(Word i) const { return i / value; }
  KOKKOS_FUNCTION Word multiple(Word i) const { return quotient(i) * value; }
};

/// The index functions of [1] for m rows and n columns, with c = gcd(m, n), a = m / c, b = n / c. Divisor is
/// Divider<Word> or PlainDivisor<Word>, and must support dividends up to m n.
///
/// The C2R transposition (Algorithm 1 of [1]) has three steps. Afterwards the row-major order of the matrix is its
/// former column-major order.
///   1. In column j, element i is taken from row row_before_rotation(i, j). Then no two elements of a row have
///      the same destination column. If c = 1, this step changes nothing.
///   2. In row i, element j is moved to column target_in_row(i, j).
///   3. In column j, element i is taken from row source_in_column(i, j).
/// The R2C transposition applies the inverses of these steps in reverse order.
template <class Word, class Divisor>
struct DecomposedTranspose {
  Divisor m;
  Divisor n;
  Divisor a;
  Divisor b;

  KOKKOS_FUNCTION Word rows() const { return m.divisor(); }
  KOKKOS_FUNCTION Word columns() const { return n.divisor(); }
  KOKKOS_FUNCTION bool needs_rotation() const { return b.divisor() != n.divisor(); }

  /// Returns (i + floor(j / b)) mod m. The sum is less than 2 m, because floor(j / b) < c.
  KOKKOS_FUNCTION Word row_before_rotation(Word i, Word j) const {
    Word const row = i + b.quotient(j);
    return row < rows() ? row : row - rows();
  }

  /// Returns (row_before_rotation(i, j) + j m) mod n.
  KOKKOS_FUNCTION Word target_in_row(Word i, Word j) const {
    return remainder(row_before_rotation(i, j) + j * rows(), n);
  }

  /// Returns (j + i n - floor(i / a)) mod m.
  KOKKOS_FUNCTION Word source_in_column(Word i, Word j) const {
    return remainder(j + i * columns() - a.quotient(i), m);
  }

 private:
  KOKKOS_FUNCTION static Word remainder(Word x, Divisor const& by) { return x - by.multiple(x); }
};

}  // namespace riffle::detail
