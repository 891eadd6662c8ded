#pragma once

// The length of the longest increasing subsequence.
//   C. Schensted, "Longest increasing and decreasing subsequences", Canadian Journal of Mathematics
//   13 (1961): a permutation of n elements corresponds to a pair of standard Young tableaux with the
//   same shape, which is a partition of n. The length k is the length of the first row.
//   J. S. Frame, G. de B. Robinson, R. M. Thrall, "The hook graphs of the symmetric group",
//   Canadian Journal of Mathematics 6 (1954): the number f of tableaux with a given shape.
// So P(L = k) is the sum of f^2 / n! over the partitions of n with first row k. All terms are
// positive. I. M. Gessel's determinant (J. Combin. Theory A 53 (1990)) would permit larger n in
// exact arithmetic, but in doubles all digits cancel. If n > 64, only 64 values of the permutation
// are tested, because their order is also uniform.

#include <cstddef>
#include <cstdint>
#include <vector>

#include <riffle/errors.hpp>
#include <riffle/uniformity/detail/nulls/discrete_distribution.hpp>
#include <riffle/uniformity/tuning.hpp>

namespace riffle::detail::uniformity {

/// Enumerates the partitions of n, row by row, starting with the shortest row.
class ShapesByFirstRow {
 public:
  explicit ShapesByFirstRow(std::size_t n) : factorials_{1.0}, probabilities_(n + 1) {
    for (std::size_t i = 1; i <= n; ++i)
      factorials_.push_back(factorials_.back() * static_cast<double>(i));
    add_rows(1, n, 1.0);
  }

  std::vector<double> const& probabilities() const { return probabilities_; }

 private:
  // `share` is the factor that the rows added so far contribute to f / n!. The remaining `left`
  // boxes are put into rows of at least `shortest` boxes.
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

  // Let r(i) be the length of row i plus the number of rows below it. Then f / n! is the product of
  // r(i) - r(j) over all pairs of rows with j below i, divided by the product of all r(i)!.
  double factor(std::size_t row) const {
    std::size_t const raised = row + rows_.size();
    double product = 1;
    for (auto const below : rows_) product *= static_cast<double>(raised - below);
    return product / factorials_[raised];
  }

  std::vector<double> factorials_;
  std::vector<double> probabilities_;
  std::vector<std::size_t> rows_;  // r(i), starting with the shortest row
};

/// The distribution of the length of the longest increasing subsequence. Throws
/// std::invalid_argument if n > 64.
inline DiscreteDistribution longest_increasing_distribution(std::uint64_t n) {
  check(n <= largest_increasing_distribution, "longest_increasing_distribution", "n = ", n,
        ": must be at most ", largest_increasing_distribution);
  return {0, ShapesByFirstRow(static_cast<std::size_t>(n)).probabilities()};
}

}  // namespace riffle::detail::uniformity
