#pragma once

// Ranks of sorted data by their definitions, one run after the other, and data with runs of given lengths.

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <functional>
#include <random>
#include <type_traits>
#include <vector>

#include <riffle/rank/ties.hpp>

namespace riffle::test {

struct RankOracleOptions {
  bool excludes_missing = false;
  int first = 1;
  bool is_relative = false;
};

/// A run of tied elements up to place `last`; `number` runs precede it.
struct RunOfTies {
  std::size_t first;
  std::size_t last;
  std::size_t number;
  double sum_of_places;
};

template <class T>
bool is_nan(T const& value) {
  if constexpr (std::is_floating_point_v<T>) {
    return std::isnan(value);
  } else {
    return false;
  }
}

/// Sorted elements of any type, accessed by index.
struct OracleElements {
  std::size_t size;
  void const* data;
  bool (*is_before)(void const* data, std::size_t i,
                    std::size_t j);  // for elements that are not NaN
  bool (*is_nan)(void const* data, std::size_t i);
};

enum class OracleRule { competition, modified_competition, dense, ordinal, fractional };

constexpr OracleRule oracle_rule(ties::Competition) { return OracleRule::competition; }
constexpr OracleRule oracle_rule(ties::ModifiedCompetition) {
  return OracleRule::modified_competition;
}
constexpr OracleRule oracle_rule(ties::Dense) { return OracleRule::dense; }
constexpr OracleRule oracle_rule(ties::Ordinal) { return OracleRule::ordinal; }
constexpr OracleRule oracle_rule(ties::Fractional) { return OracleRule::fractional; }

std::vector<RunOfTies> runs_of_ties(OracleElements const& sorted);

/// The rank of every element; NaN for an excluded element.
std::vector<double> rank_oracle(OracleElements const& sorted, OracleRule rule,
                                RankOracleOptions const& options);

/// A vector with a comparison is_before(a, b) of elements that are not NaN.
template <class T, class Before>
struct VectorInOrder {
  T const* values;
  Before const& is_before;

  OracleElements elements(std::size_t size) const {
    return {size, this,
            [](void const* data, std::size_t i, std::size_t j) {
              auto const& self = *static_cast<VectorInOrder const*>(data);
              return static_cast<bool>(self.is_before(self.values[i], self.values[j]));
            },
            [](void const* data, std::size_t i) {
              return test::is_nan(static_cast<VectorInOrder const*>(data)->values[i]);
            }};
  }
};

template <class T, class Before>
std::vector<RunOfTies> runs_of_ties(std::vector<T> const& sorted, Before const& is_before) {
  VectorInOrder<T, Before> const vector{sorted.data(), is_before};
  return runs_of_ties(vector.elements(sorted.size()));
}

template <class T, class Rule, class Before>
std::vector<double> rank_oracle(std::vector<T> const& sorted, Rule const& rule,
                                RankOracleOptions const& options, Before const& is_before) {
  VectorInOrder<T, Before> const vector{sorted.data(), is_before};
  return rank_oracle(vector.elements(sorted.size()), oracle_rule(rule), options);
}

/// For ascending numbers.
template <class T, class Rule>
std::vector<double> rank_oracle(std::vector<T> const& sorted, Rule const& rule,
                                RankOracleOptions const& options = {}) {
  return rank_oracle(sorted, rule, options, std::less<T>());
}

/// Whether `actual` are the ranks of an oracle, converted to their type; NaN is -1 in integers. The message names the first
/// difference.
template <class Rank>
::testing::AssertionResult same_ranks(std::vector<Rank> const& actual,
                                      std::vector<double> const& expected) {
  if (actual.size() != expected.size()) {
    return ::testing::AssertionFailure()
           << actual.size() << " ranks in place of " << expected.size();
  }
  for (std::size_t i = 0; i < actual.size(); ++i) {
    if (expected[i] == expected[i] && actual[i] == static_cast<Rank>(expected[i])) continue;
    bool const both_nan = is_nan(actual[i]) && is_nan(expected[i]);
    bool const is_integer = std::is_integral_v<Rank>;
    double const wanted = is_integer && is_nan(expected[i]) ? -1 : expected[i];
    if (!both_nan && !(actual[i] == static_cast<Rank>(wanted))) {
      return ::testing::AssertionFailure() << "of " << actual.size() << " ranks, rank " << i
                                           << " is " << +actual[i] << " in place of " << wanted;
    }
  }
  return ::testing::AssertionSuccess();
}

// --- data to rank ---

/// n sorted integers; the runs end before each of `ends`, which ascend, and before n.
template <class T = int>
std::vector<T> runs_that_end_at(std::size_t n, std::vector<std::size_t> const& ends) {
  std::vector<T> values(n);
  std::size_t run = 0;
  for (std::size_t i = 0; i < n; ++i) {
    while (run < ends.size() && ends[run] <= i) ++run;
    values[i] = static_cast<T>(run);
  }
  return values;
}

/// n sorted integers; each repeats the previous one with probability `recurring`.
template <class T = int>
std::vector<T> random_runs(std::size_t n, double recurring, unsigned seed = 1) {
  std::mt19937 generator(seed);
  std::bernoulli_distribution recurs(recurring);
  std::vector<T> values(n);
  for (std::size_t i = 1; i < n; ++i) {
    values[i] = static_cast<T>(values[i - 1] + static_cast<T>(recurs(generator) ? 0 : 1));
  }
  return values;
}

/// Data with runs that end near multiples of `edge`: a little before all of them, after all of them, or alternately
/// before, at and after.
std::vector<std::vector<int>> runs_near(std::size_t edge, std::size_t multiples);

/// Data of different elements except for one run from near a chunk's edge to near the edge of a much later chunk.
std::vector<std::vector<int>> long_runs(std::size_t chunk, std::size_t chunks);

}  // namespace riffle::test
