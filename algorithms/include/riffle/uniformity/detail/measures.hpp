#pragma once

// Integer statistics of a permutation, or of two successive permutations. Their null distributions are in nulls/.

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/uniformity/detail/nulls/cycles.hpp>
#include <riffle/uniformity/detail/nulls/discrete_distribution.hpp>
#include <riffle/uniformity/detail/nulls/inversions.hpp>
#include <riffle/uniformity/detail/sample.hpp>
#include <riffle/uniformity/detail/scalar_test.hpp>
#include <riffle/uniformity/detail/worker.hpp>

namespace riffle::detail::uniformity {

/// Returns 1 if the permutation is odd, otherwise 0.
KOKKOS_INLINE_FUNCTION std::int64_t parity(Sample const& sample) {
  return (static_cast<std::int64_t>(sample.n) - sample.cycles) % 2;
}

struct SignMeasure : SampleMeasure {
  static constexpr char const* name = "sign";
  static constexpr bool needs_cycles = true;

  static Null null(std::uint64_t n) { return exact_null(parity_distribution(n)); }

  template <class Worker>
  KOKKOS_FUNCTION static std::int64_t of(Worker const&, Sample const& sample) {
    return parity(sample);
  }
};

struct CycleMeasure : SampleMeasure {
  static constexpr char const* name = "number of cycles";
  static constexpr std::uint64_t largest_n = largest_cycle_distribution;
  static constexpr bool needs_cycles = true;

  static Null null(std::uint64_t n) { return exact_null(cycle_distribution(n)); }

  template <class Worker>
  KOKKOS_FUNCTION static std::int64_t of(Worker const&, Sample const& sample) {
    return sample.cycles;
  }
};

/// The number of cycles of length `Length`. Each cycle is found once from each of its elements.
template <int Length>
struct CyclesOfLengthMeasure : SampleMeasure {
  static_assert(1 <= Length && Length <= 9);
  static constexpr char text[] = {
      static_cast<char>('0' + Length), '-', 'c', 'y', 'c', 'l', 'e', 's', '\0'};
  static constexpr char const* name = Length == 1 ? "fixed points" : text;
  static constexpr std::uint64_t smallest_n = Length < 2 ? 2 : Length;

  static Null null(std::uint64_t n) { return exact_null(cycles_of_length_distribution(n, Length)); }

  template <class Worker>
  KOKKOS_FUNCTION static std::int64_t of(Worker const& worker, Sample const& sample) {
    return sum_over(worker, 0, sample.n,
                    [&](std::uint64_t i) { return is_on_one(sample, i) ? 1 : 0; }) /
           Length;
  }

 private:
  KOKKOS_FUNCTION static bool is_on_one(Sample const& sample, std::uint64_t i) {
    std::uint64_t at = sample.sigma[i];
    for (int step = 1; step < Length && at != i; ++step) at = sample.sigma[at];
    return at == i && !closes_sooner(sample, i);
  }

  KOKKOS_FUNCTION static bool closes_sooner(Sample const& sample, std::uint64_t i) {
    std::uint64_t at = i;
    for (int step = 1; step < Length; ++step) {
      at = sample.sigma[at];
      if (at == i) return true;
    }
    return false;
  }
};

struct InversionMeasure : SampleMeasure {
  static constexpr char const* name = "inversions";
  static constexpr bool needs_inversions = true;

  static Null null(std::uint64_t n) {
    if (n > largest_inversion_distribution) return {inversion_moments(n)};
    return exact_null(inversion_distribution(n));
  }

  template <class Worker>
  KOKKOS_FUNCTION static std::int64_t of(Worker const&, Sample const& sample) {
    return sample.inversions;
  }
};

/// The number of points that two successive samples a and b map to the same value: the fixed points
/// of a after the inverse of b.
struct MatchMeasure : PairMeasure {
  static constexpr char const* name = "matches of pairs";

  static Null null(std::uint64_t n) { return exact_null(fixed_point_distribution(n)); }

  template <class Worker>
  KOKKOS_FUNCTION static std::int64_t of(Worker const& worker, Sample const& a, Sample const& b) {
    return sum_over(worker, 0, a.n,
                    [&](std::uint64_t i) { return a.sigma[i] == b.sigma[i] ? 1 : 0; });
  }
};

/// 1 if a after the inverse of b is odd, otherwise 0. It detects generators whose signs are fair
/// coins, but in which the first sign determines the second.
struct QuotientSignMeasure : PairMeasure {
  static constexpr char const* name = "sign of the quotient of pairs";
  static constexpr bool needs_cycles = true;

  static Null null(std::uint64_t n) { return exact_null(parity_distribution(n)); }

  template <class Worker>
  KOKKOS_FUNCTION static std::int64_t of(Worker const&, Sample const& a, Sample const& b) {
    return (parity(a) + parity(b)) % 2;
  }
};

}  // namespace riffle::detail::uniformity
