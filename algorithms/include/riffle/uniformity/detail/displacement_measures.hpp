#pragma once

// Statistics of how far points are moved. The headers of the null distributions cite the papers.

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/errors.hpp>
#include <riffle/uniformity/detail/nulls/footrule.hpp>
#include <riffle/uniformity/detail/nulls/serial_correlation.hpp>
#include <riffle/uniformity/detail/nulls/squared_differences.hpp>
#include <riffle/uniformity/detail/sample.hpp>
#include <riffle/uniformity/detail/scalar_test.hpp>
#include <riffle/uniformity/detail/worker.hpp>
#include <riffle/uniformity/tuning.hpp>

namespace riffle::detail::uniformity {

/// Returns sigma(i) - i.
KOKKOS_INLINE_FUNCTION std::int64_t displacement(Sample const& sample, std::uint64_t i) {
  return static_cast<std::int64_t>(sample.sigma[i]) - static_cast<std::int64_t>(i);
}

/// The sum of |sigma(i) - i|; at most n^2 / 2.
struct FootruleMeasure : SampleMeasure {
  static constexpr char const* name = "footrule";
  static constexpr std::uint64_t largest_exact_n = largest_exact_footrule;

  static Null null(std::uint64_t n) {
    if (n > largest_exact_n) return {footrule_moments(n)};
    return exact_null(footrule_distribution(n));
  }

  template <class Worker>
  KOKKOS_FUNCTION static std::int64_t of(Worker const& worker, Sample const& sample) {
    return sum_over(worker, 0, sample.n, [&](std::uint64_t i) {
      std::int64_t const moved = displacement(sample, i);
      return moved < 0 ? -moved : moved;
    });
  }
};

/// The sum of (sigma(i) - i)^2.
struct SquaredDifferenceMeasure : SampleMeasure {
  static constexpr char const* name = "squared differences";
  static constexpr std::uint64_t largest_n = largest_cubic_sum;

  /// Throws std::invalid_argument if n > largest_n.
  static Null null(std::uint64_t n) {
    check(n <= largest_n, name, "n = ", n, ": must be at most ", largest_n);
    if (n > largest_squared_difference_distribution) return {squared_difference_moments(n)};
    return exact_null(squared_difference_distribution(n));
  }

  template <class Worker>
  KOKKOS_FUNCTION static std::int64_t of(Worker const& worker, Sample const& sample) {
    return sum_over(worker, 0, sample.n, [&](std::uint64_t i) {
      return displacement(sample, i) * displacement(sample, i);
    });
  }
};

}  // namespace riffle::detail::uniformity
