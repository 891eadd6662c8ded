#pragma once

// The collision test: D. E. Knuth, "The Art of Computer Programming" 2, section 3.3.2, algorithm C.
// Each sample falls into a cell, which its first values select. The number of these values is the
// largest for which there are at most 2^26 cells. If samples repeat, more samples than expected
// fall into occupied cells (collisions); if samples avoid each other, fewer.

#include <Kokkos_Core.hpp>

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <riffle/errors.hpp>
#include <riffle/uniformity/detail/lehmer_digit.hpp>
#include <riffle/uniformity/detail/nulls/discrete_distribution.hpp>
#include <riffle/uniformity/detail/nulls/occupancy.hpp>
#include <riffle/uniformity/detail/nulls/tails.hpp>
#include <riffle/uniformity/detail/observer.hpp>
#include <riffle/uniformity/detail/sample.hpp>
#include <riffle/uniformity/detail/test_result.hpp>
#include <riffle/uniformity/tuning.hpp>

namespace riffle::detail::uniformity {

/// The values at positions 0, ..., length - 1 of a sample. `arrangements` is the number of possible
/// sequences of these values.
struct Prefix {
  static constexpr std::uint64_t max_arrangements = std::uint64_t{1} << 26;

  std::uint64_t length = 0;
  std::uint64_t arrangements = 1;
};

inline Prefix longest_prefix(std::uint64_t n) {
  Prefix prefix;
  while (prefix.length < n && prefix.arrangements * (n - prefix.length) <= Prefix::max_arrangements)
    prefix.arrangements *= n - prefix.length++;
  return prefix;
}

/// Returns the lexicographic rank of the sequence of the sample's first `length` values among all
/// possible sequences.
KOKKOS_INLINE_FUNCTION std::uint64_t prefix_rank(Sample const& sample, std::uint64_t length) {
  std::uint64_t rank = 0;
  for (std::uint64_t i = 0; i < length; ++i) rank = rank * (sample.n - i) + lehmer_digit(sample, i);
  return rank;
}

/// Marks the cells into which samples fall. Each counter is a set of 64 cells, with one bit per
/// cell.
template <class Exec>
class CollisionObserver : public ObserverBase<Exec> {
 public:
  CollisionObserver(Exec const& exec, Prefix const& prefix)
      : ObserverBase<Exec>(exec, static_cast<std::size_t>((prefix.arrangements + 63) / 64)),
        length_(prefix.length) {}

  template <class Worker>
  KOKKOS_FUNCTION void observe(Worker const& worker, Sample const& sample) const {
    if (worker.rank() != 0) return;
    std::uint64_t const cell = prefix_rank(sample, length_);
    Kokkos::atomic_fetch_or(&this->counters(cell / 64), std::uint64_t{1} << cell % 64);
  }

 private:
  std::uint64_t length_;
};

/// The number of collisions is asymptotically normal if many cells are hit twice and many are never
/// hit. If fewer collisions are expected, or if there are few cells, the exact distribution is
/// computed (tuning.hpp).
class CollisionPlan {
 public:
  static constexpr char const* name = "collisions";
  static constexpr double min_collisions = 0.01;  // if fewer are expected, the test has no power

  std::string refusal;

  CollisionPlan(std::uint64_t n, std::uint64_t samples)
      : n_(n), samples_(samples), prefix_(longest_prefix(n)) {
    if (n < 2) {
      refusal = "n must be at least 2";
    } else if (n > Prefix::max_arrangements) {
      refusal = concatenate("n must be at most ", Prefix::max_arrangements);
    } else {
      refusal = wrong_samples();
    }
  }

  template <class Exec>
  CollisionObserver<Exec> observer(Exec const& exec) const {
    return {exec, prefix_};
  }

  TestResult evaluate(std::vector<std::uint64_t> const& counts) const {
    std::uint64_t const found = samples_ - occupied(counts);
    if (is_exact()) return exact_result(static_cast<std::int64_t>(found));
    double const z = (static_cast<double>(found) - moments_.mean) / std::sqrt(moments_.variance);
    return {name, n_, samples_, z, "normal", normal_p(z)};
  }

 private:
  static std::uint64_t occupied(std::vector<std::uint64_t> const& cells) {
    std::uint64_t sum = 0;
    for (auto const word : cells) sum += static_cast<std::uint64_t>(std::popcount(word));
    return sum;
  }

  // Computing the moments takes `samples` steps, so the checks that do not need them come first.
  std::string wrong_samples() {
    double const empty = expected_empty_cells(samples_, prefix_.arrangements);
    bool const few_cells = prefix_.arrangements <= max_exact_collision_cells;
    if (empty < (few_cells ? 1 : min_normal_collisions))
      return concatenate("samples must be fewer: nearly all of ", prefix_.arrangements,
                         " cells would be taken");
    moments_ = collision_moments(samples_, prefix_.arrangements);
    if (moments_.mean < min_collisions)
      return concatenate("samples must be more: ", moments_.mean, " collisions are expected");
    return "";
  }

  bool is_exact() const {
    return moments_.mean < min_normal_collisions ||
           prefix_.arrangements <= max_exact_collision_cells;
  }

  TestResult exact_result(std::int64_t found) const {
    auto const distribution = collision_distribution(samples_, prefix_.arrangements);
    auto const null =
        concatenate("collisions in ", prefix_.arrangements, " cells, mean ", moments_.mean);
    return {name,     n_,
            samples_, static_cast<double>(found),
            null,     two_sided_p(discrete_tails(distribution, found))};
  }

  std::uint64_t n_;
  std::uint64_t samples_;
  Prefix prefix_;
  Moments moments_{};
};

using CollisionTest = TestOf<CollisionPlan>;

}  // namespace riffle::detail::uniformity
