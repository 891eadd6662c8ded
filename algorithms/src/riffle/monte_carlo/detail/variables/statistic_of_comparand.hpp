#pragma once

// The statistic that is reported in place of a comparand.

#include <Kokkos_Core.hpp>

#include <cmath>

#include <riffle/backend/floating_point.hpp>
#include <riffle/monte_carlo/detail/column_model.hpp>
#include <riffle/monte_carlo/linear_statistic.hpp>

namespace riffle::detail::variables {

/// The statistic that a comparand before sides stands for; of the same bits in kernels and on the host.
class StatisticOfComparand {
 public:
  explicit StatisticOfComparand(ColumnModel const& model)
      : reported_(has_own_n(model.form) ? Reported::itself : model.reported),
        degrees_of_freedom_(model.degrees_of_freedom),
        effect_degrees_(model.effect_degrees),
        last_(static_cast<double>(model.n) - 1),
        pairs_(model.n_1 * model.n_2),
        length_(std::sqrt(model.common_squares * pairs_ / (model.n_1 + model.n_2))) {}

  KOKKOS_FUNCTION double operator()(double comparand) const {
    if (is_infinite(comparand)) return comparand;
    switch (reported_) {
      case Reported::mann_whitney_u: return u(comparand);
      case Reported::t: return t_of_correlation(or_1(comparand, 0x1p-50), degrees_of_freedom_);
      case Reported::f:
        return f_of_share(or_1(comparand, 0x1p-47), effect_degrees_, degrees_of_freedom_);
      case Reported::kruskal_wallis_h: return comparand * last_;
      default: return comparand;
    }
  }

 private:
  /// From the sum S of label 1's ranks, twice and about their mean: U = (S + n_1 n_2) / 2, a multiple of one half.
  KOKKOS_FUNCTION double u(double comparand) const {
    return Kokkos::floor(Kokkos::fma(comparand, length_, pairs_) + 0.5) / 2;
  }

  /// 1 or -1 where that may be what is rounded to x.
  KOKKOS_FUNCTION static double or_1(double x, double rounding) {
    return 1 - Kokkos::abs(x) <= rounding ? Kokkos::copysign(1.0, x) : x;
  }

  Reported reported_;
  double degrees_of_freedom_;
  double effect_degrees_;
  double last_;
  double pairs_;
  double length_;
};

}  // namespace riffle::detail::variables
