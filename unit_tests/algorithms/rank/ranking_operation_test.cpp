#include <Kokkos_Core.hpp>
#include <riffle/monoid.hpp>
#include <riffle/published/competition_ranking/ranking_operation.hpp>
#include <riffle/rank.hpp>
#include <riffle/scan.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/views.hpp"

namespace riffle::test::ranking_operation_test {
namespace {

using Operation = riffle::CompetitionRankOperation<float>;
using Datum = riffle::RankedDatum<float>;
static_assert(riffle::Monoid<Operation>);

void expect_equal(Datum const& actual, Datum const& expected) {
  EXPECT_EQ(actual.datum, expected.datum);
  EXPECT_EQ(actual.rank, expected.rank);
  EXPECT_EQ(actual.is_element, expected.is_element);
}

struct Row {
  char const* name;
  Datum a, b, c;
  Datum ab, bc, abc;
};

// Table I of the paper: the results of the operation, for each grouping of three elements.
TEST(CompetitionRankOperationTest, TableI) {
  Row const rows[] = {
      {"a = b = c",
       {2, 1, true},
       {2, 2, true},
       {2, 3, true},
       {2, 1, true},
       {2, 2, true},
       {2, 1, true}},
      {"a = b < c",
       {2, 1, true},
       {2, 2, true},
       {3, 3, true},
       {2, 1, true},
       {3, 3, true},
       {3, 3, true}},
      {"a < b = c",
       {1, 1, true},
       {2, 2, true},
       {2, 3, true},
       {2, 2, true},
       {2, 2, true},
       {2, 2, true}},
      {"a < b < c",
       {1, 1, true},
       {2, 2, true},
       {3, 3, true},
       {2, 2, true},
       {3, 3, true},
       {3, 3, true}},
  };
  Operation const op;
  for (Row const& row : rows) {
    SCOPED_TRACE(row.name);
    expect_equal(op(row.a, row.b), row.ab);
    expect_equal(op(row.b, row.c), row.bc);
    expect_equal(op(op(row.a, row.b), row.c), row.abc);
    expect_equal(op(row.a, op(row.b, row.c)), row.abc);
  }
}

TEST(CompetitionRankOperationTest, HasAnIdentity) {
  Operation const op;
  Datum const x{5, 7, true};
  expect_equal(op(op.identity(), x), x);
  expect_equal(op(x, op.identity()), x);
  expect_equal(op(op.identity(), op.identity()), op.identity());
}

template <class View>
struct DatumAt {
  View sorted;

  KOKKOS_FUNCTION Datum operator()(std::uint64_t i) const { return {sorted(i), i + 1, true}; }
};

template <class View>
struct WriteRank {
  View ranks;

  KOKKOS_FUNCTION void operator()(std::uint64_t i, Datum const& prefix) const {
    ranks(i) = static_cast<int>(prefix.rank);
  }
};

template <class Exec>
class CompetitionRankScanTest : public ::testing::Test {};
TYPED_TEST_SUITE(CompetitionRankScanTest, ExecutionSpaces, SpaceNames);

TYPED_TEST(CompetitionRankScanTest, ScanGivesTheRanks) {
  std::vector<float> data;
  for (int value = 0; data.size() < 20'000; ++value) {
    data.insert(data.end(), static_cast<std::size_t>(value * value % 300 + 1),
                static_cast<float>(value));
  }
  auto const sorted = to_view<TypeParam>(data);
  auto const scanned = zeros<TypeParam, int>(data.size());
  auto const ranked = zeros<TypeParam, int>(data.size());
  TypeParam const exec;
  riffle::inclusive_scan(exec, data.size(), DatumAt<decltype(sorted)>{sorted},
                         WriteRank<decltype(scanned)>{scanned}, Operation{});
  riffle::rank(exec, sorted, ranked);
  exec.fence();
  EXPECT_EQ(to_vector(scanned), to_vector(ranked));
}

}  // namespace
}  // namespace riffle::test::ranking_operation_test
