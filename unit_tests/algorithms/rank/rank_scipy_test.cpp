// Ranks as by SciPy 1.10.1: scipy.stats.rankdata(data, method=method), with nan_policy='omit' if there
// are NaNs, for the methods 'average', 'min', 'max', 'dense' and 'ordinal'.

#include <Kokkos_Core.hpp>
#include <riffle/rank.hpp>
#include <riffle/rank/ties.hpp>

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/rank_oracle.hpp"
#include "support/views.hpp"

namespace riffle::test::rank_scipy_test {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

/// The results, named as SciPy's methods.
struct ScipyRanks {
  std::vector<double> average;
  std::vector<double> min;
  std::vector<double> max;
  std::vector<double> dense;
  std::vector<double> ordinal;
};

template <class Exec>
class RankScipyTest : public ::testing::Test {
 protected:
  void expect_ranks(std::vector<double> const& data, ScipyRanks const& expected) {
    expect_ranks(data, ties::Fractional{}, expected.average);
    expect_ranks(data, ties::Competition{}, expected.min);
    expect_ranks(data, ties::ModifiedCompetition{}, expected.max);
    expect_ranks(data, ties::Dense{}, expected.dense);
    expect_ranks(data, ties::Ordinal{}, expected.ordinal);
  }

 private:
  template <class Rule>
  void expect_ranks(std::vector<double> const& data, Rule const& rule,
                    std::vector<double> const& expected) {
    RankOptions<> options;
    options.missing = Missing::excluded;
    auto const ranks = zeros<Exec, double>(data.size());
    riffle::rank(exec, to_view<Exec>(data), ranks, rule, options);
    exec.fence();
    EXPECT_TRUE(same_ranks(to_vector(ranks), expected));
  }

  Exec exec;
};
TYPED_TEST_SUITE(RankScipyTest, ExecutionSpaces, SpaceNames);

TYPED_TEST(RankScipyTest, AFewTies) {
  this->expect_ranks({0, 2, 2, 3}, {
                                       .average = {1, 2.5, 2.5, 4},
                                       .min = {1, 2, 2, 4},
                                       .max = {1, 3, 3, 4},
                                       .dense = {1, 2, 2, 3},
                                       .ordinal = {1, 2, 3, 4},
                                   });
}

TYPED_TEST(RankScipyTest, RunsOfSeveralLengths) {
  this->expect_ranks({-3, -1, -1, -1, 0, 2.5, 2.5, 7, 7, 7, 7, 9},
                     {
                         .average = {1, 3, 3, 3, 5, 6.5, 6.5, 9.5, 9.5, 9.5, 9.5, 12},
                         .min = {1, 2, 2, 2, 5, 6, 6, 8, 8, 8, 8, 12},
                         .max = {1, 4, 4, 4, 5, 7, 7, 11, 11, 11, 11, 12},
                         .dense = {1, 2, 2, 2, 3, 4, 4, 5, 5, 5, 5, 6},
                         .ordinal = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12},
                     });
}

TYPED_TEST(RankScipyTest, AllEqual) {
  this->expect_ranks({5, 5, 5, 5, 5}, {
                                          .average = {3, 3, 3, 3, 3},
                                          .min = {1, 1, 1, 1, 1},
                                          .max = {5, 5, 5, 5, 5},
                                          .dense = {1, 1, 1, 1, 1},
                                          .ordinal = {1, 2, 3, 4, 5},
                                      });
}

TYPED_TEST(RankScipyTest, AllDifferent) {
  this->expect_ranks({-2, -1, 0, 10, 11, 12}, {
                                                  .average = {1, 2, 3, 4, 5, 6},
                                                  .min = {1, 2, 3, 4, 5, 6},
                                                  .max = {1, 2, 3, 4, 5, 6},
                                                  .dense = {1, 2, 3, 4, 5, 6},
                                                  .ordinal = {1, 2, 3, 4, 5, 6},
                                              });
}

TYPED_TEST(RankScipyTest, InfinitiesAndZeros) {
  this->expect_ranks({-infinity, -infinity, -1, -0.0, 0, 2},
                     {
                         .average = {1.5, 1.5, 3, 4.5, 4.5, 6},
                         .min = {1, 1, 3, 4, 4, 6},
                         .max = {2, 2, 3, 5, 5, 6},
                         .dense = {1, 1, 2, 3, 3, 4},
                         .ordinal = {1, 2, 3, 4, 5, 6},
                     });
}

TYPED_TEST(RankScipyTest, NaNsLast) {
  this->expect_ranks({1, 1, 2, 3, 3, 3, nan, nan}, {
                                                       .average = {1.5, 1.5, 3, 5, 5, 5, nan, nan},
                                                       .min = {1, 1, 3, 4, 4, 4, nan, nan},
                                                       .max = {2, 2, 3, 6, 6, 6, nan, nan},
                                                       .dense = {1, 1, 2, 3, 3, 3, nan, nan},
                                                       .ordinal = {1, 2, 3, 4, 5, 6, nan, nan},
                                                   });
}

TYPED_TEST(RankScipyTest, OneNaN) {
  this->expect_ranks({-2, 0.5, 0.5, nan}, {
                                              .average = {1, 2.5, 2.5, nan},
                                              .min = {1, 2, 2, nan},
                                              .max = {1, 3, 3, nan},
                                              .dense = {1, 2, 2, nan},
                                              .ordinal = {1, 2, 3, nan},
                                          });
}

TYPED_TEST(RankScipyTest, NaNsFirst) {
  this->expect_ranks({nan, nan, 4, 4, 6}, {
                                              .average = {nan, nan, 1.5, 1.5, 3},
                                              .min = {nan, nan, 1, 1, 3},
                                              .max = {nan, nan, 2, 2, 3},
                                              .dense = {nan, nan, 1, 1, 2},
                                              .ordinal = {nan, nan, 1, 2, 3},
                                          });
}

}  // namespace
}  // namespace riffle::test::rank_scipy_test
