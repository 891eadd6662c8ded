#pragma once

// Balls are thrown into cells. A ball that falls into an occupied cell collides.
//   D. E. Knuth, "The Art of Computer Programming" 2, section 3.3.2: the collision test.
//   W. Feller, "An Introduction to Probability Theory and Its Applications" 1, section IV.2.
//
// After i balls and c collisions, i - c of the K cells are occupied, so the next ball collides with
// probability (i - c) / K. This yields, without cancellation,
//   the distribution: p(i + 1, c) = p(i, c) (1 - (i - c) / K) + p(i, c - 1) (i - c + 1) / K;
//   the mean: a cell is occupied with probability t(i) = 1 - (1 - 1 / K)^i, and ball i + 1 adds t(i);
//   the variance: v(i + 1) = (1 - 1 / K)^2 v(i) + mean of q (1 - q), where q is the probability that
//     ball i + 1 collides. The mean of q is t(i) and its variance is v(i) / K^2, so
//     v(i + 1) = (1 - 2 / K) v(i) + t(i) (1 - t(i)).
// The closed forms would lose digits by cancellation: for m balls they are differences of numbers near m, although the
// result is near m^2 / (2 K).

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <riffle/errors.hpp>
#include <riffle/uniformity/detail/nulls/discrete_distribution.hpp>

namespace riffle::detail::uniformity {

inline void check_occupancy(char const* function, std::uint64_t cells) {
  check(cells >= 1, function, "cells = 0: must be at least 1");
}

/// Returns the moments of the number of collisions, in time proportional to the number of balls.
/// The variance is also the variance of the number of occupied cells. Throws std::invalid_argument
/// if cells is 0.
inline Moments collision_moments(std::uint64_t balls, std::uint64_t cells) {
  check_occupancy("collision_moments", cells);
  double const one = 1 / static_cast<double>(cells);
  double taken = 0;
  double free = 1;
  Moments moments{0, 0};
  for (std::uint64_t i = 0; i < balls; ++i) {
    moments.mean += taken;
    moments.variance += taken * free - 2 * one * moments.variance;
    taken += free * one;
    free *= 1 - one;
  }
  return moments;
}

/// Returns the mean number of cells that stay empty.
inline double expected_empty_cells(std::uint64_t balls, std::uint64_t cells) {
  check_occupancy("expected_empty_cells", cells);
  if (cells == 1) return balls == 0 ? 1 : 0;
  auto const k = static_cast<double>(cells);
  return k * std::exp(static_cast<double>(balls) * std::log1p(-1 / k));
}

/// Returns a number m such that the number of collisions exceeds m with a probability below 1e-25.
/// The bound is Bernstein's inequality. It applies because the number of collisions is distributed
/// like a sum of independent zeros and ones (V. A. Vatutin, V. G. Mikhailov, "Limit theorems for
/// the number of empty cells in an equiprobable scheme for group allocation of particles", Theory
/// of Probability and Its Applications 27 (1982)).
inline std::uint64_t most_likely_collisions(std::uint64_t balls, Moments const& moments) {
  double const most = moments.mean + 12 * std::sqrt(moments.mean) + 40;
  return std::min(balls, static_cast<std::uint64_t>(most));
}

/// Updates the distribution p for ball i + 1. Probabilities below 1e-290 are set to 0, because
/// numbers below 1e-308 are denormal and slow on a CPU.
inline void throw_ball(std::vector<double>& p, std::uint64_t i, std::uint64_t cells) {
  double const one = 1 / static_cast<double>(cells);
  auto const balls = static_cast<double>(i);
  for (std::size_t c = std::min<std::size_t>(i, p.size() - 1); c > 0; --c) {
    double const taken = (balls - static_cast<double>(c)) * one;
    double const sum = p[c] * (1 - taken) + p[c - 1] * (taken + one);
    p[c] = sum < 1e-290 ? 0 : sum;
  }
  p[0] *= std::max(0.0, 1 - balls * one);
}

/// The distribution of the number of collisions, exact except for a tail below 1e-25. Takes (balls
/// * collisions) steps. Throws std::invalid_argument if cells is 0.
inline DiscreteDistribution collision_distribution(std::uint64_t balls, std::uint64_t cells) {
  check_occupancy("collision_distribution", cells);
  auto const most = most_likely_collisions(balls, collision_moments(balls, cells));
  std::vector<double> p(static_cast<std::size_t>(most) + 1);
  p[0] = 1;
  for (std::uint64_t i = 0; i < balls; ++i) throw_ball(p, i, cells);
  return {0, p};
}

}  // namespace riffle::detail::uniformity
