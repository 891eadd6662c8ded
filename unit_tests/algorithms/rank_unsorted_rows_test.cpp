// Ranks along the rows and down the columns of matrices in any order, against a sort of each and ranks by their
// definitions.

#include <Kokkos_Core.hpp>
#include <riffle/order.hpp>
#include <riffle/rank_unsorted_rows.hpp>
#include <riffle/ties.hpp>
#include <riffle/workspace.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <functional>
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

namespace riffle::test {
namespace {

using Matrix = LinesOf<double>;

template <class Exec>
class RankUnsortedRowsTest : public ::testing::Test {
 protected:
  /// Both ways, against the ranks of each line alone.
  template <class Layout, class Rank = double, class T, class Rule, class Order = Ascending,
            class Before = std::less<T>>
  void expect_ranks(LinesOf<T> const& rows, Rule const& rule,
                    RankOptions<Order> const& options = {}, Before const& is_before = {}) {
    RankOracleOptions const oracle{options.missing == Missing::excluded, options.first,
                                   options.relative};
    for (bool const by_rows : {true, false}) {
      Matrix expected;
      for (auto const& line : by_rows ? rows : transposed(rows)) {
        expected.push_back(
            unsorted_rank_oracle(line, rule, oracle, is_before, options.missing == Missing::first));
      }
      auto const data = matrix_of_lines<Exec, T, Layout>(rows, true);
      auto const ranks = make_matrix<Exec, Rank, Layout>(data.extent(0), data.extent(1));
      Kokkos::deep_copy(ranks, Rank(77));
      if (by_rows) {
        riffle::rank_unsorted_rows(exec, data, ranks, rule, options, workspace);
      } else {
        riffle::rank_unsorted_columns(exec, data, ranks, rule, options, workspace);
      }
      exec.fence();
      EXPECT_TRUE(same_lines(lines_of_matrix(ranks, by_rows), expected))
          << (by_rows ? "rows" : "columns");
    }
  }

  Exec exec;
  riffle::Workspace<Exec> workspace{exec};
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
    this->template expect_ranks<Kokkos::LayoutRight>(any_rows<double>(3, length),
                                                     ties::Fractional{});
    this->template expect_ranks<Kokkos::LayoutRight>(any_rows<double>(3, length), ties::Dense{});
  }
}

TYPED_TEST(RankUnsortedRowsTest, OtherLayouts) {
  auto const rows = any_rows<int>(70, 90);
  this->template expect_ranks<Kokkos::LayoutLeft>(rows, ties::Fractional{});
  this->template expect_ranks<Kokkos::LayoutStride>(rows, ties::Fractional{});
}

TYPED_TEST(RankUnsortedRowsTest, NaNsBehindBeforeAndKeptOut) {
  auto const values = special_values<double>(6000);
  Matrix rows;
  for (auto row = values.begin(); row != values.end(); row += 60) rows.emplace_back(row, row + 60);
  for (auto const missing : {Missing::ranked, Missing::first, Missing::excluded}) {
    for (bool const relative : {false, true}) {
      RankOptions<> options;
      options.missing = missing;
      options.relative = relative;
      this->template expect_ranks<Kokkos::LayoutRight>(rows, ties::Fractional{}, options);
      this->template expect_ranks<Kokkos::LayoutRight>(rows, ties::Dense{}, options);
    }
  }
}

struct ByTens {
  KOKKOS_FUNCTION bool operator()(int const& a, int const& b) const { return a / 10 > b / 10; }
};

TYPED_TEST(RankUnsortedRowsTest, IntegersByAnOrderOfOnesOwn) {
  RankOptions<ByTens> options;
  options.first = 0;
  this->template expect_ranks<Kokkos::LayoutRight, signed char>(
      any_rows<int>(40, 100, 100), ties::Competition{}, options, ByTens{});
}

TYPED_TEST(RankUnsortedRowsTest, NoRowsAndNoColumns) {
  for (auto const& [rows, columns] : {std::pair(0, 0), std::pair(0, 5), std::pair(5, 0)}) {
    auto const data = make_matrix<TypeParam, double, Kokkos::LayoutRight>(rows, columns);
    auto const ranks = make_matrix<TypeParam, double, Kokkos::LayoutRight>(rows, columns);
    riffle::rank_unsorted_rows(this->exec, data, ranks, ties::Fractional{});
    riffle::rank_unsorted_columns(this->exec, data, ranks, ties::Fractional{});
  }
}

TYPED_TEST(RankUnsortedRowsTest, RefusesWhatItCannotRank) {
  auto const make = [](std::size_t rows, std::size_t columns, auto value) {
    return make_matrix<TypeParam, decltype(value), Kokkos::LayoutRight>(rows, columns);
  };
  auto const data = make(3, 300, 0.0);
  EXPECT_EQ(thrown_message([&] {
              rank_unsorted_rows(this->exec, data, make(2, 300, 0.0), ties::Fractional{});
            }),
            "riffle::rank_unsorted_rows: data.extent(0) = 3 and ranks.extent(0) = 2: must be "
            "equal");
  EXPECT_NE(thrown_message([&] {
              rank_unsorted_columns(this->exec, data, data, ties::Fractional{});
            }).find("riffle::rank_unsorted_columns: data at "),
            std::string::npos);
  RankOptions<> options;
  options.first = 2;
  EXPECT_EQ(thrown_message([&] {
              rank_unsorted_rows(this->exec, data, make(3, 300, 0.0), ties::Fractional{}, options);
            }),
            "riffle::rank_unsorted_rows: options.first = 2: must be 0 or 1");
}

}  // namespace
}  // namespace riffle::test
