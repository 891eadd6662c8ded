#include "support/rank_oracle.hpp"

#include <limits>
#include <numeric>

namespace riffle::test {

namespace {

/// The runs of ties among the elements at `places`; the k-th place is element k.
std::vector<RunOfTies> runs_of_ties_at(std::vector<std::size_t> const& places,
                                       OracleElements const& sorted) {
  auto const is_tied = [&](std::size_t i, std::size_t j) {
    bool const i_is_nan = sorted.is_nan(sorted.data, i);
    bool const j_is_nan = sorted.is_nan(sorted.data, j);
    if (i_is_nan || j_is_nan) return i_is_nan && j_is_nan;
    return !sorted.is_before(sorted.data, i, j) && !sorted.is_before(sorted.data, j, i);
  };
  std::vector<RunOfTies> runs;
  for (std::size_t k = 0; k < places.size(); ++k) {
    if (k == 0 || !is_tied(places[runs.back().first], places[k])) {
      runs.push_back({k, k, runs.size(), 0});
    }
    runs.back().last = k;
    runs.back().sum_of_places += static_cast<double>(k);
  }
  return runs;
}

/// The rank of the element at place i of a run, counted from 0.
double rank_in_run(OracleRule rule, RunOfTies const& run, std::size_t i) {
  switch (rule) {
    case OracleRule::competition: return static_cast<double>(run.first);
    case OracleRule::modified_competition: return static_cast<double>(run.last);
    case OracleRule::dense: return static_cast<double>(run.number);
    case OracleRule::ordinal: return static_cast<double>(i);
    case OracleRule::fractional: break;
  }
  return run.sum_of_places / static_cast<double>(run.last - run.first + 1);
}

}  // namespace

std::vector<RunOfTies> runs_of_ties(OracleElements const& sorted) {
  std::vector<std::size_t> places(sorted.size);
  std::iota(places.begin(), places.end(), std::size_t{0});
  return runs_of_ties_at(places, sorted);
}

std::vector<double> rank_oracle(OracleElements const& sorted, OracleRule rule,
                                RankOracleOptions const& options) {
  std::vector<std::size_t> kept;
  for (std::size_t i = 0; i < sorted.size; ++i) {
    if (!options.excludes_missing || !sorted.is_nan(sorted.data, i)) kept.push_back(i);
  }
  auto const runs = runs_of_ties_at(kept, sorted);
  auto const count = static_cast<double>(rule == OracleRule::dense ? runs.size() : kept.size());
  std::vector<double> ranks(sorted.size, std::numeric_limits<double>::quiet_NaN());
  for (auto const& run : runs) {
    for (std::size_t k = run.first; k <= run.last; ++k) {
      double const rank = rank_in_run(rule, run, k) + options.first;
      ranks[kept[k]] = options.is_relative ? rank / count : rank;
    }
  }
  return ranks;
}

std::vector<std::vector<int>> runs_near(std::size_t edge, std::size_t multiples) {
  std::vector<std::vector<std::size_t>> ends(4);
  for (std::size_t k = 1; k <= multiples; ++k) {
    for (std::size_t shift = 0; shift < 3; ++shift) ends[shift].push_back(k * edge + shift - 1);
    ends[3].push_back(k * edge + k % 3 - 1);
  }
  std::vector<std::vector<int>> data;
  for (auto const& e : ends) data.push_back(runs_that_end_at(multiples * edge + 5, e));
  return data;
}

std::vector<std::vector<int>> long_runs(std::size_t chunk, std::size_t chunks) {
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
