#pragma once

// The length of the longest increasing subsequence.
//   C. Schensted, "Longest increasing and decreasing subsequences", Canadian Journal of Mathematics
//   13 (1961): permutations of n with length k correspond to pairs of standard Young tableaux of
//   one shape, a partition of n whose first row is k.
//   J. S. Frame, G. de B. Robinson, R. M. Thrall, "The hook graphs of the symmetric group",
//   Canadian Journal of Mathematics 6 (1954): the number f of tableaux of a shape.
// So P(L = k) is the sum of f^2 / n! over the partitions of n with first row k, all terms positive.
// I. M. Gessel's determinant (J. Combin. Theory A 53 (1990)) would reach further, in exact
// arithmetic: in a double its cancellations leave nothing. A larger permutation is tested on 64 of
// its outputs, whose order is as uniform as the whole.

#include <cstddef>
#include <cstdint>
#include <vector>

#include <riffle/errors.hpp>
#include <riffle/uniformity/detail/nulls/discrete_distribution.hpp>
#include <riffle/uniformity/tuning.hpp>

namespace riffle::detail::uniformity {

/// Walks the partitions of n, from the shortest row upwards.
class ShapesByFirstRow {
 public:
  explicit ShapesByFirstRow(std::size_t n) : factorials_{1.0}, probabilities_(n + 1) {
    for (std::size_t i = 1; i <= n; ++i)
      factorials_.push_back(factorials_.back() * static_cast<double>(i));
    add_rows(1, n, 1.0);
  }

  std::vector<double> const& probabilities() const { return probabilities_; }

 private:
  // `share` is the part of f / n! that the rows so far account for; `left` boxes remain to be put into rows of at least
  // `shortest`.
  void add_rows(std::size_t shortest, std::size_t left, double share) {
    for (std::size_t row = shortest; 2 * row <= left; ++row) {
      double const next = share * factor(row);
      rows_.push_back(row + rows_.size());
      add_rows(row, left - row, next);
      rows_.pop_back();
    }
    double const whole = share * factor(left);
    probabilities_[left] += whole * (whole * factorials_.back());
  }

  // f / n! is the product over all rows, each with the number of rows below it added, of the
  // differences from those below, over the product of the factorials.
  double factor(std::size_t row) const {
    std::size_t const raised = row + rows_.size();
    double product = 1;
    for (auto const below : rows_) product *= static_cast<double>(raised - below);
    return product / factorials_[raised];
  }

  std::vector<double> factorials_;
  std::vector<double> probabilities_;
  std::vector<std::size_t> rows_;  // raised, from the shortest
};

/// The length of the longest increasing subsequence. Throws std::invalid_argument where n > 64.
inline DiscreteDistribution longest_increasing_distribution(std::uint64_t n) {
  check(n <= largest_increasing_distribution, "longest_increasing_distribution", "n = ", n,
        ": must be at most ", largest_increasing_distribution);
  return {0, ShapesByFirstRow(static_cast<std::size_t>(n)).probabilities()};
}

}  // namespace riffle::detail::uniformity
