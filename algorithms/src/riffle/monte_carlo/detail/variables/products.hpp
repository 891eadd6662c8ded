#pragma once

// Multiplies matrices of whole numbers, by a kernel in this header or by Kokkos Kernels. No other header includes
// Kokkos Kernels.
//
// The numbers are so small that all sums are exact (residuals.hpp), so both ways give bitwise identical results.
// RIFFLE_HAS_KOKKOS_KERNELS is defined if Riffle is built with Kokkos Kernels (docs/building.md).

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/context.hpp>

#if defined(RIFFLE_HAS_KOKKOS_KERNELS)
#include <KokkosBlas3_gemm.hpp>
#endif

namespace riffle::detail::variables {

/// A matrix with contiguous columns. Kokkos Kernels precompiles products for this type.
template <class Exec>
using ColumnMatrix =
    Kokkos::View<double**, Kokkos::LayoutLeft, Kokkos::Device<Exec, typename Exec::memory_space>,
                 Kokkos::MemoryUnmanaged>;

/// A type with a function multiply(context, a, b, c) that computes c = a' b. It requires that all sums of products are
/// exact. c is not read.
template <class Products, class Exec>
concept MatrixProducts = requires(Context<Exec> const& context, ColumnMatrix<Exec> const& matrix) {
  Products::multiply(context, matrix, matrix, matrix);
};

/// Computes the inner product of a column of `a` and a column of `b` in each thread.
template <class Exec>
struct MultiplyColumns {
  ColumnMatrix<Exec> a;
  ColumnMatrix<Exec> b;
  ColumnMatrix<Exec> c;

  KOKKOS_FUNCTION void operator()(std::uint64_t at) const {
    std::uint64_t const rows = c.extent(0);
    c(at % rows, at / rows) = multiply(&a(0, at % rows), &b(0, at / rows), a.extent(0));
  }

 private:
  /// Adds to several partial sums in turn, because with one sum each addition would wait for the previous one.
  KOKKOS_FUNCTION static double multiply(double const* x, double const* y, std::uint64_t n) {
    constexpr std::uint64_t at_once = 8;
    double sums[at_once] = {};
    std::uint64_t i = 0;
    for (; i + at_once <= n; i += at_once) {
      for (std::uint64_t j = 0; j < at_once; ++j) sums[j] += x[i + j] * y[i + j];
    }
    double sum = 0;
    for (; i < n; ++i) sum += x[i] * y[i];
    for (double const part : sums) sum += part;
    return sum;
  }
};

struct PlainProducts {
  template <class Exec>
  static void multiply(Context<Exec> const& context, ColumnMatrix<Exec> const& a,
                       ColumnMatrix<Exec> const& b, ColumnMatrix<Exec> const& c) {
    context.for_each(c.size(), MultiplyColumns<Exec>{a, b, c});
  }
};

#if defined(RIFFLE_HAS_KOKKOS_KERNELS)
/// Multiplies with Kokkos Kernels, on the caller's instance. The kernels have the labels of Kokkos Kernels, not
/// Riffle's.
struct LibraryProducts {
  template <class Exec>
  static void multiply(Context<Exec> const& context, ColumnMatrix<Exec> const& a,
                       ColumnMatrix<Exec> const& b, ColumnMatrix<Exec> const& c) {
    KokkosBlas::gemm(context.exec(), "T", "N", 1.0, a, b, 0.0, c);
  }
};
using Products = LibraryProducts;
#else
using Products = PlainProducts;
#endif

}  // namespace riffle::detail::variables
