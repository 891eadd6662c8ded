// Ranks along the rows and down the columns of matrices as SciPy 1.10.1 gives them: scipy.stats.rankdata(data,
// method=method, axis=axis), with nan_policy='omit' where there are NaNs.

#include <Kokkos_Core.hpp>
#include <riffle/rank_unsorted_rows.hpp>
#include <riffle/ties.hpp>

#include <gtest/gtest.h>

#include <limits>

#include "support/execution_spaces.hpp"
#include "support/lines.hpp"
#include "support/matrices.hpp"

namespace riffle::test {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

using Matrix = LinesOf<double>;

template <class Exec>
class RankUnsortedRowsScipyTest : public ::testing::Test {
 protected:
  template <class Rule>
  void expect_ranks(Matrix const& rows, Rule const& rule, Matrix const& along_rows,
                    Matrix const& down_columns) {
    RankOptions<> options;
    options.missing = Missing::excluded;
    auto const data = matrix_of_lines<Exec, double, Kokkos::LayoutRight>(rows, true);
    auto const ranks =
        make_matrix<Exec, double, Kokkos::LayoutRight>(data.extent(0), data.extent(1));
    riffle::rank_unsorted_rows(exec, data, ranks, rule, options);
    exec.fence();
    EXPECT_TRUE(same_lines(to_rows(ranks), along_rows)) << "axis=1";
    riffle::rank_unsorted_columns(exec, data, ranks, rule, options);
    exec.fence();
    EXPECT_TRUE(same_lines(to_rows(ranks), down_columns)) << "axis=0";
  }

  Exec exec;
};
TYPED_TEST_SUITE(RankUnsortedRowsScipyTest, ExecutionSpaces, SpaceNames);

TYPED_TEST(RankUnsortedRowsScipyTest, EveryMethod) {
  Matrix const data{{3, 1, 2, 1, 5}, {0, 0, 0, 0, 0}, {9, -1, 9, 4, -1}, {2, 2, 7, 1, 7}};
  this->expect_ranks(
      data, ties::Fractional{},
      {{4, 1.5, 3, 1.5, 5}, {3, 3, 3, 3, 3}, {4.5, 1.5, 4.5, 3, 1.5}, {2.5, 2.5, 4.5, 1, 4.5}},
      {{3, 3, 2, 2.5, 3}, {1, 2, 1, 1, 2}, {4, 1, 4, 4, 1}, {2, 4, 3, 2.5, 4}});
  this->expect_ranks(data, ties::Competition{},
                     {{4, 1, 3, 1, 5}, {1, 1, 1, 1, 1}, {4, 1, 4, 3, 1}, {2, 2, 4, 1, 4}},
                     {{3, 3, 2, 2, 3}, {1, 2, 1, 1, 2}, {4, 1, 4, 4, 1}, {2, 4, 3, 2, 4}});
  this->expect_ranks(data, ties::ModifiedCompetition{},
                     {{4, 2, 3, 2, 5}, {5, 5, 5, 5, 5}, {5, 2, 5, 3, 2}, {3, 3, 5, 1, 5}},
                     {{3, 3, 2, 3, 3}, {1, 2, 1, 1, 2}, {4, 1, 4, 4, 1}, {2, 4, 3, 3, 4}});
  this->expect_ranks(data, ties::Dense{},
                     {{3, 1, 2, 1, 4}, {1, 1, 1, 1, 1}, {3, 1, 3, 2, 1}, {2, 2, 3, 1, 3}},
                     {{3, 3, 2, 2, 3}, {1, 2, 1, 1, 2}, {4, 1, 4, 3, 1}, {2, 4, 3, 2, 4}});
  this->expect_ranks(data, ties::Ordinal{},
                     {{4, 1, 3, 2, 5}, {1, 2, 3, 4, 5}, {4, 1, 5, 3, 2}, {2, 3, 4, 1, 5}},
                     {{3, 3, 2, 2, 3}, {1, 2, 1, 1, 2}, {4, 1, 4, 4, 1}, {2, 4, 3, 3, 4}});
}

TYPED_TEST(RankUnsortedRowsScipyTest, NaNsOmitted) {
  Matrix const data{{3, nan, 1, 3}, {nan, nan, 2, nan}, {1, 1, nan, 0.5}};
  Matrix const down_columns{{2, nan, 1, 2}, {nan, nan, 2, nan}, {1, 1, nan, 1}};
  this->expect_ranks(data, ties::Fractional{},
                     {{2.5, nan, 1, 2.5}, {nan, nan, 1, nan}, {2.5, 2.5, nan, 1}}, down_columns);
  Matrix const along_rows{{2, nan, 1, 2}, {nan, nan, 1, nan}, {2, 2, nan, 1}};
  this->expect_ranks(data, ties::Competition{}, along_rows, down_columns);
  this->expect_ranks(data, ties::Dense{}, along_rows, down_columns);
}

}  // namespace
}  // namespace riffle::test
