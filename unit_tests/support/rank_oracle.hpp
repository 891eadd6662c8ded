#pragma once

// Ranks of sorted data by their definitions, run after run, and data with runs of known lengths.

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <limits>
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

// The rank, counted from 0, of the element at place i of a run.
inline double rank_in_run(ties::Competition, RunOfTies const& run, std::size_t) {
  return static_cast<double>(run.first);
}
inline double rank_in_run(ties::ModifiedCompetition, RunOfTies const& run, std::size_t) {
  return static_cast<double>(run.last);
}
inline double rank_in_run(ties::Dense, RunOfTies const& run, std::size_t) {
  return static_cast<double>(run.number);
}
inline double rank_in_run(ties::Ordinal, RunOfTies const&, std::size_t i) {
  return static_cast<double>(i);
}
inline double rank_in_run(ties::Fractional, RunOfTies const& run, std::size_t) {
  return run.sum_of_places / static_cast<double>(run.last - run.first + 1);
}

template <class T>
bool is_nan(T const& value) {
  if constexpr (std::is_floating_point_v<T>) {
    return std::isnan(value);
  } else {
    return false;
  }
}

template <class T, class Before>
std::vector<RunOfTies> runs_of_ties(std::vector<T> const& sorted, Before const& is_before) {
  auto const is_tied = [&](T const& a, T const& b) {
    if (is_nan(a) || is_nan(b)) return is_nan(a) && is_nan(b);
    return !is_before(a, b) && !is_before(b, a);
  };
  std::vector<RunOfTies> runs;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    if (i == 0 || !is_tied(sorted[runs.back().first], sorted[i])) {
      runs.push_back({i, i, runs.size(), 0});
    }
    runs.back().last = i;
    runs.back().sum_of_places += static_cast<double>(i);
  }
  return runs;
}

/// The ranks of elements of which none is excluded.
template <class T, class Rule, class Before>
std::vector<double> ranks_of_all(std::vector<T> const& sorted, Rule const& rule,
                                 RankOracleOptions const& options, Before const& is_before) {
  auto const runs = runs_of_ties(sorted, is_before);
  bool const is_dense = std::is_same_v<Rule, ties::Dense>;
  auto const count = static_cast<double>(is_dense ? runs.size() : sorted.size());
  std::vector<double> ranks;
  ranks.reserve(sorted.size());
  for (auto const& run : runs) {
    for (std::size_t i = run.first; i <= run.last; ++i) {
      double const rank = rank_in_run(rule, run, i) + options.first;
      ranks.push_back(options.is_relative ? rank / count : rank);
    }
  }
  return ranks;
}

/// The rank of every element, NaN where it is excluded. is_before(a, b): a is before b, neither being NaN.
template <class T, class Rule, class Before>
std::vector<double> rank_oracle(std::vector<T> const& sorted, Rule const& rule,
                                RankOracleOptions const& options, Before const& is_before) {
  auto const is_kept = [&](T const& x) { return !options.excludes_missing || !is_nan(x); };
  std::vector<T> kept;
  for (auto const& x : sorted) {
    if (is_kept(x)) kept.push_back(x);
  }
  auto const ranks_of_kept = ranks_of_all(kept, rule, options, is_before);
  std::vector<double> ranks;
  std::size_t next = 0;
  for (auto const& x : sorted) {
    ranks.push_back(is_kept(x) ? ranks_of_kept[next++] : std::numeric_limits<double>::quiet_NaN());
  }
  return ranks;
}

/// Of numbers that ascend.
template <class T, class Rule>
std::vector<double> rank_oracle(std::vector<T> const& sorted, Rule const& rule,
                                RankOracleOptions const& options = {}) {
  return rank_oracle(sorted, rule, options, [](T const& a, T const& b) { return a < b; });
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

/// Runs that end beside the multiples of an edge: a little before or behind all of them, or now before,
/// now at, now behind.
inline std::vector<std::vector<int>> runs_beside(std::size_t edge, std::size_t multiples) {
  std::vector<std::vector<std::size_t>> ends(4);
  for (std::size_t k = 1; k <= multiples; ++k) {
    for (std::size_t shift = 0; shift < 3; ++shift) ends[shift].push_back(k * edge + shift - 1);
    ends[3].push_back(k * edge + k % 3 - 1);
  }
  std::vector<std::vector<int>> data;
  for (auto const& e : ends) data.push_back(runs_that_end_at(multiples * edge + 5, e));
  return data;
}

/// One run from beside a chunk's edge to beside another's, many chunks on, among elements all different.
inline std::vector<std::vector<int>> long_runs(std::size_t chunk, std::size_t chunks) {
  std::size_t const n = (chunks + 2) * chunk;
  std::vector<std::vector<int>> data;
  for (std::size_t const first : {chunk - 1, chunk, chunk + 1}) {
    for (std::size_t const last : {n - chunk - 2, n - chunk - 1, n - chunk}) {
      std::vector<std::size_t> ends;
      for (std::size_t i = 1; i <= n; ++i) {
        if (i <= first || i > last) ends.push_back(i);
      }
      data.push_back(runs_that_end_at(n, ends));
    }
  }
  return data;
}

}  // namespace riffle::test
