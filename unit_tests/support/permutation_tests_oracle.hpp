#pragma once

// Permutation tests of many variables by the formulas of textbooks, in long double on the host: nothing is shared with what
// is tested. Data are given as they are on paper, where ties are ties; so all but rounding is a difference.

#include <cstdint>
#include <functional>
#include <vector>

namespace riffle::test {

using PaperRow = std::vector<long double>;
using PaperData = std::vector<PaperRow>;

enum class OracleStatistic {
  student,
  welch,
  mann_whitney,
  f,
  kruskal,
  pearson,
  spearman,
  one_sample
};

/// The observations of an arrangement: y*_i = s_i y_sigma(i).
struct OracleArrangement {
  std::vector<int> sigma;
  std::vector<int> signs;
};

PaperRow arranged(PaperRow const& y, OracleArrangement const& by);

/// Ranks from 1, ties sharing the mean of theirs, by counting.
PaperRow oracle_ranks(PaperRow const& y);

struct OracleMoments {
  long double count = 0;
  long double mean = 0;
  long double squares = 0;  // about the mean
};

/// Of those with this label; of all where it is negative. About the first value, so that large common parts take no bits.
OracleMoments moments(PaperRow const& y, std::vector<double> const& labels, int label);

long double oracle_quotient(long double x, long double y);

long double oracle_correlation(PaperRow const& x, PaperRow const& y);

long double oracle_f(PaperRow const& y, std::vector<double> const& labels);

long double oracle_h(PaperRow const& y, std::vector<double> const& labels);

/// The statistic of one variable, as it is told.
long double oracle_statistic(OracleStatistic which, PaperRow const& y,
                             std::vector<double> const& by);

/// What U is without any effect: half of the pairs of an observation of each group.
long double oracle_mean_of_u(std::vector<double> const& by);

/// The statistic as maxima over variables have it: of U how far it is from its mean.
long double oracle_maximised(OracleStatistic which, PaperRow const& y,
                             std::vector<double> const& by);

/// 0: |T|, 1: T, -1: -T.
long double oracle_sided(long double value, int side);

/// a >= b but for rounding.
bool oracle_at_least(long double a, long double b);

/// What is there to be compared, of all arrangements that are counted.
struct OracleTable {
  /// Of the data; by variable. A variable that is not tested has none.
  PaperRow statistic;
  std::vector<std::uint64_t> extreme;
  std::vector<std::uint64_t> single_step;
  std::vector<std::uint64_t> step_down;  // not made monotone by p: by count, which is the same
  /// By arrangement.
  PaperRow maxima;
};

/// Less the first value that is there, so that what follows has all digits: no statistic but that of one sample changes.
PaperData without_offsets(OracleStatistic which, PaperData data);

using OracleFunction = std::function<long double(PaperRow const&)>;

/// `tested[g]` tells which variables have a part; `statistic(row)` is what is told of a variable, `maximised(row)` what it is
/// compared by: NaN where it is not defined, which is less than all that is.
OracleTable oracle_table_of(PaperData const& data, int side, std::vector<bool> const& tested,
                            std::vector<OracleArrangement> const& arrangements,
                            OracleFunction const& statistic, OracleFunction const& maximised);

/// Of variables that have all values.
OracleTable oracle_table(OracleStatistic which, PaperData const& paper,
                         std::vector<double> const& by, int side, std::vector<bool> const& tested,
                         std::vector<OracleArrangement> const& arrangements);

// --- arrangements ---

/// All n! permutations that `allows`, with all signs where `flips`.
std::vector<OracleArrangement> all_arrangements(
    int n, bool permutes, bool flips, std::function<bool(std::vector<int> const&)> const& allows);

}  // namespace riffle::test
