// Ranks within unsorted rows and columns, compared with a sort of each line and ranks by their definitions; and as by SciPy
// 1.10.1: scipy.stats.rankdata(data, method=method, axis=axis), with nan_policy='omit' if there are NaNs.

#include <Kokkos_Core.hpp>
#include <riffle/order.hpp>
#include <riffle/rank/rank_unsorted_rows.hpp>
#include <riffle/rank/ties.hpp>
#include <riffle/workspace.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/lines.hpp"
#include "support/matrices.hpp"
#include "support/rank_oracle.hpp"
#include "support/thrown_message.hpp"
#include "support/unsorted_data.hpp"
#include "support/views.hpp"

namespace riffle::test::rank_unsorted_rows_test {
namespace {

using Matrix = LinesOf<double>;

// Rows and columns use the code of groups, so that most rules are tested in one direction; dense ranks, which read
// elements by a scan and not in blocks, in both. Layouts are tested in the direction in which they differ: columns of
// LayoutLeft are contiguous. Their rule needs no runs, because a rule does not depend on the layout.
// rank_unsorted_rows_types_test.cpp has more combinations.

enum class Along { rows, columns };

/// Ranks the lines of a matrix with these rows.
template <class Exec>
class RankUnsortedRowsBase : public ::testing::Test {
 protected:
  template <Along along, class Rank, class Layout, class T, class Rule, class Order>
  LinesOf<Rank> ranks_of(LinesOf<T> const& rows, Rule const& rule,
                         RankOptions<Order> const& options) {
    auto const data = matrix_of_lines<Exec, T, Layout>(rows, true);
    auto const ranks = matrix_of<Exec, Rank, Layout>(data.extent(0), data.extent(1), 77);
    if constexpr (along == Along::rows) {
      riffle::rank_unsorted_rows(Context(exec, workspace), data, ranks, rule, options);
    } else {
      riffle::rank_unsorted_columns(Context(exec, workspace), data, ranks, rule, options);
    }
    exec.fence();
    return to_rows(ranks);
  }

  Exec exec;
  riffle::Workspace<Exec> workspace{exec};
};

template <class Exec>
class RankUnsortedRowsTest : public RankUnsortedRowsBase<Exec> {
 protected:
  /// Compares with the ranks of each line.
  template <Along along, class Layout = Kokkos::LayoutRight, class Rank = double, class T,
            class Rule, class Order = Ascending, class Before = std::less<T>>
  void expect_ranks(LinesOf<T> const& rows, Rule const& rule,
                    RankOptions<Order> const& options = {}, Before const& is_before = {}) {
    RankOracleOptions const oracle{options.missing == Missing::excluded, options.first,
                                   options.relative};
    Matrix expected;
    for (auto const& line : along == Along::rows ? rows : transposed(rows)) {
      expected.push_back(
          unsorted_rank_oracle(line, rule, oracle, is_before, options.missing == Missing::first));
    }
    auto const ranks = this->template ranks_of<along, Rank, Layout>(rows, rule, options);
    EXPECT_TRUE(same_lines(along == Along::rows ? ranks : transposed(ranks), expected))
        << (along == Along::rows ? "rows" : "columns");
  }

  void expect_ranks_both_ways(Matrix const& rows, RankOptions<> const& options = {}) {
    expect_ranks<Along::rows>(rows, ties::Fractional{}, options);
    expect_ranks<Along::columns>(rows, ties::Competition{}, options);
    expect_ranks<Along::rows>(rows, ties::Dense{}, options);
    expect_ranks<Along::columns>(rows, ties::Dense{}, options);
  }
};
TYPED_TEST_SUITE(RankUnsortedRowsTest, ExecutionSpaces, SpaceNames);

template <class T>
LinesOf<T> any_rows(std::size_t rows, std::size_t columns, unsigned values = 20) {
  LinesOf<T> matrix;
  for (std::size_t i = 0; i < rows; ++i) {
    matrix.push_back(few_values<T>(columns, values, static_cast<unsigned>(i)));
  }
  return matrix;
}

TYPED_TEST(RankUnsortedRowsTest, OfAllShapes) {
  for (std::size_t const length : {1, 2, 1023, 1024, 1025, 4095, 4096, 4097}) {
    SCOPED_TRACE(length);
    this->expect_ranks_both_ways(any_rows<double>(3, length));
  }
}

TYPED_TEST(RankUnsortedRowsTest, OtherLayouts) {
  auto const rows = any_rows<double>(70, 90);
  this->template expect_ranks<Along::columns, Kokkos::LayoutLeft>(rows, ties::Ordinal{});
  this->template expect_ranks<Along::rows, Kokkos::LayoutStride>(rows, ties::Ordinal{});
}

TYPED_TEST(RankUnsortedRowsTest, NaNsLastFirstAndExcluded) {
  auto const values = special_values<double>(6000);
  Matrix rows;
  for (auto row = values.begin(); row != values.end(); row += 60) rows.emplace_back(row, row + 60);
  for (auto const missing : {Missing::ranked, Missing::first, Missing::excluded}) {
    for (bool const relative : {false, true}) {
      RankOptions<> options;
      options.missing = missing;
      options.relative = relative;
      this->expect_ranks_both_ways(rows, options);
    }
  }
}

struct ByTens {
  KOKKOS_FUNCTION bool operator()(int const& a, int const& b) const { return a / 10 > b / 10; }
};

TYPED_TEST(RankUnsortedRowsTest, IntegersByUserComparison) {
  RankOptions<ByTens> options;
  options.first = 0;
  this->template expect_ranks<Along::columns, Kokkos::LayoutRight, signed char>(
      any_rows<int>(40, 100, 100), ties::Competition{}, options, ByTens{});
}

TYPED_TEST(RankUnsortedRowsTest, NoRowsAndNoColumns) {
  for (auto const& [rows, columns] : {std::pair(0, 0), std::pair(0, 5), std::pair(5, 0)}) {
    auto const data = make_matrix<TypeParam, double, Kokkos::LayoutRight>(rows, columns);
    auto const ranks = make_matrix<TypeParam, double, Kokkos::LayoutRight>(rows, columns);
    riffle::rank_unsorted_rows(this->exec, data, ranks, ties::Fractional{});
    riffle::rank_unsorted_columns(this->exec, data, ranks);
  }
}

TYPED_TEST(RankUnsortedRowsTest, RejectsInvalidArguments) {
  auto const make = [](std::size_t rows, std::size_t columns, auto value) {
    return make_matrix<TypeParam, decltype(value), Kokkos::LayoutRight>(rows, columns);
  };
  auto const data = make(3, 300, 0.0);
  EXPECT_EQ(thrown_message([&] {
              rank_unsorted_rows(this->exec, data, make(2, 300, 0.0), ties::Fractional{});
            }),
            "riffle::rank_unsorted_rows: data.extent(0) = 3 and ranks.extent(0) = 2: must be "
            "equal");
  EXPECT_NE(thrown_message([&] { rank_unsorted_columns(this->exec, data, data); })
                .find("riffle::rank_unsorted_columns: data (\"matrix\") and "
                      "ranks (\"matrix\") overlap"),
            std::string::npos);
  RankOptions<> options;
  options.first = 2;
  EXPECT_EQ(thrown_message([&] {
              rank_unsorted_rows(this->exec, data, make(3, 300, 0.0), ties::Fractional{}, options);
            }),
            "riffle::rank_unsorted_rows: options.first = 2: must be 0 or 1");
}

// --- compared with SciPy ---

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

template <class Exec>
class RankUnsortedRowsScipyTest : public RankUnsortedRowsBase<Exec> {
 protected:
  /// Tests the function of one direction; for the other direction, the matrix is transposed.
  template <Along along, class Rule>
  void expect_ranks(Matrix const& data, Rule const& rule, Matrix const& along_rows,
                    Matrix const& down_columns) {
    RankOptions<> options;
    options.missing = Missing::excluded;
    auto const ranks = [&](Matrix const& rows) {
      return this->template ranks_of<along, double, Kokkos::LayoutRight>(rows, rule, options);
    };
    Matrix const own = ranks(data);
    Matrix const other = transposed(ranks(transposed(data)));
    EXPECT_TRUE(same_lines(along == Along::rows ? own : other, along_rows)) << "axis=1";
    EXPECT_TRUE(same_lines(along == Along::rows ? other : own, down_columns)) << "axis=0";
  }
};
TYPED_TEST_SUITE(RankUnsortedRowsScipyTest, ExecutionSpaces, SpaceNames);

TYPED_TEST(RankUnsortedRowsScipyTest, MostMethods) {
  Matrix const data{{3, 1, 2, 1, 5}, {0, 0, 0, 0, 0}, {9, -1, 9, 4, -1}, {2, 2, 7, 1, 7}};
  this->template expect_ranks<Along::rows>(
      data, ties::Fractional{},
      {{4, 1.5, 3, 1.5, 5}, {3, 3, 3, 3, 3}, {4.5, 1.5, 4.5, 3, 1.5}, {2.5, 2.5, 4.5, 1, 4.5}},
      {{3, 3, 2, 2.5, 3}, {1, 2, 1, 1, 2}, {4, 1, 4, 4, 1}, {2, 4, 3, 2.5, 4}});
  this->template expect_ranks<Along::columns>(
      data, ties::Competition{},
      {{4, 1, 3, 1, 5}, {1, 1, 1, 1, 1}, {4, 1, 4, 3, 1}, {2, 2, 4, 1, 4}},
      {{3, 3, 2, 2, 3}, {1, 2, 1, 1, 2}, {4, 1, 4, 4, 1}, {2, 4, 3, 2, 4}});
  this->template expect_ranks<Along::rows>(
      data, ties::Dense{}, {{3, 1, 2, 1, 4}, {1, 1, 1, 1, 1}, {3, 1, 3, 2, 1}, {2, 2, 3, 1, 3}},
      {{3, 3, 2, 2, 3}, {1, 2, 1, 1, 2}, {4, 1, 4, 3, 1}, {2, 4, 3, 2, 4}});
  this->template expect_ranks<Along::columns>(
      data, ties::Dense{}, {{3, 1, 2, 1, 4}, {1, 1, 1, 1, 1}, {3, 1, 3, 2, 1}, {2, 2, 3, 1, 3}},
      {{3, 3, 2, 2, 3}, {1, 2, 1, 1, 2}, {4, 1, 4, 3, 1}, {2, 4, 3, 2, 4}});
  this->template expect_ranks<Along::columns>(
      data, ties::Ordinal{}, {{4, 1, 3, 2, 5}, {1, 2, 3, 4, 5}, {4, 1, 5, 3, 2}, {2, 3, 4, 1, 5}},
      {{3, 3, 2, 2, 3}, {1, 2, 1, 1, 2}, {4, 1, 4, 4, 1}, {2, 4, 3, 3, 4}});
}

TYPED_TEST(RankUnsortedRowsScipyTest, NaNsOmitted) {
  Matrix const data{{3, nan, 1, 3}, {nan, nan, 2, nan}, {1, 1, nan, 0.5}};
  Matrix const down_columns{{2, nan, 1, 2}, {nan, nan, 2, nan}, {1, 1, nan, 1}};
  this->template expect_ranks<Along::rows>(
      data, ties::Fractional{}, {{2.5, nan, 1, 2.5}, {nan, nan, 1, nan}, {2.5, 2.5, nan, 1}},
      down_columns);
  Matrix const along_rows{{2, nan, 1, 2}, {nan, nan, 1, nan}, {2, 2, nan, 1}};
  this->template expect_ranks<Along::columns>(data, ties::Competition{}, along_rows, down_columns);
  this->template expect_ranks<Along::rows>(data, ties::Dense{}, along_rows, down_columns);
  this->template expect_ranks<Along::columns>(data, ties::Dense{}, along_rows, down_columns);
}

}  // namespace
}  // namespace riffle::test::rank_unsorted_rows_test
