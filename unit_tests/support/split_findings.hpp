#pragma once

// Tests that permutations made of random digits and permuted parts have no dependence at the borders: of units and tiles of
// places, of parts of the input, between consecutive parts, and within each part.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <riffle/uniformity/detail/nulls/serial_correlation.hpp>
#include <riffle/uniformity/detail/nulls/successions.hpp>
#include <riffle/uniformity/detail/nulls/tails.hpp>

#include "support/findings.hpp"
#include "support/permutations.hpp"

namespace riffle::test {

using detail::uniformity::Moments;

/// A permutation, and the parts from which it was merged.
struct Split {
  std::vector<std::uint32_t> images;
  std::vector<std::uint8_t> digits;        // by place
  std::vector<std::uint32_t> part_bounds;  // of the 256 parts of the input

  std::size_t parts() const { return part_bounds.size() - 1; }

  /// The permutation of each part, with values from 0, in the order of the places.
  std::vector<std::vector<std::uint32_t>> leaves() const {
    std::vector<std::vector<std::uint32_t>> leaves(parts());
    for (std::size_t i = 0; i < images.size(); ++i)
      leaves[digits[i]].push_back(images[i] - part_bounds[digits[i]]);
    return leaves;
  }
};

/// A sum of independent statistics with known means and variances.
class Deviation {
 public:
  void add(double observed, Moments const& expected) {
    difference_ += observed - expected.mean;
    variance_ += expected.variance;
  }

  double p() const { return detail::uniformity::normal_p(difference_ / std::sqrt(variance_)); }

 private:
  double difference_ = 0;
  double variance_ = 0;
};

using IndexPairs = std::vector<std::pair<std::size_t, std::size_t>>;

/// The sum of c(a) c(b) over pairs of places (a, b), with c(i) = 2 sigma(i) - (n - 1).
inline double sum_of_products(std::vector<std::uint32_t> const& sigma, IndexPairs const& pairs) {
  auto const last = static_cast<std::int64_t>(sigma.size()) - 1;
  auto const centered = [&](std::size_t i) { return 2 * std::int64_t{sigma[i]} - last; };
  std::int64_t sum = 0;
  for (auto const& [a, b] : pairs) sum += centered(a) * centered(b);
  return static_cast<double>(sum);
}

/// The mean and variance of that sum over `pairs` pairs that share no place, for a uniform permutation. The sum of all c is 0;
/// with S2 and S4, the sums of their squares and fourth powers (nulls/serial_correlation.hpp),
///   E c(1) c(2) = -S2 / (n (n - 1)),    E c(1)^2 c(2)^2 = (S2^2 - S4) / (n (n - 1)),
///   E c(1) c(2) c(3) c(4) = (3 S2^2 - 6 S4) / (n (n - 1) (n - 2) (n - 3)).
inline Moments moments_of_products(std::size_t n, std::size_t pairs) {
  auto const x = static_cast<double>(n);
  auto const m = static_cast<double>(pairs);
  double const s2 = x * (x * x - 1) / 3;
  double const s4 = x * (x * x - 1) * (3 * x * x - 7) / 15;
  double const mean = -s2 / (x * (x - 1));
  double const square = (s2 * s2 - s4) / (x * (x - 1));
  double const product = (3 * s2 * s2 - 6 * s4) / (x * (x - 1) * (x - 2) * (x - 3));
  return {m * mean, m * square + m * (m - 1) * product - m * m * mean * mean};
}

/// The pairs (p - 1, p) for all multiples p of `period`.
inline IndexPairs across_borders(std::size_t n, std::size_t period) {
  IndexPairs pairs;
  for (std::size_t p = period; p < n; p += period) pairs.emplace_back(p - 1, p);
  return pairs;
}

/// Pairs (i, i + distance) that share no element.
inline IndexPairs at_distance(std::size_t n, std::size_t distance) {
  IndexPairs pairs;
  for (std::size_t i = 0; i + distance < n; ++i) {
    if (i / distance % 2 == 0) pairs.emplace_back(i, i + distance);
  }
  return pairs;
}

/// The last element of each part of the input, with the first one of the next part.
inline IndexPairs across_parts(Split const& split) {
  IndexPairs pairs;
  for (std::size_t k = 1; k < split.parts(); ++k)
    pairs.emplace_back(split.part_bounds[k] - 1, split.part_bounds[k]);
  return pairs;
}

inline Finding finding_of_products(std::string const& test,
                                   std::vector<std::vector<std::uint32_t>> const& sigmas,
                                   std::vector<IndexPairs> const& pairs) {
  Deviation deviation;
  for (std::size_t s = 0; s < sigmas.size(); ++s) {
    deviation.add(sum_of_products(sigmas[s], pairs[s]),
                  moments_of_products(sigmas[s].size(), pairs[s].size()));
  }
  return {test, deviation.p()};
}

/// Neighbours within leaves: sums of their cyclic products, and numbers of successions.
inline void add_findings_within_leaves(std::vector<Split> const& splits,
                                       std::vector<Finding>& findings) {
  Deviation products, successions;
  for (auto const& split : splits) {
    for (auto const& leaf : split.leaves()) {
      std::size_t const n = leaf.size();
      IndexPairs circle = across_borders(n, 1);
      circle.emplace_back(n - 1, 0);
      products.add(sum_of_products(leaf, circle),
                   detail::uniformity::serial_correlation_moments(n));
      double count = 0;
      for (std::size_t i = 1; i < n; ++i) count += leaf[i] == leaf[i - 1] + 1;
      auto const null = detail::uniformity::succession_distribution(n);
      successions.add(count, {null.mean(), null.variance()});
    }
  }
  findings.push_back({"serial correlation within leaves", products.p()});
  findings.push_back({"successions within leaves", successions.p()});
}

/// The number of places at which two consecutive leaves have equal images. For leaves of a and b >= a points, each of a
/// places matches with probability 1 / b, and any two of them with probability 1 / (b (b - 1)).
inline Finding finding_of_matches(std::vector<Split> const& splits) {
  auto const by_size = [](auto const& a, auto const& b) { return a.size() < b.size(); };
  Deviation matches;
  for (auto const& split : splits) {
    auto const leaves = split.leaves();
    for (std::size_t k = 1; k < leaves.size(); ++k) {
      auto const& [smaller, larger] = std::minmax(leaves[k - 1], leaves[k], by_size);
      double count = 0;
      for (std::size_t r = 0; r < smaller.size(); ++r) count += smaller[r] == larger[r];
      auto const a = static_cast<double>(smaller.size());
      auto const b = static_cast<double>(larger.size());
      double const mean = a / b;
      matches.add(count, {mean, mean + a * (a - 1) / (b * (b - 1)) - mean * mean});
    }
  }
  return {"matches of neighbouring leaves", matches.p()};
}

inline std::vector<Finding> findings_of_splits(std::vector<Split> const& splits) {
  std::vector<std::vector<std::uint32_t>> images, inverses;
  std::vector<IndexPairs> parts;
  for (auto const& split : splits) {
    images.push_back(split.images);
    inverses.push_back(inverse_of(split.images));
    parts.push_back(across_parts(split));
  }
  std::size_t const n = images.front().size();
  auto const same = [&](IndexPairs const& pairs) { return std::vector(splits.size(), pairs); };
  std::vector<Finding> findings{
      finding_of_products("images across units", images, same(across_borders(n, 256))),
      finding_of_products("images across tiles", images, same(across_borders(n, 4096))),
      finding_of_products("places across parts", inverses, parts)};
  for (std::size_t const distance : {1, 16, 256, 4096}) {
    findings.push_back(finding_of_products("images " + std::to_string(distance) + " apart", images,
                                           same(at_distance(n, distance))));
  }
  add_findings_within_leaves(splits, findings);
  findings.push_back(finding_of_matches(splits));
  return findings;
}

}  // namespace riffle::test
