#pragma once

// Statistics of permutation tests by textbook formulas, on the host.

#include <cmath>
#include <cstddef>
#include <vector>

namespace riffle::test {

inline long double mean(std::vector<double> const& x) {
  long double sum = 0;
  for (double const value : x) sum += value;
  return sum / static_cast<long double>(x.size());
}

/// The sum of squares about the mean.
inline long double sum_of_squares(std::vector<double> const& x) {
  long double const center = mean(x);
  long double sum = 0;
  for (double const value : x) sum += (value - center) * (value - center);
  return sum;
}

inline double difference_of_means(std::vector<double> const& x, std::vector<double> const& y) {
  return static_cast<double>(mean(x) - mean(y));
}

inline double welch_t(std::vector<double> const& x, std::vector<double> const& y) {
  auto const squared_error = [](std::vector<double> const& sample) {
    auto const n = static_cast<long double>(sample.size());
    return sum_of_squares(sample) / (n - 1) / n;
  };
  return static_cast<double>((mean(x) - mean(y)) / std::sqrt(squared_error(x) + squared_error(y)));
}

/// F of a one-way analysis of variance with groups 0, ..., `groups` - 1.
inline double f_statistic(std::vector<double> const& values, std::vector<int> const& labels,
                          int groups) {
  long double const grand_mean = mean(values);
  long double between = 0;
  long double within = 0;
  for (int g = 0; g < groups; ++g) {
    std::vector<double> members;
    for (std::size_t i = 0; i < values.size(); ++i)
      if (labels[i] == g) members.push_back(values[i]);
    long double const distance = mean(members) - grand_mean;
    between += static_cast<long double>(members.size()) * distance * distance;
    within += sum_of_squares(members);
  }
  auto const n = static_cast<long double>(values.size());
  return static_cast<double>((between / (groups - 1)) / (within / (n - groups)));
}

inline double pearson_correlation(std::vector<double> const& x, std::vector<double> const& y) {
  long double const center_x = mean(x);
  long double const center_y = mean(y);
  long double products = 0;
  for (std::size_t i = 0; i < x.size(); ++i) products += (x[i] - center_x) * (y[i] - center_y);
  return static_cast<double>(products / std::sqrt(sum_of_squares(x) * sum_of_squares(y)));
}

}  // namespace riffle::test
