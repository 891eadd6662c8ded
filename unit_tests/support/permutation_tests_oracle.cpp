#include "support/permutation_tests_oracle.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace riffle::test {

PaperRow arranged(PaperRow const& y, OracleArrangement const& by) {
  PaperRow result(y.size());
  for (std::size_t i = 0; i < y.size(); ++i) {
    result[i] = y[static_cast<std::size_t>(by.sigma[i])] * by.signs[i];
  }
  return result;
}

PaperRow oracle_ranks(PaperRow const& y) {
  PaperRow ranks(y.size());
  for (std::size_t i = 0; i < y.size(); ++i) {
    long double below = 0;
    long double equal = 0;
    for (auto const other : y) {
      below += other < y[i] ? 1 : 0;
      equal += other == y[i] ? 1 : 0;
    }
    ranks[i] = below + (equal + 1) / 2;
  }
  return ranks;
}

OracleMoments moments(PaperRow const& y, std::vector<double> const& labels, int label) {
  OracleMoments found;
  auto const is_in = [&](std::size_t i) { return label < 0 || labels[i] == label; };
  for (std::size_t i = 0; i < y.size(); ++i) {
    if (!is_in(i)) continue;
    found.mean += y[i] - y[0];
    found.count += 1;
  }
  found.mean = y[0] + found.mean / found.count;
  for (std::size_t i = 0; i < y.size(); ++i) {
    if (is_in(i)) found.squares += (y[i] - found.mean) * (y[i] - found.mean);
  }
  return found;
}

long double oracle_quotient(long double x, long double y) {
  if (y > 0) return x / y;
  return x == 0 ? 0 : std::copysign(std::numeric_limits<long double>::infinity(), x);
}

long double oracle_correlation(PaperRow const& x, PaperRow const& y) {
  auto const of_x = moments(x, {}, -1);
  auto const of_y = moments(y, {}, -1);
  long double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) sum += (x[i] - of_x.mean) * (y[i] - of_y.mean);
  return sum / std::sqrt(of_x.squares * of_y.squares);
}

long double oracle_f(PaperRow const& y, std::vector<double> const& labels) {
  int const groups = static_cast<int>(*std::max_element(labels.begin(), labels.end())) + 1;
  long double const mean = moments(y, {}, -1).mean;
  long double within = 0;
  long double between = 0;
  for (int g = 0; g < groups; ++g) {
    auto const group = moments(y, labels, g);
    within += group.squares;
    between += group.count * (group.mean - mean) * (group.mean - mean);
  }
  auto const n = static_cast<long double>(y.size());
  return oracle_quotient(between / static_cast<long double>(groups - 1), within / (n - groups));
}

long double oracle_h(PaperRow const& y, std::vector<double> const& labels) {
  auto const ranks = oracle_ranks(y);
  int const groups = static_cast<int>(*std::max_element(labels.begin(), labels.end())) + 1;
  auto const n = static_cast<long double>(y.size());
  long double h = 0;
  for (int g = 0; g < groups; ++g) {
    auto const group = moments(ranks, labels, g);
    h += group.count * group.mean * group.mean;
  }
  h = 12 / (n * (n + 1)) * h - 3 * (n + 1);
  long double ties = 0;  // sum of t^3 - t over runs of t ties
  for (auto const value : y) {
    auto const t = static_cast<long double>(std::count(y.begin(), y.end(), value));
    ties += t * t - 1;
  }
  return h / (1 - ties / (n * n * n - n));
}

long double oracle_statistic(OracleStatistic which, PaperRow const& y,
                             std::vector<double> const& by) {
  switch (which) {
    case OracleStatistic::student:
    case OracleStatistic::welch: {
      auto const a = moments(y, by, 1);
      auto const b = moments(y, by, 0);
      long double const pooled = (a.squares + b.squares) / (a.count + b.count - 2);
      long double const variance =
          which == OracleStatistic::student
              ? pooled / a.count + pooled / b.count
              : a.squares / (a.count - 1) / a.count + b.squares / (b.count - 1) / b.count;
      return oracle_quotient(a.mean - b.mean, std::sqrt(variance));
    }
    case OracleStatistic::mann_whitney: {
      long double u = 0;
      for (std::size_t i = 0; i < y.size(); ++i) {
        for (std::size_t j = 0; j < y.size(); ++j) {
          if (by[i] == 1 && by[j] == 0) u += y[i] > y[j] ? 1 : y[i] == y[j] ? 0.5L : 0;
        }
      }
      return u;
    }
    case OracleStatistic::f: return oracle_f(y, by);
    case OracleStatistic::kruskal: return oracle_h(y, by);
    case OracleStatistic::pearson: return oracle_correlation(y, {by.begin(), by.end()});
    case OracleStatistic::spearman:
      return oracle_correlation(oracle_ranks(y), oracle_ranks({by.begin(), by.end()}));
    case OracleStatistic::one_sample: break;
  }
  auto const all = moments(y, {}, -1);
  return oracle_quotient(all.mean, std::sqrt(all.squares / (all.count - 1) / all.count));
}

long double oracle_mean_of_u(std::vector<double> const& by) {
  auto const first = static_cast<long double>(std::count(by.begin(), by.end(), 1.0));
  return first * (static_cast<long double>(by.size()) - first) / 2;
}

long double oracle_maximised(OracleStatistic which, PaperRow const& y,
                             std::vector<double> const& by) {
  if (which != OracleStatistic::mann_whitney) return oracle_statistic(which, y, by);
  return oracle_statistic(which, y, by) - oracle_mean_of_u(by);
}

long double oracle_sided(long double value, int side) {
  return side == 0 ? std::abs(value) : side > 0 ? value : -value;
}

bool oracle_at_least(long double a, long double b) {
  if (std::isinf(a) || std::isinf(b)) return a >= b;
  return a >= b - 1e-12L * std::max(1.0L, std::abs(b));
}

PaperData without_offsets(OracleStatistic which, PaperData data) {
  if (which == OracleStatistic::one_sample) return data;
  for (auto& row : data) {
    auto const is_there = [](long double x) { return !std::isnan(x); };
    auto const first = std::find_if(row.begin(), row.end(), is_there);
    long double const offset = first == row.end() ? 0 : *first;
    for (auto& x : row) x -= offset;
  }
  return data;
}

OracleTable oracle_table_of(PaperData const& data, int side, std::vector<bool> const& tested,
                            std::vector<OracleArrangement> const& arrangements,
                            OracleFunction const& statistic, OracleFunction const& maximised) {
  std::size_t const count = data.size();
  long double const none = -std::numeric_limits<long double>::infinity();
  auto const sided = [&](PaperRow const& row) {
    long double const value = maximised(row);
    return std::isnan(value) ? none : oracle_sided(value, side);
  };
  OracleTable table;
  PaperRow observed(count, none);
  table.statistic.resize(count);
  for (std::size_t g = 0; g < count; ++g) {
    if (!tested[g]) continue;
    table.statistic[g] = statistic(data[g]);
    observed[g] = sided(data[g]);
  }
  for (auto* counts : {&table.extreme, &table.single_step, &table.step_down}) {
    counts->assign(count, 0);
  }
  PaperRow values(count, none);
  for (auto const& arrangement : arrangements) {
    long double all = none;
    for (std::size_t g = 0; g < count; ++g) {
      if (!tested[g]) continue;
      values[g] = sided(arranged(data[g], arrangement));
      all = std::max(all, values[g]);
    }
    table.maxima.push_back(all);
    for (std::size_t g = 0; g < count; ++g) {
      if (!tested[g]) continue;
      table.extreme[g] += oracle_at_least(values[g], observed[g]) ? 1u : 0u;
      table.single_step[g] += oracle_at_least(all, observed[g]) ? 1u : 0u;
      bool is_reached = false;
      for (std::size_t h = 0; h < count; ++h) {
        is_reached = is_reached || (tested[h] && oracle_at_least(observed[g], observed[h]) &&
                                    oracle_at_least(values[h], observed[g]));
      }
      table.step_down[g] += is_reached ? 1u : 0u;
    }
  }
  auto const raw = table.step_down;
  for (std::size_t g = 0; g < count; ++g) {
    for (std::size_t h = 0; h < count; ++h) {
      if (tested[h] && oracle_at_least(observed[h], observed[g])) {
        table.step_down[g] = std::max(table.step_down[g], raw[h]);
      }
    }
  }
  return table;
}

OracleTable oracle_table(OracleStatistic which, PaperData const& paper,
                         std::vector<double> const& by, int side, std::vector<bool> const& tested,
                         std::vector<OracleArrangement> const& arrangements) {
  return oracle_table_of(
      without_offsets(which, paper), side, tested, arrangements,
      [&](PaperRow const& row) { return oracle_statistic(which, row, by); },
      [&](PaperRow const& row) { return oracle_maximised(which, row, by); });
}

std::vector<OracleArrangement> all_arrangements(
    int n, bool permutes, bool flips, std::function<bool(std::vector<int> const&)> const& allows) {
  std::vector<OracleArrangement> result;
  std::vector<int> sigma(static_cast<std::size_t>(n));
  std::iota(sigma.begin(), sigma.end(), 0);
  do {
    if (!allows(sigma)) continue;
    for (int bits = 0; bits < (flips ? 1 << n : 1); ++bits) {
      std::vector<int> signs(sigma.size());
      for (int i = 0; i < n; ++i) signs[static_cast<std::size_t>(i)] = (bits >> i & 1) ? -1 : 1;
      result.push_back({sigma, signs});
    }
  } while (permutes && std::next_permutation(sigma.begin(), sigma.end()));
  return result;
}

}  // namespace riffle::test
