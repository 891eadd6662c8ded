#pragma once

// Hostile data for permutation tests of many variables, with the exact numbers that they stand for.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <utility>
#include <vector>

#include "support/permutation_tests_oracle.hpp"

namespace riffle::test {

struct HostileVariables {
  std::vector<std::vector<double>> values;
  PaperData paper;
  std::vector<bool> is_missing;
  /// Whether all values are decimals with few digits, whose products with a power of ten are exact integers.
  bool are_all_decimals = true;

  std::size_t count() const { return values.size(); }

  /// Adds the values `numbers` times `unit`, or divided by it.
  void add(PaperRow const& numbers, double unit, bool is_division = false) {
    std::vector<double> row;
    for (auto const x : numbers) {
      auto const number = static_cast<double>(x);
      row.push_back(is_division ? number / unit : number * unit);
    }
    values.push_back(row);
    paper.push_back(numbers);
    is_missing.push_back(false);
  }

  std::vector<bool> tested(OracleStatistic which) const {
    std::vector<bool> result;
    for (std::size_t g = 0; g < count(); ++g) {
      auto const& row = paper[g];
      bool const is_constant =
          std::count(row.begin(), row.end(), row[0]) == static_cast<std::ptrdiff_t>(row.size());
      // With sign changes, a constant other than 0 has the largest |t|.
      bool const is_idle = is_constant && (which != OracleStatistic::one_sample || row[0] == 0);
      result.push_back(!is_missing[g] && !is_idle);
    }
    return result;
  }
};

inline PaperRow small_numbers(std::size_t n, int bound, std::uint64_t seed) {
  std::mt19937_64 generator(seed);
  PaperRow row(n);
  for (auto& x : row) {
    x = static_cast<long double>(generator() % static_cast<std::uint64_t>(2 * bound + 1)) - bound;
  }
  return row;
}

inline PaperRow plus(PaperRow row, long double more) {
  for (auto& x : row) x += more;
  return row;
}

/// The values rotated by one place, times `factor`; over all permutations it has the same statistics as `row`.
inline PaperRow turned(PaperRow const& row, long double factor) {
  PaperRow result(row.size());
  for (std::size_t i = 0; i < row.size(); ++i) result[(i + 1) % row.size()] = factor * row[i];
  return result;
}

/// Decimals and integers: with ties, constant, missing, far from 0, rotated, and with two values.
inline HostileVariables hostile_decimals(std::size_t n, std::uint64_t seed) {
  HostileVariables found;
  auto const first = small_numbers(n, 40, seed);
  PaperRow split(n, 0);
  for (std::size_t i = n / 2; i < n; ++i) split[i] = 1;
  found.add(first, 10, true);
  found.add(small_numbers(n, 2, seed + 1), 1);
  found.add(PaperRow(n, 37), 10, true);
  found.add(plus(small_numbers(n, 30, seed + 2), 1e10L), 10, true);
  found.add(split, 1);
  found.add(small_numbers(n, 500, seed + 3), 1e9, true);
  found.add(small_numbers(n, 5, seed + 4), 1);
  found.is_missing[6] = true;
  found.values[6][n / 2] = std::numeric_limits<double>::quiet_NaN();
  found.add(turned(first, 1), 10, true);
  found.add(turned(small_numbers(n, 2, seed + 1), 3), 1);
  found.add(PaperRow(n, 0), -1);  // -0
  found.add(turned(split, -7), 100, true);
  return found;
}

/// Values that are not decimals of few digits, or are too large or too small.
inline HostileVariables hostile_reals(std::size_t n, std::uint64_t seed) {
  HostileVariables found;
  found.are_all_decimals = false;
  found.add(small_numbers(n, 40, seed), 3, true);
  found.add(small_numbers(n, 9, seed + 1), 1e-300);
  found.add(small_numbers(n, 17, seed + 2), 1e307);
  found.add(PaperRow(n, 1), std::sqrt(2.0));
  std::vector<double> row;
  for (auto const x : small_numbers(n, 1000, seed + 3)) {
    row.push_back(1e9 + std::sin(static_cast<double>(x)));
  }
  found.add(PaperRow(row.begin(), row.end()), 1);
  found.add(small_numbers(n, 4, seed + 4), std::acos(-1.0));
  found.add(PaperRow(n, 1), 1e-310);
  found.add(small_numbers(n, 4, seed + 5), 5e-324);
  found.add(small_numbers(n, 30, seed + 6), 0x1p-40);
  return found;
}

/// The correlation, or the share of the variance, of which the statistic is a function, so that all have the same scale.
inline long double on_one_scale(OracleStatistic which, long double value,
                                std::vector<double> const& by, std::size_t n) {
  auto const observations = static_cast<long double>(n);
  switch (which) {
    case OracleStatistic::student:
    case OracleStatistic::one_sample: {
      long double const freedom = observations - (which == OracleStatistic::student ? 2 : 1);
      return std::isinf(value) ? std::copysign(1.0L, value)
                               : value / std::sqrt(freedom + value * value);
    }
    case OracleStatistic::f: {
      long double const groups =
          static_cast<long double>(*std::max_element(by.begin(), by.end())) + 1;
      long double const explained = value * (groups - 1);
      return std::isinf(value) ? 1 : explained / (explained + observations - groups);
    }
    case OracleStatistic::welch:
      return std::isinf(value) ? value : value / std::sqrt(1 + value * value);
    default: return value;
  }
}

}  // namespace riffle::test
