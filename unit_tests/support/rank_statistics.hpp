#pragma once

// Rank statistics by their authors' formulas, on the host: all pairs are compared, and nothing is sorted.

#include <cmath>
#include <cstddef>
#include <vector>

#include "support/statistics.hpp"

namespace riffle::test {

/// 1 + the number of elements before each + half of the number of other elements that tie with it.
template <class T>
std::vector<double> fractional_ranks(std::vector<T> const& values) {
  std::vector<double> ranks;
  for (T const& value : values) {
    double rank = 0.5;
    for (T const& other : values) rank += other < value ? 1 : other == value ? 0.5 : 0;
    ranks.push_back(rank);
  }
  return ranks;
}

/// The number of pairs with x > y, plus half of the number of ties.
template <class T>
double mann_whitney_u(std::vector<T> const& x, std::vector<T> const& y) {
  double u = 0;
  for (T const& a : x)
    for (T const& b : y) u += a > b ? 1 : a == b ? 0.5 : 0;
  return u;
}

/// The sum of t^3 - t over runs of t ties, as the sum of t^2 - 1 over elements.
template <class T>
double sum_of_ties(std::vector<T> const& values) {
  double sum = 0;
  for (T const& value : values) {
    double t = 0;
    for (T const& other : values) t += other == value ? 1 : 0;
    sum += t * t - 1;
  }
  return sum;
}

template <class T>
double kruskal_wallis_h(std::vector<T> const& values, std::vector<int> const& labels, int groups) {
  auto const ranks = fractional_ranks(values);
  auto const n = static_cast<long double>(values.size());
  long double sum = 0;
  for (int g = 0; g < groups; ++g) {
    long double rank_sum = 0;
    long double size = 0;
    for (std::size_t i = 0; i < ranks.size(); ++i) {
      if (labels[i] != g) continue;
      rank_sum += ranks[i];
      size += 1;
    }
    sum += rank_sum * rank_sum / size;
  }
  long double const h = 12 / (n * (n + 1)) * sum - 3 * (n + 1);
  return static_cast<double>(h / (1 - sum_of_ties(values) / (n * n * n - n)));
}

template <class T, class U>
double spearman_correlation(std::vector<T> const& x, std::vector<U> const& y) {
  return pearson_correlation(fractional_ranks(x), fractional_ranks(y));
}

}  // namespace riffle::test
