#pragma once

// Where elements go when a matrix is transposed in its own memory, by permutations of each column and of each row:
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

/// A divisor that is used a few times: unlike Divider (riffle/random/integers.hpp) it needs no preparation, and kernels
/// can make one.
template <class Word>
struct PlainDivisor {
  Word value;

  KOKKOS_FUNCTION Word divisor() const { return value; }
  KOKKOS_FUNCTION Word quotient(Word i) const { return i / value; }
  KOKKOS_FUNCTION Word multiple(Word i) const { return quotient(i) * value; }
};

/// The index functions of [1] for m rows and n columns, with c = gcd(m, n), a = m / c, b = n / c. Divisor is
/// Divider<Word> or PlainDivisor<Word>, and divides numbers up to m n.
///
/// The C2R transposition (Algorithm 1 of [1]) has three steps, after which the matrix has in row-major order what it
/// had in column-major order:
///   1. Column j takes its element i from row_before_rotation(i, j), so that no two elements of a row go to one column.
///      Where c = 1, this changes nothing.
///   2. Row i brings its element j to target_in_row(i, j).
///   3. Column j takes its element i from source_in_column(i, j).
/// The inverses of these steps, from the last to the first, are the R2C transposition.
template <class Word, class Divisor>
struct DecomposedTranspose {
  Divisor m;
  Divisor n;
  Divisor a;
  Divisor b;

  KOKKOS_FUNCTION Word rows() const { return m.divisor(); }
  KOKKOS_FUNCTION Word columns() const { return n.divisor(); }
  KOKKOS_FUNCTION bool needs_rotation() const { return b.divisor() != n.divisor(); }

  /// (i + floor(j / b)) mod m. The sum is less than 2 m, since floor(j / b) < c.
  KOKKOS_FUNCTION Word row_before_rotation(Word i, Word j) const {
    Word const row = i + b.quotient(j);
    return row < rows() ? row : row - rows();
  }

  /// (row_before_rotation(i, j) + j m) mod n.
  KOKKOS_FUNCTION Word target_in_row(Word i, Word j) const {
    return remainder(row_before_rotation(i, j) + j * rows(), n);
  }

  /// (j + i n - floor(i / a)) mod m.
  KOKKOS_FUNCTION Word source_in_column(Word i, Word j) const {
    return remainder(j + i * columns() - a.quotient(i), m);
  }

 private:
  KOKKOS_FUNCTION static Word remainder(Word x, Divisor const& by) { return x - by.multiple(x); }
};

}  // namespace riffle::detail
