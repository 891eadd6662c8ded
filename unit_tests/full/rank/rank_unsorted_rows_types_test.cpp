// Ranks within unsorted rows of more types, layouts and rules than in rank_unsorted_rows_test.cpp, compared with a sort of each
// line and ranks by their definitions; and as by SciPy 1.10.1: scipy.stats.rankdata(data, method='max', axis=axis).

#include <Kokkos_Core.hpp>
#include <riffle/rank/rank_unsorted_rows.hpp>
#include <riffle/rank/ties.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <functional>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/lines.hpp"
#include "support/matrices.hpp"
#include "support/rank_oracle.hpp"
#include "support/unsorted_data.hpp"

namespace riffle::test::rank_unsorted_rows_types_test {
namespace {

using Matrix = LinesOf<double>;

template <class Exec>
class RankUnsortedRowsTypesTest : public ::testing::Test {
 protected:
  Exec exec;
};
TYPED_TEST_SUITE(RankUnsortedRowsTypesTest, ExecutionSpaces, SpaceNames);

template <class Rule>
Matrix ranks_by_definition(LinesOf<int> const& lines, Rule const& rule) {
  Matrix ranks;
  for (auto const& line : lines) {
    ranks.push_back(unsorted_rank_oracle(line, rule, {}, std::less<int>{}));
  }
  return ranks;
}

TYPED_TEST(RankUnsortedRowsTypesTest, IntegersOfOtherLayouts) {
  LinesOf<int> rows;
  for (unsigned i = 0; i < 70; ++i) rows.push_back(few_values<int>(90, 20, i));

  auto const left = matrix_of_lines<TypeParam, int, Kokkos::LayoutLeft>(rows, true);
  auto const of_left = matrix_of<TypeParam, double, Kokkos::LayoutLeft>(70, 90, 77);
  riffle::rank_unsorted_columns(this->exec, left, of_left, ties::Ordinal{});
  this->exec.fence();
  EXPECT_TRUE(same_lines(lines_of_matrix(of_left, false),
                         ranks_by_definition(transposed(rows), ties::Ordinal{})));

  auto const strided = matrix_of_lines<TypeParam, int, Kokkos::LayoutStride>(rows, true);
  auto const of_strided = matrix_of<TypeParam, double, Kokkos::LayoutStride>(70, 90, 77);
  riffle::rank_unsorted_rows(this->exec, strided, of_strided, ties::Dense{});
  this->exec.fence();
  EXPECT_TRUE(same_lines(to_rows(of_strided), ranks_by_definition(rows, ties::Dense{})));
}

TYPED_TEST(RankUnsortedRowsTypesTest, ModifiedCompetitionAsSciPyRanks) {
  Matrix const data{{3, 1, 2, 1, 5}, {0, 0, 0, 0, 0}, {9, -1, 9, 4, -1}, {2, 2, 7, 1, 7}};
  auto const ranks_of = [&](Matrix const& rows) {
    auto const matrix = matrix_of_lines<TypeParam, double, Kokkos::LayoutRight>(rows, true);
    auto const ranks =
        matrix_of<TypeParam, double, Kokkos::LayoutRight>(matrix.extent(0), matrix.extent(1), 77);
    RankOptions<> options;
    options.missing = Missing::excluded;
    riffle::rank_unsorted_rows(this->exec, matrix, ranks, ties::ModifiedCompetition{}, options);
    this->exec.fence();
    return to_rows(ranks);
  };
  Matrix const along_rows{{4, 2, 3, 2, 5}, {5, 5, 5, 5, 5}, {5, 2, 5, 3, 2}, {3, 3, 5, 1, 5}};
  Matrix const down_columns{{3, 3, 2, 3, 3}, {1, 2, 1, 1, 2}, {4, 1, 4, 4, 1}, {2, 4, 3, 3, 4}};
  EXPECT_TRUE(same_lines(ranks_of(data), along_rows)) << "axis=1";
  EXPECT_TRUE(same_lines(transposed(ranks_of(transposed(data))), down_columns)) << "axis=0";
}

}  // namespace
}  // namespace riffle::test::rank_unsorted_rows_types_test
