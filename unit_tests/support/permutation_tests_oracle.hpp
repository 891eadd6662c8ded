#pragma once

// Permutation tests of many variables by textbook formulas, in long double on the host, without code of the implementation.
// Data are the exact decimal numbers, in which ties are exact; results may differ only by rounding.

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

/// Ranks from 1 by counting; tied values share the mean of their ranks.
PaperRow oracle_ranks(PaperRow const& y);

struct OracleMoments {
  long double count = 0;
  long double mean = 0;
  long double squares = 0;  // sum of squares about the mean
};

/// The moments of the values with this label, or of all values if `label` < 0. They are computed relative to the first value,
/// so that a large common offset costs no precision.
OracleMoments moments(PaperRow const& y, std::vector<double> const& labels, int label);

long double oracle_quotient(long double x, long double y);

long double oracle_correlation(PaperRow const& x, PaperRow const& y);

long double oracle_f(PaperRow const& y, std::vector<double> const& labels);

long double oracle_h(PaperRow const& y, std::vector<double> const& labels);

/// The statistic of one variable as it is reported.
long double oracle_statistic(OracleStatistic which, PaperRow const& y,
                             std::vector<double> const& by);

/// The mean of U under the null hypothesis: half of the number of pairs of observations of different groups.
long double oracle_mean_of_u(std::vector<double> const& by);

/// The statistic as it is compared over variables: for U, its difference from the mean.
long double oracle_maximised(OracleStatistic which, PaperRow const& y,
                             std::vector<double> const& by);

/// |T| for side 0, T for side 1, -T for side -1.
long double oracle_sided(long double value, int side);

/// Whether a >= b, with a tolerance for rounding.
bool oracle_at_least(long double a, long double b);

/// The counts over all arrangements.
struct OracleTable {
  /// By variable; a variable that is not tested has no values.
  PaperRow statistic;
  std::vector<std::uint64_t> extreme;
  std::vector<std::uint64_t> single_step;
  std::vector<std::uint64_t>
      step_down;  // counts before p-values are made monotonic; the order by counts is the order by p-values
  /// By arrangement.
  PaperRow maxima;
};

/// Subtracts the first value that is present from each variable, so that later sums keep all digits. The one-sample statistic
/// alone would change, so its data are returned as they are.
PaperData without_offsets(OracleStatistic which, PaperData data);

using OracleFunction = std::function<long double(PaperRow const&)>;

/// `tested[g]` says which variables are tested; `statistic(row)` is the reported statistic, `maximised(row)` the one that is
/// compared over variables. NaN means that it is not defined, and is less than all other values.
OracleTable oracle_table_of(PaperData const& data, int side, std::vector<bool> const& tested,
                            std::vector<OracleArrangement> const& arrangements,
                            OracleFunction const& statistic, OracleFunction const& maximised);

/// For data without missing values.
OracleTable oracle_table(OracleStatistic which, PaperData const& paper,
                         std::vector<double> const& by, int side, std::vector<bool> const& tested,
                         std::vector<OracleArrangement> const& arrangements);

// --- arrangements ---

/// All n! permutations for which `allows` is true, each with all sign changes if `flips`.
std::vector<OracleArrangement> all_arrangements(
    int n, bool permutes, bool flips, std::function<bool(std::vector<int> const&)> const& allows);

}  // namespace riffle::test
