#pragma once

// Ranks of sorted data by their definitions, run after run, and data with runs of known lengths.

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

/// Tied elements, the last of them at the place `last`; `number` runs are before them.
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

/// Elements of any type in their order, as the oracle asks for them by their places.
struct OracleElements {
  std::size_t size;
  void const* data;
  bool (*is_before)(void const* data, std::size_t i, std::size_t j);  // of two that are not NaN
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

/// The rank of every element, NaN where it is excluded.
std::vector<double> rank_oracle(OracleElements const& sorted, OracleRule rule,
                                RankOracleOptions const& options);

/// A vector, and is_before(a, b): a is before b, neither being NaN.
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

/// Of numbers that ascend.
template <class T, class Rule>
std::vector<double> rank_oracle(std::vector<T> const& sorted, Rule const& rule,
                                RankOracleOptions const& options = {}) {
  return rank_oracle(sorted, rule, options, std::less<T>());
}

/// Whether `actual` are the ranks that an oracle says, in their own type: NaN is -1 for integers. Says where
/// they first differ.
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

/// n sorted integers, the runs of which end before `ends`, in ascending order, and before n.
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

/// n sorted integers, each of which recurs with a probability.
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

/// Runs that end next to the multiples of an edge: a little before or after all of them, or now before,
/// now at, now after.
std::vector<std::vector<int>> runs_beside(std::size_t edge, std::size_t multiples);

/// One run from next to a chunk's edge to next to another's, many chunks on, among elements all different.
std::vector<std::vector<int>> long_runs(std::size_t chunk, std::size_t chunks);

}  // namespace riffle::test
