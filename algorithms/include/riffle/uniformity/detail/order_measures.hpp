#pragma once

// Statistics of the order of the values: descents, differences between neighbours, and the longest
// increasing subsequence.
//   C. Schensted, "Longest increasing and decreasing subsequences", Canadian Journal of Mathematics
//   13 (1961).
//   D. Aldous, P. Diaconis, "Longest increasing subsequences: from patience sorting to the
//   Baik-Deift-Johansson theorem", Bulletin of the American Mathematical Society 36 (1999).

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>

#include <riffle/errors.hpp>
#include <riffle/uniformity/detail/nulls/descents.hpp>
#include <riffle/uniformity/detail/nulls/longest_increasing.hpp>
#include <riffle/uniformity/detail/nulls/serial_correlation.hpp>
#include <riffle/uniformity/detail/nulls/successions.hpp>
#include <riffle/uniformity/detail/sample.hpp>
#include <riffle/uniformity/detail/scalar_test.hpp>
#include <riffle/uniformity/detail/worker.hpp>

namespace riffle::detail::uniformity {

/// The number of i with sigma(i) > sigma(i + 1).
struct DescentMeasure : SampleMeasure {
  static constexpr char const* name = "descents";

  static Null null(std::uint64_t n) {
    if (n > largest_descent_distribution) return {descent_moments(n)};
    return exact_null(descent_distribution(n));
  }

  template <class Worker>
  KOKKOS_FUNCTION static std::int64_t of(Worker const& worker, Sample const& sample) {
    return sum_over(worker, 1, sample.n,
                    [&](std::uint64_t i) { return sample.sigma[i - 1] > sample.sigma[i] ? 1 : 0; });
  }
};

/// The number of i with sigma(i + 1) = sigma(i) + 1, that is, of neighbours that a shuffle has left
/// together.
struct SuccessionMeasure : SampleMeasure {
  static constexpr char const* name = "successions";

  static Null null(std::uint64_t n) { return exact_null(succession_distribution(n)); }

  template <class Worker>
  KOKKOS_FUNCTION static std::int64_t of(Worker const& worker, Sample const& sample) {
    return sum_over(worker, 1, sample.n, [&](std::uint64_t i) {
      return sample.sigma[i - 1] + 1 == sample.sigma[i] ? 1 : 0;
    });
  }
};

/// The length of the longest increasing subsequence of the first min(n, 64) values.
struct LongestIncreasingMeasure : SampleMeasure {
  static constexpr char const* name = "longest increasing subsequence";

  static Null null(std::uint64_t n) {
    std::uint64_t const known = largest_increasing_distribution;
    return exact_null(longest_increasing_distribution(std::min(n, known)));
  }

  template <class Worker>
  KOKKOS_FUNCTION static std::int64_t of(Worker const& worker, Sample const& sample) {
    worker.barrier();  // no thread may still use `work` for the previous test
    return worker.rank() == 0 ? count_piles(sample) : 0;
  }

 private:
  // Patience sorting: each value is put on the first pile whose top is larger, or on a new pile if
  // there is none. The tops of the piles are ascending.
  KOKKOS_FUNCTION static std::int64_t count_piles(Sample const& sample) {
    Row const& tops = sample.work[0];
    std::uint64_t const n =
        sample.n < largest_increasing_distribution ? sample.n : largest_increasing_distribution;
    std::uint64_t piles = 0;
    for (std::uint64_t i = 0; i < n; ++i) {
      std::uint64_t const pile = first_above(tops, piles, sample.sigma[i]);
      tops[pile] = sample.sigma[i];
      if (pile == piles) ++piles;
    }
    return static_cast<std::int64_t>(piles);
  }

  KOKKOS_FUNCTION static std::uint64_t first_above(Row const& tops, std::uint64_t piles,
                                                   std::uint32_t output) {
    std::uint64_t low = 0;
    for (std::uint64_t high = piles; low < high;) {
      std::uint64_t const middle = (low + high) / 2;
      if (tops[middle] > output) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low;
  }
};

/// The circular sum of the products of neighbouring values, where each value is replaced by twice
/// its distance from the middle: c(i) = 2 sigma(i) - (n - 1).
struct SerialCorrelationMeasure : SampleMeasure {
  static constexpr char const* name = "serial correlation";
  static constexpr std::uint64_t smallest_n = 4;
  static constexpr std::uint64_t largest_n = largest_cubic_sum;

  /// Throws std::invalid_argument if n > largest_n.
  static Null null(std::uint64_t n) {
    check(n <= largest_n, name, "n = ", n, ": must be at most ", largest_n);
    return {serial_correlation_moments(n)};
  }

  template <class Worker>
  KOKKOS_FUNCTION static std::int64_t of(Worker const& worker, Sample const& sample) {
    return sum_over(worker, 0, sample.n, [&](std::uint64_t i) {
      return centred(sample, i) * centred(sample, i + 1 < sample.n ? i + 1 : 0);
    });
  }

 private:
  KOKKOS_FUNCTION static std::int64_t centred(Sample const& sample, std::uint64_t i) {
    return 2 * static_cast<std::int64_t>(sample.sigma[i]) - static_cast<std::int64_t>(sample.n - 1);
  }
};

}  // namespace riffle::detail::uniformity
