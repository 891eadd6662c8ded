#pragma once

// Variables and replicates to count, and their counts by plain loops over replicates and variables.

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include <riffle/monte_carlo/detail/variables/test_statistic.hpp>

namespace riffle::test {

using Numbers = std::vector<double>;

struct TileProblem {
  std::size_t n = 0;
  detail::variables::Comparison comparison;
  std::vector<Numbers> values;                          // by variable
  std::vector<detail::variables::VariableTerms> terms;  // by variable
  /// The variables in increasing order of their observed statistic, after the variables that are not tested.
  std::vector<std::uint64_t> order;
  std::size_t skipped = 0;
  /// Each replicate, column-major.
  std::vector<Numbers> replicates;

  std::size_t width() const {
    return static_cast<std::size_t>(comparison.effects + comparison.adjustments);
  }
};

struct TileCounted {
  std::vector<std::uint64_t> raw;  // by place in `order`
  std::vector<std::uint64_t> step_down;
  Numbers maxima;
};

/// The dot product of a variable's values, or of their squares, with a column of a replicate.
inline double sum_with_column(TileProblem const& problem, std::size_t g, std::size_t r,
                              std::size_t column, bool is_of_squares = false) {
  double sum = 0;
  for (std::size_t i = 0; i < problem.n; ++i) {
    double const y = problem.values[g][i];
    sum += (is_of_squares ? y * y : y) * problem.replicates[r][column * problem.n + i];
  }
  return sum;
}

inline double test_statistic(TileProblem const& problem, std::size_t g, std::size_t r) {
  auto const& comparison = problem.comparison;
  auto const& terms = problem.terms[g];
  double const first = sum_with_column(problem, g, r, 0);
  if (comparison.is_simple()) return comparison.simple(first, terms);
  if (comparison.form == detail::variables::Form::welch) {
    return comparison.welch(first, sum_with_column(problem, g, r, 0, true), terms.base,
                            terms.squares, terms);
  }
  detail::variables::Explained explained;
  for (std::size_t k = 0; k < problem.width(); ++k) {
    comparison.add(static_cast<int>(k), sum_with_column(problem, g, r, k), explained);
  }
  return comparison(explained, terms);
}

/// The smallest threshold of the variables from `place` on in the order.
inline double least_threshold_from(TileProblem const& problem, std::size_t place) {
  double least = HUGE_VAL;
  for (; place < problem.order.size(); ++place) {
    least = std::min(least, problem.terms[problem.order[place]].threshold);
  }
  return least;
}

inline TileCounted count_one_by_one(TileProblem const& problem) {
  std::size_t const variables = problem.order.size();
  TileCounted counted{
      std::vector<std::uint64_t>(variables), std::vector<std::uint64_t>(variables), {}};
  Numbers least(variables);
  for (std::size_t at = problem.skipped; at < variables; ++at) {
    least[at] = least_threshold_from(problem, at);
  }
  for (std::size_t r = 0; r < problem.replicates.size(); ++r) {
    double running = -HUGE_VAL;
    for (std::size_t at = problem.skipped; at < variables; ++at) {
      double const own = test_statistic(problem, problem.order[at], r);
      running = std::max(running, own);
      counted.raw[at] += own >= problem.terms[problem.order[at]].threshold ? 1u : 0u;
      counted.step_down[at] += running >= least[at] ? 1u : 0u;
    }
    counted.maxima.push_back(running);
  }
  return counted;
}

/// Makes random problems: set the members, then call make(values, columns).
struct TileProblemMaker {
  std::size_t n = 20;
  std::size_t variables = 17;
  /// The number of variables, first in the order, that are not tested.
  std::size_t untested = 0;
  std::size_t replicates = 33;
  Alternative alternative = Alternative::two_sided;
  detail::variables::Form form = detail::variables::Form::correlation;
  int effects = 1;
  int adjustments = 0;
  /// Thresholds of some variables are lowered by this number of standard deviations of the test statistic.
  double tolerance = 0.25;
  std::uint64_t seed = 1;

  /// value(generator) is a value of a variable, column(generator) an entry of a replicate's columns. If `has_labels`, a
  /// replicate's first column is a permutation of labels instead.
  template <class Value, class Entry>
  TileProblem make(Value const& value, Entry const& entry, bool has_labels) const {
    std::mt19937_64 generator(seed);
    TileProblem problem;
    problem.n = n;
    problem.skipped = untested;
    auto& comparison = problem.comparison;
    comparison.form = form;
    comparison.alternative = alternative;
    comparison.effects = effects;
    comparison.adjustments = adjustments;
    std::size_t const n_1 = std::max<std::size_t>(n / 3, 1);
    comparison.n_1 = static_cast<double>(n_1);
    comparison.n_2 = static_cast<double>(n - n_1);
    for (int k = 0; k < effects + adjustments; ++k) comparison.scales[k] = 0.5 / (k + 1);
    for (std::size_t r = 0; r < replicates; ++r) {
      Numbers columns(n * problem.width());
      for (double& x : columns) x = entry(generator);
      if (has_labels) {
        for (std::size_t i = 0; i < n; ++i) columns[i] = i < n_1 ? 1 : 0;
        std::shuffle(columns.begin(), columns.begin() + static_cast<std::ptrdiff_t>(n), generator);
      }
      problem.replicates.push_back(columns);
    }
    for (std::size_t g = 0; g < variables; ++g) {
      Numbers row(n);
      for (double& x : row) x = value(generator);
      problem.values.push_back(row);
      problem.terms.push_back(terms_of(row, g));
    }
    set_order_and_thresholds(problem);
    return problem;
  }

 private:
  detail::variables::VariableTerms terms_of(Numbers const& row, std::size_t g) const {
    detail::variables::VariableTerms terms;
    for (double const x : row) {
      terms.squares += x * x;
      terms.base += x;
    }
    if (form != detail::variables::Form::welch) terms.base *= 0.125;
    terms.factor = 1 / std::sqrt(terms.squares + static_cast<double>(1 + g % 2));
    terms.shift = 0;
    return terms;
  }

  /// Replicate 0 is the observed one.
  void set_order_and_thresholds(TileProblem& problem) const {
    Numbers observed(variables);
    for (std::size_t g = 0; g < variables; ++g) {
      problem.order.push_back((g * 7 + 3) % variables);
      if (variables % 7 == 0) problem.order.back() = g;
      observed[g] = test_statistic(problem, g, 0);
    }
    auto const tested = problem.order.begin() + static_cast<std::ptrdiff_t>(untested);
    std::stable_sort(tested, problem.order.end(),
                     [&](std::uint64_t a, std::uint64_t b) { return observed[a] < observed[b]; });
    for (std::size_t at = 0; at < variables; ++at) {
      auto& terms = problem.terms[problem.order[at]];
      if (at < untested) {
        terms = {};
      } else {
        terms.threshold = observed[problem.order[at]] - static_cast<double>(at % 3) * tolerance;
      }
    }
    for (std::size_t at = untested; at < variables; ++at) {
      problem.terms[problem.order[at]].step_down_threshold = least_threshold_from(problem, at);
    }
  }
};

}  // namespace riffle::test
