#include "support/per_variable_n_oracle.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace riffle::test {

ObservedSample::ObservedSample(PaperRow const& row, std::vector<double> const& all) {
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (std::isnan(row[i])) continue;
    y.push_back(row[i]);
    if (!all.empty()) by.push_back(all[i]);
  }
}

std::ptrdiff_t ObservedSample::with_label(double label) const {
  return std::count(by.begin(), by.end(), label);
}

bool ObservedSample::has_all_labels(std::vector<double> const& all, std::ptrdiff_t least) const {
  double const greatest = *std::max_element(all.begin(), all.end());
  for (double label = 0; label <= greatest; ++label) {
    if (with_label(label) < least) return false;
  }
  return true;
}

bool is_defined(OracleStatistic which, ObservedSample const& own, std::vector<double> const& by) {
  std::size_t const n = own.y.size();
  switch (which) {
    case OracleStatistic::student:
    case OracleStatistic::mann_whitney: return n >= 3 && own.has_all_labels(by, 1);
    case OracleStatistic::welch: return own.has_all_labels(by, 2);
    case OracleStatistic::f:
    case OracleStatistic::kruskal: {
      auto const groups = *std::max_element(by.begin(), by.end()) + 1;
      return static_cast<double>(n) > groups && own.has_all_labels(by, 1);
    }
    case OracleStatistic::pearson:
    case OracleStatistic::spearman:
      return n >= 3 && own.with_label(own.by[0]) < static_cast<std::ptrdiff_t>(n);
    case OracleStatistic::one_sample: break;
  }
  return n >= 2;
}

long double statistic_of_sample(OracleStatistic which, PaperRow const& row,
                                std::vector<double> const& by) {
  ObservedSample const own(row, by);
  if (!is_defined(which, own, by)) return std::numeric_limits<long double>::quiet_NaN();
  return oracle_statistic(which, own.y, own.by);
}

long double maximised_of_sample(OracleStatistic which, PaperRow const& row,
                                std::vector<double> const& by) {
  long double const statistic = statistic_of_sample(which, row, by);
  if (which != OracleStatistic::mann_whitney || std::isnan(statistic)) return statistic;
  ObservedSample const own(row, by);
  auto const first = static_cast<long double>(own.with_label(1));
  auto const n = static_cast<long double>(own.y.size());
  long double const pairs = first * (n - first);
  return (statistic - pairs / 2) / std::sqrt(pairs * (n + 1) / 12);
}

bool is_tested(OracleStatistic which, PaperRow const& row) {
  ObservedSample const own(row, {});
  bool const is_constant =
      std::count(own.y.begin(), own.y.end(), own.y[0]) == static_cast<std::ptrdiff_t>(own.y.size());
  return !is_constant || (which == OracleStatistic::one_sample && own.y[0] != 0);
}

}  // namespace riffle::test
