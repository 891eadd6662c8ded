#pragma once

// Computes the residuals of variables after the nuisance of a linear model is projected out: U = Y - (Y Q) Q', where Q
// has orthonormal columns.
//
// Both products are computed from slices (see below), so that they are exact. U therefore has the same bits with any
// implementation of matrix products (products.hpp), on any back end and for any batch size. The projection is done
// twice: if Y Q is large, the second pass removes the rounding error that the first one leaves.
//
// (Y Q) Q' is computed as a sum of products of slices. The product of the first slices is nearly equal to (Y Q) Q', and
// is subtracted from Y before the other products. Therefore only the small difference is rounded. The error of U is the
// sum of two parts: one or two ulps of the largest |u|, and a fraction of an ulp of the largest |y|, because slices
// leave out the last bits of y. (The error of Y Q is in the span of Q, so the second pass removes it.)

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include <riffle/backend/floating_point.hpp>
#include <riffle/context.hpp>
#include <riffle/monte_carlo/detail/variables/products.hpp>
#include <riffle/primitives/scope.hpp>

namespace riffle::detail::variables {

// --- slices ---
//
// Numbers are split into slices of few bits, so that products of matrices are exact in any order of additions. The
// method is from
//   [1] K. Ozaki, T. Ogita, S. Oishi, S. M. Rump, "Error-free transformations of matrix multiplication by using fast
//       routines of matrix multiplication and its applications", Numerical Algorithms 59 (2012).
//
// Let x be the elements of a vector, and let the unit of the vector be a power of two that is greater than every |x|.
// Each element is split into
//   x = unit (x_1 2^-b + x_2 2^-2b + ...),
// where the slices x_1, x_2, ... are whole numbers with |x_1| <= 2^b. Each slice is rounded to the nearest whole
// number, so the rest that is left for the next slices is at most half of its weight. Therefore |x_2|, |x_3|, ... <=
// 2^(b - 1).
//
// The inner product of two vectors x and y, divided by their units, is the sum over s of 2^-(s + 1)b P_s, where
//   P_s = x_s y_1 + x_(s - 1) y_2 + ... + x_1 y_s
// is a sum of inner products of slices. No partial sum of P_s exceeds n 2^2b (s + 2) / 4. If this is at most 2^53,
// doubles represent each partial sum exactly.
//
// If vectors have `count` slices, P_1, ..., P_count are computed. The later P_s, and the bits of x and y after the last
// slice, are left out. The resulting error is at most n (count + 4) / 4 2^-(count b) times the product of the two
// units, which is about 2^-52 times this product, because count b >= 53 + log2 n.

struct Slicing {
  int bits;
  int count;

  /// Returns the slicing for vectors of n numbers.
  static Slicing of(std::uint64_t n) {
    int log_n = 0;
    while ((std::uint64_t{1} << log_n) < n) ++log_n;
    for (int spare = 0;; ++spare) {
      int const bits = (53 - log_n - spare) / 2;
      int const count = (53 + log_n + bits - 1) / bits;
      if (count + 2 <= 4 << spare) return {bits, count};
    }
  }

  /// Returns 2^b, the ratio between the weights of consecutive slices.
  double step() const { return std::ldexp(1.0, bits); }
};

/// Returns the least power of two greater than x for a positive normal x, and 0 if x is 0, subnormal or NaN.
KOKKOS_INLINE_FUNCTION double unit_above(double x) {
  constexpr std::uint64_t exponent = 0x7ff0000000000000;
  if (detail::is_nan(x) || x <= 0) return 0;
  return 2 * Kokkos::bit_cast<double>(Kokkos::bit_cast<std::uint64_t>(x) & exponent);
}

/// Returns the largest |values(i)| for i < n, or NaN if one of them is NaN.
template <class Values>
KOKKOS_FUNCTION double largest_of(Values const& values, std::uint64_t n) {
  double largest = 0;
  for (std::uint64_t i = 0; i < n; ++i) {
    double const x = values(i);
    if (detail::is_nan(x)) return x;
    largest = Kokkos::max(largest, Kokkos::abs(x));
  }
  return largest;
}

/// Calls to(a, slice) for the slices a = 0, ..., count - 1 of a number |x| < unit. If the unit is 0, all slices are 0.
template <class To>
KOKKOS_FUNCTION void slice(double x, double unit, int count, double step, To const& to) {
  constexpr double rounds = 0x1.8p52;  // doubles of this size have no fraction, so adding it rounds
  double left = unit > 0 ? x / unit : 0;
  for (int a = 0; a < count; ++a) {
    left *= step;
    double const whole = as_rounded(as_rounded(left + rounds) - rounds);
    to(a, whole);
    left -= whole;
  }
}

/// Returns the sum of parts(s) step^(first - s) over s = first, ..., count - 1, starting with the smallest weight. The
/// result does not depend on contractions by the compiler, because `step` is a power of two.
template <class Parts>
KOKKOS_FUNCTION double sum_of_parts(Parts const& parts, int first, int count, double step) {
  double const weight = 1 / step;
  double sum = 0;
  for (int s = count; s-- > first;) sum = sum * weight + parts(s);
  return sum;
}

// --- residuals ---

/// Function i -> value i of variable g.
template <class Values>
struct ValuesOf {
  Values values;
  std::uint64_t g;
  KOKKOS_FUNCTION double operator()(std::uint64_t i) const { return values(g, i); }
};

/// A batch of variables, one in each column. If an array contains several slices of a variable, they are one below the
/// other in the same column.
template <class Exec>
struct ResidualsBatch {
  using Values = Kokkos::View<double**, Kokkos::LayoutRight, typename Exec::memory_space,
                              Kokkos::MemoryUnmanaged>;

  Values values;              // variables x n
  ColumnMatrix<Exec> slices;  // count n x variables
  ColumnMatrix<Exec>
      products;  // count n x variables; overwrites the slices, which are no longer used by then
  ColumnMatrix<Exec> sums;          // count q x variables
  ColumnMatrix<Exec> coefficients;  // count q x variables: the slices of Y Q
  double* squares;
  double* units;
  double* coefficient_units;
  int count;
  double step;

  KOKKOS_FUNCTION ValuesOf<Values> row(std::uint64_t g) const { return {values, g}; }
};

/// The slices of the basis Q, with the last slice on top, in two layouts: one for each product.
template <class Exec>
struct SlicedBasis {
  ColumnMatrix<Exec> columns;  // count n x q
  ColumnMatrix<Exec> rows;     // count q x n
  double* units;
};

template <class Matrix>
struct ColumnOf {
  Matrix matrix;
  std::uint64_t k;
  KOKKOS_FUNCTION double operator()(std::uint64_t i) const { return matrix(i, k); }
};

template <class Exec, class Basis>
struct FindBasisUnits {
  Basis basis;
  double* units;

  KOKKOS_FUNCTION void operator()(std::uint64_t k) const {
    units[k] = unit_above(largest_of(ColumnOf<Basis>{basis, k}, basis.extent(0)));
  }
};

template <class Exec, class Basis>
struct SliceBasis {
  Basis basis;
  SlicedBasis<Exec> to;
  int count;
  double step;

  KOKKOS_FUNCTION void operator()(std::uint64_t at) const {
    std::uint64_t const n = basis.extent(0);
    std::uint64_t const q = basis.extent(1);
    std::uint64_t const i = at / q;
    std::uint64_t const k = at % q;
    slice(basis(i, k), to.units[k], count, step, [&](int a, double part) {
      auto const place = static_cast<std::uint64_t>(count - 1 - a);
      to.columns(place * n + i, k) = part;
      to.rows(place * q + k, i) = part;
    });
  }
};

/// Scales a variable by a power of two, so that no square overflows or underflows. Variables with a NaN are not
/// changed, here and in the following kernels, because their unit is 0.
template <class Exec>
struct ScaleRows {
  ResidualsBatch<Exec> batch;

  KOKKOS_FUNCTION void operator()(std::uint64_t g) const {
    constexpr double large = 0x1p500;
    constexpr double factor = 0x1p600;
    std::uint64_t const n = batch.values.extent(1);
    double const largest = largest_of(batch.row(g), n);
    batch.squares[g] = largest;
    if (detail::is_nan(largest) || largest <= 0) return;
    double const towards_1 = largest >= large ? 1 / factor : largest < 1 / large ? factor : 1;
    double const unit = unit_above(largest * towards_1);
    double squares = 0;
    for (std::uint64_t i = 0; i < n; ++i) {
      double const x = batch.values(g, i) * towards_1 / unit;
      batch.values(g, i) = x;
      squares = Kokkos::fma(x, x, squares);
    }
    batch.squares[g] = squares;
  }
};

template <class Exec>
struct FindRowUnits {
  ResidualsBatch<Exec> batch;

  KOKKOS_FUNCTION void operator()(std::uint64_t g) const {
    batch.units[g] = unit_above(largest_of(batch.row(g), batch.values.extent(1)));
  }
};

template <class Exec>
struct SliceRows {
  ResidualsBatch<Exec> batch;

  KOKKOS_FUNCTION void operator()(std::uint64_t at) const {
    std::uint64_t const n = batch.values.extent(1);
    std::uint64_t const g = at / n;
    std::uint64_t const i = at % n;
    slice(batch.values(g, i), batch.units[g], batch.count, batch.step, [&](int a, double part) {
      batch.slices(static_cast<std::uint64_t>(a) * n + i, g) = part;
    });
  }
};

/// Element i of a product for variable g, as the sums P_1, P_2, ... defined above. operator()(s) returns P_(s + 1).
template <class Exec>
struct PartsOf {
  ColumnMatrix<Exec> matrix;
  std::uint64_t i;
  std::uint64_t g;
  std::uint64_t rows;
  KOKKOS_FUNCTION double& operator()(int s) const {
    return matrix(static_cast<std::uint64_t>(s) * rows + i, g);
  }
};

/// Computes the coefficients of variable g, c_k for k = 0, ..., q - 1 (row g of Y Q), from P_1, P_2, .... Splits the
/// vector with the elements c_k basis_units[k] / units[g] into slices. The factor basis_units[k] is needed because the
/// second product uses the slices of column k of Q, which are relative to basis_units[k]. coefficient_units[g] is the
/// unit of the vector.
template <class Exec>
struct SliceCoefficients {
  ResidualsBatch<Exec> batch;
  double const* basis_units;
  std::uint64_t q;

  KOKKOS_FUNCTION void operator()(std::uint64_t g) const {
    double const step = batch.step;
    double largest = 0;
    for (std::uint64_t k = 0; k < q; ++k) {
      PartsOf<Exec> const parts{batch.sums, k, g, q};
      double const of_units = basis_units[k] * basis_units[k] / (step * step);
      parts(0) = sum_of_parts(parts, 0, batch.count, step) * of_units;
      largest = Kokkos::max(largest, Kokkos::abs(parts(0)));
    }
    double const unit = batch.coefficient_units[g] = unit_above(largest);
    for (std::uint64_t k = 0; k < q; ++k) {
      slice(batch.sums(k, g), unit, batch.count, step, [&](int a, double part) {
        batch.coefficients(static_cast<std::uint64_t>(a) * q + k, g) = part;
      });
    }
  }
};

template <class Exec>
struct SubtractProducts {
  ResidualsBatch<Exec> batch;

  KOKKOS_FUNCTION void operator()(std::uint64_t at) const {
    std::uint64_t const n = batch.values.extent(1);
    std::uint64_t const g = at / n;
    std::uint64_t const i = at % n;
    double const step = batch.step;
    PartsOf<Exec> const parts{batch.products, i, g, n};
    double const unit = batch.units[g] * batch.coefficient_units[g] / (step * step);
    double const without_first = batch.values(g, i) - unit * parts(0);
    batch.values(g, i) = without_first - unit / step * sum_of_parts(parts, 1, batch.count, step);
  }
};

/// Replaces the residuals of a variable by 0 if their length is at most 1e-12 times the length of the variable, because
/// they are then only rounding errors.
template <class Exec>
struct ClearRoundingErrors {
  ResidualsBatch<Exec> batch;

  KOKKOS_FUNCTION void operator()(std::uint64_t g) const {
    constexpr double least = 1e-12;  // as in LinearModel::residuals
    if (detail::is_nan(batch.squares[g]) || batch.squares[g] <= 0) return;
    std::uint64_t const n = batch.values.extent(1);
    double left = 0;
    for (std::uint64_t i = 0; i < n; ++i) {
      left = Kokkos::fma(batch.values(g, i), batch.values(g, i), left);
    }
    if (left > least * least * batch.squares[g]) return;
    for (std::uint64_t i = 0; i < n; ++i) batch.values(g, i) = 0;
  }
};

/// Projects a basis out of variables.
template <class Exec, MatrixProducts<Exec> Products>
class Residuals {
 public:
  /// The context must outlive the object.
  Residuals(Context<Exec> const& context, std::uint64_t n, std::uint64_t q)
      : context_(context),
        n_(n),
        q_(q),
        slicing_(Slicing::of(n)),
        count_(static_cast<std::uint64_t>(slicing_.count)) {}

  /// Returns the number of variables whose temporary arrays fit in `bytes` bytes; at least one.
  std::uint64_t variables_in(std::uint64_t bytes) const {
    std::uint64_t const doubles = count_ * (n_ + 2 * q_) + 3;
    return std::max<std::uint64_t>(bytes / (sizeof(double) * doubles), 1);
  }

  template <class Basis>
  SlicedBasis<Exec> slice_basis(Scope<Exec>& scope, Basis const& basis) const {
    SlicedBasis<Exec> const sliced{take(scope, count_ * n_, q_), take(scope, count_ * q_, n_),
                                   scope.template take<double>(q_)};
    context_.named("basis_units").for_each(q_, FindBasisUnits<Exec, Basis>{basis, sliced.units});
    context_.named("slice_basis")
        .for_each(n_ * q_, SliceBasis<Exec, Basis>{basis, sliced, slicing_.count, slicing_.step()});
    return sliced;
  }

  /// Returns a batch for at most `variables` variables. The caller must set its member `values`.
  ResidualsBatch<Exec> take_batch(Scope<Exec>& scope, std::uint64_t variables) const {
    auto const slices = take(scope, count_ * n_, variables);
    return {{},
            slices,
            slices,
            take(scope, count_ * q_, variables),
            take(scope, count_ * q_, variables),
            scope.template take<double>(variables),
            scope.template take<double>(variables),
            scope.template take<double>(variables),
            slicing_.count,
            slicing_.step()};
  }

  void compute(ResidualsBatch<Exec> const& batch, SlicedBasis<Exec> const& basis) const {
    std::uint64_t const variables = batch.values.extent(0);
    std::uint64_t const all = batch.values.size();
    context_.named("scale").for_each(variables, ScaleRows<Exec>{batch});
    for (int time = 0; time < 2; ++time) {
      context_.named("units").for_each(variables, FindRowUnits<Exec>{batch});
      context_.named("slice").for_each(all, SliceRows<Exec>{batch});
      multiply(basis.columns, batch.slices, batch.sums, variables);
      context_.named("coefficients")
          .for_each(variables, SliceCoefficients<Exec>{batch, basis.units, q_});
      multiply(basis.rows, batch.coefficients, batch.products, variables);
      context_.named("take_off").for_each(all, SubtractProducts<Exec>{batch});
    }
    context_.named("clear").for_each(variables, ClearRoundingErrors<Exec>{batch});
  }

 private:
  static ColumnMatrix<Exec> take(Scope<Exec>& scope, std::uint64_t rows, std::uint64_t columns) {
    return ColumnMatrix<Exec>(scope.template take<double>(rows * columns), rows, columns);
  }

  static ColumnMatrix<Exec> part(ColumnMatrix<Exec> const& matrix, std::uint64_t first,
                                 std::uint64_t end, std::uint64_t columns) {
    return Kokkos::subview(matrix, Kokkos::pair<std::uint64_t, std::uint64_t>(first, end),
                           Kokkos::pair<std::uint64_t, std::uint64_t>(0, columns));
  }

  /// Writes P_1, P_2, ... to `c`, one below the other. The slices in `a` are in reverse order. P_s is therefore the
  /// product of two contiguous parts: the last s slices in `a` and the first s slices in `b`.
  void multiply(ColumnMatrix<Exec> const& a, ColumnMatrix<Exec> const& b,
                ColumnMatrix<Exec> const& c, std::uint64_t variables) const {
    auto const named = context_.named("multiply");
    std::uint64_t const rows = a.extent(0) / count_;
    std::uint64_t const columns = a.extent(1);
    for (std::uint64_t s = 0; s < count_; ++s) {
      std::uint64_t const length = (s + 1) * rows;
      Products::multiply(named, part(a, count_ * rows - length, count_ * rows, columns),
                         part(b, 0, length, variables),
                         part(c, s * columns, (s + 1) * columns, variables));
    }
  }

  Context<Exec> const& context_;
  std::uint64_t n_;
  std::uint64_t q_;
  Slicing slicing_;
  std::uint64_t count_;
};

/// Replaces each variable, which is a row of n values, by its residuals after `basis`, n x q with orthonormal columns,
/// is projected out. The residuals are divided by a power of two that depends on the variable. They are 0 if their
/// length is at most 1e-12 times the length of the variable. Variables with a NaN are not changed. Requires: no value
/// is infinite.
///
/// Complexity: 2 s (s + 1) G n q multiplications with s slices; s = 3 for n up to 1024. Memory: at most `bytes` bytes,
/// or the arrays of one variable if these are larger, plus 2 s n q doubles for the basis.
template <class Products, class Exec, class Values, class Basis>
void replace_by_residuals(Context<Exec> const& context, Values const& values, Basis const& basis,
                          std::uint64_t bytes = std::uint64_t{1} << 26) {
  std::uint64_t const variables = values.extent(0);
  if (values.size() == 0 || basis.extent(1) == 0) return;
  Scope<Exec> scope(context);
  Residuals<Exec, Products> const residuals(context, values.extent(1), basis.extent(1));
  auto const sliced = residuals.slice_basis(scope, basis);
  std::uint64_t const at_once = std::min(residuals.variables_in(bytes), variables);
  auto batch = residuals.take_batch(scope, at_once);
  for (std::uint64_t first = 0; first < variables; first += at_once) {
    std::uint64_t const end = std::min(first + at_once, variables);
    batch.values = Kokkos::subview(values, Kokkos::pair<std::uint64_t, std::uint64_t>(first, end),
                                   Kokkos::ALL);
    residuals.compute(batch, sliced);
  }
}

}  // namespace riffle::detail::variables
