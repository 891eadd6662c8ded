#pragma once

// The columns of a replicate of Nuisance::draper_stoneman (riffle/monte_carlo/nuisance.hpp): the permuted columns of interest
// without what the fixed nuisance explains of them, orthonormal. They are the same for all variables, so they are made once
// for each replicate, and variables are multiplied with them as with any others: as u has nothing of the nuisance,
//   L^-1 X_o' P u = (R_Z P^-1 X_o L^-T)' u.
// This way no digits are lost where L is small, either.

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/monte_carlo/detail/column_model.hpp>
#include <riffle/monte_carlo/detail/variables/prepare.hpp>
#include <riffle/monte_carlo/detail/variables/replicate_columns.hpp>
#include <riffle/monte_carlo/linear_statistic.hpp>

namespace riffle::detail::variables {

/// Of a replicate in a thread: permuted columns of length 1 become whole numbers of units of 2^-26. Multiply-adds are fused by
/// name and sums are in the order of observations, so that they have the same bits on every back end.
template <class Memory, int Width>
struct FreeColumns {
  ReplicateColumns<Memory, Width> columns;
  Array<Memory> nuisance;  // column by column, orthonormal
  int nuisance_columns;

  KOKKOS_FUNCTION void operator()(std::uint64_t r) const {
    std::uint64_t const n = columns.n;
    for (int k = 0; k < columns.columns; ++k) {
      Entries const x{columns.chunk(r / Width, k) + r % Width, Width};
      for (int z = 0; z < nuisance_columns; ++z) {
        take_off({nuisance.data() + static_cast<std::uint64_t>(z) * n, 1}, x);
      }
      for (int l = 0; l < k; ++l) take_off({columns.chunk(r / Width, l) + r % Width, Width}, x);
      // A direction that lies in the span of the nuisance explains nothing.
      double const squares = product(x, x);
      double const scale = squares > FreeGram::min_pivot ? 1 / Kokkos::sqrt(squares) : 0;
      for (std::uint64_t i = 0; i < n; ++i) x(i) *= scale;
    }
    for (int k = 0; k < columns.columns; ++k) {
      Entries const x{columns.chunk(r / Width, k) + r % Width, Width};
      for (std::uint64_t i = 0; i < n; ++i) x(i) = Kokkos::floor(Kokkos::fma(x(i), unit, 0.5));
    }
  }

 private:
  static constexpr double unit = std::int64_t{1} << real_column_bits;

  struct Entries {
    double* first;
    std::uint64_t stride;
    KOKKOS_FUNCTION double& operator()(std::uint64_t i) const { return first[i * stride]; }
  };

  KOKKOS_FUNCTION double product(Entries const& a, Entries const& b) const {
    double sum = 0;
    for (std::uint64_t i = 0; i < columns.n; ++i) sum = Kokkos::fma(a(i), b(i), sum);
    return sum;
  }

  /// What a column of length 1 explains of x.
  KOKKOS_FUNCTION void take_off(Entries const& column, Entries const& x) const {
    double const sum = product(column, x);
    for (std::uint64_t i = 0; i < columns.n; ++i) x(i) = Kokkos::fma(-sum, column(i), x(i));
  }
};

}  // namespace riffle::detail::variables
